"""What became of the deliveries of a period: counted where they lie, folded by whoever shows it. Tests never count."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.limits import Limit, Window
from pabal.platform.tenants import Scope

SQL = load(__file__)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# each is looked up twice in its room's traffic
MOST_EFFECTS = 5_000


@dataclass(frozen=True, slots=True)
class Period:
    """From `since` on, `until` not included."""

    since: datetime
    until: datetime

    @property
    def before(self) -> "Period":
        """As long, whole days earlier: a day so far is compared with the day before until the same hour."""
        days = timedelta(days=math.ceil((self.until - self.since) / DAY))
        return Period(self.since - days, self.until - days)

    def bounds(self, *, with_before: bool) -> dict[str, datetime]:
        """As statements take them; without the period before, that is none at all."""
        earlier = self.before if with_before else Period(self.since, self.since)
        return {"earlier": earlier.since, "earlier_until": earlier.until, "since": self.since, "until": self.until}


@dataclass(frozen=True, slots=True)
class Slot:
    """Deliveries due in a stretch of time that ended in one state. `is_now` False: of the period before."""

    slot: datetime
    is_now: bool
    state: str
    deliveries: int
    took_ms: int
    timed: int


@dataclass(frozen=True, slots=True)
class Delays:
    """How long after its moment a delivery began, in milliseconds."""

    deliveries: int = 0
    average_ms: float = 0.0
    worst_ms: float = 0.0
    p50_ms: float = 0.0
    p95_ms: float = 0.0
    p99_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class Group:
    """Deliveries alike in everything that is told apart."""

    unit_id: int
    room_id: int
    template_id: int | None
    cause: str
    schedule_type: str
    state: str
    reason: str | None
    deliveries: int
    took_ms: int
    timed: int
    delay_ms: int
    begun: int


@dataclass(frozen=True, slots=True)
class LimitHit:
    name: str
    deliveries: int
    rooms: int


@dataclass(frozen=True, slots=True)
class Effect:
    """What was said in the room in the hour before a send and in the hour after it."""

    room_id: int
    ended_at: datetime
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Minute:
    minute: datetime
    deliveries: int


@dataclass(frozen=True, slots=True)
class Counted:
    """What is counted where it happens, such as duplicates_prevented."""

    name: str
    label: str
    times: int


@dataclass(frozen=True, slots=True)
class Unsent:
    """Due, and without an end."""

    deliveries: int
    oldest_seconds: float
    average_seconds: float


@dataclass(frozen=True, slots=True)
class Ended:
    processed: int
    sent: int
    average_ms: float | None
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Names:
    rooms: dict[int, str]
    templates: dict[int, str]


async def list_slots(
    tx: Tx, scope: Scope, period: Period, *, width: timedelta = HOUR, with_before: bool = True
) -> list[Slot]:
    """Of the period, and of the one before it where that is wanted."""
    bounds = period.bounds(with_before=with_before)
    return await tx.all(Slot, SQL.list_slots, units=scope.listed, width=width, **bounds)


async def read_delays(tx: Tx, scope: Scope, period: Period, *, with_before: bool = True) -> tuple[Delays, Delays]:
    """Of the period, and of the one before it where that is wanted."""
    rows = await tx.rows(SQL.list_delays, units=scope.listed, **period.bounds(with_before=with_before))
    found = {row["is_now"]: Delays(*list(row.values())[1:]) for row in rows}
    return found.get(True, Delays()), found.get(False, Delays())


async def list_groups(tx: Tx, scope: Scope, period: Period) -> list[Group]:
    return await tx.all(Group, SQL.list_groups, units=scope.listed, since=period.since, until=period.until)


async def list_limits(tx: Tx, scope: Scope, period: Period) -> list[LimitHit]:
    """Which limits put deliveries off, the busiest first."""
    return await tx.all(LimitHit, SQL.list_limits, units=scope.listed, since=period.since, until=period.until)


async def list_effects(tx: Tx, scope: Scope, period: Period, *, most: int = MOST_EFFECTS) -> list[Effect]:
    """Of the newest sends of the period whose hour after is over."""
    return await tx.all(
        Effect, SQL.list_effects, units=scope.listed, since=period.since, until=period.until, most=most
    )  # fmt: skip


async def list_names(tx: Tx, *, rooms: Iterable[int], templates: Iterable[int] = ()) -> Names:
    rows = await tx.rows(SQL.list_names, rooms=sorted(rooms), templates=sorted(templates))
    return Names(
        {row["id"]: row["name"] for row in rows if row["of"] == "room"},
        {row["id"]: row["name"] for row in rows if row["of"] == "template"},
    )


async def list_minutes(tx: Tx, scope: Scope, since: datetime) -> list[Minute]:
    return await tx.all(Minute, SQL.list_minutes, units=scope.listed, since=since)


async def list_counts(tx: Tx, period: Period) -> list[Counted]:
    """Of the whole house: counts know no unit."""
    return await tx.all(Counted, SQL.list_counts, since=period.since, until=period.until)


async def read_unsent(tx: Tx, scope: Scope) -> Unsent:
    found = await tx.one(Unsent, SQL.read_unsent, units=scope.listed, now=tx.now)
    return found or Unsent(0, 0.0, 0.0)


async def read_ended(tx: Tx, scope: Scope, since: datetime) -> Ended:
    found = await tx.one(Ended, SQL.read_ended, units=scope.listed, since=since)
    return found or Ended(0, 0, None)


async def read_counters(tx: Tx, scope: Scope) -> Ended:
    """Since the beginning."""
    found = await tx.one(Ended, SQL.read_counters, units=scope.listed)
    return found or Ended(0, 0, None)


async def fold_totals(tx: Tx) -> int:
    """One line of a unit's many; how many went."""
    folded: int = await tx.value(SQL.fold_totals)
    return folded


async def find_last_poll(tx: Tx, scope: Scope) -> datetime | None:
    moment: datetime | None = await tx.value(SQL.find_last_poll, units=scope.listed)
    return moment


@dataclass(frozen=True, slots=True)
class Use:
    """`free_at` None: the window has room now."""

    used: int
    free_at: datetime | None


async def count(tx: Tx, name: str, label: str = "", n: int = 1) -> None:
    await tx.run(SQL.add_count, name=name, label=label, n=n, now=tx.now)


async def list_uses(tx: Tx, asked: Sequence[Limit]) -> list[tuple[str, Window, Use]]:
    """For each window of each limit; a start of the limit's weight is what it must have room for."""
    pairs = [(limit, window) for limit in asked for window in limit.windows]
    uses = await tx.all(
        Use,
        SQL.list_uses,
        keys=[limit.key for limit, _ in pairs],
        maxima=[window.most for _, window in pairs],
        spans=[window.span for _, window in pairs],
        weights=[0 if window.counts_starts else limit.weight for limit, window in pairs],
        now=tx.now,
    )
    return [(limit.key, window, use) for (limit, window), use in zip(pairs, uses, strict=True)]
