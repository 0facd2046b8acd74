"""What is always true of the engine's tables, checked after every test."""

from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import ids

SQL = load(__file__)


async def assert_every_job_is_in_one_place(database: Database) -> None:
    async with database.transaction() as tx:
        # many tests touch no job, and then what follows answers nothing: PostgreSQL need not plan it
        if not await tx.value(SQL.has_anything_to_check):
            return
        wrong = [dict(row) for row in await tx.rows(SQL.misplaced_jobs)]
        lanes = [dict(row) for row in await tx.rows(SQL.misheld_lanes)]
        asked = [ids.show("job", row["id"]) for row in await tx.rows(SQL.ended_jobs_that_asked)]
        recorded = [row["subject"] for row in await tx.rows(SQL.recorded_ends)]
    assert wrong == [], "each open job is in exactly one of waiting, delayed, ready, lease; each ended one in none"
    assert lanes == [], (
        "a lane's holder is in ready, lease or delayed, and whoever is in ready or lease with a lane holds it"
    )
    assert recorded == asked, "each ended job that asked for it has recorded its end once, and no other has"
