"""Reports on what was sent: how well, how late, where, by whom, and what it was followed by. They only read."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from pabal.apps.messaging.errors import ArchiveNotFound
from pabal.apps.messaging.model.capacity import Hourly, add_up
from pabal.apps.messaging.model.deliveries import Archive
from pabal.apps.messaging.store import capacity, deliveries, statistics
from pabal.apps.messaging.store.schedules import show_bot_states
from pabal.apps.messaging.store.statistics import Counted, Delays, Effect, Group, LimitHit, Minute, Period, Slot, Unsent
from pabal.base.database import Database, Tx
from pabal.platform import storage
from pabal.platform.actor import Actor, Right
from pabal.platform.storage import File
from pabal.platform.tenants import Scope, require_house, visible_to

K = TypeVar("K", bound=Hashable)
HOUR = timedelta(hours=1)
# a period no longer than this is drawn by the hour
SHORT = timedelta(hours=49)
DUPLICATES = "duplicates_prevented"


def success_rate(sent: int, processed: int) -> float:
    """In percent; nothing processed is 0, as the seed says."""
    return 100.0 * sent / processed if processed else 0.0


@dataclass(frozen=True, slots=True)
class Totals:
    """Processed is every delivery that ended; only `sent` is a success."""

    by_state: dict[str, int] = field(default_factory=dict)
    took_ms: int = 0
    timed: int = 0

    @property
    def processed(self) -> int:
        return sum(self.by_state.values())

    @property
    def sent(self) -> int:
        return self.by_state.get("sent", 0)

    @property
    def rate(self) -> float:
        return success_rate(self.sent, self.processed)

    @property
    def average_ms(self) -> float:
        return self.took_ms / self.timed if self.timed else 0.0


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: who, and how it went there."""

    key: Any
    totals: Totals
    delay_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Heat:
    """Monday first; what was due in each hour of the week, and how much of it was sent."""

    due: list[list[int]]
    sent: list[list[int]]


@dataclass(frozen=True, slots=True)
class Summary:
    """`duplicates` is None for who does not see the whole house: they are counted for all of it."""

    totals: Totals
    before: Totals
    delays: Delays
    delays_before: Delays
    hours: float
    series: list[Row]
    heat: Heat
    limits: list[LimitHit]
    unsent: Unsent
    minutes: list[Minute]
    duplicates: list[Counted] | None
    capacity: Hourly

    @property
    def per_hour(self) -> float:
        return self.totals.processed / self.hours if self.hours else 0.0

    @property
    def prevented(self) -> int:
        return sum(one.times for one in self.duplicates or ())

    @property
    def last_minute(self) -> int:
        """Of the last whole minute."""
        return self.minutes[-2].deliveries if len(self.minutes) > 1 else 0


@dataclass(frozen=True, slots=True)
class Day:
    totals: Totals
    delays: Delays
    limits: list[LimitHit]
    prevented: int | None


@dataclass(frozen=True, slots=True)
class Usage:
    units: list[Row]
    rooms: list[Row]
    kinds: list[Row]
    templates: list[Row]
    reasons: list[tuple[tuple[str, str], int]]
    names: statistics.Names


@dataclass(frozen=True, slots=True)
class EffectRow:
    """The mean number of messages in the hour before and in the hour after, over so many sends."""

    key: Any
    sends: int
    before: float
    after: float

    @property
    def change(self) -> float:
        return self.after - self.before


@dataclass(frozen=True, slots=True)
class EffectReport:
    whole: EffectRow
    cells: dict[tuple[int, int], EffectRow]
    rooms: list[EffectRow]
    names: statistics.Names
    is_cut: bool


async def read_summary(tx: Tx, scope: Scope, period: Period, zone: ZoneInfo) -> Summary:
    slots = await statistics.list_slots(tx, scope, period, width=_slot_width(zone, period.until))
    now = [one for one in slots if one.is_now]
    delays, delays_before = await statistics.read_delays(tx, scope, period)
    counted = await statistics.list_counts(tx, period) if scope.units is None else None
    return Summary(
        totals=_total(now),
        before=_total(one for one in slots if not one.is_now),
        delays=delays,
        delays_before=delays_before,
        hours=max((min(period.until, tx.now) - period.since) / HOUR, 0.0),
        series=_draw(now, period, zone),
        heat=_heat(now, zone),
        limits=await statistics.list_limits(tx, scope, period),
        unsent=await statistics.read_unsent(tx, scope),
        minutes=_fill(await statistics.list_minutes(tx, scope, tx.now - HOUR), tx.now),
        duplicates=None if counted is None else [one for one in counted if one.name == DUPLICATES],
        capacity=await read_capacity(tx, scope),
    )


