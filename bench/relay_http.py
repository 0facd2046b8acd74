"""As little HTTP as a load needs: kept connections, a stream of events, a server that takes callbacks."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any


class Lines:
    """Kept connections to one server; as many as are in use at once."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def post(self, path: str, body: Any, head: str = "") -> tuple[int, Any]:
        # a server closes what was idle for some seconds
        self._free = [one for one in self._free if not one[0].at_eof()]
        line = self._free.pop() if self._free else await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = line
        content = json.dumps(body, ensure_ascii=False).encode()
        writer.write(
            f"POST {path} HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n{head}"
            f"Content-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        status, length = await _read_head(reader)
        answer = json.loads(await reader.readexactly(length)) if length else None
        self._free.append(line)
        return status, answer

    def close(self) -> None:
        for _, writer in self._free:
            writer.close()


async def _read_head(reader: asyncio.StreamReader) -> tuple[int, int]:
    head = await reader.readuntil(b"\r\n\r\n")
    status = int(head[9:12])
    found = head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]
    return status, int(found) if found else 0


async def follow(port: int, token: str) -> AsyncIterator[tuple[str, str]]:
    """Events of a stream, as (name, data)."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(f"GET /v1/events HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n\r\n".encode())
        status, _ = await _read_head(reader)
        assert status == 200, f"the stream was refused: {status}"
        name = ""
        while line := await reader.readline():
            if line.startswith(b"event: "):
                name = line[7:].strip().decode()
            elif line.startswith(b"data: "):
                yield name, line[6:].strip().decode()
    finally:
        writer.close()


@asynccontextmanager
async def taking_callbacks(on_callback: Callable[[str, Any], None]) -> AsyncIterator[str]:
    """Kakao's side: what comes is judged by who listens, and answered with success."""
    writers: set[asyncio.StreamWriter] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ", 2)[1].decode()
                length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
                on_callback(path, json.loads(await reader.readexactly(length)))
                answer = b'{"taskId":"t","status":"SUCCESS","message":"","timestamp":1}'
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(answer), answer))

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for writer in writers:
            writer.close()
