"""This process's life: begun, beaten, lapsed, ended; and the lock file that proves a death on this host."""

from collections.abc import AsyncIterator, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import withdrawals
from pabal.engine.life import Life
from pabal.engine.workers import Signal
from tests.support.servers import SQL
from tests.support.work import KINDS, begin_life, claim_one, enqueue, hold_route, lapse, place, places

MakeLife = Callable[[], Life]


@pytest.fixture
async def make_life(db: Database, tmp_path: Path) -> AsyncIterator[MakeLife]:
    lives: list[Life] = []

    def make() -> Life:
        lives.append(Life(db, KINDS, locks=tmp_path / "locks", meta={"version": "1"}))
        return lives[-1]

    yield make
    for life in lives:
        await life.end()


async def list_lives(db: Database) -> list[int]:
    async with db.transaction() as tx:
        return [row["id"] for row in await tx.rows(SQL.list_lives)]


async def lock_of(db: Database, worker: int) -> Path:
    async with db.transaction() as tx:
        return Path((await tx.rows(SQL.find_life, worker=worker))[0]["lock"])


async def test_the_first_beat_begins_a_life(db: Database, make_life: MakeLife):
    life = make_life()

    await life.beat_once()

    assert life.worker != 0
    assert await list_lives(db) == [life.worker]


async def test_a_beat_moves_its_end(db: Database, make_life: MakeLife):
    life = make_life()
    await life.beat_once()
    async with db.transaction() as tx:
        before = (await tx.rows(SQL.find_life, worker=life.worker))[0]["until"]

    await life.beat_once()

    async with db.transaction() as tx:
        assert (await tx.rows(SQL.find_life, worker=life.worker))[0]["until"] > before


async def test_moving_the_clock_costs_no_life(db: Database, make_life: MakeLife):
    life = make_life()
    await life.beat_once()
    first = life.worker

    await clock.advance(db, timedelta(days=1))
    await life.beat_once()

    assert life.worker == first


async def test_a_lapsed_life_is_not_brought_back(db: Database, make_life: MakeLife):
    life = make_life()
    lapses: list[int] = []
    life.on_lapse.append(lambda: lapses.append(life.worker))
    await life.beat_once()
    first = life.worker
    await lapse(db, first)

    await life.beat_once()
    after_the_lapse = life.worker
    await life.beat_once()

    assert lapses == [0]
    assert after_the_lapse == 0
    assert life.worker not in (0, first)


async def test_a_life_that_somebody_buried_lapses_at_its_next_beat(db: Database, make_life: MakeLife):
    life = make_life()
    lapses: list[bool] = []
    life.on_lapse.append(lambda: lapses.append(True))
    await life.beat_once()
    async with db.transaction() as tx:
        await tx.run(SQL.bury, worker=life.worker)

    await life.beat_once()

    assert lapses == [True]


async def test_a_beat_hears_of_cancelled_jobs(db: Database, make_life: MakeLife):
    life = make_life()
    heard: list[Signal] = []
    life.on_signals = heard.extend
    await life.beat_once()
    await enqueue(db)
    job = await claim_one(db, life.worker)
    async with db.transaction() as tx:
        await withdrawals.cancel_jobs(tx, [job.id], kinds=KINDS)

    await life.beat_once()

    assert heard == [Signal(job.id, job.token, is_cancelled=True)]


async def test_the_end_of_a_life_leaves_nothing_behind(db: Database, make_life: MakeLife):
    life = make_life()
    await life.beat_once()
    lock = await lock_of(db, life.worker)
    await hold_route(db, life.worker)
    await enqueue(db)
    job = await claim_one(db, life.worker)

    await life.end()

    assert await list_lives(db) == []
    assert not lock.exists()
    assert (await place(db, job.id)).place == "ready"


async def test_a_new_life_rescues_what_a_dead_one_of_this_host_held(db: Database, make_life: MakeLife):
    dead = make_life()
    await dead.beat_once()
    await enqueue(db)
    job = await claim_one(db, dead.worker)
    _die(dead)

    await make_life().beat_once()

    found = await place(db, job.id)
    assert (found.place, found.recoveries) == ("ready", 1)


async def test_a_life_that_holds_its_lock_is_left_alone(db: Database, make_life: MakeLife):
    other = make_life()
    await other.beat_once()
    await enqueue(db)
    job = await claim_one(db, other.worker)

    await make_life().beat_once()

    assert await places(db, job.id) == ["lease"]


async def test_a_life_whose_lock_cannot_be_found_is_left_to_its_heartbeat(db: Database, make_life: MakeLife):
    life = make_life()
    elsewhere = await begin_life(db, host=life.host)
    await enqueue(db)
    job = await claim_one(db, elsewhere)

    await life.beat_once()

    assert await places(db, job.id) == ["lease"]


async def test_a_database_that_is_away_leaves_no_lock_files(tmp_path: Path, db: Database):
    gone = await Database.open(db.url, size=1)
    await gone.close()
    life = Life(gone, KINDS, locks=tmp_path / "locks", meta={})

    for _ in range(3):
        with pytest.raises(Exception, match="pool is clos"):
            await life.beat_once()

    assert len(list((tmp_path / "locks").iterdir())) <= 1


def _die(life: Life) -> None:
    """What the kernel does for a process that is killed: its lock is free, its file still there."""
    assert life._lock is not None
    life._lock.close()
    life._lock = None
    life.worker = 0
