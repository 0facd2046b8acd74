"""A job that begins in the commit that enqueues it: what it saves, and that nothing is promised less."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine import queue, workers
from pabal.engine.headstart import HeadStart, NotBegun, Prepared
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Cancel
from pabal.engine.queue import NewJob
from pabal.engine.server import Server
from tests.support.servers import Errand, notes, serving, until, until_ended, until_in
from tests.support.work import lapse, leases, place, rescue, results

SQL = load(__file__)
ERRAND = "test.errand"
PLAIN = "test.plain"
LATER = datetime(2999, 1, 1, tzinfo=UTC)
RESCUES = 30


@pytest.fixture
def locks(tmp_path: Path) -> Path:
    return tmp_path / "locks"


@pytest.fixture
def errand() -> Errand:
    return Errand()


def kinds_of(errand: Any, **options: Any) -> Kinds:
    kinds = Kinds()
    kinds.steps(ERRAND, errand, **options)
    return kinds


def head_start(server: Server) -> HeadStart:
    made = HeadStart()
    made.runner = server.runner
    return made


async def begin(server: Server, job: NewJob | None = None) -> int:
    async with head_start(server).open() as beginning, server.database.transaction() as tx:
        return (await beginning.enqueue(tx, job or NewJob(ERRAND))).id


async def test_it_is_leased_and_prepared_in_the_commit_that_enqueues_it(db: Database, locks: Path, errand: Errand):
    errand.gate.clear()
    async with serving(db, kinds_of(errand), locks) as server:
        async with head_start(server).open() as beginning:
            async with server.database.transaction() as tx:
                job = await beginning.enqueue(tx, NewJob(ERRAND, about="room:7"))
                assert errand.calls == ["prepare"]
            found = await place(db, job.id)
            assert (found.place, found.worker, found.token) == ("lease", server.life.worker, 1)
            assert "perform" not in errand.calls
        errand.gate.set()
        ended = await until_ended(db, job.id)

    assert errand.calls == ["prepare", "perform", "record"]
    assert (ended.result, ended.about) == ("done", "room:7")
    assert await results(db, job.id) == [(1, "done", True)]


async def test_what_is_rolled_back_neither_runs_nor_leaves_anything(db: Database, locks: Path, errand: Errand):
    async with serving(db, kinds_of(errand), locks, concurrency=1) as server:
        with pytest.raises(ValueError, match="no"):  # noqa: PT012 -- raised within both
            async with head_start(server).open() as beginning, server.database.transaction() as tx:
                await beginning.enqueue(tx, NewJob(ERRAND))
                raise ValueError("no")
        # its only slot is free again
        job = await begin(server)
        await until_ended(db, job)

    assert errand.calls == ["prepare", "prepare", "perform", "record"]
    assert await leases(db) == []


async def test_what_its_prepare_says_ends_it_in_that_commit(db: Database, locks: Path, errand: Errand):
    errand.prepared = Cancel("the room is closed")
    async with serving(db, kinds_of(errand), locks) as server:
        job = await begin(server)
        found = await place(db, job)

    assert (found.place, found.result) == ("ended", "cancelled")
    assert errand.calls == ["prepare", "give_up"]
    assert await notes(db, f"given_up:{job}") == 1


async def test_a_prepare_that_raises_undoes_everything_and_says_so(db: Database, locks: Path):
    class Raising(Errand):
        async def prepare(self, tx: Tx, job: Job) -> Any:
            raise LookupError("no such room")

    async with serving(db, kinds_of(Raising()), locks, concurrency=1) as server:
        for _ in range(2):
            # the second time too: its only slot is free again
            with pytest.raises(NotBegun) as raised:
                await begin(server)

    assert isinstance(raised.value.__cause__, LookupError)
    assert await leases(db) == []


@pytest.mark.parametrize(
    "job",
    [
        NewJob(ERRAND, key="one"),
        NewJob(ERRAND, lane="room:7"),
        NewJob(ERRAND, route="bot:busan1"),
        NewJob(ERRAND, label="gpu"),
        NewJob(ERRAND, delay=timedelta(hours=1), about="delay"),
        NewJob(ERRAND, run_at=LATER, about="run_at"),
        NewJob(ERRAND, expires_at=LATER, about="expires_at"),
        NewJob("test.unknown"),
        NewJob(PLAIN),
    ],
    ids=lambda job: job.key or job.lane or job.route or job.label or job.about or job.kind,
)
async def test_what_needs_more_than_room_is_enqueued_as_ever(db: Database, locks: Path, errand: Errand, job: NewJob):
    kinds = kinds_of(errand)

    @kinds.plain(PLAIN)
    async def pass_by(job: Job) -> None:
        return None

    async with (
        serving(db, kinds, locks) as server,
        head_start(server).open() as beginning,
        server.database.transaction() as tx,
    ):
        made = await beginning.enqueue(tx, job)
        where = (await queue.get_place(tx, made.id)).place

    assert where in ("ready", "waiting", "delayed")
    assert errand.calls.count("prepare") <= 1


async def test_a_server_without_a_free_slot_only_enqueues_it(db: Database, locks: Path, errand: Errand):
    errand.gate.clear()
    async with serving(db, kinds_of(errand), locks, concurrency=1) as server:
        first = await begin(server)
        await until(lambda: "perform" in errand.calls)
        async with head_start(server).open() as beginning, server.database.transaction() as tx:
            second = (await beginning.enqueue(tx, NewJob(ERRAND))).id
            where = (await queue.get_place(tx, second)).place
        errand.gate.set()
        ended = [(await until_ended(db, job)).result for job in (first, second)]

    assert where == "ready"
    assert ended == ["done", "done"]


async def test_nor_does_a_draining_server_take_it_also_before_it_has_heard(db: Database, locks: Path, errand: Errand):
    async with serving(db, kinds_of(errand), locks) as server:
        async with head_start(server).open() as beginning, server.database.transaction() as tx:
            # heard only once this has committed
            await workers.set_drain(tx, server.life.worker, is_draining=True)
            job = (await beginning.enqueue(tx, NewJob(ERRAND))).id
        assert (await place(db, job)).place == "ready"

    assert errand.calls == []


async def test_a_life_that_lapsed_before_the_commit_performs_nothing(db: Database, locks: Path, errand: Errand):
    async with serving(db, kinds_of(errand), locks) as server:
        async with head_start(server).open() as beginning:
            async with server.database.transaction() as tx:
                job = await beginning.enqueue(tx, NewJob(ERRAND))
            await lapse(db, worker := server.life.worker)
            await server.life.beat_once()
            assert server.life.worker != worker
        # rescued with its life, and tried again like any other that was lost
        ended = await until_ended(db, job.id)

    assert ended.result == "done"
    assert errand.calls == ["prepare", "prepare", "perform", "record"]


async def test_a_rescue_passes_over_a_life_that_is_just_beginning_something(db: Database, locks: Path, errand: Errand):
    async with serving(db, kinds_of(errand), locks) as server:
        worker = server.life.worker
        async with head_start(server).open() as beginning:
            async with server.database.transaction() as tx:
                job = await beginning.enqueue(tx, NewJob(ERRAND))
                await lapse(db, worker)
                # the first may find it held by a claim that was under way: none begins in a life that is over
                for _ in range(RESCUES):
                    await rescue(db)
                async with db.transaction() as other:
                    assert worker in {one.id for one in await workers.list_workers(other)}
            await until(lambda: server.life.worker != worker)
        ended = await until_ended(db, job.id)

    assert ended.result == "done"


async def test_a_commit_of_which_nobody_heard_is_handed_back_and_tried_again(db: Database, locks: Path, errand: Errand):
    async with serving(db, kinds_of(errand), locks) as server:
        with pytest.raises(ConnectionError, match="lost"):  # noqa: PT012 -- the commit must stand within
            async with head_start(server).open() as beginning:
                async with server.database.transaction() as tx:
                    job = await beginning.enqueue(tx, NewJob(ERRAND))
                raise ConnectionError("the answer was lost")
        ended = await until_ended(db, job.id)

    assert ended.result == "done"
    assert await results(db, job.id) == [(1, "returned", False), (2, "done", True)]


async def test_nothing_is_handed_back_that_is_still_being_committed(db: Database, locks: Path, errand: Errand):
    async with serving(db, kinds_of(errand), locks) as server:
        async with head_start(server).open() as beginning:
            async with server.database.transaction() as tx:
                job = await beginning.enqueue(tx, NewJob(ERRAND))
            server.runner.reconcile_soon()
            await until(lambda: not server.runner._must_reconcile)
        await until_ended(db, job.id)

    assert await results(db, job.id) == [(1, "done", True)]


async def test_one_that_runs_can_be_cancelled_and_stopped_like_any_other(db: Database, locks: Path, errand: Errand):
    errand.gate.clear()
    async with serving(db, kinds_of(errand), locks) as server:
        job = await begin(server)
        await until(lambda: "perform" in errand.calls)
        await asyncio.wait_for(server.stop(), 30)
        found = await until_in(db, job, "ready")

    assert await results(db, job) == [(1, "returned", False)]
    assert found.token == 1


class Knowing(Errand):
    """Never asked to prepare."""

    async def perform(self, job: Job, prepared: Any) -> str:
        self.job = job
        self.calls.append(prepared)
        return await super().perform(job, prepared)


async def test_one_that_its_asker_prepared_begins_with_what_the_asker_writes(db: Database, locks: Path):
    errand = Knowing()
    prepared = await prepare_note(db)
    async with serving(db, kinds_of(errand), locks) as server:
        async with head_start(server).open() as beginning, server.database.transaction() as tx:
            job = await beginning.enqueue_prepared(tx, NewJob(ERRAND), prepared)
        assert job is not None
        ended = await until_ended(db, job.id)

    assert (errand.calls, ended.result) == (["known", "perform", "record"], "done")
    assert await results(db, job.id) == [(1, "done", True)]
    assert await list_notes(db) == ["along"]


async def test_where_it_cannot_begin_nothing_of_that_is_written(db: Database, locks: Path, errand: Errand):
    prepared = await prepare_note(db)
    async with HeadStart().open() as beginning, db.transaction() as tx:
        nobody = await beginning.enqueue_prepared(tx, NewJob(ERRAND), prepared)
    async with serving(db, kinds_of(errand), locks) as server:
        async with db.transaction() as tx:
            await workers.set_drain(tx, server.life.worker, is_draining=True)
        async with head_start(server).open() as beginning, server.database.transaction() as tx:
            draining = await beginning.enqueue_prepared(tx, NewJob(ERRAND), prepared)

    assert (nobody, draining) == (None, None)
    assert (errand.calls, await leases(db), await list_notes(db)) == ([], [], [])


async def prepare_note(db: Database) -> Prepared:
    async with db.transaction() as tx:
        await tx.script(SQL.create_notes.text)
    return Prepared("known", SQL.note_along, {"text": "along"})


async def list_notes(db: Database) -> list[str]:
    async with db.transaction() as tx:
        return [row["text"] for row in await tx.rows(SQL.list_notes)]


async def test_where_nothing_is_run_nothing_begins(db: Database):
    async with HeadStart().open() as beginning, db.transaction() as tx:
        job = await beginning.enqueue(tx, NewJob(ERRAND))

    assert (await place(db, job.id)).place == "ready"
