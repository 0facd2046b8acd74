"""The occurrence ledger as a list shows it: newest first, of one schedule or of all."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pabal.base.database import Row, Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.engine.listing.paging import CAP, FEW, LAST, LOOK, Page, cut, one_more, read_cursor, show_cursor

SQL = load(__file__)
STATES = ("enqueued", "skipped", "coalesced", "done", "partial", "failed", "missed", "cancelled")
# What most of them are is found by walking back; the rest is read from indexes of its own.
_COMMON = ("enqueued", "done")
_END = datetime(9999, 1, 1, tzinfo=UTC)


class BadOccurrenceState(Invalid, code="bad_occurrence_state"):
    """An occurrence is enqueued, skipped, coalesced, or ended: done, partial, failed, missed, cancelled."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which occurrences; the range is of their moments. A state is the end, or before it the decision."""

    units: Sequence[int] | None
    schedule_id: int | None = None
    kind: str | None = None
    states: Sequence[str] = ()
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class OccurrenceLine:
    """`name`, `kind`, `about` and `zone` are its schedule's, None when that is gone. For the rest see Occurrence."""

    schedule_id: int
    fire_at: datetime
    unit_id: int | None
    name: str | None
    kind: str | None
    about: str | None
    zone: str | None
    state: str
    decision: str
    work_id: int | None
    end: str | None
    reason: str
    decided_at: datetime
    ended_at: datetime | None
    into_at: datetime | None
    through: datetime | None
    count: int
    actor: str | None


async def list_occurrences(
    tx: Tx, wanted: Wanted, *, limit: int = 50, cursor: str | None = None
) -> Page[OccurrenceLine]:
    """Newest moments first; those somebody asked to skip may be ahead."""
    most = one_more(limit)
    place = (_END, LAST) if cursor is None else read_cursor(cursor, datetime, int)
    page = cut(await _find(tx, wanted, place, most), limit, lambda row: show_cursor(row["fire_at"], row["schedule_id"]))
    return Page(await _show(tx, page.items), page.cursor)


async def count_occurrences(tx: Tx, wanted: Wanted) -> int:
    """Up to 10,001, which means more than 10,000."""
    return len(await _find(tx, wanted, (_END, LAST), CAP + 1))


async def _find(tx: Tx, wanted: Wanted, place: Sequence[Any], most: int) -> list[Row]:
    unknown = [state for state in wanted.states if state not in STATES]
    if unknown:
        raise BadOccurrenceState(", ".join(unknown))
    window = {"since": wanted.since, "until": wanted.until, "fire_at": place[0], "after_id": place[1], "most": most}
    window["units"] = None if wanted.units is None else list(wanted.units)
    states = list(dict.fromkeys(wanted.states))
    if wanted.schedule_id is not None or wanted.kind is not None:
        named = {"schedule_id": wanted.schedule_id, "kind": wanted.kind}
        return await tx.rows(SQL.find_occurrences, states=states or None, **named, **window)
    if not states:
        return await _walk(tx, window, only_done=False)
    found: list[Row] = []
    if "enqueued" in states:
        found += await tx.rows(SQL.find_open, **window)
    if "done" in states:
        found += await _walk(tx, window, only_done=True)
    rest = [state for state in states if state not in _COMMON]
    if rest:
        found += await tx.rows(SQL.find_in_states, states=rest, **window)
    return sorted(found, key=lambda row: (row["fire_at"], row["schedule_id"]), reverse=True)[:most]


async def _walk(tx: Tx, window: dict[str, Any], *, only_done: bool) -> list[Row]:
    """Back from the newest: for what most of them are."""
    units = window["units"]
    if units is not None and window["most"] <= CAP:
        window = {**window, "only_done": only_done}
        recent = await tx.rows(SQL.find_recent, **window, look=LOOK * window["most"]) if len(units) > FEW else []
        return recent if len(recent) >= window["most"] else await tx.rows(SQL.find_of_units, **window)
    states = ["done"] if only_done else None
    return await tx.rows(SQL.find_occurrences, states=states, schedule_id=None, kind=None, **window)


async def _show(tx: Tx, found: Sequence[Row]) -> list[OccurrenceLine]:
    if not found:
        return []
    ids, moments = [row["schedule_id"] for row in found], [row["fire_at"] for row in found]
    return await tx.all(OccurrenceLine, SQL.show_occurrences, schedule_ids=ids, fire_ats=moments)
