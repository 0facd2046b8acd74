"""Ten thousand frames that no phone would send, against the real port: a phone still gets its message afterwards."""

import asyncio
import gc
import json
import random
from collections.abc import Callable
from typing import Any

import pytest

from pabal.apps.messaging.errors import BadPacket
from pabal.apps.messaging.listener import connection
from pabal.apps.messaging.listener.protocol import Verdict
from pabal.apps.messaging.listener.server import BotServer, memory_mb
from pabal.apps.messaging.listener.wire import Packet, read_packet
from tests.apps.messaging.listener.phones import WHO, Clock, MemoryKeeper, Phone, chat, packet, until

pytestmark = pytest.mark.slow

FRAMES, EACH, AT_ONCE = 10_000, 5, 20
# about one of EACH comes as far as the parser
MOST_ROUNDS = 2 * FRAMES // AT_ONCE
WHOLE = (
    packet("handshake", {**WHO, "botName": "stranger", "deviceID": "stranger"}),
    packet("handshake", {**WHO, "botName": "approved", "deviceID": "approved"}),
    packet("pong", {"monitoring": {"message_queue_size": 1}, "auth": {"botName": "x", "timestamp": 1.5e12}}),
    packet("ping", {"monitoring": {"a": [1, {"b": None}]}}),
    packet("analyze", {"room": "방", "channelId": "1", "text": "안녕 {[,"}),
    chat("안녕하세요", auth={"botName": "LOA.i", "deviceID": "a1b2c3d4e5f60718"}),
)
LAST = b"\n" + packet("weather", {})
REAL = {b"", *(one.strip() for one in (*WHOLE, LAST))}
VALUES = (None, True, -1, 2**70, 1e308, float("nan"), "", "x" * 2000, "\x00\ud800", [], {}, [[[[]]]], {"event": 1})
NAMES = ("event", "data", "botName", "deviceID", "version", "auth", "monitoring", "message_positions", "timestamp", "x")


def make_frame(rng: random.Random) -> bytes:
    kinds: tuple[Callable[[random.Random], bytes], ...] = (_whole, _bent, _made, _noise, _nested, _unended)
    return rng.choice(kinds)(rng)


def _whole(rng: random.Random) -> bytes:
    return rng.choice(WHOLE)


def _bent(rng: random.Random) -> bytes:
    """A real one with some bytes changed, cut out or doubled."""
    frame = bytearray(rng.choice(WHOLE))
    for _ in range(rng.randint(1, 4)):
        place = rng.randrange(len(frame))
        match rng.randrange(3):
            case 0:
                frame[place] = rng.randrange(256)
            case 1:
                del frame[place : place + rng.randint(1, 20)]
            case _:
                frame[place:place] = frame[place : place + rng.randint(1, 40)]
        frame = frame or bytearray(b"\n")
    return bytes(frame)


def _made(rng: random.Random) -> bytes:
    data = {rng.choice(NAMES): rng.choice(VALUES) for _ in range(rng.randint(0, 6))}
    body = (
        data if rng.random() < 0.3 else {"event": rng.choice(("handshake", "pong", "message", "", None)), "data": data}
    )
    return json.dumps(body).encode("utf-8", "replace") + rng.choice((b"", b"YWJj", b"}{", b"\xff")) + b"\n"


def _noise(rng: random.Random) -> bytes:
    return rng.randbytes(rng.randint(0, 300)) + b"\n"


def _nested(rng: random.Random) -> bytes:
    opening = rng.choice((b"[", b'{"a":', b"[],", b'"', b"\\"))
    return b'{"event":"message","data":' + opening * rng.randint(1, 9000) + b"}\n"


def _unended(rng: random.Random) -> bytes:
    return rng.choice(WHOLE)[: rng.randint(1, 60)]


class Parsed:
    """Frames that came as far as the parser: a connection is closed at its first wrong one, and nobody looks at what
    stands behind it. `odd` are those that no phone would send."""

    def __init__(self) -> None:
        self.odd = self.refused = 0

    def read(self, line: bytes) -> Packet:
        self.odd += line.strip() not in REAL
        try:
            return read_packet(line)
        except BadPacket:
            self.refused += 1
            raise


def is_heard(server: BotServer, addresses: set[Any], since: float) -> bool:
    here = [each for each in server.connections if each.address in addresses]
    return all(each.is_closed or (each._heard_at == since and not each.lines.has_line) for each in here)


@pytest.mark.slow
async def test_ten_thousand_fuzzed_frames_leave_nothing_behind_and_a_phone_gets_its_message(
    server: BotServer, keeper: MemoryKeeper, clock: Clock, monkeypatch
):
    for pace in ("UNKNOWN_A_SECOND", "TOLD_A_SECOND"):
        monkeypatch.setattr(f"pabal.apps.messaging.listener.strangers.{pace}", 1_000_000)
    parsed = Parsed()
    monkeypatch.setattr(connection, "read_packet", parsed.read)
    keeper.verdicts = {"stranger": Verdict(approved=False), "": Verdict(approved=False)}
    phone = await Phone.greet(server)
    tasks = len(asyncio.all_tasks())
    rng = random.Random(20261116)

    before = memory_mb()

    for _ in range(MOST_ROUNDS):
        if parsed.odd >= FRAMES:
            break
        strangers = await asyncio.gather(*(Phone.call(server) for _ in range(AT_ONCE)))
        await until(lambda: len(server.strangers) >= AT_ONCE)
        # what an address may send a second has come again
        clock.at += 10
        phone.say("pong", {})
        for stranger in strangers:
            # some as nobody, some as a device that waits, some as a bot
            stranger.write(rng.choice((b"", *WHOLE[:2])) + b"".join(make_frame(rng) for _ in range(EACH)) + LAST)
        # each is heard whole, or until it says something wrong
        known = {each.address for each in (phone, *strangers)}
        await until(lambda known=known: is_heard(server, known, clock.at))
        for stranger in strangers:
            stranger.hang_up()

    assert parsed.odd >= FRAMES
    assert parsed.refused > FRAMES // 2
    assert memory_mb() - before < 100
    assert keeper.calls("handshake") > 500
    assert sum(address != phone.address for name, address in keeper.told if name == "pong") > 50
    assert keeper.calls("message") > 20
    await server.find("LOA.i").send_text("방", "1", "그래도 옵니다")
    while (heard := await phone.hear()).event == "ping":
        pass
    assert heard.parts == ["그래도 옵니다".encode()]
    phone.hang_up()
    async with asyncio.timeout(30):
        while server.connections:
            clock.at += 5
            await server.sweep()
            await asyncio.sleep(0.001)
    clock.at += 60
    await server.sweep()
    assert (len(server.strangers), server.strangers.kept_bytes, server.strangers.sources) == (0, 0, set())
    assert server.clients.get_all_clients() == {}
    gc.collect()
    await until(lambda: len(asyncio.all_tasks()) <= tasks)
