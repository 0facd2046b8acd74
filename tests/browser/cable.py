"""The network between a browser and a server, as a wire that a test can cut and mend."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit


class Cable:
    def __init__(self, port: int) -> None:
        self._there = port
        self._here: int | None = None
        self._server: asyncio.Server | None = None
        self._ends: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._here}"

    async def mend(self) -> None:
        self._server = await asyncio.start_server(self._join, "127.0.0.1", self._here or 0)
        self._here = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """What is under way breaks off, and nothing new gets through."""
        assert self._server is not None
        self._server.close()
        for end in list(self._ends):
            end.transport.abort()
        await self._server.wait_closed()

    async def _join(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._there)
        await asyncio.gather(self._carry(reader, far_writer), self._carry(far_reader, writer))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ends.add(writer)
        with suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        self._ends.discard(writer)
        writer.close()


@asynccontextmanager
async def lay_cable(url: str) -> AsyncIterator[Cable]:
    cable = Cable(urlsplit(url).port or 80)
    await cable.mend()
    try:
        yield cable
    finally:
        await cable.cut()
