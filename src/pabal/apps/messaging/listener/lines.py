"""One socket: whole lines in, whole packets out. While it is idle no task and no timer waits on it."""

import asyncio
from collections.abc import Callable
from typing import cast

from pabal.apps.messaging.errors import BotGone
from pabal.apps.messaging.listener.switchboard import Address

MAX_LINE = 1024 * 1024
# A handshake has 500 bytes; the longest chat there is, 10,000 characters in base64, has 41,000.
MAX_STRANGERS_LINE = 64 * 1024
UNREAD_BYTES = 64 * 1024
READ_BYTES, STRANGERS_READ_BYTES = 64 * 1024, 16 * 1024
# What is thrown away after the last word, before reading stops.
LINGER_BYTES = 256 * 1024
LINGER = 3.0

# Every connection of the process reads into this: it is emptied before the loop turns to the next.
_INCOMING = memoryview(bytearray(READ_BYTES))


class Lines(asyncio.BufferedProtocol):
    """`on_open` once connected; `on_news` when there are lines to take, or it is over; `on_read` after each read.

    It begins as a stranger's: short lines, small reads. `trust` gives it the measure of a bot.
    """

    __slots__ = (
        "_buffer", "_discarded", "_drains", "_end", "_half_since", "_is_held", "_longest", "_now", "_on_news",
        "_on_open", "_on_read", "_read_bytes", "_sending", "_transport", "address", "closes_at", "is_lost",
        "is_oversized", "is_paused",
    )  # fmt: skip

    def __init__(
        self,
        on_open: Callable[[], None],
        on_news: Callable[[], None],
        now: Callable[[], float],
        on_read: Callable[[int], None] = lambda _size: None,
    ) -> None:
        self._on_open, self._on_news, self._on_read, self._now = on_open, on_news, on_read, now
        self._transport: asyncio.Transport
        self._buffer = bytearray()
        # Where the first whole line of the buffer ends; -1: there is none.
        self._end = -1
        self._discarded = 0
        self._half_since = 0.0
        self._longest, self._read_bytes = MAX_STRANGERS_LINE, STRANGERS_READ_BYTES
        self._is_held = False
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
        return self._half_since if self._buffer and self._end < 0 and not self.is_paused else None

    @property
    def has_line(self) -> bool:
        return self._end >= 0

    def trust(self) -> None:
        self._longest, self._read_bytes = MAX_LINE, READ_BYTES
        self.release()

    def distrust(self) -> None:
        self._longest, self._read_bytes = MAX_STRANGERS_LINE, STRANGERS_READ_BYTES

    def hold(self) -> None:
        """Reads nothing more until `release`: what follows waits in the kernel, and then at the sender."""
        self._is_held = True
        self._steer()

    def release(self) -> None:
        self._is_held = False
        self._steer()

    def take(self) -> bytes | None:
        if self._end < 0:
            return None
        line = bytes(self._buffer[: self._end]).rstrip()
        del self._buffer[: self._end + 1]
        self._half_since = self._now()
        self._find_line(0)
        self._steer()
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
        try:
            self._transport.write_eof()
        except OSError:
            # It left while nothing was read from it, so that nobody noticed.
            self._transport.abort()
        self._steer()

    def abort(self) -> None:
        self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # Asked for by name, not by class: uvloop's transports are no subclasses of asyncio's.
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=0)
        peer = transport.get_extra_info("peername") or ("", 0)
        self.address = (str(peer[0]), int(peer[1]))
        self._on_open()

    def get_buffer(self, sizehint: int) -> memoryview:
        return _INCOMING[: self._read_bytes]

    def buffer_updated(self, nbytes: int) -> None:
        if self.closes_at is not None or self.is_oversized:
            self._discard(nbytes)
            return
        if not self._buffer:
            self._half_since = self._now()
        searched = len(self._buffer)
        self._buffer += _INCOMING[:nbytes]
        if self._end < 0:
            self._find_line(searched)
        # The first line alone can be too long: those behind it came in one read.
        if (self._end if self._end >= 0 else len(self._buffer)) > self._longest:
            self.is_oversized = True
            self._forget_input()
        self._on_read(nbytes)
        self._steer()
        if self._end >= 0 or self.is_oversized:
            self._on_news()

    def eof_received(self) -> None:
        """Returning nothing closes the transport, after what still waits to be written."""
        if self.closes_at is None:
            self.closes_at = self._now() + LINGER

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        if self._end < 0:
            self._buffer.clear()
        self._end_drain(is_whole=False)
        self._on_news()

    def pause_writing(self) -> None:
        self._drains = asyncio.get_running_loop().create_future()

    def resume_writing(self) -> None:
        self._end_drain(is_whole=True)

    def _find_line(self, searched: int) -> None:
        """Blank lines are nobody's: a heap of them is gone at once, not one by one."""
        if self._buffer[:1].isspace():
            self._buffer = self._buffer.lstrip()
            searched = 0
        self._end = self._buffer.find(b"\n", searched)

    def _discard(self, size: int) -> None:
        self._discarded += size
        if self._discarded > LINGER_BYTES:
            self.hold()

    def _steer(self) -> None:
        """Reads, or leaves it to the kernel, as things are now."""
        is_full = self._end >= 0 and len(self._buffer) > (UNREAD_BYTES // 2 if self.is_paused else UNREAD_BYTES)
        wants_pause = is_full or self._is_held
        if wants_pause == self.is_paused or self.is_lost or self._transport.is_closing():
            return
        self.is_paused = wants_pause
        if wants_pause:
            self._transport.pause_reading()
        else:
            self._half_since = self._now()
            self._transport.resume_reading()

    def _forget_input(self) -> None:
        self._buffer.clear()
        self._end = -1

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
