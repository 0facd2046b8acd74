"""Servers, database, nexrender and NAS are taken away under renders, and no promise is broken: the checks see it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from chaos.plan import least_of_app
from chaos.rendering import checks
from chaos.rendering.evidence import FOREVER, Evidence, Film, MachineRender, RenderRow, read_journal
from chaos.rendering.ground import MOST_RECOVERIES
from chaos.rendering.plan import JUDGED, SECONDS_PER, make_plan
from chaos.rendering.report import Report
from chaos.rendering.run import Chosen, run
from chaos.report import Finding
from pabal.engine.transitions import Transition

FILM = Film(200_000, "abc")


@pytest.mark.slow
@pytest.mark.beside
@pytest.mark.usefixtures("forked_crew")
@pytest.mark.req("B-03", "B-07", "B-73")
async def test_every_render_has_one_end_and_a_whole_film_when_servers_database_nexrender_and_nas_are_taken_away():
    report = await run(Chosen(seconds=5, seed=7, is_any_enough=True), print)

    assert [finding for finding in report.findings if finding.violations] == []
    assert report.kills
    assert report.done["database"]
    assert report.done["nexrender"]
    assert report.done["nas"]
    assert report.judged["completed"]


def test_the_seed_decides_the_faults():
    assert make_plan(3, 45) == make_plan(3, 45)
    assert make_plan(3, 45) != make_plan(4, 45)


class Story:
    """Evidence made by hand: of one render, number 1."""

    def __init__(self) -> None:
        self.evidence = Evidence()

    def known(self, state: str = "completed", error_code: str | None = None, **more: Any) -> "Story":
        """A row, and a history that leads to it."""
        is_whole = state == "completed"
        given = {
            "attempt": 1, "error_message": None, "output_file_path": "there" if is_whole else None,
            "output_size": FILM.size if is_whole else None, "output_sha256": FILM.sha256 if is_whole else None,
            "recovery_count": 0, "is_held": False, "is_winding_down": False, "version": 3,
        }  # fmt: skip
        self.evidence.renders.append(RenderRow(1, state, error_code=error_code, **(given | more)))
        path = (None, "pending", "preparing", state)
        self.evidence.transitions[1] = [_moved(n, source, path[n]) for n, source in enumerate(path[:3], start=1)]
        return self

    def rendered(
        self, attempt: int = 1, *, began: float = 10.0, until: float = 20.0, state: str = "finished"
    ) -> "Story":
        self.evidence.rendered.append(MachineRender(1, attempt, began, until, state))
        if state == "finished":
            self.evidence.written[1, attempt].append(FILM)
        return self

    def tried(self, attempt: int, result: str, reason: str | None = None) -> "Story":
        self.evidence.attempts[1, attempt] = (result, reason)
        return self

    def on_nas(self, film: Film = FILM) -> "Story":
        self.evidence.nas[1] = film
        return self

    def seen(self, size: int = FILM.size) -> "Story":
        self.evidence.seen.add((1, size))
        return self

    def struck(self, fault: str, attempt: int = 1) -> "Story":
        self.evidence.faults[1, attempt].add(fault)
        return self

    def asked(self) -> "Story":
        self.evidence.asked.append(1)
        return self

    def cancelled(self) -> "Story":
        self.evidence.cancelled.append(1)
        return self

    def with_part(self) -> "Story":
        self.evidence.parts.append(".abc.pabal-part")
        return self

    def left(self, state: str) -> "Story":
        self.evidence.left[1, 1] = state
        return self

    def with_job(self) -> "Story":
        self.evidence.open_jobs = 1
        return self

    def with_two_ends(self) -> "Story":
        self.evidence.transitions[1].append(_moved(4, "completed", "failed"))
        return self

    def without_the_second(self) -> "Story":
        del self.evidence.transitions[1][1]
        return self


def _moved(version: int, source: str | None, target: str | None) -> Transition:
    at = datetime.fromtimestamp(100.0 + version, UTC)
    return Transition("render", 1, version, "event", source, target or "", 1, "engine", None, None, at)


def lived() -> Story:
    """Everything as it should be."""
    return Story().asked().known().rendered().tried(1, "completed").on_nas().seen()


Check = Callable[[Evidence], Finding]
BROKEN: dict[str, tuple[Check, Story]] = {
    # each with exactly one end and its reason, and none stuck
    "stuck": (checks.one_end, Story().known("rendering")),
    "two ends": (checks.one_end, Story().known(version=4).with_two_ends()),
    "a transition is missing": (checks.one_end, Story().known().without_the_second()),
    "the history says less than the row": (checks.one_end, Story().known(version=4)),
    "ended, and still in a slot": (checks.one_end, Story().known(is_held=True)),
    "cancelled, and wound down for ever": (
        checks.one_end,
        Story().known("cancelled", "cancelled", is_winding_down=True),
    ),
    "a job is left": (checks.one_end, Story().known().with_job()),
    "taken and lost": (checks.one_end, Story().asked()),
    "completed with an error": (checks.reasons_are_true, Story().known(error_code="stalled")),
    "cancelled by nobody": (checks.reasons_are_true, Story().asked().known("cancelled", "cancelled")),
    "cancelled, and completed all the same": (checks.reasons_are_true, Story().known().cancelled()),
    "nexrender is blamed for nothing": (checks.reasons_are_true, Story().known("failed", "nexrender_error")),
    "a file is missing, and nobody took it": (checks.reasons_are_true, Story().known("failed", "output_missing")),
    "parked after too few recoveries": (
        checks.reasons_are_true,
        Story().known("failed", "poison_job", recovery_count=MOST_RECOVERIES),
    ),
    "an error of our own": (checks.reasons_are_true, Story().known("failed", "unexpected")),
    # no job is rendered by two at once
    "the same attempt twice": (checks.never_two_at_once, Story().rendered().rendered(began=30.0, until=40.0)),
    "two machines at once": (checks.never_two_at_once, Story().rendered().rendered(began=15.0, until=25.0)),
    "rendered again though it was finished": (
        checks.never_two_at_once,
        Story().rendered().tried(1, "completed").rendered(2, began=30.0),
    ),
    # none completed with a bad or half-copied file
    "completed, and nothing is there": (checks.completed_are_whole, Story().known().rendered()),
    "completed with half a film": (checks.completed_are_whole, Story().known().rendered().on_nas(Film(100_000, "ab"))),
    "completed with the film of another attempt": (
        checks.completed_are_whole,
        Story().known(attempt=2).rendered(1).on_nas(),
    ),
    "completed with a broken film": (
        checks.completed_are_whole,
        Story().known().struck("broken_file").rendered().on_nas(),
    ),
    "half a film under its final name": (checks.nothing_half, Story().known().rendered().on_nas().seen(100_000)),
    "cancelled, and delivered": (checks.nothing_half, Story().known("cancelled", "cancelled").on_nas()),
    "cancelled, and nexrender goes on": (
        checks.nothing_goes_on,
        Story().known("cancelled", "cancelled").left("render:dorender"),
    ),
    "completed, and nexrender would render it again": (checks.nothing_goes_on, Story().known().left("queued")),
    "half a film is left": (checks.nothing_half, Story().known().with_part()),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_checks_see_a_broken_promise(name: str):
    check, story = BROKEN[name]

    assert check(story.evidence).violations != []


KEPT: dict[str, tuple[Check, Story]] = {
    "nobody knows who cancelled what was never confirmed": (
        checks.reasons_are_true,
        Story().known("cancelled", "cancelled"),
    ),
    "After Effects failed": (checks.reasons_are_true, Story().known("failed", "nexrender_error").struck("fail")),
    "a bad film": (checks.reasons_are_true, Story().known("failed", "output_invalid").struck("short_file")),
    "its machine died over the film": (
        checks.reasons_are_true,
        Story().known("failed", "output_invalid").rendered(state="died"),
    ),
    "parked": (checks.reasons_are_true, Story().known("failed", "poison_job", recovery_count=MOST_RECOVERIES + 1)),
    "its machine died, and nexrender forgot it": (
        checks.never_two_at_once,
        Story().rendered(state="died").rendered(began=30.0),
    ),
    "given up at its clock while After Effects goes on": (
        checks.never_two_at_once,
        Story().rendered(until=FOREVER, state="").tried(1, "again", "stalled").rendered(2, began=30.0),
    ),
    "what failed was taken from nobody": (
        checks.nothing_goes_on,
        Story().known("failed", "poison_job").left("render:dorender"),
    ),
    "half a film of one that failed": (checks.nothing_half, Story().known("failed", "nas_unavailable").with_part()),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_checks_bear_what_is_allowed(name: str):
    check, story = KEPT[name]

    assert check(story.evidence).violations == []


@pytest.mark.parametrize("check", checks.CHECKS)
def test_nothing_is_wrong_with_a_render_that_was_delivered(check: Check):
    assert check(lived().evidence).violations == []


def test_a_render_without_an_end_died_with_its_nexrender():
    evidence = Evidence()
    began = {"kind": "render_began", "render": 1, "uid": "rq-4-a2"}

    read_journal([{**began, "at": 1.0}, {"kind": "farm_change", "what": "farm_started", "at": 5.0}], evidence)

    assert evidence.rendered == [MachineRender(4, 2, 1.0, 5.0, "died")]


def test_whatever_must_be_judged_is_counted_by_a_check():
    report = Report.of([check(lived().evidence) for check in checks.CHECKS], lived().evidence)

    assert set(JUDGED) <= {name for finding in report.findings for name in finding.judged}


def test_a_run_that_did_too_little_does_not_count():
    report = Report.of([check(lived().evidence) for check in checks.CHECKS], lived().evidence)

    report.judge(report.judged, seconds=60)

    assert not report.is_good
    assert {one.rpartition(" of ")[0].rpartition(" ")[0] for one in report.lacking} >= {*SECONDS_PER, "completed"}
    assert least_of_app(JUDGED, 8) == dict.fromkeys(JUDGED, 0)
