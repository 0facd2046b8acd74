"""Growing and pruning the tree. Each verb asks for the right, changes, and writes the audit in one commit."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pabal.base.database import ConstraintBroken, Tx
from pabal.platform import audit
from pabal.platform.actor import Actor, NotAllowed, Right
from pabal.platform.tenants import store
from pabal.platform.tenants.model import (
    BadLevel,
    BadName,
    Level,
    Unit,
    UnitNotEmpty,
    UnitNotFound,
    check_name,
    check_place,
)
from pabal.platform.tenants.visibility import may_see

AREA = "people"


async def add_unit(tx: Tx, actor: Actor, *, parent_id: int, level: Level, name: str, is_demo: bool = False) -> Unit:
    actor.require(Right.MANAGE, AREA)
    parent = await _visible(tx, actor, parent_id)
    check_place(level, parent)
    said = check_name(name)
    async with _named(tx, parent_id, said):
        unit_id = await store.insert_unit(tx, parent_id=parent_id, level=level, name=said, is_demo=is_demo)
    made = await store.get_unit(tx, unit_id)
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
    if before.parent_id is None or parent_id in await store.list_subtree(tx, unit_id):
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
            await store.delete_unit(tx, unit_id)
    except ConstraintBroken as error:
        raise UnitNotEmpty(unit.name) from error
    await audit.record(tx, actor, "units.remove", f"unit:{unit_id}", unit_id=unit.parent_id, before=_shown(unit))


async def _visible(tx: Tx, actor: Actor, unit_id: int) -> Unit:
    if not await may_see(tx, actor, unit_id):
        raise UnitNotFound(str(unit_id))
    return await store.get_unit(tx, unit_id)


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
        await store.update_unit(tx, before.id, parent_id=parent_id, name=name)
    after = await store.get_unit(tx, before.id)
    await audit.record(
        tx, actor, action, f"unit:{before.id}", unit_id=before.id, before=_shown(before), after=_shown(after)
    )
    return after


def _shown(unit: Unit) -> dict[str, object]:
    return {"name": unit.name, "level": unit.level, "parent_id": unit.parent_id}
