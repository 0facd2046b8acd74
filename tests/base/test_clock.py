from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine.schema import MIGRATIONS
from tests.support.database import BEGINS_AT

SQL = load(__file__)


async def moments(db: Database) -> tuple:
    async with db.transaction() as tx:
        [row] = await tx.rows(SQL.read_clocks)
        return row["now"], row["moment"], row["real_now"]


async def test_moving_the_clock_moves_now_and_moment_for_everybody_but_not_liveness(db: Database, database_url: str):
    other = await Database.open(database_url)
    before = await moments(other)

    await clock.advance(db, timedelta(hours=3))

    after = await moments(other)
    await other.close()
    assert after[0] - before[0] >= timedelta(hours=3)
    assert after[1] - before[1] >= timedelta(hours=3)
    assert after[2] - before[2] < timedelta(hours=3)


async def test_every_test_begins_at_the_same_moment(db: Database):
    now, moment, _ = await moments(db)

    assert BEGINS_AT <= now <= moment
    assert moment.date() == BEGINS_AT.date()


async def test_the_clock_never_goes_back(db: Database):
    with pytest.raises(ValueError, match="forward"):
        await clock.advance(db, timedelta(seconds=-1))


async def test_a_production_clock_cannot_be_moved(empty_database_url: str):
    database = await Database.open(empty_database_url)
    await migrate(database, MIGRATIONS)

    with pytest.raises(Exception, match="clock_shift"):
        await clock.advance(database, timedelta(hours=1))

    await database.close()


async def test_now_is_stable_so_that_it_can_bound_an_index_scan(db: Database):
    async with db.transaction() as tx:
        kinds = {row["name"]: row["volatility"] for row in await tx.rows(SQL.read_volatility)}

    assert kinds == {"now": "s", "moment": "v", "real_now": "v"}
