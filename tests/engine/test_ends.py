"""A job that asks for it records its end as a fact, in the commit that ends it, whatever ended it and from wherever."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest

from pabal.base.database import Database, Tx
from pabal.engine import claims, facts, ids, listing, queue, withdrawals, workers
from pabal.engine.endings import Lost, Returned
from pabal.engine.inside import InsideWork
from pabal.engine.kinds import Job, Kinds
from pabal.engine.listing.facts import Wanted
from pabal.engine.outcome import DONE, Cancel, DataTooLarge, Done, Fail, Miss, Retry, Snooze
from pabal.engine.queue import NewJob
from tests.support.facts import create_seen, deliver_all, notebook, seen_by
from tests.support.work import (
    KINDS,
    PLAIN,
    advance,
    begin_life,
    cancel,
    claim,
    claim_one,
    crash,
    enqueue,
    enqueue_many,
    expire,
    place,
    settle,
    start,
    undone,
)

INSIDE = "test.inside"
HOUR = timedelta(hours=1)


async def ends(db: Database) -> list[dict[str, Any]]:
    """What was recorded of ends, the first one first."""
    async with db.transaction() as tx:
        page = await listing.list_facts(tx, Wanted(units=None, names=("job.ended",)))
    return [fact.data for fact in reversed(page.items)]


async def end_of(db: Database, job_id: int) -> tuple[str, str | None]:
    [told] = [one for one in await ends(db) if one["job"] == ids.show("job", job_id)]
    return told["result"], told["reason"]


async def run(db: Database, outcome: Any, **options: Any) -> int:
    job = await start(db, records_end=True, **options)
    await settle(db, job, outcome)
    return job.id


async def cancel_waiting(db: Database) -> int:
    first = await start(db, lane="l")
    job = await enqueue(db, lane="l", records_end=True)
    await cancel(db, job)
    await settle(db, first, DONE)
    return job


async def cancel_delayed(db: Database) -> int:
    job = await enqueue(db, delay=HOUR, records_end=True)
    await cancel(db, job)
    return job


async def cancel_ready(db: Database) -> int:
    job = await enqueue(db, records_end=True)
    await cancel(db, job)
    return job


async def cancel_running(db: Database) -> int:
    job = await start(db, records_end=True)
    await cancel(db, job.id)
    await settle(db, job, Retry("I would rather try again"))
    return job.id


async def ignore_cancel(db: Database) -> int:
    job = await start(db, records_end=True)
    await cancel(db, job.id)
    await advance(db, 60)
    await workers.take_overdue_once(db, KINDS)
    return job.id


async def ignore_deadline(db: Database) -> int:
    job = await start(db, records_end=True, deadline=HOUR, max_failures=1)
    await advance(db, 2 * 3600)
    await workers.take_overdue_once(db, KINDS)
    return job.id


async def expire_ready(db: Database) -> int:
    async with db.transaction() as tx:
        soon = tx.now + timedelta(minutes=1)
    job = await enqueue(db, expires_at=soon, records_end=True)
    await advance(db, 120)
    await expire(db)
    return job


async def kill_server(db: Database) -> int:
    job = await enqueue(db, max_recoveries=0, records_end=True)
    worker = await begin_life(db)
    await claim_one(db, worker)
    await crash(db, worker)
    return job


async def kill_server_of_cancelled(db: Database) -> int:
    job = await enqueue(db, records_end=True)
    worker = await begin_life(db)
    await claim_one(db, worker)
    await cancel(db, job)
    await crash(db, worker)
    return job


WAYS: list[tuple[str, str | None, Callable[[Database], Awaitable[int]]]] = [
    ("done", None, lambda db: run(db, DONE)),
    ("done", "sent", lambda db: run(db, Done("sent"))),
    ("partial", "two of three", lambda db: run(db, Done("two of three", partial=True))),
    ("failed", "bad", lambda db: run(db, Retry("bad"), max_failures=1)),
    ("failed", "for good", lambda db: run(db, Fail("for good"))),
    ("cancelled", "no longer wanted", lambda db: run(db, Cancel("no longer wanted"))),
    ("expired", "too late", lambda db: run(db, Miss("too late"))),
    ("cancelled", "asked", cancel_waiting),
    ("cancelled", "asked", cancel_delayed),
    ("cancelled", "asked", cancel_ready),
    ("cancelled", "asked while it ran", cancel_running),
    ("cancelled", "cancelled and did not stop", ignore_cancel),
    ("failed", "deadline passed and did not stop", ignore_deadline),
    ("expired", "expired", expire_ready),
    ("quarantined", "its worker died", kill_server),
    ("quarantined", "its connection was lost", lambda db: run(db, Lost("its connection was lost"), max_recoveries=0)),
    ("cancelled", "its worker died", kill_server_of_cancelled),
]


@pytest.mark.parametrize(("result", "reason", "end"), WAYS)
async def test_an_end_is_recorded_whatever_brought_it(
    db: Database, result: str, reason: str | None, end: Callable[[Database], Awaitable[int]]
) -> None:
    job = await end(db)

    assert (await place(db, job)).result == result
    assert await end_of(db, job) == (result, reason)


@pytest.mark.parametrize("fails", [False, True])
async def test_the_end_of_inside_work_is_recorded(db: Database, fails: bool) -> None:
    kinds = Kinds()

    @kinds.inside(INSIDE)
    async def write(tx: Tx, jobs: Sequence[Job]) -> None:
        if fails:
            raise ValueError("no such row")

    job = await enqueue(db, INSIDE, records_end=True, max_failures=1)

    await InsideWork(db, kinds).run_once()

    assert await end_of(db, job) == (("failed", "ValueError: no such row") if fails else ("done", None))


async def test_the_end_of_inside_work_that_was_lost_is_recorded(db: Database) -> None:
    """Found by whoever looks next, who knows no more of it than the marker says."""
    kinds = Kinds()

    @kinds.inside(INSIDE)
    async def write(tx: Tx, jobs: Sequence[Job]) -> None:
        raise AssertionError("nobody runs it here")

    job = await enqueue(db, INSIDE, records_end=True, max_recoveries=0)

    async with db.transaction() as tx:
        await claims.fail_inside(tx, job, 1, Lost("it stalled"), kinds)

    assert await end_of(db, job) == ("quarantined", "it stalled")


async def test_a_job_that_does_not_ask_records_nothing(db: Database) -> None:
    job = await start(db)
    await settle(db, job, Done(data={"frames": 12}))

    assert await ends(db) == []


async def test_what_is_no_end_is_not_recorded(db: Database) -> None:
    async with db.transaction() as tx:
        later = tx.now + HOUR
    for outcome in (Retry("bad"), Snooze(later), Returned("shutdown"), Lost("its connection was lost")):
        await settle(db, await start(db, records_end=True), outcome)

    assert await ends(db) == []


async def test_an_attempt_that_lost_its_job_records_no_end(db: Database) -> None:
    job = await enqueue(db, records_end=True)
    worker = await begin_life(db)
    late = await claim_one(db, worker)
    await crash(db, worker)

    await settle(db, late, DONE)
    await settle(db, late, Done("late"))

    assert (await place(db, job)).place == "ready"
    assert await ends(db) == []


async def test_an_end_that_is_rolled_back_was_never_recorded(db: Database) -> None:
    job = await start(db, records_end=True)
    async with undone(db) as tx:
        await claims.settle(tx, None, [(job, DONE)], KINDS)
    async with undone(db) as tx:
        await withdrawals.cancel_jobs(tx, [await enqueue(db, records_end=True)], kinds=KINDS)

    assert await ends(db) == []


async def test_what_a_job_gives_is_kept_with_it_and_told_with_its_end(db: Database) -> None:
    job = await run(db, Done("rendered", data={"file": "out.mp4", "frames": 240}), about="render:7", unit_id=3)

    assert (await place(db, job)).data == {"file": "out.mp4", "frames": 240}
    assert await ends(db) == [
        {
            "job": ids.show("job", job),
            "kind": PLAIN,
            "about": "render:7",
            "result": "done",
            "reason": "rendered",
            "data": {"file": "out.mp4", "frames": 240},
        }
    ]


async def test_an_end_belongs_to_its_job_and_its_unit(db: Database) -> None:
    job = await run(db, DONE, unit_id=3)

    async with db.transaction() as tx:
        wanted = Wanted(units=[3], subject=ids.show("job", job))
        [told] = (await listing.list_facts(tx, wanted)).items
    assert (told.name, told.unit_id) == ("job.ended", 3)


async def test_data_has_a_limit_that_the_handler_hears_of() -> None:
    Done(data={"text": "가" * 2_700})

    with pytest.raises(DataTooLarge):
        Done(data={"text": "가" * 2_800})


async def test_somebody_who_waits_hears_of_every_end_once(db: Database) -> None:
    await create_seen(db)
    waiting = notebook("waiting", "job.ended")
    await deliver_all(db, waiting)
    made = await enqueue_many(db, *[NewJob(PLAIN, records_end=n % 2 == 0) for n in range(40)])
    asked = [str(one) for n, one in enumerate(made) if n % 2 == 0]

    jobs = await claim(db, await begin_life(db))
    async with db.transaction() as tx:
        await claims.settle(tx, None, [(job, DONE) for job in jobs], KINDS)
    await deliver_all(db, waiting)

    assert [one.data["job"] for one in await seen_by(db, "waiting")] == asked


async def test_what_give_up_records_comes_before_the_end(db: Database) -> None:
    kinds = Kinds()

    async def write_off(tx: Tx, job: Job, reason: str) -> None:
        await facts.record(tx, "render.failed", "render:7", {})

    @kinds.plain("test.render", give_up=write_off)
    async def render(job: Job) -> None:
        raise AssertionError("nobody runs it here")

    async with db.transaction() as tx:
        job = await queue.enqueue(tx, NewJob("test.render", records_end=True))
        await withdrawals.cancel_jobs(tx, [job.id], kinds=kinds)

    async with db.transaction() as tx:
        found = (await listing.list_facts(tx, Wanted(units=None))).items
    assert [fact.name for fact in reversed(found)] == ["render.failed", "job.ended"]
