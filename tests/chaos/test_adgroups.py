"""Servers and the database die around midnight, one server's clock is wrong, and no promise is broken."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from chaos.adgroups import checks
from chaos.adgroups.evidence import Evidence, Taken, find_outages
from chaos.adgroups.plan import make_plan
from chaos.adgroups.report import Report
from chaos.adgroups.run import Chosen, run
from chaos.history import Line
from chaos.report import Finding
from pabal.apps.adgroups.machine import Subject
from pabal.apps.adgroups.model.adgroups import Schedule
from pabal.engine.transitions import Transition

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.slow
@pytest.mark.beside
@pytest.mark.usefixtures("forked_crew")
@pytest.mark.req("E-05", "E-99", "E-101", "E-102")
async def test_every_ad_group_keeps_its_windows_and_its_history_when_servers_and_database_die_around_midnight():
    report = await run(Chosen(seconds=3, seed=2, ad_groups=80, patience=15.0, is_any_enough=True), print)

    assert [finding for finding in report.findings if finding.violations] == []
    assert report.done["kill"]
    assert report.done["database"]


def test_the_seed_decides_the_faults():
    assert make_plan(3, 45) == make_plan(3, 45)
    assert make_plan(3, 45) != make_plan(4, 45)


class Story:
    """Evidence made by hand: one ad group from noon to one o'clock, looked at an hour after that."""

    def __init__(self) -> None:
        schedule = Schedule(NOON, NOON + timedelta(hours=1), "UTC")
        subject = Subject(1, 1, "expired", 1, schedule, 1, 1, "open", None, False)
        begun = Transition("adgroup", 1, 1, "begin", None, "approved", 1, "user:1", None, None, NOON)
        self.evidence = Evidence({1: subject}, {1: [begun]}, differences=[3, 0], ended_at=NOON + timedelta(hours=2))

    def moved(self, event: str, target: str, at: float, *, actor: str = "engine", reason: str = "timer") -> "Story":
        made = self.evidence.transitions[1]
        version, source, moment = len(made) + 1, made[-1].target, NOON + timedelta(seconds=at)
        made.append(Transition("adgroup", 1, version, event, source, target, 1, actor, reason, None, moment))
        subject = self.evidence.subjects[1]
        self.evidence.subjects[1] = replace(subject, state=target, version=version)
        return self

    def lived(self, late: float = 0.0) -> "Story":
        return self.moved("start", "running", 1).moved("expire", "expired", 3600 + late)

    def without_the_second(self) -> "Story":
        del self.evidence.transitions[1][1]
        return self

    def stored(self, state: str) -> "Story":
        self.evidence.subjects[1] = replace(self.evidence.subjects[1], state=state)
        return self

    def armed(self, event: str, at: float) -> "Story":
        self.evidence.timers[1] = {event: NOON + timedelta(seconds=at)}
        return self

    def out(self, since: float, until: float) -> "Story":
        self.evidence.outages.append((NOON.timestamp() + since, NOON.timestamp() + until))
        return self

    def said(self, name: str, result: str | None, transitions: int = 0) -> "Story":
        self.evidence.said.append(name)
        if result is not None:
            self.evidence.taken.append(Taken(name, result, None, 0))
        for _ in range(transitions):
            self.moved("pause", "paused", 10, actor="broker", reason=name)
        return self

    def differing(self, *passes: int) -> "Story":
        self.evidence.differences = list(passes)
        return self


Check = Callable[[Evidence], Finding]
BROKEN: dict[str, tuple[Check, Story]] = {
    "a transition is missing": (checks.history_is_whole, Story().lived().without_the_second()),
    "the history leads elsewhere": (checks.history_is_whole, Story().lived().stored("running")),
    "it ran on": (checks.windows_are_kept, Story().lived(late=2.5)),
    "it runs for ever": (checks.windows_are_kept, Story().moved("start", "running", 1)),
    "an outage is no excuse for what came after": (checks.windows_are_kept, Story().lived(late=60).out(3600, 3650)),
    "it ran early": (checks.windows_are_kept, Story().moved("start", "running", -1).moved("expire", "expired", 3600)),
    "a timer is still to come": (checks.everything_came, Story().moved("start", "running", 1).armed("expire", 3600)),
    "a timer is not there": (checks.everything_came, Story().moved("pause", "paused", 1)),
    "an event was lost": (checks.outside_once, Story().said("a", None)),
    "an event had two effects": (checks.outside_once, Story().said("a", "applied", 2)),
    "an event had none": (checks.outside_once, Story().said("a", "applied")),
    "a refused event had one": (checks.outside_once, Story().said("a", "refused", 1)),
    "Redis differs after the pass": (checks.redis_agrees, Story().differing(3, 1)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_checks_see_a_broken_promise(name: str):
    check, story = BROKEN[name]

    assert check(story.evidence).violations != []


KEPT: dict[str, tuple[Check, Story]] = {
    "a life": (checks.history_is_whole, Story().lived()),
    "two seconds late": (checks.windows_are_kept, Story().lived(late=1.9)),
    "late because nobody was up": (checks.windows_are_kept, Story().lived(late=60).out(3590, 3659)),
    "nothing is armed after the end": (checks.everything_came, Story().lived()),
    "said twice, applied once": (checks.outside_once, Story().said("a", "applied", 1).said("a", None)),
    "the first pass mended": (checks.redis_agrees, Story().differing(3, 0)),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_checks_bear_what_is_allowed(name: str):
    check, story = KEPT[name]

    assert check(story.evidence).violations == []


def test_nobody_is_up_without_a_server_and_not_without_the_database():
    told = [
        (0.0, "clock", {"database": 1000.0}, 1),
        (2.0, "serving", {}, 7),
        (10.0, "kill", {"pid": 7}, 1),
        (10.0, "serving", {}, 9),
        (10.5, "gone", {"pid": 9}, 1),
        (12.0, "serving", {}, 8),
        (20.0, "database down", {}, 1),
        (21.0, "database up", {}, 1),
        (30.0, "retire", {"pid": 8}, 1),
        (31.0, "over", {}, 1),
    ]

    outages = find_outages(Line("who", pid, at, what, data) for at, what, data, pid in told)

    assert outages == [(1000.0, 1003.0), (1010.0, 1013.0), (1020.0, 1027.0), (1030.0, 1031.0)]


def test_a_run_that_did_too_little_does_not_count():
    report = Report([])
    report.judge(Counter(kill=1, point=3, database=1), seconds=45)

    assert report.lacking == ["kill 1 of 3"]
    assert not report.is_good
