"""What is always true of the engine's tables, checked after every test."""

from pabal.base.database import Database
from pabal.base.sql import load

SQL = load(__file__)


async def assert_every_job_is_in_one_place(database: Database) -> None:
    async with database.transaction() as tx:
        wrong = [dict(row) for row in await tx.rows(SQL.misplaced_jobs)]
        lanes = [dict(row) for row in await tx.rows(SQL.misheld_lanes)]
    assert wrong == [], "each open job is in exactly one of waiting, delayed, ready, lease; each ended one in none"
    assert lanes == [], (
        "a lane's holder is in ready, lease or delayed, and whoever is in ready or lease with a lane holds it"
    )
