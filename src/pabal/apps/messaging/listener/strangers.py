"""Connections nobody has approved: few of them, in all and of one address, and what they say is little and slow."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pabal.apps.messaging.listener.connection import Connection

# What an address may send through its strangers: so much at once, then so much a second. A line costs at least LINE.
BURST, PACE, LINE = 256 * 1024, 64 * 1024, 256
# Of each connection, whatever the others of its address sent: a phone that only shakes hands waits for nobody.
FREE = 8 * 1024
# Lines kept until the handshake.
KEPT_OF_ONE, KEPT_OF_ADDRESS, KEPT_IN_ALL = 128 * 1024, 512 * 1024, 8 * 1024 * 1024
# Of an address's strangers that sent what nobody can read: so many are told at once, then so many a second. Told at
# once, each would come again at once.
TOLD_AT_ONCE, TOLD_A_SECOND = 50, 5
# Devices nobody knows cost a look at the database: so many a second, one at a time.
UNKNOWN_A_SECOND = 5


class Bucket:
    """What may still be taken, bytes if nothing else is said; may go below nothing by the last that is."""

    __slots__ = ("_at", "_burst", "_left", "_pace")

    def __init__(self, now: float, burst: float = BURST, pace: float = PACE) -> None:
        self._burst, self._pace = burst, pace
        self._left, self._at = burst, now

    def is_empty(self, now: float) -> bool:
        self._left, self._at = min(self._burst, self._left + self._pace * (now - self._at)), now
        return self._left <= 0

    def is_full(self, now: float) -> bool:
        return not self.is_empty(now) and self._left >= self._burst

    def charge(self, size: int) -> None:
        self._left -= size


class Strangers:
    """All of one server. Whoever is trusted, or gone, is taken out, and with it everything counted for it."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._by_source: dict[str, dict[Connection, None]] = {}
        self._buckets: dict[str, Bucket] = {}
        self._words: dict[str, Bucket] = {}
        self._kept: dict[str, int] = {}
        self._turn = asyncio.Lock()
        self._next_turn = 0.0

    def __len__(self) -> int:
        return sum(map(len, self._by_source.values()))

    def __contains__(self, connection: "Connection") -> bool:
        return connection in self._by_source.get(connection.source, ())

    @property
    def kept_bytes(self) -> int:
        return sum(self._kept.values())

    @property
    def sources(self) -> set[str]:
        """Addresses anything is remembered of."""
        return {*self._by_source, *self._buckets, *self._words, *self._kept}

    def list_all(self) -> "list[Connection]":
        return [connection for each in self._by_source.values() for connection in each]

    def add(self, connection: "Connection") -> None:
        self._by_source.setdefault(connection.source, {})[connection] = None

    def discard(self, connection: "Connection") -> None:
        of_source = self._by_source.get(connection.source, {})
        of_source.pop(connection, None)
        if not of_source:
            self._by_source.pop(connection.source, None)

    def find_excess(self, source: str, *, in_all: int, of_source: int) -> "Connection | None":
        """Who goes now that one more of this address came; None when there is room.

        The oldest of the address that has the most, so that no address crowds out another.
        """
        if len(self._by_source.get(source, ())) > of_source:
            return self._oldest(source)
        if len(self) > in_all:
            return self._oldest(max(self._by_source, key=lambda each: len(self._by_source[each])))
        return None

    def get_bucket(self, source: str) -> Bucket:
        return self._buckets.setdefault(source, Bucket(self._now()))

    def may_be_told(self, source: str) -> bool:
        """Whether one more of this address hears now why it must go; counted, if so."""
        now = self._now()
        words = self._words.setdefault(source, Bucket(now, TOLD_AT_ONCE, TOLD_A_SECOND))
        if words.is_empty(now):
            return False
        words.charge(1)
        return True

    def keep(self, source: str, size: int) -> bool:
        """False: the address, or all of them, have kept enough."""
        if self._kept.get(source, 0) + size > KEPT_OF_ADDRESS or self.kept_bytes + size > KEPT_IN_ALL:
            return False
        self._kept[source] = self._kept.get(source, 0) + size
        return True

    def give_back(self, source: str, size: int) -> None:
        left = self._kept.get(source, 0) - size
        if left > 0:
            self._kept[source] = left
        else:
            self._kept.pop(source, None)

    def forget_idle(self) -> None:
        """A bucket that is full again says nothing any more."""
        now = self._now()
        for buckets in (self._buckets, self._words):
            for source in [each for each in buckets if each not in self._by_source]:
                if buckets[source].is_full(now):
                    del buckets[source]

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """For what costs a look at the database: one after the other, and not too quickly."""
        running = asyncio.get_running_loop()
        async with self._turn:
            await asyncio.sleep(max(0.0, self._next_turn - running.time()))
            self._next_turn = running.time() + 1 / UNKNOWN_A_SECOND
            yield

    def _oldest(self, source: str) -> "Connection":
        """Those that seem to be approved phones last."""
        of_source = self._by_source[source]
        return next((each for each in of_source if not each.is_expected), next(iter(of_source)))


class Early:
    """Lines as they came, in order, until the handshake. What is beyond the bounds is dropped; the phone is not."""

    __slots__ = ("_bytes", "_lines", "_source", "_strangers")

    def __init__(self, strangers: Strangers, source: str) -> None:
        self._strangers, self._source = strangers, source
        self._lines: list[bytes] = []
        self._bytes = 0

    def keep(self, line: bytes) -> bool:
        """False when it was dropped."""
        size = sys.getsizeof(line)
        if self._bytes + size > KEPT_OF_ONE or not self._strangers.keep(self._source, size):
            return False
        self._lines.append(line)
        self._bytes += size
        return True

    def take(self) -> list[bytes]:
        """And gives the room back."""
        self._strangers.give_back(self._source, self._bytes)
        lines, self._lines, self._bytes = self._lines, [], 0
        return lines
