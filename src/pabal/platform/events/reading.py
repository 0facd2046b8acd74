"""Reads events in order from a place: what a snapshot sees and the last one did not, as facts are read."""

from dataclasses import dataclass, replace
from typing import Any

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.reading import Cursor
from pabal.platform.events.model import PublishedEvent
from pabal.platform.events.places import Place

SQL = load(__file__)
# so many events are looked at in search of those a consumer wants
SPAN = 5000


@dataclass(frozen=True, slots=True)
class Page:
    """Some events in the order of seq. `window` bounds what they were taken from; `then` is the place after them."""

    events: list[PublishedEvent]
    window: Cursor
    then: Cursor

    def stopped_after(self, count: int) -> Cursor:
        """For somebody who took only the first `count` of them."""
        return self.then if count == len(self.events) else replace(self.window, seq=self.events[count].seq - 1)


async def read_page(tx: Tx, place: Place, likes: list[str], *, batch: int) -> Page:
    """The next events of this share, in a transaction that wrote nothing yet, or its own are stepped over."""
    cursor = place.cursor
    wanted = {"likes": likes, "share": place.share, "of": place.of, "batch": batch}
    return await (_read_fresh(tx, cursor, wanted) if cursor.upto is None else _read_on(tx, cursor, wanted))


async def _read_fresh(tx: Tx, cursor: Cursor, wanted: dict[str, Any]) -> Page:
    rows = await tx.rows(SQL.read_fresh, seen=cursor.seen, **wanted)
    upto = rows[0]["upto"]
    events = [PublishedEvent(*tuple(row)[2:]) for row in rows if row["seq"] is not None]
    if not events and not rows[0]["moved"]:
        return Page([], cursor, cursor)
    return _page(events, Cursor(cursor.seen, upto), wanted["batch"])


async def _read_on(tx: Tx, cursor: Cursor, wanted: dict[str, Any]) -> Page:
    """The rest of a window that was too large for one batch, up to SPAN events at a time. Empty means that there is
    nothing, so look on."""
    at = {"seen": cursor.seen, "upto": cursor.upto, "seq": cursor.seq}
    rows = await tx.rows(SQL.read_on, **at, **wanted, span=SPAN)
    events = [PublishedEvent(*row) for row in rows]
    if len(events) == wanted["batch"]:
        return _page(events, cursor, wanted["batch"])
    [end] = await tx.rows(SQL.find_end, seq=cursor.seq, span=SPAN)
    if end["count"] < SPAN:
        return _page(events, cursor, wanted["batch"]) if events else await _read_fresh(tx, _end_of(cursor), wanted)
    further = replace(cursor, seq=max(end["last"], cursor.seq))
    return Page(events, cursor, further) if events else await _read_on(tx, further, wanted)


def _end_of(window: Cursor) -> Cursor:
    return Cursor(str(window.upto))


def _page(events: list[PublishedEvent], window: Cursor, batch: int) -> Page:
    full = len(events) >= batch
    return Page(events, window, replace(window, seq=events[-1].seq) if full else _end_of(window))
