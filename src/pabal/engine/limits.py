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


class BadLimit(Invalid, code="bad_limit"):
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
    [answer] = await take_all(tx, [(job, limits)])
    return answer


async def take_all(tx: Tx, starts: Sequence[tuple[Job, Sequence[Limit]]]) -> list[Limited | None]:
    """For each as if it came alone, one after the other, in this order. Without limits it may."""
    promised = await _lock(tx, sorted({limit.key for _, limits in starts for limit in limits}))
    answers: list[Limited | None] = [None] * len(starts)
    left = [place for place, (_, limits) in enumerate(starts) if limits]
    while left:
        together = _find_disjoint(starts, left)
        for place, limited in (await _take_disjoint(tx, starts, together, promised)).items():
            answers[place] = limited
        left = [place for place in left if place not in together]
    return answers


async def list_use(tx: Tx, limits: Sequence[Limit]) -> list[Use]:
    pairs = [(limit.key, window) for limit in limits for window in limit.windows]
    rows = await tx.rows(SQL.sum_windows, keys=[key for key, _ in pairs], spans=[window.span for _, window in pairs])
    return [
        Use(key, window, row["weight"], row["starts"], row["oldest"])
        for (key, window), row in zip(pairs, rows, strict=True)
    ]


async def _lock(tx: Tx, keys: list[str]) -> dict[str, datetime | None]:
    """What each has promised; a key is opened when it is first met."""
    found = {row["key"]: row["promised"] for row in await tx.rows(SQL.open_keys, keys=keys)} if keys else {}
    if len(found) == len(keys):
        return found
    return {row["key"]: row["promised"] for row in await tx.rows(SQL.lock_keys, keys=keys)}


def _find_disjoint(starts: Sequence[tuple[Job, Sequence[Limit]]], left: Sequence[int]) -> set[int]:
    """Those that share no key with one before them: what one takes is no other's business."""
    found: set[int] = set()
    taken: set[str] = set()
    for place in left:
        keys = {limit.key for limit in starts[place][1]}
        if not keys & taken:
            found.add(place)
        taken |= keys
    return found


async def _take_disjoint(
    tx: Tx,
    starts: Sequence[tuple[Job, Sequence[Limit]]],
    places: set[int],
    promised: dict[str, datetime | None],
) -> dict[int, Limited]:
    """Those that must wait; the others have started."""
    moment, full = await _find_full(tx, {place: starts[place][1] for place in sorted(places)})
    await _start(tx, [starts[place] for place in sorted(places) if place not in full], moment)
    waiting: dict[int, Limited] = {}
    for place, (limit, window, allowed_at) in full.items():
        until = _after_promises(allowed_at, promised.get(limit.key), _share(limit, window))
        promised[limit.key] = until
        waiting[place] = Limited(until, f"{limit.key} {window.name}")
        emit("limits.reached", limit=window.name, key=limit.key, job=starts[place][0].id)
    if full:
        keys = [limit.key for limit, _, _ in full.values()]
        await tx.run(SQL.promise, keys=keys, untils=[one.until for one in waiting.values()])
    return waiting


async def _find_full(
    tx: Tx, wanted: dict[int, Sequence[Limit]]
) -> tuple[datetime, dict[int, tuple[Limit, Window, datetime]]]:
    """The present; and for each that has no room now, the window that lets go last with the moment it does."""
    asked = [(place, limit, window) for place, limits in wanted.items() for limit in limits for window in limit.windows]
    rows = await tx.rows(
        SQL.find_first_allowed,
        keys=[limit.key for _, limit, _ in asked],
        maxima=[window.most for _, _, window in asked],
        spans=[window.span for _, _, window in asked],
        weights=[0 if window.counts_starts else limit.weight for _, limit, window in asked],
    )
    last: dict[int, tuple[Limit, Window, datetime]] = {}
    for row in rows:
        place, limit, window = asked[row["n"] - 1]
        allowed_at = row["allowed_at"]
        if allowed_at is not None and (place not in last or allowed_at >= last[place][2]):
            last[place] = (limit, window, allowed_at)
    moment: datetime = rows[0]["moment"]
    return moment, last


async def _start(tx: Tx, starts: Sequence[tuple[Job, Sequence[Limit]]], moment: datetime) -> None:
    rows = [(key, weight, job.id) for job, limits in starts for key, weight in _weights(limits).items()]
    if rows:
        keys, weights, ids = (list(column) for column in zip(*rows, strict=True))
        await tx.run(SQL.insert_starts, keys=keys, weights=weights, ids=ids, moment=moment)


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
