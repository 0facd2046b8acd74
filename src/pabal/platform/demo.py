"""The demo: an organisation and its people, marked, and what each app adds to it; all of it can be taken out again."""

from collections.abc import Iterable

from pabal.base.database import Database, Tx
from pabal.base.errors import Forbidden
from pabal.base.sql import load as load_sql
from pabal.platform import audit, auth, storage, tenants
from pabal.platform.actor import ENGINE, Actor, Right, Role
from pabal.platform.services import Services
from pabal.platform.slice import Slice
from pabal.platform.tenants import Level, Scope, Unit

SQL = load_sql(__file__)
AREA = "settings"
EVERYBODY = Scope(None, None)
PASSWORD = "pabal-demo-2026"  # noqa: S105 -- shown to everybody in a demo, which production mode refuses to have

_TREE = {
    "부산총판": {"부산중부대리점": ("해운대점", "남포점"), "경남대리점": ("창원점", "진주점")},
    "서울총판": {"강남대리점": ("역삼점", "삼성점")},
}
_PEOPLE = (
    ("demo-hq", "김서연", "본사", Role.ADMIN),
    ("demo-busan", "박지훈", "부산총판", Role.OPERATOR),
    ("demo-haeundae", "이하은", "해운대점", Role.OPERATOR),
    ("demo-yeoksam", "최도윤", "역삼점", Role.VIEWER),
)


class DemoRefused(Forbidden, code="demo_refused"):
    """In production there is no demo: its people have a password that everybody knows."""


async def is_empty(tx: Tx) -> bool:
    return bool(await tx.value(SQL.is_empty))


async def is_loaded(tx: Tx) -> bool:
    return bool(await tx.value(SQL.has_demo))


async def load(services: Services, slices: Iterable[Slice], actor: Actor = ENGINE) -> None:
    """Bears being repeated: what is there stays, and people without their password get it. Belongs to the head office:
    among the demo's people is an administrator of the whole house.
    """
    if services.settings.is_production:
        raise DemoRefused
    database = services.database
    async with database.transaction() as tx:
        await tenants.require_house(tx, actor, Right.MANAGE, AREA)
        if not await is_loaded(tx):
            await _fill(tx, slices, actor)
        people = [user for user in await auth.list_users(tx, EVERYBODY) if user.is_demo and not user.has_password]
    for user in people:
        await auth.change_password(database, user.actor(), current=None, new=PASSWORD, keep=None)
    for one in slices:
        if one.demo is not None and one.demo.after is not None:
            await one.demo.after(services)


async def make_link(tx: Tx) -> str | None:
    """A one-time way in for the demo's administrator: whoever starts a demo wants to look, not to type."""
    login = _PEOPLE[0][0]
    found = [user for user in await auth.list_users(tx, EVERYBODY, words=login) if user.is_demo and user.login == login]
    return (await auth.issue_link(tx, ENGINE, found[0].id)).secret if found else None


async def clear(database: Database, slices: Iterable[Slice], actor: Actor) -> None:
    """What apps added first, then the people, then the units from below. Histories and the audit stay."""
    async with database.transaction() as tx:
        await tenants.require_house(tx, actor, Right.MANAGE, AREA)
        for one in slices:
            if one.demo is not None:
                await one.demo.clear(tx)
        await auth.remove_demo_users(tx)
        units = [row["id"] for row in await tx.rows(SQL.list_demo_units)]
        # what somebody uploaded or a script made while the demo was there
        await storage.remove_loose(tx, units, heir=(await tenants.ensure_hq(tx)).id)
        for unit_id in units:
            await tenants.remove_unit(tx, ENGINE, unit_id)
        await audit.record(tx, actor, "demo.clear", "demo")


async def _fill(tx: Tx, slices: Iterable[Slice], actor: Actor) -> None:
    units = await _plant(tx)
    await _settle(tx, units)
    for one in slices:
        if one.demo is not None:
            await one.demo.load(tx)
    await audit.record(tx, actor, "demo.load", "demo", after={"units": len(units) - 1, "people": len(_PEOPLE)})


async def _plant(tx: Tx) -> dict[str, Unit]:
    hq = await tenants.ensure_hq(tx)
    units = {"본사": hq}

    taken = {unit.name for unit in await tenants.list_units(tx, None)}

    async def add(parent: Unit, level: Level, name: str) -> Unit:
        # a house of one's own may have such a unit already
        said = f"{name} (데모)" if name in taken else name
        units[name] = await tenants.add_unit(tx, ENGINE, parent_id=parent.id, level=level, name=said, is_demo=True)
        return units[name]

    for distributor, agencies in _TREE.items():
        above = await add(hq, Level.DISTRIBUTOR, distributor)
        for agency, branches in agencies.items():
            middle = await add(above, Level.AGENCY, agency)
            for branch in branches:
                await add(middle, Level.BRANCH, branch)
    return units


async def _settle(tx: Tx, units: dict[str, Unit]) -> None:
    for login, name, unit, role in _PEOPLE:
        await auth.add_user(tx, ENGINE, auth.NewUser(login, name, units[unit].id, role, is_demo=True))
