"""The next moments of a schedule that is being written, with a reason beside each that is not sent as it says. Pure."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pabal.apps.messaging.model.checks import say
from pabal.apps.messaging.model.findings import REASONS, fill, find
from pabal.apps.messaging.model.schedules import When
from pabal.engine.recurrence import Upcoming, preview
from pabal.platform.findings import Finding
from pabal.platform.language.pairs import Pair

SHOWN = 5
# a queue of so many gaps before a moment is looked at; a longer one is no accident of two schedules
_LOOK_BACK = 10
_OUTSIDE = ("not_yet_valid", "no_longer_valid")
_A_DAY = timedelta(days=1)
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class UpcomingSend:
    """One of the next five moments, or one between them that will not be. `reasons` say why, or what is special."""

    moment: datetime
    excluded: str | None
    reasons: tuple[Pair, ...] = ()
    deferred_until: datetime | None = None

    @property
    def is_sent(self) -> bool:
        return self.excluded is None

    @property
    def is_skipped(self) -> bool:
        return self.excluded == "skipped"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another schedule that sends to the same room. `title` is None when it is not ours to see."""

    title: str | None
    when: When

    @property
    def shown(self) -> Pair:
        if self.title is None:
            return ("Another unit's schedule", "다른 조직의 예약")
        return (f"'{self.title}'", f"'{self.title}'")


@dataclass(frozen=True, slots=True)
class Around:
    """What a schedule meets in its room. `bot_reason` is why its bot could not send right now."""

    now: datetime
    gap: timedelta = timedelta(0)
    neighbours: Sequence[Neighbour] = ()
    skipped: Collection[datetime] = ()
    is_paused: bool = False
    bot_reason: str | None = None


def list_upcoming(when: When, around: Around) -> tuple[UpcomingSend, ...]:
    """The timing must be right already."""
    rows = preview(when.timing, around.now, SHOWN, skipped=around.skipped, paused=around.is_paused)
    zone = ZoneInfo(when.zone)
    shown: list[UpcomingSend] = []
    for row in rows:
        # one moment outside the validity shows where it begins or ends
        if row.excluded in _OUTSIDE and any(one.excluded == row.excluded for one in shown):
            continue
        shown.append(_explain(row, zone, around, is_first=not any(one.is_sent for one in shown)))
    return tuple(shown)


def _explain(row: Upcoming, zone: ZoneInfo, around: Around, *, is_first: bool) -> UpcomingSend:
    reasons = [REASONS[key] for key in (row.excluded, row.note) if key is not None and key in REASONS]
    if row.excluded is not None:
        return UpcomingSend(row.moment, row.excluded, tuple(reasons))
    start = start_after(row.moment, _moments_before(row.moment, around), around.gap)
    if start > row.moment:
        at = say(start, zone, around.now)
        reasons.append(fill(REASONS["deferred"], at=at, gap=int(around.gap.total_seconds())))
    if is_first and around.bot_reason is not None:
        reasons.append(REASONS[around.bot_reason])
    return UpcomingSend(row.moment, None, tuple(reasons), start if start > row.moment else None)


def start_after(moment: datetime, others: Sequence[datetime], gap: timedelta) -> datetime:
    """When it really begins, if all of these begin a gap apart and those due earlier (or at once) come first."""
    last: datetime | None = None
    for other in sorted(each for each in others if each <= moment):
        last = other if last is None else max(other, last + gap)
    return moment if last is None else max(moment, last + gap)


def list_conflicts(when: When, moments: Sequence[UpcomingSend], around: Around) -> Iterator[Finding]:
    """The first moment that another schedule defers, and the first one of another that this defers."""
    zone, gap = ZoneInfo(when.zone), int(around.gap.total_seconds())
    sent = [one for one in moments if one.is_sent]
    for one in sent:
        if one.deferred_until is not None:
            neighbour, other = _latest_before(one.moment, around)
            values = {"at": one.moment, "other": other, "deferred": one.deferred_until}
            said = {name: say(moment, zone, around.now) for name, moment in values.items()}
            yield find("room_busy", "schedule_time", title=neighbour.shown, gap=gap, **said)
            break
    for one in sent:
        until = (one.deferred_until or one.moment) + around.gap
        pushed = _first_within(one.moment, until, around)
        if pushed is not None:
            neighbour, other = pushed
            values = {"other": other, "deferred": until}
            said = {name: say(moment, zone, around.now) for name, moment in values.items()}
            yield find("delays_another", "schedule_time", title=neighbour.shown, gap=gap, **said)
            break


def count_day(when: When, first: datetime, around: Around) -> int:
    """How often the room gets something in the 24 hours from this moment, this schedule included."""
    every = (when, *(neighbour.when for neighbour in around.neighbours))
    until = first + _A_DAY - _TICK
    return sum(1 for one in every for _ in one.timing.moments_between(first - _TICK, until))


def _moments_before(moment: datetime, around: Around) -> list[datetime]:
    return [other for _, other in _before(moment, around)]


def _before(moment: datetime, around: Around) -> Iterator[tuple[Neighbour, datetime]]:
    if not around.gap:
        return
    for neighbour in around.neighbours:
        for other in neighbour.when.timing.moments_between(moment - around.gap * _LOOK_BACK, moment):
            yield neighbour, other


def _latest_before(moment: datetime, around: Around) -> tuple[Neighbour, datetime]:
    return max(_before(moment, around), key=lambda found: found[1])


def _first_within(moment: datetime, until: datetime, around: Around) -> tuple[Neighbour, datetime] | None:
    """Of the others, the first that is due after this one and before the gap behind it is over."""
    if not around.gap:
        return None
    found = [
        (neighbour, other)
        for neighbour in around.neighbours
        for other in neighbour.when.timing.moments_between(moment, until - _TICK)
    ]
    return min(found, key=lambda each: each[1]) if found else None
