"""A stand-in for the Gemini API on a real socket: keeps what it was asked, and answers what a test says."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

USED = {"promptTokenCount": 11, "candidatesTokenCount": 3, "totalTokenCount": 14}


@dataclass
class GeminiApi:
    answers: list[str]
    port: int = 0
    asked: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (head := await reader.readuntil(b"\r\n\r\n")) and await self._answer(head, reader, writer):
                pass
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def _answer(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        body = await _read_body(reader, headers)
        self.paths.append(first.split()[1])
        self.asked.append(json.loads(body) if body else {})
        text = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        part = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}
        said = json.dumps({"candidates": [part], "usageMetadata": USED, "modelVersion": "stand-in"})
        is_stream = "stream" in first
        kind, content = ("text/event-stream", f"data: {said}\r\n\r\n") if is_stream else ("application/json", said)
        answer = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(content.encode())}\r\n\r\n{content}"
        writer.write(answer.encode())
        await writer.drain()
        return True


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if headers.get("transfer-encoding", "") != "chunked":
        return await reader.readexactly(int(headers.get("content-length", "0")))
    body = b""
    while size := int(await reader.readline(), 16):
        body += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return body


@asynccontextmanager
async def gemini_api(*answers: str) -> AsyncIterator[GeminiApi]:
    api = GeminiApi(list(answers))
    server = await asyncio.start_server(api.take, "127.0.0.1", 0)
    api.port = server.sockets[0].getsockname()[1]
    try:
        yield api
    finally:
        server.close()
