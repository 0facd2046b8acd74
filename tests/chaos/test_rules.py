"""Servers, scripts and the database are taken away under rules, and no promise is broken: the checks see it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from chaos.history import Line
from chaos.plan import least_of_app
from chaos.report import Finding
from chaos.rules import checks
from chaos.rules.checks import MARGIN
from chaos.rules.evidence import Evidence, Moment, RunRow, Seen, StoredFile, read_history
from chaos.rules.ground import ENDED, expected_of
from chaos.rules.plan import JUDGED, SECONDS_PER, make_plan
from chaos.rules.report import Report
from chaos.rules.run import Chosen, run
from pabal.apps.rules.outside.supervised import LEASE_SECONDS
from pabal.engine.transitions import Transition

AT = datetime(2026, 11, 17, 9, 0, tzinfo=UTC)
RUN = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


@pytest.mark.slow
@pytest.mark.beside
@pytest.mark.usefixtures("forked_crew")
async def test_every_moment_has_one_end_and_no_script_outlives_its_lease_when_everything_is_taken_away():
    report = await run(Chosen(seconds=6, seed=7, is_any_enough=True), print)

    assert [finding for finding in report.findings if finding.violations] == []
    assert report.kills + report.done["point"]
    assert report.done["database"]
    assert report.done["script"]
    assert report.judged["succeeded"]
    assert report.judged["files"]


def test_the_seed_decides_the_faults():
    assert make_plan(3, 45) == make_plan(3, 45)
    assert make_plan(3, 45) != make_plan(4, 45)


class Story:
    """Evidence made by hand: of one run, number 1."""

    def __init__(self) -> None:
        self.evidence = Evidence()

    def known(self, state: str = "success", reason: str | None = None, **more: Any) -> "Story":
        """A row, and a history that leads to it."""
        given = {"version": 2, "attempt": 1, "count": 1, "artifacts": [{"file": 9}], "has_script": True, "number": 1}
        row = RunRow(id=RUN, rule_id=5, scheduled_at=AT, state=state, reason=reason, **(given | more))
        self.evidence.runs.append(row)
        path = (None, "running", state)
        self.evidence.transitions[row.number] = [_moved(n, path[n - 1], path[n]) for n in (1, 2)]
        return self

    def due(self, decision: str = "enqueued", end: str | None = "done", at: datetime = AT) -> "Story":
        self.evidence.moments.append(Moment(5, at, decision, end, 1))
        return self

    def told(self, times: int = 1, run: str = RUN) -> "Story":
        self.evidence.events += [f"{run}:{ENDED}"] * times
        return self

    def filed(self, **more: Any) -> "Story":
        whole = expected_of(RUN)
        given = {"sha256": whole, "found": whole, "uses": ["rule_run:1"], "key": "a", "size": 1}
        self.evidence.files.append(StoredFile(id=9, **(given | more)))
        return self

    def seen(self, until: float | None = 20.0, *, since: float = 10.0) -> "Story":
        self.evidence.processes.append(Seen(RUN, 77, since, until))
        return self

    def lost(self, at: float = 15.0) -> "Story":
        self.evidence.lost[77] = at
        return self

    def with_job(self) -> "Story":
        self.evidence.open_jobs = 1
        return self

    def with_two_ends(self) -> "Story":
        self.evidence.transitions[1].append(_moved(3, "success", "failure"))
        return self


def _moved(version: int, source: str | None, target: str | None) -> Transition:
    return Transition("rule_run", 1, version, "event", source, target or "", 1, "engine", None, None, AT)


def lived() -> Story:
    """Everything as it should be."""
    return Story().known().due().told().filed().seen().lost()


Check = Callable[[Evidence], Finding]
LATE = 15.0 + LEASE_SECONDS + MARGIN + 0.1
BROKEN: dict[str, tuple[Check, Story]] = {
    # every due moment has one end
    "still running": (checks.one_end, Story().known("running")),
    "two ends": (checks.one_end, Story().known(version=3).with_two_ends()),
    "the history says less than the row": (checks.one_end, Story().known(version=3)),
    "a job is left": (checks.one_end, Story().known().with_job()),
    "a moment with two runs": (checks.one_end, Story().known().known(number=2)),
    "failed of nothing": (checks.one_end, Story().known("failure", "script_failed")),
    "due, and never run": (checks.every_moment, Story().due()),
    "due, and without an end": (checks.every_moment, Story().known().due(end=None)),
    # no callback lost
    "a callback is lost": (checks.callbacks_once, Story().known()),
    "a callback came twice": (checks.callbacks_once, Story().known().told(2)),
    "a callback of nobody": (checks.callbacks_once, Story().told()),
    # no artifact half kept
    "half a file": (checks.files_whole, Story().known().filed(found="abc")),
    "a file that is not there": (checks.files_whole, Story().known().filed(found=None)),
    "a file that nobody keeps": (checks.files_whole, Story().known().filed(uses=[])),
    "a file of another run": (checks.files_whole, Story().known().filed(sha256="abc", found="abc")),
    "a row of a file that is gone": (checks.files_whole, Story().known()),
    "succeeded without its file": (checks.files_whole, Story().known(artifacts=[])),
    # no process left running after its lease is gone
    "there at the end": (checks.none_left, Story().seen(None)),
    "there long after its server": (checks.none_left, Story().seen(LATE).lost()),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_checks_see_a_broken_promise(name: str):
    check, story = BROKEN[name]

    assert check(story.evidence).violations != []


KEPT: dict[str, tuple[Check, Story]] = {
    "killed too often": (checks.one_end, Story().known("failure", "crashed", artifacts=[])),
    "skipped for the run before": (checks.callbacks_once, Story().known("failure", "skipped_overlap", artifacts=[])),
    "a moment that was made up for by another": (checks.every_moment, Story().due("coalesced", None)),
    "a condition makes no file": (checks.files_whole, Story().known(artifacts=[], has_script=False)),
    "a file of an attempt that was lost": (checks.files_whole, Story().filed(uses=[])),
    "ended with its lease": (checks.none_left, Story().seen(15.0 + LEASE_SECONDS).lost()),
    "of a server that is there": (checks.none_left, Story().seen(500.0)),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_checks_bear_what_is_allowed(name: str):
    check, story = KEPT[name]

    assert check(story.evidence).violations == []


@pytest.mark.parametrize("check", checks.CHECKS)
def test_nothing_is_wrong_with_a_run_that_went_well(check: Check):
    assert check(lived().evidence).violations == []


def test_a_process_is_known_from_first_sight_to_last():
    evidence = Evidence()
    about = {"process": 4, "birth": "11", "run": RUN}

    read_history(
        [
            Line("monkey", 1, 1.0, "process", {**about, "server": 77}),
            Line("monkey", 1, 2.0, "kill", {"pid": 77}),
            Line("monkey", 1, 2.1, "gone", {"pid": 77}),
            Line("monkey", 1, 3.0, "process gone", about),
        ],
        evidence,
    )

    assert evidence.processes == [Seen(RUN, 77, 1.0, 3.0)]
    assert evidence.lost == {77: 2.0}


def test_whatever_must_be_judged_is_counted_by_a_check_and_a_run_that_did_too_little_does_not_count():
    evidence = lived().evidence
    report = Report.of([check(evidence) for check in checks.CHECKS], evidence)
    assert set(JUDGED) <= {name for finding in report.findings for name in finding.judged}

    report.judge(report.judged, seconds=60)

    assert not report.is_good
    assert {one.rpartition(" of ")[0].rpartition(" ")[0] for one in report.lacking} >= {*SECONDS_PER, "succeeded"}
    assert least_of_app(JUDGED, 8) == dict.fromkeys(JUDGED, 0)
