"""A phone by hand over a real socket, from the protocol's description alone; and a keeper that only remembers."""

import asyncio
import base64
import itertools
import json
import socket
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.protocol import Chat, Verdict
from pabal.apps.messaging.listener.server import BotServer

CEILING = 30
# Held until the test ends: a phone nobody holds is closed by the collector of garbage.
PHONES: list["Phone"] = []
WHO = {
    "clientType": "MessengerBotR",
    "botName": "LOA.i",
    "version": "3.3.3",
    "deviceID": "a1b2c3d4e5f60718",
    "deviceIP": "10.0.0.5",
    "deviceInfo": "samsung SM-X (Android 13, API 33)",
    "timestamp": "2026-11-16T03:30:00.123Z",
    "timezone": "Asia/Seoul",
    "message_positions": [0, 0],
}


class Clock:
    def __init__(self) -> None:
        self.at = 1000.0

    def __call__(self) -> float:
        return self.at


@dataclass
class Heard:
    event: str
    data: dict[str, Any]
    raw: str

    @property
    def parts(self) -> list[bytes]:
        cuts = self.data["message_positions"]
        return [base64.b64decode(self.raw[a:b]) for a, b in itertools.pairwise(cuts)]


class Phone:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        PHONES.append(self)

    @classmethod
    async def call(cls, server: BotServer, *, receive_buffer: int = 0, local: str = "127.0.0.1") -> "Phone":
        found = socket.socket()
        found.bind((local, 0))
        found.setblocking(False)
        if receive_buffer:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        await asyncio.get_running_loop().sock_connect(found, ("127.0.0.1", server.port))
        # A small limit, so that what is not read stays with the kernel.
        return cls(*await asyncio.open_connection(sock=found, limit=2**16 if receive_buffer else 2**26))

    @classmethod
    async def greet(cls, server: BotServer, **who: str) -> "Phone":
        """Through the handshake, welcomed."""
        phone = await cls.call(server)
        phone.say("handshake", {**WHO, **who})
        welcome = await phone.hear()
        assert (welcome.event, welcome.data["success"]) == ("handshakeComplete", True)
        return phone

    @property
    def address(self) -> tuple[str, int]:
        return self.writer.get_extra_info("sockname")[:2]

    def say(self, event: str, data: dict[str, Any], raw: str = "") -> None:
        self.write(packet(event, data, raw))

    def write(self, data: bytes) -> None:
        self.writer.write(data)

    def chat(self, text: str, **more: Any) -> None:
        self.write(chat(text, **more))

    async def hear(self) -> Heard:
        async with asyncio.timeout(CEILING):
            line = (await self.reader.readuntil(b"\n")).decode()
        end = line.rindex("}") + 1
        body = json.loads(line[:end])
        return Heard(body["event"], body["data"], line[end:].rstrip("\n"))

    async def hear_part(self) -> Heard:
        """What is no ping: one goes behind every part."""
        while (heard := await self.hear()).event == "ping":
            pass
        return heard

    async def is_hung_up_on(self) -> bool:
        """Nothing more comes, and the other side has closed."""
        async with asyncio.timeout(CEILING):
            return await self.reader.read() == b""

    def hang_up(self) -> None:
        self.writer.close()


def packet(event: str, data: dict[str, Any], raw: str = "") -> bytes:
    return json.dumps({"event": event, "data": data}, ensure_ascii=False).encode() + raw.encode() + b"\n"


def chat(text: str, **more: Any) -> bytes:
    raw = base64.b64encode(text.encode()).decode()
    data = {
        "room": "부산 1호점",
        "channel_id": "18390000001",
        "message_type": "text",
        "content_encoding": "base64",
        "message_positions": [0, len(raw)],
        "sender": "민수",
        "is_group_chat": True,
        "log_id": "77",
        "timestamp": "2026-11-16T03:30:00.123Z",
        **more,
    }
    return packet("message", data, raw)


@dataclass
class MemoryKeeper:
    """Approves all but those named in `verdicts`; remembers what it was told, in order."""

    verdicts: dict[str, Verdict] = field(default_factory=dict)
    told: list[tuple[str, Any]] = field(default_factory=list)
    chats: list[Chat] = field(default_factory=list)
    before: Callable[[str, Connection], Any] | None = None
    epoch: int = 0

    def is_approved(self, bot_name: str, device_id: str) -> bool:
        return self._find(device_id).approved

    async def on_handshake(self, connection: Connection) -> Verdict:
        await self._note("handshake", connection)
        verdict = self._find(connection.device_id)
        if verdict.approved and not verdict.needs_proof:
            self._route(connection)
        return verdict

    async def on_pong(self, connection: Connection, monitoring: dict[str, Any], auth: dict[str, Any] | None) -> None:
        await self._note("pong", connection)
        if auth is not None and connection.verdict is not None and connection.verdict.needs_proof:
            self._route(connection)

    async def on_message(self, connection: Connection, chat: Chat) -> None:
        await self._note("message", connection)
        self.chats.append(chat)

    async def on_close(self, connection: Connection) -> None:
        await self._note("close", connection)

    def _find(self, device_id: str) -> Verdict:
        return self.verdicts.get(device_id, Verdict(approved=True, message="어서 오세요"))

    def calls(self, name: str) -> int:
        return sum(told == name for told, _ in self.told)

    async def _note(self, name: str, connection: Connection) -> None:
        if self.before is not None:
            await self.before(name, connection)
        self.told.append((name, connection.address))

    def _route(self, connection: Connection) -> None:
        self.epoch += 1
        connection.take_route(self.epoch)


async def until(is_met: Callable[[], object]) -> None:
    async with asyncio.timeout(CEILING):
        while not is_met():
            await asyncio.sleep(0.002)
