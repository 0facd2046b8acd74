"""One socket: whole lines in, whole packets out. While it is idle no task and no timer waits on it."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import cast

from pabal.apps.messaging.errors import BotGone
from pabal.apps.messaging.listener.clients import Address

MAX_LINE = 1024 * 1024
UNREAD_BYTES = 64 * 1024
LINGER = 3.0


class Lines(asyncio.Protocol):
    """`on_open` once connected; `on_news` when there are lines to take, or it is over."""

    __slots__ = (
        "_drains", "_half", "_half_since", "_now", "_on_news", "_on_open", "_sending", "_transport",
        "_unread", "_waiting", "address", "closes_at", "is_lost", "is_oversized", "is_paused",
    )  # fmt: skip

    def __init__(self, on_open: Callable[[], None], on_news: Callable[[], None], now: Callable[[], float]) -> None:
        self._on_open, self._on_news, self._now = on_open, on_news, now
        self._transport: asyncio.Transport
        self._waiting: deque[bytes] = deque()
        self._unread = 0
        self._half = bytearray()
        self._half_since = 0.0
        self.is_paused = False
        self._drains: asyncio.Future[bool] | None = None
        self._sending = asyncio.Lock()
        self.address: Address = ("", 0)
        self.closes_at: float | None = None
        self.is_lost = False
        self.is_oversized = False

    @property
    def is_closing(self) -> bool:
        return self.is_lost or self.closes_at is not None or self._transport.is_closing()

    @property
    def is_backed_up(self) -> bool:
        """The kernel takes no more for now: the phone does not read."""
        return self._drains is not None

    @property
    def half_since(self) -> float | None:
        """When the line that is not whole yet began; None when there is none, or we are those who do not read."""
        return self._half_since if self._half and not self.is_paused else None

    def take(self) -> bytes | None:
        if not self._waiting:
            return None
        line = self._waiting.popleft()
        self._unread -= len(line)
        if self.is_paused and self._unread <= UNREAD_BYTES // 2:
            self.is_paused = False
            self._half_since = self._now()
            self._transport.resume_reading()
        return line

    async def send(self, packet: bytes, *, may_begin: Callable[[], bool]) -> None:
        """One at a time; returns when the kernel has all of it. BotGone says whether a byte may have left.

        `may_begin` is asked at the last moment: much may have happened while others were being sent.
        """
        async with self._sending:
            await self._drained(began=False)
            if not may_begin():
                raise BotGone(f"{self.address} may not send any more", began=False)
            self._transport.write(packet)
            if self._transport.is_closing():
                # The kernel refused at the first byte.
                raise BotGone(f"{self.address}", began=False)
            await self._drained(began=True)

    def post(self, packet: bytes) -> bool:
        """Without waiting; not at all while earlier packets still wait, so that nothing piles up."""
        if self.is_closing or self.is_backed_up:
            return False
        self._transport.write(packet)
        return True

    def close_after(self, packet: bytes) -> None:
        """The last word. Input is read on and thrown away: a socket closed over unread input loses what was said."""
        if self.is_closing:
            return
        self.closes_at = self._now() + LINGER
        self._forget_input()
        self._transport.write(packet)
        self._transport.write_eof()
        self._transport.resume_reading()

    def abort(self) -> None:
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Asked for by name, not by class: uvloop's transports are no subclasses of asyncio's.
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=0)
        peer = transport.get_extra_info("peername") or ("", 0)
        self.address = (str(peer[0]), int(peer[1]))
        self._on_open()

    def data_received(self, data: bytes) -> None:
        if self.closes_at is not None or self.is_oversized:
            return
        if not self._half:
            self._half_since = self._now()
        searched = len(self._half)
        self._half += data
        if data.find(b"\n") >= 0:
            self._cut_lines(searched)
        if len(self._half) > MAX_LINE:
            self._find_oversized()
        if self._unread > UNREAD_BYTES and not self.is_paused:
            self.is_paused = True
            self._transport.pause_reading()

    def eof_received(self) -> None:
        """Returning nothing closes the transport, after what still waits to be written."""
        if self.closes_at is None:
            self.closes_at = self._now() + LINGER

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        self._half.clear()
        self._end_drain(is_whole=False)
        self._on_news()

    def pause_writing(self) -> None:
        self._drains = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        self._end_drain(is_whole=True)

    def _cut_lines(self, searched: int) -> None:
        begin, end = 0, self._half.find(b"\n", searched)
        while end >= 0:
            if end - begin > MAX_LINE:
                self._find_oversized()
                return
            line = bytes(self._half[begin:end]).strip()
            if line:
                self._waiting.append(line)
                self._unread += len(line)
            begin = end + 1
            end = self._half.find(b"\n", begin)
        del self._half[:begin]
        self._half_since = self._now()
        if self._waiting:
            self._on_news()

    def _find_oversized(self) -> None:
        self.is_oversized = True
        self._half.clear()
        self._on_news()

    def _forget_input(self) -> None:
        self._waiting.clear()
        self._half.clear()
        self._unread = 0
        self.is_paused = False

    async def _drained(self, *, began: bool) -> None:
        while self._drains is not None:
            # Shielded: who is cancelled while waiting must not take the others' signal away.
            if not await asyncio.shield(self._drains):
                raise BotGone(f"{self.address}", began=began)
        if self.is_closing and not began:
            raise BotGone(f"{self.address}", began=False)

    def _end_drain(self, *, is_whole: bool) -> None:
        if self._drains is not None:
            self._drains.set_result(is_whole)
            self._drains = None
