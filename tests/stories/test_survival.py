"""Servers and their database die under load, and no promise is broken; and the checker would see it if one were."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from chaos import checks_long, checks_order, checks_time, checks_work
from chaos.evidence import Attempt, Body, Evidence, Outcome
from chaos.history import Line
from chaos.plan import SELDOM, Minimums, make_plan
from chaos.report import Finding, Report
from chaos.run import Chosen, run

FEW = Minimums(jobs=300, kills=3, stops=1, database=1, judged=Minimums.of(16).judged)


@pytest.mark.beside
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
    least = Minimums.of(60)

    assert plan.count("kill") + plan.count("vanish") > least.kills
    assert plan.count("stop") + plan.count("freeze") > least.stops
    assert plan.count("database") > least.database


class Story:
    """Evidence made by hand: one job after the other, each with its attempts."""

    def __init__(self) -> None:
        self.evidence = Evidence(ttl=7.0, lines=[])

    def job(self, number: int, kind: str = "plain", **args: Any) -> "Story":
        given = {"mark": number, "bad": False, "delay": 0.0, **args}
        lane = {"lane": "lane:1", "wide": "wide:1"}.get(kind)
        queue = args.get("route", f"chaos.{kind}")
        records_end = bool(given.get("gives"))
        max_failures, deadline = args.pop("max_failures", 3), args.pop("deadline", None)
        priority = args.pop("priority", 2)
        body = Body(number, f"chaos.{kind}", queue, lane, given, max_failures, 3, 0.0, priority, deadline, records_end)
        self.evidence.bodies[number] = body
        return self

    def ran(self, job: int, start: float, end: float | None, result: str = "done", **more: Any) -> "Story":
        """An attempt whose handler ran from start to end, and whose lease ended in `result`, at `until` if given."""
        token = len(self.evidence.by_job[job]) + 1
        body = self.evidence.bodies[job]
        until = more.pop("until", None if end is None else end + 0.01)
        data = {"lane": body.lane, "epoch": None, **body.args, **more}
        told = more.get("told")
        how = None if end is None else more.get("how", "end" if told is None else "cut")
        self.evidence.attempts[job, token] = Attempt(job, token, body.kind, 100, 1, start, data, end, how, told)
        return self.ended(job, result, until, started=more.get("claimed", start - 0.01))

    def ended(
        self, job: int, result: str, at: float, started: float | None = None, reason: str | None = None
    ) -> "Story":
        token = len(self.evidence.by_job[job]) + 1
        is_final = result in ("done", "failed", "cancelled", "expired", "quarantined")
        outcome = Outcome(job, token, is_final, result, 1, started, at, reason)
        self.evidence.outcomes[job, token] = outcome
        self.evidence.by_job[job].append(outcome)
        return self

    def said(self, what: str, at: float = 0.0, who: str = "test", **data: Any) -> "Story":
        self.evidence.lines.append(Line(who, 100, at, what, data))
        return self

    def served(self) -> "Story":
        """Two others are there all the time."""
        return self.said("life", worker=2, pid=201).said("life", worker=3, pid=202)

    def claimed(self, job: int, at: float, token: int = 1, turn: float = 0.0) -> "Story":
        return self.said("claimed", at, jobs=[[job, token, turn]], worker=1)

    def handed_back(self, job: int, at: float) -> "Story":
        """Not begun in time; its line is there as soon as it is committed."""
        token = len(self.evidence.by_job[job]) + 1
        self.claimed(job, at - 1.0, token).ended(job, "returned", at - 0.01, started=at - 1.0)
        return self.said("handed back", at, jobs=[[job, token]], worker=1)

    def on_routes(self) -> "Story":
        """An urgent job on one route and another one on the other, both held, committed and heard of at 1."""
        self.job(1, "routed", route="bot:left", priority=0).job(2, "routed", route="bot:right")
        self.said("held", 0.5, epoch=5).said("held", 0.5, epoch=6).said("committed", 0.9, jobs=[[1, 1], [2, 2]])
        return self.said("heard", 1.0, route="bot:left").said("heard", 1.0, route="bot:right")

    def cancelled(self, job: int, at: float, *, is_running: bool = True) -> "Story":
        return self.said("cancelled", at, jobs=[job], signalled=[job] if is_running else [], moment=at)

    def fact(self, seq: int, subject: str = "thing:1", *, heard: int = 1, name: str = "noted", **data: Any) -> "Story":
        self.evidence.facts.append({"seq": seq, "name": name, "subject": subject, "data": data})
        self.evidence.heard += [{"seq": seq, "subject": subject}] * heard
        return self

    def moment(self, fire_at: float, job: int | None = None, end: str | None = "done", **more: Any) -> "Story":
        if not self.evidence.occurrences:
            self.said("scheduled", schedules=[{"id": 1, "overlap": "cancel_previous", "every": 2.0}])
        row = {"schedule_id": 1, "fire_at": fire_at, "decision": "enqueued", "work_id": job, "end": end, "count": 1}
        self.evidence.occurrences.append({**row, "decided_at": fire_at, "ended_at": fire_at + 1, **more})
        return self

    def tick(self, job: int, fire_at: float, **more: Any) -> "Story":
        return self.job(job, "scheduled", max_failures=7, deadline=300.0).moment(fire_at, job, **more)


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
        Story().job(1).ran(1, 5, 6, "lost", until=7).ran(1, 1, 2),
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
        Story().served().said("life", worker=1).said("kill", at=1, pid=100).job(1).ended(1, "lost", 60),
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
    "a job ran again late after its rescue": (
        checks_work.i6_rescued_in_time,
        Story().served().said("life", worker=1).said("kill", at=1, pid=100).job(1).ended(1, "lost", 5).ran(1, 40, 41),
    ),
    "one too many in a shared lane": (
        checks_order.i27_at_most_n_at_once,
        Story()
        .job(1, "wide")
        .job(2, "wide")
        .job(3, "wide")
        .job(4, "wide")
        .ran(1, 1, 5)
        .ran(2, 1, 5)
        .ran(3, 2, 5)
        .ran(4, 4.99, 6),
    ),
    "a job ran where its label is not": (
        checks_order.labels_are_kept,
        Story().said("started", pid=100, slot=1).job(1, "labelled").ran(1, 1, 2),
    ),
    "a cancelled job started": (
        checks_work.i10_a_cancelled_job_starts_no_more,
        Story().cancelled(1, 1).job(1).ran(1, 1.02, 6),
    ),
    "a cancelled job was tried again": (
        checks_work.i10_a_cancelled_job_starts_no_more,
        Story().cancelled(1, 1).job(1).ran(1, 0.5, 2, "retry").ended(1, "cancelled", 3),
    ),
    "a cancel was not delivered": (
        checks_work.i10_a_running_one_gets_the_signal,
        Story().cancelled(1, 1).job(1, "cancelled").ran(1, 0.5, 15, "cancelled"),
    ),
    "a cancelled one was told something else": (
        checks_work.i10_a_running_one_gets_the_signal,
        Story().cancelled(1, 1).job(1, "cancelled").ran(1, 0.5, 2, "cancelled", told="lease_lost"),
    ),
    "a lane overlapped by a hair": (
        checks_order.i7_lanes_keep_order,
        Story().job(1, "lane").job(2, "lane").ran(1, 1, 5).ran(2, 4.99, 6),
    ),
    "what was claimed did not begin": (
        checks_long.i21_what_is_claimed_begins,
        Story().claimed(1, 1).job(1).ran(1, 2.5, 3),
    ),
    "a kind had more slots than it may": (
        checks_long.i21_what_is_claimed_begins,
        Story()
        .job(1, "reporting")
        .job(2, "reporting")
        .job(3, "reporting")
        .job(4, "reporting")
        .ran(1, 1, 5)
        .ran(2, 1, 5)
        .ran(3, 2, 5)
        .ran(4, 4.9, 6),
    ),
    "a stall was told before it could": (
        checks_long.i21_deadlines_count_from_the_start,
        Story().job(1, "reporting").ran(1, 1, 1.5, "retry", told="stall"),
    ),
    "a stall was told late": (
        checks_long.i21_deadlines_count_from_the_start,
        Story().job(1, "reporting").ran(1, 1, 9, "retry", told="stall"),
    ),
    "one that stalled was told something else": (
        checks_long.i21_deadlines_count_from_the_start,
        Story().job(1, "reporting").ran(1, 1, 2.6, "retry", told="deadline"),
    ),
    "one was cut without a word": (
        checks_long.stops_are_told_soon_and_rightly,
        Story().job(1).ran(1, 1, 2, "returned", how="cut"),
    ),
    "a stop was told that was none": (
        checks_long.stops_are_told_soon_and_rightly,
        Story().job(1).ran(1, 1, 2, "returned", told="shutdown"),
    ),
    "one that was done was told that its job is another's": (
        checks_long.stops_are_told_soon_and_rightly,
        Story().job(1).ran(1, 1, 2, "done", told="lease_lost"),
    ),
    "one ran on when its server stopped": (
        checks_long.stops_are_told_soon_and_rightly,
        Story().said("stopping", 2).job(1).ran(1, 1, 14, "returned", told="shutdown"),
    ),
    "one ran on when its job was taken": (
        checks_long.stops_are_told_soon_and_rightly,
        Story().job(1).ran(1, 1, 14, "lost", until=5, told="lease_lost"),
    ),
    "a less urgent one of another route went first": (
        checks_order.i23_urgent_work_of_any_route_goes_first,
        Story().on_routes().ran(2, 2.01, 3, epoch=6).ran(1, 3.01, 4, epoch=5),
    ),
    "one that was handed back lost its turn": (
        checks_order.turns_are_kept,
        Story().job(1).handed_back(1, 3).claimed(1, 4, 2, turn=2.9).ran(1, 4, 5),
    ),
    "one was claimed in the commit that handed another back": (
        checks_order.turns_are_kept,
        Story().job(1).job(2).handed_back(1, 3).ran(2, 3.1, 4, claimed=2.99),
    ),
    "a moved priority was lost": (
        checks_order.moved_priorities_stay,
        Story().job(1).said("moved", job=1, priority=0),
    ),
    "one too many in a lane that had become narrower": (
        checks_order.i27_at_most_n_at_once,
        Story()
        .said("width", 2.1, lane="wide:1", width=1, asked=2.0, is_known=True)
        .job(1, "wide")
        .job(2, "wide")
        .ran(1, 1, 5)
        .ran(2, 4, 6),
    ),
    "one of a schedule ran where its label is not": (
        checks_order.labels_are_kept,
        Story().said("started", pid=100, slot=1).job(1, "scheduled", route="chaos.scheduled@gpu").ran(1, 1, 2),
    ),
    "a deadline passed before it could": (
        checks_long.i21_deadlines_count_from_the_start,
        Story().job(1, "timed", deadline=1.0).ran(1, 1, 1.2, "retry", told="deadline"),
    ),
    "a deadline failed what had not begun": (
        checks_long.i21_deadlines_count_from_the_start,
        Story().job(1, "timed", deadline=1.0).ended(1, "retry", 3),
    ),
    "a deadline was told late": (
        checks_long.i21_deadlines_count_from_the_start,
        Story().job(1, "timed", deadline=1.0).ran(1, 1, 9, "retry", told="deadline"),
    ),
    "a poison failed instead": (
        checks_long.i22_poison_is_quarantined,
        Story().job(1, "inside", poison="cut").ended(1, "failed", 3),
    ),
    "a poison was put away without a word": (
        checks_long.i22_poison_is_quarantined,
        Story().job(1, "inside", poison="cut").ended(1, "quarantined", 3),
    ),
    "a checkpoint was dropped": (
        checks_long.i26_checkpoints_are_handed_on,
        Story()
        .said("saving", job=1, token=1, step=3)
        .said("saved", job=1, token=1, step=3)
        .job(1, "reporting")
        .ended(1, "lost", 1)
        .ran(1, 2, 3, given=0),
    ),
    "a child outlived its server": (
        checks_long.children_die_with_their_server,
        Story().said("kill", at=1, pid=7).said("look", at=4, who="child", server=7),
    ),
    "a fact was taken twice": (checks_time.i19_facts_are_taken_once_and_in_order, Story().fact(1, heard=2)),
    "a fact was lost": (checks_time.i19_facts_are_taken_once_and_in_order, Story().fact(1, heard=0)),
    "a bad fact was not put aside": (
        checks_time.i19_facts_are_taken_once_and_in_order,
        Story().fact(1, heard=0, poison="cut"),
    ),
    "facts of one subject changed places": (
        checks_time.i19_facts_are_taken_once_and_in_order,
        Story().fact(2).fact(1),
    ),
    "an end was not told": (checks_time.ends_are_told, Story().job(1, gives=True).ended(1, "done", 1)),
    "an end was told that nobody asked for": (
        checks_time.ends_are_told,
        Story().job(1).ended(1, "done", 1).fact(1, "job_1", name="job.ended", result="done", data=None),
    ),
    "a moment is missing": (
        checks_time.i12_each_moment_has_one_decision_and_one_end,
        Story().tick(1, 2.0).ran(1, 2, 3).tick(2, 6.0).ran(2, 6, 7),
    ),
    "a moment ended as its job did not": (
        checks_time.i12_each_moment_has_one_decision_and_one_end,
        Story().tick(1, 2.0, end="failed").ran(1, 2, 3),
    ),
    "two runs of a schedule overlapped": (
        checks_time.i12_each_moment_has_one_decision_and_one_end,
        Story().tick(1, 2.0).ran(1, 2, 6).tick(2, 4.0).ran(2, 4, 7),
    ),
    "a replaced run went on": (
        checks_time.i12_each_moment_has_one_decision_and_one_end,
        Story().tick(1, 2.0, ended_at=40.0).ran(1, 2, 40).tick(2, 4.0, ended_at=41.0).ran(2, 40.1, 41),
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
    "a key was enqueued while it was open": (
        checks_order.keys_are_open_once,
        Story()
        .said("committed", at=2, jobs=[[1, 1], [2, 2]])
        .job(1, "keyed", key="k")
        .job(2, "keyed", key="k")
        .ran(1, 3, 5)
        .ran(2, 6, 7),
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


KEPT: dict[str, tuple[Check, Story]] = {
    "a lane's next began in the same millisecond": (
        checks_order.i7_lanes_keep_order,
        Story().job(1, "lane").job(2, "lane").ran(1, 1, 5).ran(2, 5, 6),
    ),
    "as many in a shared lane as it is wide": (
        checks_order.i27_at_most_n_at_once,
        Story()
        .job(1, "wide")
        .job(2, "wide")
        .job(3, "wide")
        .job(4, "wide")
        .ran(1, 1, 5)
        .ran(2, 1, 5)
        .ran(3, 2, 5)
        .ran(4, 5, 6),
    ),
    "those that run when a lane becomes narrower go on": (
        checks_order.i27_at_most_n_at_once,
        Story()
        .said("width", 2.1, lane="wide:1", width=1, asked=2.0, is_known=True)
        .job(1, "wide")
        .job(2, "wide")
        .job(3, "wide")
        .ran(1, 1, 5)
        .ran(2, 1.5, 6)
        .ran(3, 6, 7),
    ),
    "one that its loop was kept from began late": (
        checks_long.i21_what_is_claimed_begins,
        Story().claimed(1, 1).said("lag", 3.2, seconds=1.5).job(1).ran(1, 3.3, 4),
    ),
    "an inside job that was lost is nobody's who was killed": (
        checks_work.i6_rescued_in_time,
        Story().served().said("life", worker=0).said("kill", at=1, pid=100).job(1, "inside").ended(1, "lost", 60),
    ),
    "a less urgent one that was claimed before its server had heard of the urgent one": (
        checks_order.i23_urgent_work_of_any_route_goes_first,
        Story().on_routes().ran(2, 1.05, 2, epoch=6).ran(1, 2.01, 3, epoch=5),
    ),
    "one that was handed back was claimed again in its turn": (
        checks_order.turns_are_kept,
        Story().job(1).job(2).handed_back(1, 3).claimed(1, 4, 2).ran(1, 4, 5).ran(2, 3.1, 4),
    ),
    "an outage put a rescue off": (
        checks_work.i6_rescued_in_time,
        Story()
        .said("life", worker=1)
        .said("kill", at=1, pid=100)
        .said("database down", at=2)
        .said("database up", at=20)
        .job(1)
        .ended(1, "lost", 30),
    ),
    "a sleeping server heard of a cancel late": (
        checks_work.i10_a_running_one_gets_the_signal,
        Story()
        .cancelled(1, 1)
        .said("stop", at=0.8, pid=100, seconds=9)
        .said("continue", at=10, pid=100)
        .job(1, "cancelled")
        .ran(1, 0.5, 10.1, "cancelled", told="lease_lost"),
    ),
    "a checkpoint that was being written may be there": (
        checks_long.i26_checkpoints_are_handed_on,
        Story().said("saving", job=1, token=1, step=3).job(1, "reporting").ended(1, "lost", 1).ran(1, 2, 3, given=3),
    ),
    "a replaced run ended soon": (
        checks_time.i12_each_moment_has_one_decision_and_one_end,
        Story()
        .tick(1, 2.0, end="cancelled", ended_at=4.2)
        .ran(1, 2, 4.1, "cancelled", told="cancel")
        .tick(2, 4.0, ended_at=5.0)
        .ran(2, 4.3, 5),
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_checker_bears_what_is_allowed(name: str):
    check, story = KEPT[name]

    assert check(story.evidence).violations == []


def test_only_those_that_had_to_wait_for_each_other_are_judged():
    """An urgent job that was claimed at once says nothing about what else was there."""
    waited = Story().on_routes().ran(1, 2.01, 3, epoch=5).ran(2, 3.01, 4, epoch=6)
    at_once = Story().on_routes().ran(1, 1.05, 2, epoch=5).ran(2, 3.01, 4, epoch=6)

    findings = [checks_order.i23_urgent_work_of_any_route_goes_first(story.evidence) for story in (waited, at_once)]

    assert [sum(finding.judged.values()) for finding in findings] == [1, 0]


def test_a_run_that_did_too_little_does_not_count():
    report = Report([Finding("I6", "", judged={"rescued": 1})], ended=4999)
    report.judge(Counter(kill=20, stop=5, database=2), Minimums(5000, 20, 5, 2, {"rescued": 2}))

    assert report.lacking == ["jobs ended 4999 of 5000", "rescued 1 of 2"]
    assert not report.is_good


def test_what_a_run_needs_follows_its_seconds():
    minute, short = Minimums.of(60), Minimums.of(20)

    assert (minute.jobs, minute.kills, minute.stops, minute.database) == (2000, 20, 5, 2)
    assert 0 < short.jobs < minute.jobs < Minimums.of(120).jobs
    assert {name for name, least in Minimums.of(16).judged.items() if not least} == SELDOM
    assert 0 < short.judged["facts"] < minute.judged["facts"] < Minimums.of(120).judged["facts"]
