"""What is always true of the engine's tables, checked after every test."""

from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import ids

SQL = load(__file__)


async def assert_every_job_is_in_one_place(database: Database) -> None:
    # many tests touch no job, and then what follows answers nothing: PostgreSQL need not plan it
    [has] = await database.rows(SQL.has_anything_to_check)
    if not has["something"]:
        return
    [found] = await database.rows(SQL.find_wrong)
    asked = [ids.show("job", number) for number in found["asked"]]
    assert found["misplaced"] == [], (
        "each open job is in exactly one of waiting, delayed, ready, lease; each ended one in none"
    )
    assert found["misheld"] == [], (
        "a lane's holder is in ready, lease or delayed, and whoever is in ready or lease with a lane holds it"
    )
    assert found["recorded"] == asked, "each ended job that asked for it has recorded its end once, and no other has"
