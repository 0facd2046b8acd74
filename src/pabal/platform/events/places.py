"""Places: how far each share of a consumer is. Begun, moved, set back; backlog and lag are read from them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import CAP
from pabal.engine.reading import Cursor
from pabal.platform.events.consumers import Consumer
from pabal.platform.events.model import ConsumerSeen

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Place:
    """`of`: how many shares there are. `tries`, `retry_at`: the event after it failed so often, and rests so long."""

    consumer: str
    share: int
    of: int
    seen: str
    upto: str | None
    seq: int
    tries: int
    retry_at: datetime | None
    is_paused: bool
    has_asked: bool
    # lost without a word before: see engine/suspects.py
    is_suspect: bool

    @property
    def cursor(self) -> Cursor:
        return Cursor(self.seen, self.upto, self.seq)


async def lock_all(tx: Tx, group: str) -> None:
    """Waits for whoever works for it just now."""
    await tx.rows(SQL.lock_all, consumer=group)


async def find(tx: Tx, group: str, share: int) -> Place | None:
    return await tx.one(Place, SQL.find_place, consumer=group, share=share)


async def begin(tx: Tx, consumer: Consumer) -> None:
    """Makes the consumer known, or notes what its code says now. Another number of shares begins at the oldest place.

    Bears being repeated, and two servers at once. First in its transaction.
    """
    await tx.run(SQL.lock_consumer, consumer=consumer.group)
    known = await tx.value(SQL.find_shares, consumer=consumer.group)
    seen = "1:1:" if consumer.from_start else await tx.value(SQL.read_snapshot)
    if known is not None and known != consumer.shares:
        await lock_all(tx, consumer.group)
    floor = await _floor(tx, consumer.group) if known is not None else None
    await tx.run(
        SQL.put_consumer, name=consumer.group, patterns=list(consumer.patterns), shares=consumer.shares, now=tx.now
    )
    if known is None:
        await tx.run(SQL.insert_places, consumer=consumer.group, of=consumer.shares, seen=seen)
    elif known != consumer.shares:
        await tx.run(SQL.delete_places, consumer=consumer.group)
        await tx.run(SQL.insert_places, consumer=consumer.group, of=consumer.shares, seen="1:1:")
        await set_back(tx, consumer.group, floor)


async def move(tx: Tx, place: Place, to: Cursor, *, tries: int = 0, retry_at: datetime | None = None) -> None:
    at = {"seen": to.seen, "upto": to.upto, "seq": to.seq}
    await tx.run(SQL.move_place, consumer=place.consumer, share=place.share, **at, tries=tries, retry_at=retry_at)


async def move_and_note(tx: Tx, place: Place, to: Cursor, seqs: list[int]) -> set[int]:
    """Those of the events that it had not done before. Whoever is just at the same one is waited for."""
    at = {"seen": to.seen, "upto": to.upto, "seq": to.seq}
    rows = await tx.rows(SQL.move_and_note, consumer=place.consumer, share=place.share, **at, seqs=seqs)
    return {row[0] for row in rows}


async def set_back(tx: Tx, group: str, first: int | None) -> None:
    """Every share begins again at this event, or with what is committed from now on."""
    await tx.run(SQL.set_back, consumer=group, first=first)


async def find_first(tx: Tx, group: str, since: datetime) -> int | None:
    """The first event of that moment or later, or the first one not taken yet if that stands before it."""
    of_moment: int | None = await tx.value(SQL.first_since, since=since)
    waiting = await _floor(tx, group)
    return min((seq for seq in (of_moment, waiting) if seq is not None), default=None)


async def _floor(tx: Tx, group: str) -> int | None:
    """The first event that it has not taken."""
    found: int | None = await tx.value(SQL.first_waiting, consumer=group)
    return found


async def list_consumers(tx: Tx, name: str | None = None) -> list[ConsumerSeen]:
    return await tx.all(ConsumerSeen, SQL.list_consumers, name=name, most=CAP + 1)


async def renew(tx: Tx) -> None:
    """After a restore: places and events hold transaction numbers of the cluster they came from. First in its
    transaction."""
    snapshot = await tx.value(SQL.read_snapshot)
    firsts = [(row[0], await _floor(tx, row[0])) for row in await tx.rows(SQL.list_names)]
    await tx.run(SQL.renumber_events)
    for group, first in firsts:
        await tx.run(SQL.renew_places, consumer=group, first=first, snapshot=snapshot)


def after(now: datetime, seconds: float) -> datetime:
    return now + timedelta(seconds=seconds)
