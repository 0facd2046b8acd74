"""Reads facts in order from a cursor: what a snapshot sees and the last one did not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load

SQL = load(__file__)
ALL = ("*",)

_SNAPSHOT = re.compile(r"(\d{1,19}):(\d{1,19}):((?:\d{1,19}(?:,\d{1,19})*)?)")
_SEQ = re.compile(r"\d{1,18}")


@dataclass(frozen=True, slots=True)
class Fact:
    seq: int
    id: UUID
    name: str
    subject: str
    unit_id: int | None
    at: datetime
    data: dict[str, Any]


class TokenUnreadable(Invalid, code="token_unreadable"):
    """This does not come from an earlier reading. Leave it out to read from now on."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """How far somebody has read: all of `seen`; and of what `upto` saw besides, all up to `seq`."""

    seen: str
    upto: str | None = None
    seq: int = 0

    @property
    def token(self) -> str:
        return self.seen if self.upto is None else f"{self.seen}~{self.upto}~{self.seq}"

    @classmethod
    def parse(cls, token: str) -> "Cursor":
        match token.split("~"):
            case [seen] if _is_snapshot(seen):
                return cls(seen)
            case [seen, upto, seq] if _is_snapshot(seen) and _is_snapshot(upto) and _SEQ.fullmatch(seq):
                return cls(seen, upto, int(seq))
        raise TokenUnreadable(token[:80])


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which facts, and how many at once. Names may end in a star (`adgroup.*`); units None means of any unit."""

    names: Sequence[str] = ALL
    units: Sequence[int] | None = None
    batch: int = 500
    # names that are not for this reader, as LIKE has them
    veiled: Sequence[str] = ()

    @property
    def patterns(self) -> list[str]:
        """The names as SQL's LIKE wants them."""
        return [re.sub(r"([\\%_])", r"\\\1", name).replace("*", "%") for name in self.names]


@dataclass(frozen=True, slots=True)
class Page:
    """Some facts in the order of seq. `window` bounds what they were taken from; `then` is the cursor after them."""

    facts: list[Fact]
    window: Cursor
    then: Cursor

    def stopped_after(self, count: int) -> Cursor:
        """The cursor for somebody who took only the first `count` of them."""
        return self.then if count == len(self.facts) else replace(self.window, seq=self.facts[count].seq - 1)


async def start_cursor(tx: Tx) -> Cursor:
    """From now on: what is committed later."""
    return Cursor(await tx.value(SQL.read_snapshot))


async def read_page(tx: Tx, cursor: Cursor, wanted: Wanted) -> Page:
    """The next facts after the cursor, in a transaction that wrote nothing yet, or its own facts are skipped."""
    return await (_read_fresh(tx, cursor, wanted) if cursor.upto is None else _read_on(tx, cursor, cursor.upto, wanted))


async def _read_fresh(tx: Tx, cursor: Cursor, wanted: Wanted) -> Page:
    rows = await tx.rows(
        SQL.read_fresh,
        seen=cursor.seen,
        patterns=wanted.patterns,
        veiled=list(wanted.veiled),
        units=wanted.units,
        batch=wanted.batch,
    )
    upto, moved = rows[0]["upto"], rows[0]["moved"]
    if not moved:
        return Page([], cursor, cursor)
    facts = [Fact(*tuple(row)[2:]) for row in rows if row["seq"] is not None]
    return _page(facts, Cursor(cursor.seen, upto), upto, wanted.batch)


async def _read_on(tx: Tx, cursor: Cursor, upto: str, wanted: Wanted) -> Page:
    rows = await tx.rows(
        SQL.read_on,
        seen=cursor.seen,
        upto=upto,
        seq=cursor.seq,
        patterns=wanted.patterns,
        veiled=list(wanted.veiled),
        units=wanted.units,
        batch=wanted.batch,
    )
    if not rows:  # the last batch just filled the window: an empty answer means that there is nothing, so look on
        return await _read_fresh(tx, Cursor(upto), wanted)
    return _page([Fact(*row) for row in rows], cursor, upto, wanted.batch)


def _is_snapshot(text: str) -> bool:
    """As PostgreSQL would take it: xmin:xmax:xip, all of them in order. A token comes back from outside."""
    parts = _SNAPSHOT.fullmatch(text)
    if parts is None:
        return False
    first, end = int(parts[1]), int(parts[2])
    running = [int(xid) for xid in parts[3].split(",") if xid]
    return 0 < first <= end < 2**63 and running == sorted(set(running)) and all(first <= xid < end for xid in running)


def _page(facts: list[Fact], window: Cursor, upto: str, batch: int) -> Page:
    return Page(facts, window, Cursor(upto) if len(facts) < batch else replace(window, seq=facts[-1].seq))
