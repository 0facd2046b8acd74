"""Delayed events: seen, fired, moved and taken out by hand. Each change is one of the data that timers follow."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.actions.adgroups import reschedule
from pabal.apps.adgroups.errors import CannotMoveThere, MustEnd, NoSuchDelayedEvent
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import AREA, AdGroup, Event, Schedule
from pabal.apps.adgroups.model.calendars import FURTHEST, Boundary, Moved
from pabal.apps.adgroups.resources.events import DelayedFilter
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Tx
from pabal.engine import timers
from pabal.engine.listing.paging import Page
from pabal.engine.timers import ArmedTimer, Timer, WantedTimers
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, visible_to

EVERY = DelayedFilter()
_DAILY = (Event.DAILY_START, Event.DAILY_END)
# Boundaries moved long ago matter to nobody.
_KEPT = timedelta(days=16)


@dataclass(frozen=True, slots=True)
class DelayedEvent:
    timer: Timer | ArmedTimer
    group: AdGroup

    @property
    def score(self) -> float | None:
        """Unix time, as the seed's sorted set has it; None: it failed again and again, and waits for an edit."""
        return None if self.timer.due_at is None else self.timer.due_at.timestamp()

    def late_seconds(self, now: datetime) -> float:
        due_at = self.timer.due_at
        return 0.0 if due_at is None else max(0.0, (now - due_at).total_seconds())


async def list_delayed(
    tx: Tx, scope: Scope, wanted: DelayedFilter = EVERY, cursor: str | None = None, limit: int = 50
) -> Page[DelayedEvent]:
    """All that ad groups in sight wait for, the next one first."""
    names = [event.lower() for event in wanted.event]
    timed = WantedTimers(scope.listed, names, tx.now if wanted.late else None)
    return await find_delayed(tx, timed, cursor, limit)


async def find_delayed(tx: Tx, wanted: WantedTimers, cursor: str | None = None, limit: int = 50) -> Page[DelayedEvent]:
    page = await timers.list_armed(tx, AD_GROUP, wanted, cursor, limit)
    groups = {group.id: group for group in await store.load_ad_groups(tx, [one.subject for one in page.items])}
    # one that was taken out meanwhile has no row any more
    return Page([DelayedEvent(one, groups[one.subject]) for one in page.items if one.subject in groups], page.cursor)


async def fire(tx: Tx, actor: Actor, ad_group_id: int, event: Event) -> AdGroup:
    """Now instead of then, by hand: its guard decides as it would."""
    group, _ = await _hold(tx, actor, ad_group_id, event)
    return await events.send_held(tx, actor, group, event, reason="fired by hand")


async def move(tx: Tx, actor: Actor, ad_group_id: int, event: Event, to: datetime) -> AdGroup:
    """A start or an end is its date; a daily one is that day's boundary alone."""
    group, due_at = await _hold(tx, actor, ad_group_id, event)
    if to < tx.now:
        raise CannotMoveThere(f"{to.isoformat()} is past")
    schedule = group.schedule
    if event is Event.START:
        wanted = replace(schedule, start_at=to, is_held=False)
    elif event is Event.EXPIRE:
        wanted = replace(schedule, end_at=to)
    else:
        following = schedule.calendar.next_change(due_at)
        is_passing = following is not None and to >= following.moment
        if is_passing or abs(to - due_at) > FURTHEST or to >= schedule.end_at:
            raise CannotMoveThere(f"{event} from {due_at.isoformat()} to {to.isoformat()}")
        wanted = _with_moved(schedule, event, due_at, to, actor, tx.now)
    if wanted.end_at <= wanted.start_at:
        raise CannotMoveThere(f"start {wanted.start_at.isoformat()}, end {wanted.end_at.isoformat()}")
    return await _changed(tx, actor, group, wanted, event, {"from": due_at.isoformat(), "to": to.isoformat()})


async def cancel(tx: Tx, actor: Actor, ad_group_id: int, event: Event) -> AdGroup:
    """A start waits for another word; a boundary of the day is passed over. An ad group must end."""
    group, due_at = await _hold(tx, actor, ad_group_id, event)
    if event is Event.EXPIRE:
        raise MustEnd(group.about)
    schedule = group.schedule
    held = replace(schedule, is_held=True)
    wanted = held if event is Event.START else _with_moved(schedule, event, due_at, None, actor, tx.now)
    return await _changed(tx, actor, group, wanted, event, {"from": due_at.isoformat(), "to": None})


async def _hold(tx: Tx, actor: Actor, ad_group_id: int, event: Event) -> tuple[AdGroup, datetime]:
    actor.require(Right.WRITE, AREA)
    group = await store.hold_ad_group(tx, await visible_to(tx, actor), ad_group_id)
    for timer in await timers.list_timers(tx, AD_GROUP, ad_group_id):
        if timer.event == event:
            return group, _declared(group.schedule, event, tx.now) if timer.tries else timer.due_at or tx.now
    raise NoSuchDelayedEvent(f"{group.about} {event}")


def _declared(schedule: Schedule, event: Event, now: datetime) -> datetime:
    """Of one that failed: its timer says when it is tried again, or nothing more; the data say what it stands for."""
    if event is Event.START:
        return schedule.start_at
    if event is Event.EXPIRE:
        return schedule.end_at
    last = schedule.calendar.last_change(now)
    return now if last is None else last.moment


def _with_moved(
    schedule: Schedule, event: Event, due_at: datetime, to: datetime | None, actor: Actor, now: datetime
) -> Schedule:
    """Of a boundary that was moved before, the first place counts: that is where the calendar has it."""
    boundary: Boundary = "daily_start" if event is Event.DAILY_START else "daily_end"
    first = next((one.due_at for one in schedule.moved if one.event == boundary and one.to == due_at), due_at)
    kept = [one for one in schedule.moved if (one.event, one.due_at) != (boundary, first) and one.due_at > now - _KEPT]
    return replace(schedule, moved=(*kept, Moved(boundary, first, to, actor.name)))


async def _changed(
    tx: Tx, actor: Actor, group: AdGroup, wanted: Schedule, event: Event, said: dict[str, str | None]
) -> AdGroup:
    await reschedule(tx, group, wanted)
    after = {"event": event, **said}
    await audit.record(tx, actor, "adgroups.move_event", group.about, unit_id=group.unit_id, after=after)
    [found] = await store.load_ad_groups(tx, [group.id])
    return found
