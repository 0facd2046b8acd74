"""The table of units."""

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform.tenants.model import Level, Unit, UnitNotFound

SQL = load(__file__)
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


async def insert_unit(tx: Tx, *, parent_id: int, level: Level, name: str, is_demo: bool) -> int:
    made: int = await tx.value(
        SQL.insert_unit, parent_id=parent_id, level=level.value, name=name, is_demo=is_demo, now=tx.now
    )
    return made


async def update_unit(tx: Tx, unit_id: int, *, parent_id: int | None, name: str) -> None:
    await tx.run(SQL.update_unit, id=unit_id, parent_id=parent_id, name=name)


async def delete_unit(tx: Tx, unit_id: int) -> None:
    await tx.run(SQL.delete_unit, id=unit_id)
