"""What becomes of moments that are due: enqueued, skipped or coalesced, each with its reason. Pure."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby
from typing import Literal, NamedTuple

ON_TIME = timedelta(seconds=30)
LARGEST_MAX = 1000
LONGEST_LIST = 1000

Verdict = Literal["enqueued", "skipped", "coalesced"]


class Misfire(StrEnum):
    """What becomes of moments that nobody looked at in time."""

    SKIP = "skip"
    LATEST = "latest"
    ALL = "all"


class Overlap(StrEnum):
    """What becomes of a moment while the job of an earlier one is open."""

    SKIP = "skip"
    QUEUE = "queue"
    ALLOW = "allow"
    CANCEL_PREVIOUS = "cancel_previous"


@dataclass(frozen=True, slots=True)
class Policy:
    misfire: Misfire = Misfire.LATEST
    window: timedelta | None = timedelta(minutes=5)
    most: int | None = None
    overlap: Overlap = Overlap.ALLOW
    expires_after: timedelta | None = None


class Decision(NamedTuple):
    """`through` and `number` make one entry of a run of moments that were decided alike."""

    fire_at: datetime
    verdict: Verdict
    reason: str
    into_at: datetime | None = None
    through: datetime | None = None
    number: int = 1


def decide(
    due: Sequence[datetime], now: datetime, policy: Policy, *, has_open: bool = False, has_more: bool = False
) -> list[Decision]:
    """`due` are moments up to now, in order and without a decision; the answer is about the first of them, or all.

    `has_more`: later ones are due as well. Those that may yet be the newest are then left for the next time.
    """
    first_on_time = bisect_left(due, now - ON_TIME)
    late, on_time = due[:first_on_time], due[first_on_time:]
    decisions = [Decision(moment, "enqueued", "on_time") for moment in on_time]
    if late:
        decisions[:0] = _decide_late(late, now, policy, newer=on_time, has_more=has_more and not on_time)
    match policy.overlap:
        case Overlap.SKIP:
            return _without_overlap(decisions, has_open)
        case Overlap.CANCEL_PREVIOUS:
            return _only_newest(decisions)
        case _:
            return decisions


def withhold(due: Iterable[datetime], reason: str) -> list[Decision]:
    return [Decision(moment, "skipped", reason) for moment in due]


def shorten(decisions: Sequence[Decision], apart: Sequence[datetime] = ()) -> Iterator[Decision]:
    """More than 1,000 in a row with the same decision become one. A run never reaches over a moment in `apart`."""
    if len(decisions) <= LONGEST_LIST:
        yield from decisions
        return
    for _, alike in groupby(decisions, lambda one: (*one[1:4], bisect_left(apart, one.fire_at))):
        run = list(alike)
        if len(run) <= LONGEST_LIST or run[0].verdict == "enqueued":
            yield from run
        else:
            yield run[0]._replace(through=run[-1].fire_at, number=len(run))


def _decide_late(
    late: Sequence[datetime], now: datetime, policy: Policy, *, newer: Sequence[datetime], has_more: bool
) -> Iterator[Decision]:
    too_old = 0 if policy.window is None else bisect_left(late, now - policy.window)
    expired = 0 if policy.expires_after is None else bisect_right(late, now - policy.expires_after)
    begin = max(too_old, expired)
    end = max(begin, len(late) - _how_many_run(policy, has_newer=bool(newer)))
    yield from withhold(late[:too_old], "misfire_window")
    yield from withhold(late[too_old:begin], "expired")
    yield from _pass_over(late[begin:end], policy, into_at=next(reversed((*late[end:], *newer)), None), open=has_more)
    if not has_more:
        yield from (Decision(moment, "enqueued", "late") for moment in late[end:])


def _how_many_run(policy: Policy, *, has_newer: bool) -> int:
    match policy.misfire:
        case Misfire.SKIP:
            return 0
        case Misfire.LATEST:
            return 0 if has_newer else 1
        case Misfire.ALL:
            return policy.most or 0


def _pass_over(
    moments: Sequence[datetime], policy: Policy, *, into_at: datetime | None, open: bool
) -> Iterator[Decision]:
    match policy.misfire:
        case Misfire.SKIP:
            yield from withhold(moments, "late")
        case Misfire.LATEST:
            # While more are due, which of them is the newest is not known.
            into = None if open else into_at
            yield from (Decision(moment, "coalesced", "late", into) for moment in moments)
        case Misfire.ALL:
            yield from withhold(moments, "misfire_max")


def _without_overlap(decisions: Iterable[Decision], has_open: bool) -> list[Decision]:
    kept: list[Decision] = []
    for one in decisions:
        overlaps = has_open and one.verdict == "enqueued"
        kept.append(Decision(one.fire_at, "skipped", "overlap") if overlaps else one)
        has_open = has_open or one.verdict == "enqueued"
    return kept


def _only_newest(decisions: Sequence[Decision]) -> list[Decision]:
    """Those due together: the newest would cancel the others before anybody had begun them."""
    newest = max((one.fire_at for one in decisions if one.verdict == "enqueued"), default=None)
    return [
        Decision(one.fire_at, "coalesced", "overlap", newest)
        if one.verdict == "enqueued" and one.fire_at != newest
        else one
        for one in decisions
    ]
