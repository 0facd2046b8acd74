"""Organisation and people: the tree of one's scope, each unit with its people, and what an administrator may change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import APIRouter, Form, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid, PabalError
from pabal.base.sql import load
from pabal.engine.listing.paging import Page, cut, read_cursor, show_cursor
from pabal.platform import auth, tenants
from pabal.platform.actor import Right, Role
from pabal.platform.auth import User
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.tenants import Level, Scope
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, turn
from pabal.platform.web.problems import status_of
from pabal.platform.web.tree import LEVELS, Tree, levels_below, load_tree
from pabal.platform.web.visit import Visit

router = APIRouter()
SQL = load(__file__)
AREA = "people"
AT_ONCE = 50
LAST = 2**63 - 1
ROLES: dict[Role, Pair] = {
    Role.VIEWER: ("viewer", "조회자"),
    Role.OPERATOR: ("operator", "운영자"),
    Role.ADMIN: ("administrator", "관리자"),
}
# How long a sign-in link works, in hours.
LINK_HOURS: dict[int, Pair] = {
    1: ("1 hour", "1시간"),
    24: ("1 day", "하루"),
    72: ("3 days", "3일"),
    168: ("7 days", "7일"),
}

Number = Annotated[int, Path(ge=1, le=LAST)]
UnitGiven = Annotated[int, Form(ge=1, le=LAST)]
Said = Annotated[str, Form(max_length=1000)]


class Filters(BaseModel):
    q: Word = ""
    role: Word = ""
    state: Word = ""
    unit: Word = ""
    cursor: str = ""

    @property
    def wanted_role(self) -> Role | None:
        return Role(self.role) if self.role in list(Role) else None

    @property
    def is_active(self) -> bool | None:
        return {"active": True, "inactive": False}.get(self.state)

    @property
    def is_any(self) -> bool:
        return bool(self.q or self.wanted_role or self.is_active is not None or self.cursor)


@dataclass(frozen=True, slots=True)
class Failed:
    """A form that could not be taken: which one, what is wrong with which field, and what was typed."""

    form: str
    status: int
    errors: list[tuple[str, str]]
    typed: Mapping[str, Any] = field(default_factory=dict)


def fail(visit: Visit, form: str, error: PabalError, at: str, typed: Mapping[str, Any]) -> Failed:
    return Failed(form, status_of(error), [(at, explain(error, visit.lang))], typed)


def state_of(user: User) -> str:
    """Who has no password has not come in yet, or has been sent a link to choose a new one."""
    if not user.is_active:
        return "inactive"
    return "active" if user.has_password else "invited"


def roles_to_give(visit: Visit) -> list[tuple[str, str]]:
    """Nobody hands on more than they have."""
    return [(role.value, visit.say(*ROLES[role])) for role in Role if auth.may_give(visit.actor, role)]


@router.get("/people")
async def people(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    if filters.unit.isascii() and filters.unit.isdigit():
        return visit.go(f"/people/units/{filters.unit}")
    return await show_people(visit, filters)


async def show_people(visit: Visit, filters: Filters, failed: Failed | None = None) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        tree = await load_tree(tx, visit.scope)
        counts = await _count_people(tx, visit.scope)
        page = await _load_page(tx, visit.scope, filters)
    top = tree.units[0] if tree.units else None
    return await visit.show(
        "people.html",
        200 if failed is None else failed.status,
        counts=counts,
        failed=failed,
        top=top,
        levels=_level_choices(visit, [] if top is None else levels_below(top.level)),
        **_shared(visit, tree, filters, page),
    )


@router.get("/people/units")
async def to_the_tree(visit: Visitor) -> Response:
    """Where a form that was refused leaves one after a change of language."""
    return visit.go("/people")


@router.post("/people/units")
async def add_unit(visit: Visitor, parent_id: UnitGiven, level: Annotated[Level, Form()], title: Said = "") -> Response:
    try:
        async with visit.change() as tx:
            made = await tenants.add_unit(tx, visit.actor, parent_id=parent_id, level=level, name=title)
    except (Invalid, Conflict) as error:
        at = "level" if isinstance(error, tenants.BadLevel) else "title"
        typed = {"parent_id": parent_id, "level": level, "title": title}
        return await show_people(visit, Filters(), fail(visit, "add-unit", error, at, typed))
    return visit.go(f"/people/units/{made.id}", said=("Added {name}.", "{name}을(를) 추가했습니다."), name=made.name)


@router.get("/people/units/{unit_id}")
async def unit(visit: Visitor, unit_id: Number, filters: Annotated[Filters, Query()]) -> Response:
    return await _show_unit(visit, unit_id, filters)


@router.post("/people/units/{unit_id}/rename")
async def rename_unit(visit: Visitor, unit_id: Number, new_name: Said = "") -> Response:
    try:
        async with visit.change() as tx:
            await tenants.rename_unit(tx, visit.actor, unit_id, new_name)
    except (Invalid, Conflict) as error:
        failed = fail(visit, "rename", error, "new_name", {"new_name": new_name})
        return await _show_unit(visit, unit_id, Filters(), failed)
    return visit.go(f"/people/units/{unit_id}", said=("Renamed.", "이름을 바꿨습니다."))


@router.post("/people/units/{unit_id}/move")
async def move_unit(visit: Visitor, unit_id: Number, new_parent: UnitGiven) -> Response:
    try:
        async with visit.change() as tx:
            await tenants.move_unit(tx, visit.actor, unit_id, parent_id=new_parent)
    except (Invalid, Conflict) as error:
        failed = fail(visit, "move", error, "new_parent", {"new_parent": new_parent})
        return await _show_unit(visit, unit_id, Filters(), failed)
    said: Pair = ("Moved, with everything below it.", "아래 조직과 함께 옮겼습니다.")
    return visit.go(f"/people/units/{unit_id}", said=said)


@router.post("/people/units/{unit_id}/remove")
async def remove_unit(visit: Visitor, unit_id: Number) -> Response:
    try:
        async with visit.change() as tx:
            await tenants.remove_unit(tx, visit.actor, unit_id)
    except Conflict as error:
        return await _show_unit(visit, unit_id, Filters(), fail(visit, "remove", error, "", {}))
    return visit.go("/people", said=("Removed.", "지웠습니다."))


@router.get("/people/units/{unit_id}/{verb}")
async def back_to_unit(visit: Visitor, unit_id: Number, verb: str) -> Response:
    """Where a form that was refused leaves one after a change of language."""
    return visit.go(f"/people/units/{unit_id}")


async def _show_unit(visit: Visit, unit_id: int, filters: Filters, failed: Failed | None = None) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        scope = await tenants.visible_to(tx, visit.actor, within=unit_id)
        tree = await load_tree(tx, await tenants.visible_to(tx, visit.actor))
        counts = await _count_people(tx, scope)
        page = await _load_page(tx, scope, filters)
    found = tree.by_id[unit_id]
    return await visit.show(
        "unit.html",
        200 if failed is None else failed.status,
        unit=found,
        path=tree.path(unit_id),
        below=[one for one in tree.units if one.parent_id == unit_id],
        counts=counts,
        failed=failed,
        is_top=found.parent_id is None or unit_id == visit.actor.unit_id,
        parents=tree.choices(tree.parents_for(found)),
        levels=_level_choices(visit, levels_below(found.level)),
        **_shared(visit, tree, filters, page),
    )


def _shared(visit: Visit, tree: Tree, filters: Filters, page: Page[User]) -> dict[str, Any]:
    """What the tree's page and a unit's page both show: the people, and the form for one more."""
    return {
        "tree": tree,
        "users": page.items,
        "filters": filters,
        "pager": turn(visit, page.cursor),
        "state_of": state_of,
        "level_words": LEVELS,
        "roles": [(role.value, visit.say(*said)) for role, said in ROLES.items()],
        "roles_to_give": roles_to_give(visit),
        "hours": [(hours, visit.say(*said)) for hours, said in LINK_HOURS.items()],
    }


def _level_choices(visit: Visit, levels: list[Level]) -> list[tuple[str, str]]:
    return [(level.value, visit.say(*LEVELS[level])) for level in levels]


async def _count_people(tx: Tx, scope: Scope) -> dict[int, int]:
    rows = await tx.rows(SQL.count_people, units=scope.listed)
    return {row["unit_id"]: row["people"] for row in rows}


async def _load_page(tx: Tx, scope: Scope, filters: Filters) -> Page[User]:
    """By login. A cursor that somebody mistyped is the first page."""
    try:
        after = read_cursor(filters.cursor, str)[0] if filters.cursor else ""
    except Invalid:
        after = ""
    found = await auth.list_users(
        tx,
        scope,
        after=after.replace("\0", ""),
        words=filters.q or None,
        role=filters.wanted_role,
        is_active=filters.is_active,
        limit=AT_ONCE + 1,
    )
    return cut(found, AT_ONCE, lambda user: show_cursor(user.login))
