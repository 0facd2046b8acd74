"""A stand-in for services that answer a GET: says what it is told to say, by path, and keeps what was asked."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from ipaddress import ip_network

LOOPBACK = (ip_network("127.0.0.0/8"),)


@dataclass
class Documents:
    """`answers` are whole answers by path; b"" is silence until the other side goes, a path that is missing 404."""

    url: str = ""
    answers: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    def put(self, path: str, body: bytes, *, status: int = 200, kind: str = "application/json") -> str:
        self.answers[path] = document(body, status=status, kind=kind)
        return f"{self.url}{path}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while answer := await self._hear(reader):
                writer.write(answer)
                await writer.drain()
            await reader.read()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _hear(self, reader: asyncio.StreamReader) -> bytes:
        """The answer to the next question on this connection."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.asked.append(head)
        return self.answers.get(head.split(" ")[1], document(b"", status=404))


def document(body: bytes, *, status: int = 200, kind: str = "application/json") -> bytes:
    head = f"HTTP/1.1 {status} Status\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n"
    return head.encode() + body


@asynccontextmanager
async def serve_documents() -> AsyncIterator[Documents]:
    documents = Documents()
    server = await asyncio.start_server(documents.handle, "127.0.0.1", 0)
    documents.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield documents
    finally:
        server.close()
