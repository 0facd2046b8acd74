"""One connection of a simulated bot: bytes in, frames out. Nothing is read while the phone sleeps over a picture."""

import asyncio
from contextlib import suppress

from pabal.apps.messaging.simulator.frames import Ignored, Reason
from pabal.apps.messaging.simulator.options import Server, Trouble

CONNECT_TIMEOUT = 5.0
# Small, so that a phone that does not read soon makes the server wait.
_CHUNK = 64 * 1024


class Left(Exception):
    """We hung up: what has arrived since is not looked at."""


class Line:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, server: str) -> None:
        self._reader, self._writer = reader, writer
        self.server = server
        self.is_welcome = False
        self.parts = 0
        self._has_left = False
        self._buffer = bytearray()
        self._searched = 0

    @classmethod
    async def open(cls, server: Server) -> "Line":
        """Raises OSError when nobody answers."""
        async with asyncio.timeout(CONNECT_TIMEOUT):
            reader, writer = await asyncio.open_connection(*server, limit=_CHUNK)
        return cls(reader, writer, f"{server[0]}:{server[1]}")

    def write(self, content: bytes) -> None:
        self._writer.write(content)

    async def drain(self) -> None:
        await self._writer.drain()

    def hang_up(self) -> None:
        self._has_left = True
        self._writer.transport.abort()

    async def close(self) -> None:
        self.hang_up()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def next_frame(self, trouble: Trouble, may_read: asyncio.Event) -> bytes | None:
        """A whole line without its newline; None when the server has closed. Raises Left, or Ignored for half a one."""
        self._stay()
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            self._cut(trouble)
            if not await self._read(may_read):
                self._see_no_half()
                return None
        frame = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return frame

    async def _read(self, may_read: asyncio.Event) -> bool:
        await may_read.wait()
        try:
            chunk = await self._reader.read(_CHUNK)
        except OSError:  # a server that was killed ends the line as one that closes it
            chunk = b""
        await may_read.wait()
        self._stay()
        self._buffer += chunk
        return bool(chunk)

    def _see_no_half(self) -> None:
        if self._buffer:
            raise Ignored(Reason.CUT, f"{len(self._buffer)} bytes of a frame")

    def _cut(self, trouble: Trouble) -> None:
        waiting = len(self._buffer)
        if trouble.cut_after_bytes is not None and waiting > trouble.cut_after_bytes:
            trouble.cut_after_bytes = None
            raise Ignored(Reason.CUT, f"on purpose, after {waiting} bytes")

    def _stay(self) -> None:
        if self._has_left:
            raise Left
