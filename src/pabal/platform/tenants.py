"""The tree HQ › distributor › agency › branch, and the one door to what somebody may see."""

from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pabal.base.database import ConstraintBroken, Tx
from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound
from pabal.base.sql import load
from pabal.platform import audit
from pabal.platform.actor import Actor, NotAllowed, Right

SQL = load(__file__)


class Level(StrEnum):
    """From the top down."""

    HQ = "hq"
    DISTRIBUTOR = "distributor"
    AGENCY = "agency"
    BRANCH = "branch"


LEVELS = tuple(Level)


@dataclass(frozen=True, slots=True)
class Unit:
    id: int
    parent_id: int | None
    level: Level
    name: str
    is_demo: bool
    created_at: datetime


class UnitNotFound(NotFound, code="unit_not_found"):
    """There is no such organisation unit, or it is not yours to see."""


class BadLevel(Invalid, code="bad_level"):
    """A unit stands below one of a higher level: HQ, then distributor, agency, branch. There is one HQ."""


class BadName(Invalid, code="bad_name"):
    """A name has 1 to 100 printable characters and is not taken by a neighbour in the tree."""


class HeadOfficeOnly(Forbidden, code="head_office_only"):
    """This holds for the whole house, so only people of the head office may do it."""


class UnitNotEmpty(Conflict, code="unit_not_empty"):
    """Units, people or things still belong to this unit. Move or remove them first."""


def check_place(level: Level, parent: Unit) -> None:
    """A level may be left out (a branch right below a distributor), never turned around."""
    if LEVELS.index(level) <= LEVELS.index(parent.level):
        raise BadLevel(f"{level} below {parent.level}")


def check_name(name: str) -> str:
    said = " ".join(name.split())
    if not 1 <= len(said) <= 100 or not said.isprintable():
        raise BadName(repr(name[:100]))
    return said


HQ_NAME = "본사"


async def ensure_hq(tx: Tx) -> Unit:
    """The root is there from the first start."""
    found = await tx.value(SQL.find_hq)
    if found is None:
        await tx.run(SQL.insert_hq, name=HQ_NAME, now=tx.now)
        found = await tx.value(SQL.find_hq)
    return await get_unit(tx, found)


async def get_unit(tx: Tx, unit_id: int) -> Unit:
    found = await tx.one(Unit, SQL.get_unit, id=unit_id)
    if found is None:
        raise UnitNotFound(str(unit_id))
    return found


async def list_units(tx: Tx, units: list[int] | None) -> list[Unit]:
    """In the order of the tree: each unit right after its parent's earlier children. None: all of them."""
    return await tx.all(Unit, SQL.list_units, units=units)


async def list_path(tx: Tx, unit_id: int) -> list[Unit]:
    """From the HQ down to the unit itself."""
    return await tx.all(Unit, SQL.list_path, id=unit_id)


async def list_subtree(tx: Tx, unit_id: int) -> list[int]:
    return [row[0] for row in await tx.rows(SQL.list_subtree, id=unit_id)]


async def list_subtrees(tx: Tx, unit_ids: Collection[int]) -> dict[int, list[int]]:
    """Of each of them, with one statement."""
    found: dict[int, list[int]] = {unit_id: [] for unit_id in unit_ids}
    for row in await tx.rows(SQL.list_subtrees, ids=list(found)):
        found[row["root"]].append(row["id"])
    return found


async def hold_unit(tx: Tx, unit_id: int) -> None:
    """Locked until the commit."""
    await tx.run(SQL.hold_unit, id=unit_id)


async def insert_unit(tx: Tx, *, parent_id: int, level: Level, name: str, is_demo: bool) -> int:
    made: int = await tx.value(
        SQL.insert_unit, parent_id=parent_id, level=level.value, name=name, is_demo=is_demo, now=tx.now
    )
    return made


async def update_unit(tx: Tx, unit_id: int, *, parent_id: int | None, name: str) -> None:
    await tx.run(SQL.update_unit, id=unit_id, parent_id=parent_id, name=name)


