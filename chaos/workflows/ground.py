"""What a run begins with: the engine's tables, a clock that can be moved, and the workflows of its seed."""

from chaos.workflows.flows import draw_flows
from chaos.workflows.kinds import Steps
from pabal.base import clock
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine import housekeeping
from pabal.engine.schema import MIGRATIONS
from pabal.engine.workflows import checking, definitions

SQL = load(__file__)
FLOWS = 24


async def lay(url: str, seed: int) -> None:
    kinds = Steps().kinds
    database = await Database.open(url, size=2)
    try:
        await migrate(database, MIGRATIONS)
        await clock.make_movable(database)
        await housekeeping.make_partitions(database)
        async with database.transaction() as tx:
            await tx.script(SQL.make_tables.text)
            for data in draw_flows(FLOWS, seed):
                await definitions.save_workflow(tx, checking.read_data(data, kinds), unit_id=None, by="survival")
    finally:
        await database.close()