async def read_capacity(tx: Tx, scope: Scope) -> Hourly:
    """Of the bots of these units that are connected now."""
    states = await show_bot_states(tx, await capacity.list_bots(tx, scope.listed))
    online = [bot_id for bot_id, state in states.items() if state == "online"]
    return add_up(online, await capacity.measure(tx, online) if online else {})


async def read_day(tx: Tx, scope: Scope, period: Period) -> Day:
    """The few numbers above the send logs."""
    slots = await statistics.list_slots(tx, scope, period, with_before=False)
    counted = await statistics.list_counts(tx, period) if scope.units is None else []
    return Day(
        totals=_total(slots),
        delays=(await statistics.read_delays(tx, scope, period, with_before=False))[0],
        limits=await statistics.list_limits(tx, scope, period),
        prevented=sum(one.times for one in counted if one.name == DUPLICATES) if scope.units is None else None,
    )


async def read_usage(tx: Tx, scope: Scope, period: Period) -> Usage:
    """The busiest first."""
    groups = await statistics.list_groups(tx, scope, period)
    reasons = Counter[tuple[str, str]]()
    for one in groups:
        if one.state != "sent":
            reasons[one.state, one.reason or ""] += one.deliveries
    return Usage(
        units=_fold(groups, lambda one: one.unit_id),
        rooms=_fold(groups, lambda one: one.room_id),
        kinds=_fold(groups, lambda one: (one.schedule_type, one.cause)),
        templates=_fold(groups, lambda one: one.template_id),
        reasons=reasons.most_common(),
        names=await statistics.list_names(
            tx,
            rooms={one.room_id for one in groups},
            templates={one.template_id for one in groups if one.template_id is not None},
        ),
    )


async def read_heat(tx: Tx, scope: Scope, period: Period, zone: ZoneInfo) -> Heat:
    width = _slot_width(zone, period.until)
    return _heat(await statistics.list_slots(tx, scope, period, width=width, with_before=False), zone)


async def read_effect(tx: Tx, scope: Scope, period: Period, zone: ZoneInfo) -> EffectReport:
    """By the weekday and hour of the send, Monday 0."""
    found = await statistics.list_effects(tx, scope, period)
    places: defaultdict[tuple[int, int], list[Effect]] = defaultdict(list)
    rooms: defaultdict[int, list[Effect]] = defaultdict(list)
    for one in found:
        local = one.ended_at.astimezone(zone)
        places[local.weekday(), local.hour].append(one)
        rooms[one.room_id].append(one)
    return EffectReport(
        whole=_mean(None, found),
        cells={key: _mean(key, of) for key, of in places.items()},
        rooms=sorted((_mean(key, of) for key, of in rooms.items()), key=lambda row: (-row.change, row.key)),
        names=await statistics.list_names(tx, rooms=rooms),
        is_cut=len(found) >= statistics.MOST_EFFECTS,
    )


async def seed_metrics(tx: Tx, scope: Scope) -> dict[str, Any]:
    """The seed's counters by its own names, since the beginning."""
    ended = await statistics.read_counters(tx, scope)
    return {
        "processed_count": ended.processed,
        "success_count": ended.sent,
        "failure_count": ended.processed - ended.sent,
        "avg_processing_time": ended.average_ms or 0.0,
        "last_poll_time": await statistics.find_last_poll(tx, scope),
        "success_rate": success_rate(ended.sent, ended.processed),
    }


async def fold_once(database: Database) -> int:
    """What the counters add up stays short. Every server does it."""
    async with database.transaction() as tx:
        return await statistics.fold_totals(tx)


