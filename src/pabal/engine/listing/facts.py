"""Facts as a list shows them, newest first; and those that a subscriber could not take."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine import reading
from pabal.engine.listing.paging import CAP, FEW, LAST, LOOK, Page, cut, one_more, read_cursor, show_cursor
from pabal.engine.reading import Fact

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which facts; names may have a star (`adgroup.*`). The range is of their moments. `veiled`: names that are not for
    this reader, as LIKE has them."""

    units: Sequence[int] | None
    names: Sequence[str] = ()
    subject: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    veiled: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class AsideLine:
    """`name`, `subject` and `unit_id` are None when the fact is past its retention."""

    subscription: str
    seq: int
    name: str | None
    subject: str | None
    unit_id: int | None
    error: str
    at: datetime


async def list_facts(tx: Tx, wanted: Wanted, *, limit: int = 50, cursor: str | None = None) -> Page[Fact]:
    """In the order of seq, the newest first."""
    most = one_more(limit)
    found = await _find(tx, wanted, LAST if cursor is None else read_cursor(cursor, int)[0], most)
    page = cut(found, limit, show_cursor)
    return Page(await show_facts(tx, page.items), page.cursor)


async def count_facts(tx: Tx, wanted: Wanted) -> int:
    """Up to 10,001, which means more than 10,000."""
    return len(await _find(tx, wanted, LAST, CAP + 1))


async def show_facts(tx: Tx, seqs: Sequence[int]) -> list[Fact]:
    """The newest first; those that are gone are left out."""
    return await tx.all(Fact, SQL.show_facts, seqs=list(seqs)) if seqs else []


async def list_names(tx: Tx, patterns: Sequence[str] = reading.ALL) -> list[str]:
    """The names there are, of those that match."""
    rows = await tx.rows(SQL.list_names, patterns=reading.Wanted(patterns).patterns)
    return [row["name"] for row in rows]


async def list_aside(
    tx: Tx,
    units: Sequence[int] | None,
    *,
    veiled: Sequence[str] = (),
    subscription: str | None = None,
    limit: int = 50,
    cursor: str | None = None,
) -> Page[AsideLine]:
    """By subscriber, the oldest first: the order in which to try again."""
    after, seq = ("", 0) if cursor is None else read_cursor(cursor, str, int)
    given = None if units is None else list(units)
    place = {"after": after, "seq": seq, "most": one_more(limit)}
    whose = {"units": given, "veiled": list(veiled), "subscription": subscription}
    found = await tx.all(AsideLine, SQL.list_aside, **whose, **place)
    return cut(found, limit, lambda one: show_cursor(one.subscription, one.seq))


async def _find(tx: Tx, wanted: Wanted, before: int, most: int) -> list[int]:
    window = await _window(tx, wanted, before)
    units = None if wanted.units is None else list(wanted.units)
    names = await _names(tx, wanted.names) if wanted.names else None
    if wanted.subject is None and most <= CAP and (units is None) != (names is None):
        if names is not None:
            rows = await tx.rows(SQL.find_named, names=names, **window, most=most)
        else:
            rows = await _find_of_units(tx, units or [], {**window, "most": most})
    else:
        rows = await tx.rows(SQL.find_facts, units=units, names=names, subject=wanted.subject, **window, most=most)
    return [row["seq"] for row in rows]


async def _find_of_units(tx: Tx, units: list[int], window: dict[str, Any]) -> list[Row]:
    recent = (
        await tx.rows(SQL.find_recent, units=units, **window, look=LOOK * window["most"]) if len(units) > FEW else []
    )
    return recent if len(recent) >= window["most"] else await tx.rows(SQL.find_of_units, units=units, **window)


async def _names(tx: Tx, names: Sequence[str]) -> list[str]:
    """A star is spelled out: a name is read from its index, a pattern would read everything."""
    patterns = [name for name in names if "*" in name]
    found = await list_names(tx, patterns) if patterns else []
    return list(dict.fromkeys([*(name for name in names if "*" not in name), *found]))


async def _window(tx: Tx, wanted: Wanted, before: int) -> dict[str, Any]:
    above = 0
    if wanted.since is not None or wanted.until is not None:
        [bounds] = await tx.rows(SQL.find_bounds, since=wanted.since, until=wanted.until)
        above = bounds["above"] or 0
        before = min(before, bounds["before"] or LAST)
    return {
        "veiled": list(wanted.veiled),
        "since": wanted.since,
        "until": wanted.until,
        "above": above,
        "before": before,
    }
