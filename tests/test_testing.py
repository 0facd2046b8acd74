from datetime import timedelta

import pytest

from pabal.base.database import Database, Tx
from pabal.engine import schedules
from pabal.engine.facts import Fact, Subscriber, record
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Outcome, Retry, Snooze
from pabal.engine.queue import NewJob, Priority, enqueue, enqueue_many
from pabal.engine.recurrence import Interval
from pabal.engine.schedules import NewSchedule
from pabal.testing import Parts, advance, assert_enqueued, drain, list_enqueued


class Diary:
    """Kinds that write down what they did, and when by the database's clock."""

    def __init__(self) -> None:
        self.kinds = Kinds()
        self.lines: list[str] = []
        self.kinds.plain("diary.write")(self.write)
        self.kinds.plain("diary.fail_once")(self.fail_once)
        self.kinds.inside("diary.count")(self.count)

    async def write(self, job: Job) -> None:
        self.lines.append(str(job.args.get("line", job.args.get("fire_at"))))

    async def fail_once(self, job: Job) -> Outcome | None:
        self.lines.append(f"attempt {job.attempt}")
        return Retry("not yet", after=timedelta(minutes=5)) if job.attempt == 1 else None

    async def count(self, tx: Tx, jobs: list[Job]) -> None:
        self.lines.append(f"{len(jobs)} counted")
        await enqueue(tx, NewJob("diary.write", {"line": "after"}))


@pytest.fixture
def diary() -> Diary:
    return Diary()


async def put(db: Database, *jobs: NewJob) -> None:
    async with db.transaction() as tx:
        await enqueue_many(tx, jobs)


async def test_drain_runs_what_is_due_and_what_that_makes_due(db: Database, diary: Diary):
    await put(db, NewJob("diary.count"), NewJob("diary.count"), NewJob("diary.write", {"line": "b"}, lane="one"))

    await drain(Parts(db, diary.kinds))

    assert sorted(diary.lines) == ["2 counted", "after", "b"]


async def test_drain_runs_only_work_whose_labels_are_there_and_goes_by_the_priorities_of_a_shared_lane(
    db: Database, diary: Diary
):
    diary.kinds.shared_lanes("pen", width=1)
    drawn = NewJob("diary.write", {"line": "drawn"}, label="ink")
    lines = [("a", Priority.NORMAL), ("b", Priority.LOW), ("c", Priority.URGENT)]
    await drain(Parts(db, diary.kinds))
    await put(
        db,
        drawn,
        *(NewJob("diary.write", {"line": line}, lane="pen:1", priority=priority) for line, priority in lines),
    )

    await drain(Parts(db, diary.kinds))
    without = list(diary.lines)
    await drain(Parts(db, diary.kinds, labels=frozenset({"ink"})))

    assert without == ["c", "a", "b"]
    assert diary.lines[3:] == ["drawn"]


async def test_drain_leaves_what_is_not_due_and_what_nobody_knows(db: Database, diary: Diary):
    await put(db, NewJob("diary.write", {"line": "later"}, delay=timedelta(hours=1)), NewJob("diary.unknown"))

    await drain(Parts(db, diary.kinds))

    assert diary.lines == []


async def test_advance_passes_every_due_moment_on_its_way(db: Database, diary: Diary):
    parts = Parts(db, diary.kinds)
    async with db.transaction() as tx:
        rule = Interval(timedelta(hours=1), tx.now)
        await schedules.put(tx, NewSchedule(name="hourly", kind="diary.write", recurrence=rule, zone="UTC"))
    await put(db, NewJob("diary.fail_once"))

    await advance(parts, timedelta(hours=3, minutes=30))

    assert diary.lines[:2] == ["attempt 1", "attempt 2"]
    assert len(diary.lines) == 5


async def test_subscribers_are_served_too(db: Database):
    seen: list[str] = []

    async def take(tx: Tx, facts: list[Fact]) -> None:
        seen.extend(fact.name for fact in facts)

    parts = Parts(db, subscribers=[Subscriber("reader", ("diary.*",), take, from_start=True)])
    async with db.transaction() as tx:
        await record(tx, "diary.written", "diary:1", {})

    await drain(parts)

    assert seen == ["diary.written"]


async def test_a_program_that_never_comes_to_rest_is_told_so(db: Database):
    kinds = Kinds()

    @kinds.plain("diary.restless")
    async def restless(job: Job) -> Outcome:
        async with db.transaction() as tx:
            return Snooze(tx.now)

    await put(db, NewJob("diary.restless"))

    with pytest.raises(AssertionError, match="still busy after 5 rounds"):
        await drain(Parts(db, kinds), rounds=5)


async def test_assert_enqueued_says_what_it_found_instead(db: Database):
    await put(db, NewJob("diary.write", {"line": "a", "page": 1}), NewJob("diary.write", {"line": "b"}))

    await assert_enqueued(db, "diary.write", line="a")
    await assert_enqueued(db, "diary.write", count=2)
    with pytest.raises(AssertionError, match="expected at least one diary"):
        await assert_enqueued(db, "diary.write", line="c")
    assert await list_enqueued(db, "diary.write") == [{"line": "a", "page": 1}, {"line": "b"}]
