"""A server of bots in a few lines, written from the protocol's facts: what it hears is kept as it came."""

import asyncio
import json
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Self

from tests.support.servers import until


def packet(event: str, raw: str = "", **data: Any) -> bytes:
    return json.dumps({"event": event, "data": data}, ensure_ascii=False).encode() + raw.encode() + b"\n"


def text_packet(text: str, *, room: str = "해운대점", event: str = "messageResponse", **data: Any) -> bytes:
    raw = b64encode(text.encode()).decode()
    kind = {"message_type": "text", "content_encoding": "base64", "message_positions": [0, len(raw)]}
    return packet(event, raw, room=room, channel_id="18390001", **kind, **data)


def image_packet(*images: bytes, **data: Any) -> bytes:
    parts = [b64encode(image).decode() for image in images]
    positions = [sum(map(len, parts[:end])) for end in range(len(parts) + 1)]
    kind = {"message_type": "image", "message_format": "jpg", "message_positions": positions}
    return packet("messageResponse", "".join(parts), channel_id="18390001", **kind, **data)


PING = packet(
    "ping", bot_name="bot", channel_id="ping", room="PING", server_timestamp="2026-11-16 03:30:00.123", text=""
)


class Heard:
    """One connection, seen from the server."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self.writer = writer
        self.lines: list[bytes] = []
        self.is_over = False

    @property
    def events(self) -> list[str]:
        return [json.loads(line[: line.rindex(b"}") + 1]).get("event", "") for line in self.lines]

    def data(self, event: str) -> dict[str, Any]:
        line = self.lines[self.events.index(event)]
        found: dict[str, Any] = json.loads(line[: line.rindex(b"}") + 1])["data"]
        return found


class TinyServer:
    """Answers handshakes as told; everything else a test sends by hand."""

    def __init__(self, port: int = 0, **answer: Any) -> None:
        self.answer = {"success": True, "approved": True, "message": "ok"} | answer
        self.port = port
        self.heard: list[Heard] = []

    @property
    def address(self) -> tuple[str, int]:
        return ("127.0.0.1", self.port)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for heard in self.heard:
            heard.writer.transport.abort()
        await until(lambda: all(heard.is_over for heard in self.heard))

    def send(self, *packets: bytes) -> None:
        """On the newest connection."""
        self.heard[-1].writer.write(b"".join(packets))

    async def until(self, is_so: Callable[[Heard], bool], number: int = 1) -> Heard:
        """Until it is so on the connection of this number."""
        await until(lambda: len(self.heard) >= number and is_so(self.heard[number - 1]))
        return self.heard[number - 1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard = Heard(writer)
        self.heard.append(heard)
        try:
            # A phone that was cut off is over, as one that hung up is: what tests ask for is only that.
            with suppress(ConnectionError):
                while line := await reader.readline():
                    heard.lines.append(line)
                    if b"botName" in line and (b'"handshake"' in line or b'"event"' not in line):
                        writer.write(packet("handshakeComplete", **self.answer, message_positions=[0, 0]))
        finally:
            heard.is_over = True
            writer.close()