async def delete_unit(tx: Tx, unit_id: int) -> None:
    await tx.run(SQL.delete_unit, id=unit_id)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which units, as statements take it: `units` None is everything, what no unit owns included.

    `unit_id` is the top of it: what somebody makes here belongs to that unit unless they say otherwise.
    """

    units: tuple[int, ...] | None
    unit_id: int | None
    # beginnings of kinds, facts and actions that the general lists keep from this reader, as LIKE has them
    veiled: tuple[str, ...] = ()

    def shows(self, name: str) -> bool:
        """Of a kind of work, a fact or an action."""
        return not name.startswith(tuple(one.rstrip("%") for one in self.veiled))

    def holds(self, unit_id: int | None) -> bool:
        return self.units is None or unit_id in self.units

    @property
    def listed(self) -> list[int] | None:
        """As the database driver wants it."""
        return None if self.units is None else list(self.units)


async def visible_to(tx: Tx, actor: Actor, *, within: int | None = None) -> Scope:
    """The actor's subtree, or the part of it below `within`. The HQ's own people see what no unit owns too."""
    own = await _own(tx, actor)
    if within is None or within == own.unit_id:
        return own
    if not own.holds(within):
        raise UnitNotFound(str(within))
    below = await list_subtree(tx, within)
    if not below:
        raise UnitNotFound(str(within))
    return Scope(tuple(below), within, own.veiled)


async def may_see(tx: Tx, actor: Actor, unit_id: int | None) -> bool:
    return (await visible_to(tx, actor)).holds(unit_id)


async def require_house(tx: Tx, actor: Actor, right: Right, area: str) -> None:
    """For what belongs to no unit: the right alone is not enough, one must see the whole house."""
    actor.require(right, area)
    if (await _own(tx, actor)).units is not None:
        raise HeadOfficeOnly(area)


# What has doors of its own that look closer than at unit and right: who may see a run, its workflow says. The general
# doors show it to those who may see all of it.
VEILS = {"workflow%": "workflows"}


async def _own(tx: Tx, actor: Actor) -> Scope:
    hq = await tx.value(SQL.find_hq)
    veiled = tuple(name for name, area in VEILS.items() if not actor.may(Right.MANAGE, area))
    if actor.unit_id is None or actor.unit_id == hq:
        return Scope(None, hq, veiled)
    return Scope(tuple(await list_subtree(tx, actor.unit_id)), actor.unit_id, veiled)


AREA = "people"


async def add_unit(tx: Tx, actor: Actor, *, parent_id: int, level: Level, name: str, is_demo: bool = False) -> Unit:
    actor.require(Right.MANAGE, AREA)
    parent = await _visible(tx, actor, parent_id)
    check_place(level, parent)
    said = check_name(name)
    async with _named(tx, parent_id, said):
        unit_id = await insert_unit(tx, parent_id=parent_id, level=level, name=said, is_demo=is_demo)
    made = await get_unit(tx, unit_id)
    await audit.record(tx, actor, "units.add", f"unit:{unit_id}", unit_id=parent_id, after=_shown(made))
    return made


async def rename_unit(tx: Tx, actor: Actor, unit_id: int, name: str) -> Unit:
    actor.require(Right.MANAGE, AREA)
    before = await _visible(tx, actor, unit_id)
    return await _change(tx, actor, "units.rename", before, parent_id=before.parent_id, name=check_name(name))


async def move_unit(tx: Tx, actor: Actor, unit_id: int, *, parent_id: int) -> Unit:
    """With everything below it."""
    actor.require(Right.MANAGE, AREA)
    before, parent = await _visible(tx, actor, unit_id), await _visible(tx, actor, parent_id)
    if before.id == actor.unit_id:
        raise NotAllowed("your own unit")
    if before.parent_id is None or parent_id in await list_subtree(tx, unit_id):
        raise BadLevel(f"{before.name} below {parent.name}")
    check_place(before.level, parent)
    return await _change(tx, actor, "units.move", before, parent_id=parent_id, name=before.name)


async def remove_unit(tx: Tx, actor: Actor, unit_id: int) -> None:
    """Only an empty one: nothing of anybody disappears by pruning."""
    actor.require(Right.MANAGE, AREA)
    unit = await _visible(tx, actor, unit_id)
    if unit.parent_id is None or unit.id == actor.unit_id:
        raise NotAllowed("the top of your tree")
    try:
        async with tx.savepoint():
            await delete_unit(tx, unit_id)
    except ConstraintBroken as error:
        raise UnitNotEmpty(unit.name) from error
    await audit.record(tx, actor, "units.remove", f"unit:{unit_id}", unit_id=unit.parent_id, before=_shown(unit))


async def _visible(tx: Tx, actor: Actor, unit_id: int) -> Unit:
    if not await may_see(tx, actor, unit_id):
        raise UnitNotFound(str(unit_id))
    return await get_unit(tx, unit_id)


@asynccontextmanager
async def _named(tx: Tx, parent_id: int | None, name: str) -> AsyncIterator[None]:
    """The database forbids two of a name and a parent that was removed meanwhile; this says which of them it was."""
    try:
        async with tx.savepoint():
            yield
    except ConstraintBroken as error:
        if error.constraint_name == "a_name_among_neighbours":
            raise BadName(name) from error
        raise UnitNotFound(str(parent_id)) from error


async def _change(tx: Tx, actor: Actor, action: str, before: Unit, *, parent_id: int | None, name: str) -> Unit:
    async with _named(tx, parent_id, name):
        await update_unit(tx, before.id, parent_id=parent_id, name=name)
    after = await get_unit(tx, before.id)
    await audit.record(
        tx, actor, action, f"unit:{before.id}", unit_id=before.id, before=_shown(before), after=_shown(after)
    )
    return after


def _shown(unit: Unit) -> dict[str, object]:
    return {"name": unit.name, "level": unit.level, "parent_id": unit.parent_id}
