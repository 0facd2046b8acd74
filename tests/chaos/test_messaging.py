"""Servers, phones and the database die while messages are sent, and no promise is broken; the checker would see it."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from chaos.messaging import checks
from chaos.messaging.evidence import Arrival, Clock, Cut, Delivery, Evidence, Occurrence, Part
from chaos.messaging.plan import make_plan
from chaos.messaging.report import Figures, Report
from chaos.messaging.run import Chosen, run
from chaos.report import Finding


@pytest.mark.slow
@pytest.mark.beside
@pytest.mark.usefixtures("forked_crew")
@pytest.mark.req("A-24", "A-107", "A-126", "A-204", "A-205")
async def test_every_message_has_one_end_and_arrives_once_when_servers_phones_and_database_die():
    report = await run(Chosen(seconds=4, seed=111, bots=8, pace=1.0, is_any_enough=True), print)

    assert [finding for finding in report.findings if finding.violations] == []
    assert report.kills
    assert report.done["database"]
    assert report.figures.cuts
    assert report.figures.states["sent"]


def test_the_seed_decides_the_faults():
    assert make_plan(3, 45) == make_plan(3, 45)
    assert make_plan(3, 45) != make_plan(4, 45)


class Story:
    """Evidence made by hand: one bot, and its deliveries at 0, 60, 120 … in the room c."""

    def __init__(self) -> None:
        self.evidence = Evidence(starts=[-1000.0])

    def due(self, state: str = "sent", *, end: str | None = "done", **more: Any) -> "Story":
        number = len(self.evidence.occurrences)
        reason = more.pop("reason", None if state == "sent" else "bot_gone")
        given = {"started_at": number * 60.0, "attempts": 1, "deferred_by": None, "turn": (0.0, number), **more}
        delivery = Delivery(number, state, reason, number * 60.0, **given)
        schedule_state = "completed"
        occurrence = Occurrence(number, schedule_state, "bot", "c", "window", "enqueued", end, [delivery])
        self.evidence.occurrences.append(occurrence)
        return self

    def part(self, content: str, state: str = "handled", *, resent: int = 0, at: float = 1.0) -> "Story":
        parts = self.evidence.occurrences[-1].deliveries[0].parts
        is_out = state != "planned"
        parts.append(
            Part(len(parts), content, state, resent, at if is_out else None, at + 0.1 if state == "handled" else None)
        )
        return self

    def arrived(self, content: str, at: float = 1.0, *, channel: str = "c", connection: int = 0) -> "Story":
        self.evidence.arrivals.append(Arrival("bot", at, (content,), channel, connection))
        return self

    def cut(self, at: float, connection: int = 0) -> "Story":
        self.evidence.cuts.append(Cut("bot", at, connection))
        return self


def without_delivery() -> Story:
    story = Story().due()
    story.evidence.occurrences[0].deliveries.clear()
    return story


def still_open() -> Story:
    story = Story().due().part("a").arrived("a")
    story.evidence.open = 1
    return story


Check = Callable[[Evidence], Finding]

BROKEN: dict[str, tuple[Check, Story]] = {
    "an occurrence without a delivery": (checks.one_end, without_delivery()),
    "an occurrence without an end": (checks.one_end, Story().due("open", end=None)),
    "an occurrence with two ends": (checks.one_end, Story().due(ends=2)),
    "the ledger says something else": (checks.one_end, Story().due("missed", end="done")),
    "a job is left": (checks.one_end, still_open()),
    "a part arrived twice": (checks.received_once, Story().due().part("a").arrived("a").arrived("a", 2)),
    "an unknown part arrived twice": (
        checks.received_once,
        Story().due("unknown").part("a", "unknown").arrived("a").arrived("a", 2),
    ),
    "a part was sent again more often than it says": (
        checks.received_once,
        Story().due().part("a", resent=1).arrived("a").arrived("a", 2).arrived("a", 3),
    ),
    "a part arrived that was never begun": (
        checks.received_once,
        Story().due("missed", end="missed").part("a", "planned").arrived("a"),
    ),
    "a handled part never arrived": (checks.handled_arrived, Story().due().part("a")),
    "a handled part is lost with its connection": (
        checks.handled_arrived,
        Story().due().part("a", at=1).part("b", at=2).arrived("a", 1).cut(3),
    ),
    "a part that nobody confirmed counts as sent": (checks.reasons_are_given, Story().due().part("a", "written")),
    "missed without a reason": (
        checks.reasons_are_given,
        Story().due("missed", end="missed", reason=None).part("a", "planned"),
    ),
    "sent with a part that was not": (checks.reasons_are_given, Story().due().part("a").part("b", "planned")),
    "a part is still being written": (checks.reasons_are_given, Story().due("partial").part("a", "writing")),
    "parts in the wrong order": (
        checks.order_is_kept,
        Story().due().part("a").part("b").arrived("b", 1).arrived("a", 2),
    ),
    "a delivery overtook": (
        checks.order_is_kept,
        Story().due().part("a").due().part("b").arrived("b", 1).arrived("a", 2),
    ),
    "deliveries mingled": (
        checks.order_is_kept,
        Story().due().part("a").part("b").due().part("c").arrived("a").arrived("c", 2).arrived("b", 3),
    ),
    "begun after its window": (checks.windows_are_kept, Story().due(started_at=301.0).part("a")),
    "a message that is nobody's": (checks.nothing_strange, Story().due().part("a").arrived("z")),
    "a message in another room": (checks.nothing_strange, Story().due().part("a").arrived("a", channel="d")),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_checker_sees_a_broken_promise(name: str):
    check, story = BROKEN[name]

    assert check(story.evidence).violations != []


KEPT: dict[str, tuple[Check, Story]] = {
    "a part that was sent again arrived twice": (
        checks.received_once,
        Story().due().part("a", resent=1).arrived("a").arrived("a", 2),
    ),
    "what nobody confirmed is lost with the connection": (
        checks.handled_arrived,
        Story().due("unknown").part("a", at=1).part("b", "unknown", at=2).arrived("a", 1).cut(3),
    ),
    "what was put off by a limit is overtaken": (
        checks.order_is_kept,
        Story().due(deferred_by="min_gap_seconds").part("a").due().part("b").arrived("b", 1).arrived("a", 2),
    ),
}


@pytest.mark.parametrize("name", KEPT)
def test_the_checker_bears_what_is_allowed(name: str):
    check, story = KEPT[name]

    assert check(story.evidence).violations == []


def test_what_begins_late_where_bots_have_just_come_back_is_allowed():
    story = Story().due(started_at=301.0).part("a")
    story.evidence.starts = [299.0]

    assert checks.windows_are_kept(story.evidence).violations == []


def test_the_moved_clock_is_read_back():
    clock = Clock([(100.0, 57.0), (103.0, 114.0)])

    assert clock.read(50.0) == 50.0
    assert clock.read(158.0) == 101.0
    # jumped over: that is the moment of the jump
    assert clock.read(190.0) == 103.0


def test_a_run_that_did_too_little_does_not_count():
    report = Report([], Figures(100, Counter(sent=60), Counter(), resent=0, cuts=100, prevented=0))
    report.judge(Counter(kill=1, database=1), seconds=45)

    assert report.lacking == ["kills 1 of 5"]
    assert not report.is_good
