"""At most so much per window, a least gap per key: take a start, or say when. A limit is a time, never a filter."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine.kinds import Job
from pabal.engine.outcome import Limited

SQL = load(__file__)

# Starts are remembered this long, so no window may be longer.
LONGEST = timedelta(days=32)

declare("limits.reached", "Attempts put off by a limit", labels=("limit",), level=10)


class BadLimit(Invalid):
    """A limit allows at least one start per window, a window lasts up to 32 days, and the weight fits into each."""


@dataclass(frozen=True, slots=True)
class Window:
    """At most `most` of weight per `span`; with `counts_starts`, at most so many starts whatever they weigh."""

    name: str
    most: int
    span: timedelta
    counts_starts: bool = False


def least_gap(gap: timedelta, name: str = "gap") -> Window:
    return Window(name, 1, gap, counts_starts=True)


@dataclass(frozen=True, slots=True)
class Limit:
    """Several windows on one key, for example a room: 5 a minute and 50 an hour and at least 30 s apart."""

    key: str
    windows: tuple[Window, ...]
    weight: int = 1

    def __post_init__(self) -> None:
        if self.weight < 1 or not self.windows:
            raise BadLimit(self.key)
        for window in self.windows:
            fits = window.counts_starts or self.weight <= window.most
            if window.most < 1 or not timedelta(0) < window.span <= LONGEST or not fits:
                raise BadLimit(f"{self.key} {window.name}")


@dataclass(frozen=True, slots=True)
class Use:
    """How much of a window is used now: for budget meters."""

    key: str
    window: Window
    weight: int
    starts: int
    oldest_at: datetime | None


async def take(tx: Tx, job: Job, limits: Sequence[Limit]) -> Limited | None:
    """Called in `prepare`, when an attempt starts: None means it may; otherwise return the answer as the outcome."""
    keys = sorted({limit.key for limit in limits})
    await tx.run(SQL.open_keys, keys=keys)
    promised = {row["key"]: row["promised"] for row in await tx.rows(SQL.lock_keys, keys=keys)}
    moment: datetime = await tx.value(SQL.read_moment)
    refusal = await _first_allowed(tx, limits, moment)
    if refusal is None:
        weights = _weights(limits)
        keys, values = list(weights), list(weights.values())
        await tx.run(SQL.insert_starts, keys=keys, weights=values, moment=moment, id=job.id)
        return None
    limit, window, allowed_at = refusal
    until = _after_promises(allowed_at, promised.get(limit.key), _share(limit, window))
    await tx.run(SQL.promise, keys=[limit.key], until=until)
    emit("limits.reached", limit=window.name, key=limit.key, job=job.id)
    return Limited(until, f"{limit.key} {window.name}")


async def list_use(tx: Tx, limits: Sequence[Limit]) -> list[Use]:
    pairs = [(limit.key, window) for limit in limits for window in limit.windows]
    rows = await tx.rows(SQL.sum_windows, keys=[key for key, _ in pairs], spans=[window.span for _, window in pairs])
    return [
        Use(key, window, row["weight"], row["starts"], row["oldest"])
        for (key, window), row in zip(pairs, rows, strict=True)
    ]


async def _first_allowed(tx: Tx, limits: Sequence[Limit], moment: datetime) -> tuple[Limit, Window, datetime] | None:
    """The window that lets go last, with the moment it does; None when all have room now."""
    pairs = [(limit, window) for limit in limits for window in limit.windows]
    rows = await tx.rows(
        SQL.find_first_allowed,
        keys=[limit.key for limit, _ in pairs],
        maxima=[window.most for _, window in pairs],
        spans=[window.span for _, window in pairs],
        weights=[0 if window.counts_starts else limit.weight for limit, window in pairs],
        moment=moment,
    )
    full = [(row["allowed_at"], row["n"]) for row in rows if row["allowed_at"] is not None]
    if not full:
        return None
    allowed_at, n = max(full)
    return (*pairs[n - 1], allowed_at)


def _weights(limits: Sequence[Limit]) -> dict[str, int]:
    """One start per key, also when two limits name the same one."""
    weights: dict[str, int] = {}
    for limit in limits:
        weights[limit.key] = max(limit.weight, weights.get(limit.key, 0))
    return weights


def _after_promises(allowed_at: datetime, promised: datetime | None, share: timedelta) -> datetime:
    """A crowd is spread: each that must wait is told a moment of its own, so that they do not wake together."""
    return allowed_at if promised is None or promised < allowed_at else promised + share


def _share(limit: Limit, window: Window) -> timedelta:
    return window.span * (1 if window.counts_starts else limit.weight) / window.most