def _slot_width(zone: ZoneInfo, at: datetime) -> timedelta:
    """An hour, except where the clocks stand a quarter or half an hour apart from others."""
    offset = at.astimezone(zone).utcoffset() or timedelta(0)
    return HOUR if offset % HOUR == timedelta(0) else HOUR / 4


def _total(slots: Iterable[Slot | Group]) -> Totals:
    states = Counter[str]()
    took = timed = 0
    for one in slots:
        states[one.state] += one.deliveries
        took, timed = took + one.took_ms, timed + one.timed
    return Totals(dict(states), took, timed)


def _draw(slots: Sequence[Slot], period: Period, zone: ZoneInfo) -> list[Row]:
    """By the hour or by the day of the zone; stretches in which nothing was due are there too."""
    is_short = period.until - period.since <= SHORT
    by_start: defaultdict[datetime, list[Slot]] = defaultdict(list)
    for one in slots:
        by_start[_floor(one.slot, zone, is_short=is_short)].append(one)
    at, rows = _floor(period.since, zone, is_short=is_short), []
    while at < period.until:
        rows.append(Row(at, _total(by_start.get(at, ()))))
        # a day may have 23 or 25 hours
        at = _floor(at + (HOUR if is_short else timedelta(hours=30)), zone, is_short=is_short)
    return rows


def _floor(moment: datetime, zone: ZoneInfo, *, is_short: bool) -> datetime:
    local = moment.astimezone(zone)
    return local.replace(minute=0, second=0, microsecond=0, **({} if is_short else {"hour": 0, "fold": 0}))  # type: ignore[arg-type]


def _heat(slots: Iterable[Slot], zone: ZoneInfo) -> Heat:
    due, sent = ([[0] * 24 for _ in range(7)] for _ in range(2))
    for one in slots:
        local = one.slot.astimezone(zone)
        due[local.weekday()][local.hour] += one.deliveries
        if one.state == "sent":
            sent[local.weekday()][local.hour] += one.deliveries
    return Heat(due, sent)


def _fill(found: Sequence[Minute], now: datetime) -> list[Minute]:
    """Every minute of the hour, also those in which nothing ended. The last one is not over."""
    known = {one.minute: one.deliveries for one in found}
    first = (now - HOUR).replace(second=0, microsecond=0)
    minutes = [first + timedelta(minutes=n) for n in range(61)]
    return [Minute(at, known.get(at, 0)) for at in minutes]


def _fold(groups: Iterable[Group], key_of: Callable[[Group], K]) -> list[Row]:
    alike: defaultdict[K, list[Group]] = defaultdict(list)
    for one in groups:
        alike[key_of(one)].append(one)
    rows = [Row(key, _total(of), _delay(of)) for key, of in alike.items()]
    return sorted(rows, key=lambda row: (-row.totals.processed, str(row.key)))


def _delay(groups: Iterable[Group]) -> float:
    delay = begun = 0
    for one in groups:
        delay, begun = delay + one.delay_ms, begun + one.begun
    return delay / begun if begun else 0.0


def _mean(key: Any, effects: Sequence[Effect]) -> EffectRow:
    count = len(effects) or 1
    before, after = sum(one.before for one in effects) / count, sum(one.after for one in effects) / count
    return EffectRow(key, len(effects), before, after)


AREA = "messaging"


@dataclass(frozen=True, slots=True)
class Month:
    archive: Archive
    file: File

    @property
    def name(self) -> str:
        """As clocks in Seoul have it: 2026-10."""
        return f"{self.archive.month:%Y-%m}"


async def list_months(tx: Tx, actor: Actor) -> list[Month]:
    """The newest first."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    found = await deliveries.list_archives(tx)
    files = await storage.find_files(tx, await visible_to(tx, actor), [one.file_id for one in found])
    return [Month(one, files[one.file_id]) for one in reversed(found)]


async def get_month(tx: Tx, actor: Actor, name: str) -> Month:
    for month in await list_months(tx, actor):
        if month.name == name:
            return month
    raise ArchiveNotFound(name[:20])


async def may_see(tx: Tx, actor: Actor) -> bool:
    """For links: the pages themselves ask again."""
    return actor.may(Right.MANAGE, AREA) and (await visible_to(tx, actor)).units is None
