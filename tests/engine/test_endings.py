"""What an outcome means for its job: for good, later, or handed back; and what is counted."""

from datetime import UTC, datetime, timedelta

import pytest

from pabal.engine.endings import Lost, Returned, decide
from pabal.engine.kinds import Job, Kind, Shape
from pabal.engine.outcome import Cancel, Done, Fail, Limited, Miss, Outcome, Retry, Snooze, Stopped
from pabal.engine.retry import fixed

MINUTE = timedelta(minutes=1)
NOON = datetime(2035, 6, 4, 12, tzinfo=UTC)
READY = NOON - MINUTE
KIND = Kind("test.plain", Shape.PLAIN, None, backoff=fixed(MINUTE), max_snoozes=2)


def attempt(failures: int = 0, recoveries: int = 0, snoozes: int = 0) -> Job:
    """Of a job that may fail twice and be lost once."""
    kind = KIND.name
    job = Job(1, 1, kind, {}, kind, None, None, None, failures, recoveries, snoozes, 2, 1, None, None)
    job.ready_at = READY
    return job


def decided(job: Job, outcome: Outcome | Returned | Lost) -> tuple[str, str | None]:
    ending = decide(job, outcome, KIND, now=NOON, chance=0.5)
    assert ending.final, "it goes on"
    return ending.result, ending.reason


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        (Done(), ("done", None)),
        (Done("two of three", partial=True), ("partial", "two of three")),
        (Cancel("no longer wanted"), ("cancelled", "no longer wanted")),
        (Fail("no such room"), ("failed", "no such room")),
        (Miss("too late"), ("expired", "too late")),
    ],
)
def test_some_outcomes_end_the_job_at_once(outcome: Outcome, expected: tuple[str, str | None]) -> None:
    assert decided(attempt(), outcome) == expected


def test_the_last_try_ends_it() -> None:
    assert decided(attempt(failures=1), Retry("busy")) == ("failed", "busy")
    assert decided(attempt(snoozes=2), Snooze(NOON, "not yet")) == ("failed", "snoozed 2 times: not yet")
    assert decided(attempt(recoveries=1), Lost("it stalled")) == ("quarantined", "it stalled")


@pytest.mark.parametrize(
    ("outcome", "result", "due_at", "counted"),
    [
        (Retry("busy"), "retry", NOON + MINUTE, (1, 0)),
        (Retry("busy", 5 * MINUTE), "retry", NOON + 5 * MINUTE, (1, 0)),
        (Snooze(NOON + MINUTE), "snoozed", NOON + MINUTE, (0, 1)),
        (Limited(NOON + MINUTE, "room:7"), "limited", NOON + MINUTE, (0, 0)),
    ],
)
def test_some_come_back_when_they_are_due(
    outcome: Outcome, result: str, due_at: datetime, counted: tuple[int, int]
) -> None:
    ending = decide(attempt(), outcome, KIND, now=NOON, chance=0.5)

    assert (ending.result, ending.final, ending.due_at) == (result, False, due_at)
    assert (ending.failed, ending.snoozed) == counted


@pytest.mark.parametrize(
    ("outcome", "result", "turn", "recovered"),
    [
        (Returned("shutdown"), "returned", None, 0),
        (Returned("not begun in time", keeps_turn=True), "returned", READY, 0),
        (Stopped(), "returned", None, 0),
        (Lost("its connection was lost"), "lost", None, 1),
    ],
)
def test_some_are_handed_back_and_only_a_loss_is_counted(
    outcome: Outcome | Returned | Lost, result: str, turn: datetime | None, recovered: int
) -> None:
    # it may have used up its failures and snoozes: neither counts here
    ending = decide(attempt(failures=1, snoozes=2), outcome, KIND, now=NOON, chance=0.5)

    assert (ending.result, ending.final, ending.due_at) == (result, False, None)
    assert (ending.turn, ending.recovered, ending.failed, ending.snoozed) == (turn, recovered, 0, 0)


def test_what_a_job_gives_goes_with_its_end() -> None:
    assert decide(attempt(), Done(data={"frames": 12}), KIND, now=NOON, chance=0.5).data == {"frames": 12}
