"""Schedules as a list shows them: what fires next first, then the paused, then those that are over."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple, cast

from pabal.base.database import Row, Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.engine.listing.paging import FEW, LOOK, Page, cut, one_more, read_cursor, show_cursor
from pabal.engine.recurrence import Fold, Gap, Timing, Window, from_json

SQL = load(__file__)

STATES = ("active", "paused", "broken", "over")
Sort = Literal["next_at", "id"]
_BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
# The parts of a list by next_at, in order.
_ACTIVE, _PAUSED, _OVER = range(3)


class BadScheduleState(Invalid, code="bad_schedule_state"):
    """A schedule is active, paused, broken (paused by the engine because its rule cannot be read), or over."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which schedules; `q` is a part of the name."""

    units: Sequence[int] | None
    kind: str | None = None
    about: str | None = None
    states: Sequence[str] = ()
    q: str | None = None
    sort: Sort = "next_at"


@dataclass(frozen=True, slots=True)
class ScheduleLine:
    """`recent` are the states of its last twenty occurrences, the newest first, `last_at` the newest one's moment."""

    id: int
    unit_id: int | None
    name: str
    kind: str
    about: str | None
    route: str | None
    label: str | None
    lane: str | None
    recurrence: dict[str, Any]
    zone: str
    valid_from: datetime | None
    valid_until: datetime | None
    deadline: timedelta | None
    max_failures: int
    misfire: str
    overlap: str
    dst_gap: str
    dst_fold: str
    next_at: datetime | None
    paused_at: datetime | None
    paused_by: str | None
    problem: str | None
    created_at: datetime
    state: str
    last_at: datetime | None
    recent: list[str]
    last_reason: str | None

    @property
    def timing(self) -> Timing | None:
        """None for a rule that can no longer be read: it must not hide the others."""
        window = Window(self.valid_from, self.valid_until)
        try:
            rule = from_json(self.recurrence)
            return Timing(rule, self.zone, window, cast("Gap", self.dst_gap), cast("Fold", self.dst_fold))
        except Invalid:
            return None


class _Place(NamedTuple):
    part: int
    next_at: datetime
    id: int


async def list_schedules(tx: Tx, wanted: Wanted, *, limit: int = 50, cursor: str | None = None) -> Page[ScheduleLine]:
    most = one_more(limit)
    unknown = [state for state in wanted.states if state not in STATES]
    if unknown:
        raise BadScheduleState(", ".join(unknown))
    place = _Place(_ACTIVE, _BEGINNING, 0) if cursor is None else _Place(*read_cursor(cursor, int, datetime, int))
    found = await (_by_id(tx, wanted, place, most) if wanted.sort == "id" else _by_moment(tx, wanted, place, most))
    page = cut(found, limit, lambda one: show_cursor(*one))
    return Page(await show_schedules(tx, [one.id for one in page.items]), page.cursor)


async def show_schedules(tx: Tx, ids: Sequence[int]) -> list[ScheduleLine]:
    """In the order given; those that are gone are left out."""
    return await tx.all(ScheduleLine, SQL.show_schedules, ids=list(ids)) if ids else []


async def _by_moment(tx: Tx, wanted: Wanted, place: _Place, most: int) -> list[_Place]:
    found: list[_Place] = []
    for part in (_ACTIVE, _PAUSED, _OVER):
        if part >= place.part and len(found) < most:
            begin = place if part == place.part else _Place(part, _BEGINNING, 0)
            found += await _find_part(tx, wanted, begin, most - len(found))
    return found


async def _find_part(tx: Tx, wanted: Wanted, place: _Place, most: int) -> list[_Place]:
    states = set(wanted.states or STATES)
    filters = _filters(wanted)
    by_unit = wanted.units is not None and not any(filters[name] for name in ("kind", "about", "q"))
    given: dict[str, Any] = {"units": filters["units"]} if by_unit else filters
    given = {**given, "after_id": place.id, "most": most}
    match place.part:
        case 0 if "active" in states:
            given["next_at"] = place.next_at
            rows = await (_find_of_units(tx, given) if by_unit else tx.rows(SQL.find_active, **given))
            return [_Place(_ACTIVE, row["next_at"], row["id"]) for row in rows]
        case 1 if states & {"paused", "broken"}:
            broken = None if states >= {"paused", "broken"} else "broken" in states
            rows = await tx.rows(SQL.find_paused_of_units if by_unit else SQL.find_paused, **given, broken=broken)
        case 2 if "over" in states:
            rows = await tx.rows(SQL.find_over_of_units if by_unit else SQL.find_over, **given)
        case _:
            return []
    return [_Place(place.part, _BEGINNING, row["id"]) for row in rows]


async def _find_of_units(tx: Tx, given: dict[str, Any]) -> list[Row]:
    soonest = await tx.rows(SQL.find_soonest, **given, look=LOOK * given["most"]) if len(given["units"]) > FEW else []
    return soonest if len(soonest) >= given["most"] else await tx.rows(SQL.find_active_of_units, **given)


async def _by_id(tx: Tx, wanted: Wanted, place: _Place, most: int) -> list[_Place]:
    chosen = {state: state in (wanted.states or STATES) for state in STATES}
    rows = await tx.rows(SQL.find_schedules, **_filters(wanted), **chosen, after_id=place.id, most=most)
    return [_Place(_ACTIVE, _BEGINNING, row["id"]) for row in rows]


def _filters(wanted: Wanted) -> dict[str, Any]:
    q = (wanted.q or "").strip()
    return {
        "units": None if wanted.units is None else list(wanted.units),
        "kind": wanted.kind,
        "about": wanted.about,
        "q": "%" + re.sub(r"([\\%_])", r"\\\1", q) + "%" if q else None,
    }


# Timers do not say whose they are; of each machine so many are looked through for those of a scope.
LOOK_AT_TIMERS = 2_000


@dataclass(frozen=True, slots=True)
class NextMoments:
    delayed_at: datetime | None
    schedule_at: datetime | None
    timer_at: datetime | None


@dataclass(frozen=True, slots=True)
class DelayedJob:
    at: datetime
    id: int
    kind: str
    about: str | None
    reason: str
    unit_id: int | None


@dataclass(frozen=True, slots=True)
class DueTimer:
    at: datetime
    machine: str
    subject: int
    event: str
    unit_id: int | None


async def read_next_moments(tx: Tx) -> NextMoments:
    [row] = await tx.rows(SQL.find_next_moments)
    return NextMoments(**row)


async def read_next_moments_without(tx: Tx, area: str, machines: Sequence[str]) -> NextMoments:
    """Without work whose kind begins with the area, and without timers of these machines."""
    [row] = await tx.rows(SQL.find_next_moments_without, area=f"{area}.", machines=list(machines))
    return NextMoments(**row)


async def list_delayed(
    tx: Tx, until: datetime, *, most: int, units: Sequence[int] | None = None, veiled: Sequence[str] = ()
) -> list[DelayedJob]:
    given = {"units": None if units is None else list(units), "veiled": list(veiled)}
    return await tx.all(DelayedJob, SQL.list_delayed_until, **given, until=until, most=most)


async def list_timers(tx: Tx, until: datetime, *, most: int, units: Sequence[int] | None = None) -> list[DueTimer]:
    """Of a scope only among the first 2,000 of each machine: enough for the next hour of most."""
    given = None if units is None else list(units)
    look = most if units is None else max(most, LOOK_AT_TIMERS)
    return await tx.all(DueTimer, SQL.list_timers_until, units=given, until=until, look=look, most=most)
