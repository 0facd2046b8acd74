"""What the page of one ad group tells: its events guard by guard, its week ahead, its state at a moment."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from pabal.apps.adgroups.actions.events import BY_HAND, Explained
from pabal.apps.adgroups.foresight import Stretch
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import AdGroup, Event, State
from pabal.apps.adgroups.pages.listing import tell_condition, tell_refusal
from pabal.base.database import Tx
from pabal.engine import listing
from pabal.engine.listing.history import Wanted
from pabal.engine.timers import Timer
from pabal.engine.transitions import Transition
from pabal.platform.web.filters import FIRST_YEAR, LAST_YEAR
from pabal.platform.web.lists import midnight, today
from pabal.platform.web.visit import Visit

DAYS = 7
# a field says no more than the second: all of it counts
_SECOND = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class EventRow:
    """An event and what it would do now. `is_here`: its state has a move for it; `sources`: which states do."""

    event: Event
    target: State | None
    refusal: str
    conditions: list[tuple[bool, str]]
    is_here: bool
    is_by_hand: bool
    is_extension: bool
    sources: list[State]
    due_at: datetime | None

    @property
    def is_allowed(self) -> bool:
        return self.target is not None and self.is_by_hand


@dataclass(frozen=True, slots=True)
class Part:
    """A part of one day in one state, as shares of the day."""

    state: State
    since: datetime
    until: datetime
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class Ahead:
    day: date
    begins: datetime
    parts: list[Part]


@dataclass(frozen=True, slots=True)
class Then:
    """As it was at a moment: the change that led there, or None before its beginning."""

    moment: datetime
    change: Transition | None
    is_future: bool


def make_event_rows(
    visit: Visit, group: AdGroup, explained: Sequence[Explained], armed: Sequence[Timer]
) -> list[EventRow]:
    """What can be sent now comes first, then what is refused here, then what is of other states."""
    rows = [_row(visit, group, one, armed) for one in explained]
    return sorted(rows, key=lambda row: (not row.is_allowed, row.target is None, not row.is_here))


def make_week(visit: Visit, stretches: Sequence[Stretch]) -> list[Ahead]:
    """The visitor's days from today on; what is past of today is left out."""
    first = today(visit)
    return [_day(visit, first + timedelta(days=number), stretches) for number in range(DAYS)]


def end_of_week(visit: Visit) -> datetime:
    return midnight(visit, today(visit), days=DAYS)


async def find_then(tx: Tx, visit: Visit, group: AdGroup, at: str) -> Then | None:
    """`at` is a moment of the visitor's wall clock; None for what is none."""
    try:
        local = datetime.fromisoformat(at)
    except ValueError:
        return None
    if not FIRST_YEAR <= local.year <= LAST_YEAR:
        return None
    moment = local.replace(tzinfo=visit.zone) if local.tzinfo is None else local
    wanted = Wanted(visit.scope.listed, AD_GROUP.name, subject=group.id, until=moment.replace(microsecond=0) + _SECOND)
    found = (await listing.list_transitions(tx, wanted, limit=1)).items
    return Then(moment, found[0] if found else None, moment > tx.now)


def _row(visit: Visit, group: AdGroup, one: Explained, armed: Sequence[Timer]) -> EventRow:
    return EventRow(
        event=one.event,
        target=one.target,
        refusal="" if one.refusal is None else tell_refusal(visit, one.refusal),
        conditions=[(checked.holds, tell_condition(visit, checked)) for checked in one.checked],
        is_here=AD_GROUP.find_move(group.state, one.event) is not None,
        is_by_hand=one.event in BY_HAND,
        is_extension=one.is_extension,
        sources=[state for state in State if AD_GROUP.find_move(state, one.event) is not None],
        due_at=next((timer.due_at for timer in armed if timer.event == one.event), None),
    )


def _day(visit: Visit, day: date, stretches: Sequence[Stretch]) -> Ahead:
    begins, ends = midnight(visit, day), midnight(visit, day, days=1)
    parts = []
    for one in stretches:
        since, until = max(one.since, begins), min(one.until, ends)
        if since < until:
            parts.append(
                Part(one.state, since, until, (since - begins) / (ends - begins), (until - since) / (ends - begins))
            )
    return Ahead(day, begins, parts)
