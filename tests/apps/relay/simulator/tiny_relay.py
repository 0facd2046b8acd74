"""A relay in a few lines, written from the protocol's facts: it answers as a test says, and keeps what it hears."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import parse_qsl, urlsplit

from tests.support.servers import until

STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
CREATED = {"sessionToken": "f" * 64, "pairingCode": "ABCD-2345", "expiresIn": 300, "status": "pending_pairing"}


@dataclass
class Heard:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    writer: asyncio.StreamWriter = field(repr=False)

    def send(self, *events: bytes) -> None:
        """On a stream."""
        self.writer.write(b"".join(events))

    def close(self) -> None:
        self.writer.close()


# A status with JSON, or None: a stream is begun, or there is no answer, as the path asks for.
Answer = tuple[int, Any] | None
Answering = Callable[[Heard], Answer | Awaitable[Answer]]


class TinyRelay:
    """`answers` by path: one answer for all requests, a list with one for each and the last for the rest, or code."""

    def __init__(self, **answers: Answer | list[Answer] | Answering) -> None:
        self.answers: dict[str, Any] = {"events": None, "reply": (200, {"success": True}), **answers}
        self.heard: list[Heard] = []
        self._writers: list[asyncio.StreamWriter] = []
        self._open = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for writer in self._writers:
            writer.transport.abort()
        await until(lambda: self._open == 0)

    def of(self, name: str) -> list[Heard]:
        """What came to the path that ends so."""
        return [one for one in self.heard if one.path.rstrip("/").endswith(name)]

    async def until(self, name: str, number: int = 1) -> Heard:
        """The so manieth of them."""
        await until(lambda: len(self.of(name)) >= number)
        return self.of(name)[number - 1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open += 1
        self._writers.append(writer)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while True:
                    await self._answer(await _read(reader, writer), writer)
        finally:
            self._open -= 1
            writer.close()

    async def _answer(self, heard: Heard, writer: asyncio.StreamWriter) -> None:
        self.heard.append(heard)
        name = heard.path.rpartition("/")[2]
        answer = self.answers[name]
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if callable(answer):
            answer = answer(heard)
            if asyncio.iscoroutine(answer):
                answer = await answer
        if answer is None:
            writer.write(STREAM if name == "events" else b"")
            return
        status, body = answer
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = f"HTTP/1.1 {status} X\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + content)


async def _read(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Heard:
    first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().strip().split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    content = await reader.readexactly(int(headers.get("content-length", "0")))
    parts = urlsplit(target)
    body = json.loads(content) if content else None
    return Heard(method, parts.path, dict(parse_qsl(parts.query)), headers, body, writer)


def event(name: str, data: Any, number: str = "") -> bytes:
    line = json.dumps(data, ensure_ascii=False)
    return (f"id: {number}\n" if number else "").encode() + f"event: {name}\ndata: {line}\n\n".encode()


def letter(text: str, number: int = 1) -> dict[str, Any]:
    message_id = f"00000000-0000-0000-0000-{number:012d}"
    said = {"userId": "u1", "text": text, "channelId": "simbot"}
    return {"id": message_id, "conversationKey": "simbot:u1", "kakaoPayload": {}, "normalized": said}
