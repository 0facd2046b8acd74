"""A door before librdkafka's mock cluster, for what the mock has not: TLS, signing in, and two members in a group.

Frames go through as they are; in answers the mock's own address becomes the door's, so that clients come back to it.

Two members: the mock counts assignments instead of members that asked (rd_kafka_mock_cgrp_classic_sync_check): as soon
as the leader has sent everybody's, it says that all are synced, and a follower whose SyncGroup comes a moment later is
answered with INVALID_REQUEST, where a broker answers with the assignment. So the door lets the leader's go last.
"""

import asyncio
import base64
import hashlib
import hmac
import ssl
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from tests.support.kafka import Kafka

HOST = "127.0.0.1"
SYNC, HANDSHAKE, VERSIONS, AUTHENTICATE = 14, 17, 18, 36
DENIED = 58
PATIENCE = 5.0
Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@dataclass(eq=False)
class KafkaGate:
    """`users`: who may come in, by password; none: everybody. `seen` are the tokens people signed in with."""

    port_behind: int
    users: dict[str, str] = field(default_factory=dict)
    mechanisms: tuple[str, ...] = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
    port: int = 0
    seen: list[bytes] = field(default_factory=list)
    _followers: asyncio.Condition = field(default_factory=asyncio.Condition)
    _synced: set[int] = field(default_factory=set)
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            behind = await asyncio.open_connection(HOST, self.port_behind)
        except OSError:
            writer.close()
            return
        self._open |= {writer, behind[1]}
        try:
            if not self.users or await self._let_in(reader, writer, behind):
                await _first_of(self._ask(reader, behind[1]), self._answer(behind[0], writer))
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            for one in (writer, behind[1]):
                one.close()
                self._open.discard(one)

    async def _ask(self, reader: asyncio.StreamReader, behind: asyncio.StreamWriter) -> None:
        while True:
            frame = await _read(reader)
            if _key(frame) == SYNC:
                await self._go_in_turn(frame)
            _write(behind, frame)

    async def _answer(self, behind: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        mine, theirs = (HOST.encode() + struct.pack(">i", port) for port in (self.port, self.port_behind))
        while True:
            _write(writer, (await _read(behind)).replace(theirs, mine))

    async def _go_in_turn(self, frame: bytes) -> None:
        generation, members = read_sync(frame)
        async with self._followers:
            if members < 2:
                self._synced.add(generation)
                self._followers.notify_all()
                return
            try:
                async with asyncio.timeout(PATIENCE):
                    await self._followers.wait_for(lambda: generation in self._synced)
            except TimeoutError:
                return
        await self._round_trip()

    async def _round_trip(self) -> None:
        """What came to the mock before this has been read when this is answered."""
        reader, writer = await asyncio.open_connection(HOST, self.port_behind)
        _write(writer, struct.pack(">hhih", VERSIONS, 0, 1, -1))
        await _read(reader)
        writer.close()

    async def close(self) -> None:
        for one in self._open:
            one.close()
        async with asyncio.timeout(PATIENCE):
            while self._open:
                await asyncio.sleep(0)

    async def _let_in(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, behind: Stream) -> bool:
        """As a broker with SASL: nothing else is answered before."""
        scram: Scram | None = None
        while True:
            frame = await _read(reader)
            if _key(frame) == VERSIONS:
                _write(behind[1], frame)
                known = await _read(behind[0])
                count = struct.unpack_from(">i", known, 6)[0]
                more = struct.pack(">hhh", HANDSHAKE, 0, 1) + struct.pack(">hhh", AUTHENTICATE, 0, 0)
                _reply(writer, frame, struct.pack(">hi", 0, count + 2) + known[10:] + more)
            elif _key(frame) == HANDSHAKE:
                mechanism = _body(frame)[2:].decode()
                scram = Scram(self.users, mechanism) if mechanism.startswith("SCRAM") else None
                names = b"".join(struct.pack(">h", len(name)) + name.encode() for name in self.mechanisms)
                _reply(writer, frame, struct.pack(">hi", 0, len(self.mechanisms)) + names)
            elif _key(frame) == AUTHENTICATE:
                token = _body(frame)[4:]
                self.seen.append(token)
                answer, is_over = scram.take(token) if scram else (self._plain(token), True)
                code, words = (0, b"") if answer is not None else (DENIED, b"Authentication failed")
                said = answer or b""
                told = struct.pack(">hh", code, len(words)) + words + struct.pack(">i", len(said)) + said
                _reply(writer, frame, told)
                if answer is None or is_over:
                    return answer is not None
            else:
                return False

    def _plain(self, token: bytes) -> bytes | None:
        _, user, password = token.decode().split("\0")
        return b"" if self.users.get(user) == password else None


class Scram:
    """The broker's half of RFC 5802."""

    def __init__(self, users: dict[str, str], mechanism: str) -> None:
        self._users, self._hash = users, mechanism.removeprefix("SCRAM-").replace("-", "").lower()
        self._first = self._answer = ""
        self._user = ""

    def take(self, token: bytes) -> tuple[bytes | None, bool]:
        """What is answered, None: no; and whether that was the last word."""
        text = token.decode()
        if not self._first:
            self._first = text.removeprefix("n,,")
            said = dict(part.split("=", 1) for part in self._first.split(","))
            self._user = said["n"]
            self._answer = f"r={said['r']}broker,s={base64.b64encode(b'salt').decode()},i=4096"
            return self._answer.encode(), False
        return self._verify(text), True

    def _verify(self, text: str) -> bytes | None:
        bare, _, proof = text.rpartition(",p=")
        password = self._users.get(self._user, "")
        salted = hashlib.pbkdf2_hmac(self._hash, password.encode(), b"salt", 4096)
        whole = f"{self._first},{self._answer},{bare}".encode()
        key = self._sign(salted, b"Client Key")
        signature = self._sign(hashlib.new(self._hash, key).digest(), whole)
        mine = bytes(one ^ other for one, other in zip(key, signature, strict=True))
        if self._user not in self._users or base64.b64encode(mine).decode() != proof:
            return None
        server = self._sign(self._sign(salted, b"Server Key"), whole)
        return b"v=" + base64.b64encode(server)

    def _sign(self, key: bytes, text: bytes) -> bytes:
        return hmac.new(key, text, self._hash).digest()


@asynccontextmanager
async def open_gate(
    kafka: Kafka, *, users: dict[str, str] | None = None, tls: ssl.SSLContext | None = None
) -> AsyncIterator[KafkaGate]:
    gate = KafkaGate(int(kafka.address.rpartition(":")[2]), users or {})
    server = await asyncio.start_server(gate.serve, HOST, ssl=tls)
    gate.port = server.sockets[0].getsockname()[1]
    try:
        yield gate
    finally:
        server.close()
        await gate.close()


def read_sync(frame: bytes) -> tuple[int, int]:
    """The generation, and how many members the sender has assignments for: only a leader has any."""
    body, version = _body(frame), struct.unpack_from(">h", frame, 2)[0]
    at = 2 + struct.unpack_from(">h", body)[0]
    generation = struct.unpack_from(">i", body, at)[0]
    at += 4
    for _ in range(2 if version >= 3 else 1):
        at += 2 + max(0, struct.unpack_from(">h", body, at)[0])
    return generation, struct.unpack_from(">i", body, at)[0]


def _key(frame: bytes) -> int:
    key: int = struct.unpack_from(">h", frame)[0]
    return key


def _body(frame: bytes) -> bytes:
    """Behind key, version, number and the client's name."""
    return frame[10 + max(0, struct.unpack_from(">h", frame, 8)[0]) :]


def _reply(writer: asyncio.StreamWriter, frame: bytes, body: bytes) -> None:
    _write(writer, frame[4:8] + body)


def _write(writer: asyncio.StreamWriter, frame: bytes) -> None:
    writer.write(struct.pack(">i", len(frame)) + frame)


async def _read(reader: asyncio.StreamReader) -> bytes:
    size = struct.unpack(">i", await reader.readexactly(4))[0]
    return await reader.readexactly(size)


async def _first_of(*ways: "asyncio.Future[None] | object") -> None:
    tasks = [asyncio.ensure_future(way) for way in ways]  # type: ignore[arg-type]  # coroutines
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
