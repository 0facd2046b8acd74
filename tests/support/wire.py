"""HTTP by hand, byte by byte: for senders no client library would be."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

CEILING = 30.0


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str:
        return str(json.loads(self.body)["code"])


@dataclass
class Wire:
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    sent: int = 0

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()
        self.sent += len(data)

    async def request(self, line: str, *headers: str, body: bytes = b"") -> None:
        await self.send("\r\n".join((f"{line} HTTP/1.1", "Host: x", *headers, "", "")).encode() + body)

    async def flood(self, chunk: bytes, times: int) -> None:
        """As much as the other side takes."""
        with suppress(ConnectionError):
            for _ in range(times):
                await self.send(chunk)

    async def flood_until_answered(self, chunk: bytes, times: int, pause: float = 0) -> "Answer":
        answering = asyncio.create_task(self.answer())
        with suppress(ConnectionError):
            for _ in range(times):
                if answering.done():
                    break
                await self.send(chunk)
                await asyncio.sleep(pause)
        return await answering

    async def answer(self) -> Answer:
        async with asyncio.timeout(CEILING):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode()
            status, *lines = head.strip().split("\r\n")
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            body = await self.reader.readexactly(int(headers.get("content-length", 0)))
        return Answer(int(status.split()[1]), headers, body)

    async def is_closed(self) -> bool:
        """Waits for the end of the connection; what comes before it is let go."""
        async with asyncio.timeout(CEILING):
            with suppress(ConnectionError):
                while await self.reader.read(65_536):
                    pass
        return True


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[Wire]:
    where: Any = urlsplit(url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    try:
        yield Wire(reader, writer)
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()
