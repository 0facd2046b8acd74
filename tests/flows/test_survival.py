"""Servers and their database die under load, and no promise is broken; and the checker would see it if one were."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from chaos import checks_order, checks_work
from chaos.evidence import Attempt, Body, Evidence, Outcome
from chaos.history import Line
from chaos.plan import Minimums, make_plan
from chaos.report import Finding, Report
from chaos.run import Chosen, run

FEW = Minimums(jobs=300, kills=3, stops=1, database=1)


async def test_nothing_promised_is_lost_when_servers_and_their_database_die():
    report = await run(Chosen(seconds=16, seed=7, workers=4, minimums=FEW), print)

    assert [finding for finding in report.findings if finding.violations] == []
    assert report.lacking == []


def test_the_seed_decides_the_faults():
    assert make_plan(3, 60, stop_seconds=9) == make_plan(3, 60, stop_seconds=9)
    assert make_plan(3, 60, stop_seconds=9) != make_plan(4, 60, stop_seconds=9)


@pytest.mark.parametrize("seed", range(10))
def test_a_minute_holds_more_faults_than_a_run_needs(seed: int):
    plan = [fault.what for fault in make_plan(seed, 60, stop_seconds=8.5)]
    least = Minimums()

    assert plan.count("kill") + plan.count("vanish") > least.kills
    assert plan.count("stop") + plan.count("freeze") > least.stops
    assert plan.count("database") > least.database


class Story:
    """Evidence made by hand: one job after the other, each with its attempts."""

    def __init__(self) -> None:
        self.evidence = Evidence(ttl=7.0, lines=[])

    def job(self, number: int, kind: str = "plain", **args: Any) -> "Story":
        given = {"mark": number, "bad": False, "delay": 0.0, **args}
        lane = "lane:1" if kind == "lane" else None
        queue = args.get("route", f"chaos.{kind}")
        self.evidence.bodies[number] = Body(number, f"chaos.{kind}", queue, lane, given, 3, 3, 0.0)
        return self

    def ran(self, job: int, start: float, end: float | None, result: str = "done", **more: Any) -> "Story":
        """An attempt whose handler ran from start to end, and whose lease ended in `result`, at `until` if given."""
        token = len(self.evidence.by_job[job]) + 1
        body = self.evidence.bodies[job]
        until = more.pop("until", None if end is None else end + 0.01)
        data = {"lane": body.lane, "epoch": None, **body.args, **more}
        how = None if end is None else "end"
        self.evidence.attempts[job, token] = Attempt(job, token, body.kind, 100, 1, start, data, end, how)
        return self.ended(job, result, until, started=start - 0.01)

    def ended(self, job: int, result: str, at: float, started: float | None = None) -> "Story":
        token = len(self.evidence.by_job[job]) + 1
        is_final = result in ("done", "failed", "cancelled", "expired", "quarantined")
        outcome = Outcome(job, token, is_final, result, 1, started, at, None)
        self.evidence.outcomes[job, token] = outcome
        self.evidence.by_job[job].append(outcome)
        return self

    def said(self, what: str, at: float = 0.0, **data: Any) -> "Story":
        self.evidence.lines.append(Line("test", 100, at, what, data))
        return self


Check = Callable[[Evidence], Finding]
EPOCH = {"route": "bot:1", "worker": 1, "epoch": 5, "pid": 100}

BROKEN: dict[str, tuple[Check, Story]] = {
    "a committed job is gone": (
        checks_work.i1_nothing_is_lost,
        Story().said("committed", jobs=[[1, 1]]),
    ),
    "a job has no end": (checks_work.i1_nothing_is_lost, Story().job(1)),
    "a rolled back job ran": (
        checks_work.i1_nothing_is_lost,
        Story().said("rolled back", marks=[1]).job(1).ran(1, 1, 2),
    ),
    "a job is done and never ran": (checks_work.i1_nothing_is_lost, Story().job(1).ended(1, "done", 2)),
    "two valid attempts overlap": (
        checks_work.i2_one_attempt_at_a_time,
        Story().job(1).ran(1, 1, 5, "lost", until=5).ran(1, 3, 6),
    ),
    "tokens run backwards": (
        checks_work.i2_one_attempt_at_a_time,
        Story().job(1).ended(1, "lost", 9).ended(1, "done", 5),
    ),
    "a job ended twice": (checks_work.i4_one_end, Story().job(1).ended(1, "done", 1).ended(1, "done", 2)),
    "an outage was counted as a failure": (
        checks_work.i5_failures_are_the_handlers_own,
        Story().job(1).ended(1, "retry", 1).ran(1, 2, 3),
    ),
    "it failed too often": (
        checks_work.i5_failures_are_the_handlers_own,
        Story().job(1, "failing").ended(1, "retry", 1).ended(1, "retry", 2).ended(1, "retry", 3).ended(1, "failed", 4),
    ),
    "a killed server's job was rescued late": (
        checks_work.i6_rescued_in_time,
        Story().said("life", worker=1).said("kill", at=1, pid=100).job(1).ended(1, "lost", 60),
    ),
    "a sleeping server kept its jobs": (
        checks_work.i6_rescued_in_time,
        Story().said("life", worker=1).said("stop", at=5, pid=100, seconds=22).job(1).ran(1, 4, None, "lost", until=27),
    ),
    "a lane overlapped": (
        checks_order.i7_lanes_keep_order,
        Story().job(1, "lane").job(2, "lane").ran(1, 1, 5).ran(2, 3, 6),
    ),
    "a lane overtook": (
        checks_order.i7_lanes_keep_order,
        Story().job(1, "lane").job(2, "lane").ran(2, 1, 2).ran(1, 3, 4),
    ),
    "a cancelled job started": (
        checks_work.i10_a_cancelled_job_starts_no_more,
        Story().said("cancelled", at=1, jobs=[1]).job(1).ran(1, 5, 6),
    ),
    "an effect is missing": (checks_work.inside_effects_happen_once, Story().job(1, "inside").ended(1, "done", 1)),
    "a delayed job was early": (checks_work.delays_are_kept, Story().job(1, "later", delay=5.0).ran(1, 1, 2)),
    "a routed job ran elsewhere": (
        checks_order.i11_routed_work_runs_where_the_route_is,
        Story().job(1, "routed", route="bot:1").ran(1, 1, 2, epoch=4),
    ),
    "a key was open twice": (
        checks_order.keys_are_open_once,
        Story().job(1, "keyed", key="k").job(2, "keyed", key="k").ran(1, 1, 5).ran(2, 3, 6),
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_checker_sees_a_broken_promise(name: str):
    check, story = BROKEN[name]

    assert check(story.evidence).violations != []


def test_the_checker_sees_a_zombies_record():
    story = Story().job(1, "steps").ran(1, 1, 9, "lost", until=5).ran(1, 6, 7)
    story.evidence.recorded = [{"job": 1, "token": 1, "route": None}, {"job": 1, "token": 2, "route": None}]

    [violation] = checks_work.i3_zombies_write_nothing(story.evidence).violations

    assert "token 1" in violation


def test_the_checker_sees_a_window_that_held_too_much():
    story = Story()
    story.evidence.starts = [{"limit_key": "room", "at": n * 0.1, "weight": 1, "id": n} for n in range(6)]

    [violation] = checks_order.i8_limits_hold(story.evidence).violations

    assert "6 in one window of second" in violation


def test_the_checker_sees_a_record_under_an_old_epoch():
    story = Story().job(1, "routed", route="bot:1").ran(1, 1, 2, epoch=5)
    story.evidence.held = [EPOCH]
    story.evidence.recorded = [{"job": 1, "token": 1, "route": "bot:1", "epoch": 5, "current_epoch": 6}]

    [violation] = checks_order.i11_routed_work_runs_where_the_route_is(story.evidence).violations

    assert "current was 6" in violation


def test_a_zombie_that_runs_on_is_no_violation():
    story = Story().job(1, "lane").job(2, "lane").ran(1, 1, 20, "lost", until=8).ran(1, 9, 10).ran(2, 11, 12)

    assert checks_work.i2_one_attempt_at_a_time(story.evidence).violations == []
    assert checks_order.i7_lanes_keep_order(story.evidence).violations == []


def test_a_run_that_did_too_little_does_not_count():
    report = Report([], ended=4999)
    report.judge(Counter(kill=20, stop=5, database=2), Minimums())

    assert report.lacking == ["jobs ended 4999 of 5000"]
    assert not report.is_good
