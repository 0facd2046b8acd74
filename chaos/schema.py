"""The tables in which the handlers of a run leave their effects."""

from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine.schema import MIGRATIONS

SQL = load(__file__)


async def make_schema(url: str) -> None:
    database = await Database.open(url, size=2)
    try:
        await migrate(database, MIGRATIONS)
        async with database.transaction() as tx:
            await tx.script(SQL.make_tables.text)
    finally:
        await database.close()
