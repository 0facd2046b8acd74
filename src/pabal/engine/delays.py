"""What waits for a moment goes on when the moment comes: to its lane, or straight to ready."""

from datetime import datetime

from pabal.base.database import Database
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.engine import lanes

SQL = load(__file__)
SLICE = 1000


async def promote_once(database: Database) -> int:
    async with database.transaction() as tx:
        rows = await tx.rows(SQL.take_due, slice=SLICE)
        for row in rows:
            if not row["waits"]:
                tx.hint(f"queue:{row['queue']}", tx.now)
        await lanes.release_lanes(tx, [], back=[row["lane"] for row in rows if row["lane"] and not row["waits"]])
        behind = sorted({row["lane"] for row in rows if row["waits"]})
        if behind:
            # After the commit: advance must see the rows that others put in front meanwhile.
            tx.after_commit(lambda committed: lanes.promote_lanes(committed, behind))
        if rows:
            kill_point("delays.moved")
    if rows:
        kill_point("delays.committed")
    return len(rows)


async def next_due(database: Database) -> tuple[datetime | None, datetime]:
    async with database.transaction() as tx:
        return await tx.value(SQL.find_next_due), tx.now
