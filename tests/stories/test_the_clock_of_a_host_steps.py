"""Only the database's time decides (I15): a host that believes in another year does all at the same moments."""

import time
from datetime import timedelta

import pytest

from pabal.base.database import Database
from pabal.engine import occurrences, schedules
from pabal.engine.kinds import Job, Kinds
from pabal.engine.queue import NewJob, enqueue, get_place
from pabal.engine.recurrence import Interval
from pabal.engine.schedules import NewSchedule
from pabal.platform.alerts import ENGINE_RULES
from pabal.platform.alerts.measures import read_skew
from pabal.platform.alerts.model import Limit
from pabal.testing import Parts, advance, drain

YEARS = 10 * 365 * 86400.0
kinds = Kinds()


@kinds.plain("host.work")
async def work(job: Job) -> None:
    pass


@pytest.mark.req("A-207")
@pytest.mark.parametrize("step", [5.0, -5.0], ids=["forward", "back"])
async def test_a_host_whose_clock_is_seconds_off_is_told_about(
    db: Database, monkeypatch: pytest.MonkeyPatch, step: float
) -> None:
    true_time = time.time
    [rule] = [rule for rule in ENGINE_RULES if rule.name == "engine.clock_skew"]
    async with db.transaction() as tx:
        right = await read_skew(tx)
        monkeypatch.setattr(time, "time", lambda: true_time() + step)
        wrong = await read_skew(tx)

    limit = Limit(rule.beyond, rule.threshold, rule.held_for)
    assert [limit.is_broken_by(value) for value in (right, wrong)] == [False, True]


@pytest.mark.parametrize("step", [YEARS, -YEARS], ids=["forward", "back"])
async def test_a_host_in_another_year_changes_nothing(db: Database, monkeypatch: pytest.MonkeyPatch, step: float):
    true_time = time.time
    parts = Parts(db, kinds)
    async with db.transaction() as tx:
        start = tx.now
        later = await enqueue(tx, NewJob("host.work", delay=timedelta(hours=1)))
        rule = Interval(timedelta(hours=1), start)
        schedule = await schedules.put(tx, NewSchedule(name="hourly", kind="host.work", recurrence=rule, zone="UTC"))

    monkeypatch.setattr(time, "time", lambda: true_time() + step)
    await drain(parts)
    async with db.transaction() as tx:
        too_early = (await get_place(tx, later.id)).place, await occurrences.list_occurrences(tx, schedule.id)
    await advance(parts, timedelta(hours=2, minutes=30))

    async with db.transaction() as tx:
        ended = await get_place(tx, later.id)
        made = await occurrences.list_occurrences(tx, schedule.id)
    assert too_early == ("delayed", [])
    assert ended.result == "done"
    assert [one.fire_at - start for one in reversed(made)] == [timedelta(hours=1), timedelta(hours=2)]
    assert [one.end for one in made] == ["done", "done"]
