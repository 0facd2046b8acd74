"""The port as a stranger meets it: what nobody approved costs little, is given back, and keeps no phone out."""

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from pabal.apps.messaging.listener import refusals
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.protocol import Verdict
from pabal.apps.messaging.listener.server import BotServer, memory_mb
from pabal.apps.messaging.listener.strangers import BURST, FREE, KEPT_OF_ADDRESS
from pabal.base.telemetry import start_logging
from tests.apps.messaging.listener.conftest import ROOMY
from tests.apps.messaging.listener.phones import WHO, Clock, MemoryKeeper, Phone, chat, packet, until

MEGABYTE = 1024 * 1024
PENDING = Verdict(approved=False)


async def serve(keeper: MemoryKeeper, clock: Clock, **limits: Any) -> BotServer:
    server = BotServer(keeper, host="127.0.0.1", port=0, limits=lambda: replace(ROOMY, **limits), now=clock)
    await server.start()
    return server


async def greet(server: BotServer, name: str) -> Phone:
    return await Phone.greet(server, botName=name, deviceID=name)


async def leave_nothing(server: BotServer, clock: Clock) -> None:
    """Everybody hangs up, and nothing is remembered of anybody; of those that were not read, only in time."""
    async with asyncio.timeout(30):
        while server.connections:
            clock.at += 5
            await server.sweep()
            await asyncio.sleep(0.001)
    clock.at += 60
    await server.sweep()
    assert (len(server.strangers), server.strangers.kept_bytes, server.strangers.sources) == (0, 0, set())
    assert server.clients.get_all_clients() == {}


async def test_lines_of_brackets_before_the_handshake_take_no_memory(
    server: BotServer, keeper: MemoryKeeper, clock: Clock
):
    phone = await Phone.greet(server)
    line = b'{"event":"message","data":{"x":[' + b"[]," * (MEGABYTE // 3) + b"[]]}}\n"
    before = memory_mb()

    strangers = [await Phone.call(server) for _ in range(20)]
    for stranger in strangers:
        stranger.write(line * 4)
    await until(lambda: all(one.is_closed or one.lines.is_paused for one in server.connections if not one.is_trusted))

    # the senders are of this process, and what they have not sent is theirs
    unsent = sum(one.writer.transport.get_write_buffer_size() for one in strangers) / MEGABYTE
    assert memory_mb() - before - unsent < 60
    phone.chat("저는 괜찮아요")
    await until(lambda: keeper.chats)
    for each in (phone, *strangers):
        each.writer.transport.abort()
    await leave_nothing(server, clock)


@pytest.mark.parametrize("line", [b'{"event":"message","data":{"x":' + b"[" * 40 + b"]" * 40 + b"}}\n",
                                  b'{"event":"message","data":{"x":[' + b"[]," * 6000 + b"[]]}}\n"])  # fmt: skip
async def test_what_is_too_deep_or_too_much_is_not_parsed(server: BotServer, line: bytes):
    stranger = await Phone.call(server)

    stranger.write(line)

    assert (await stranger.hear()).data["reason"] == "garbage"


async def test_strangers_of_one_address_that_send_rubbish_hear_why_only_so_often(server: BotServer, clock: Clock):
    """Told at once, they would come again at once: 50 are, then 5 a second, and the others when their time is over."""
    strangers = [await Phone.call(server) for _ in range(70)]
    for stranger in strangers:
        stranger.write(b"rubbish\n")
    await until(lambda: all(one.is_closed or one.lines.is_paused for one in server.connections))

    def count_waiting() -> int:
        return len(server.strangers)

    at_once = count_waiting()
    clock.at += 1
    await server.sweep()
    after_a_second = count_waiting()
    phone = await Phone.greet(server)
    clock.at += 9
    await server.sweep()

    assert (at_once, after_a_second, count_waiting()) == (20, 15, 0)
    assert [(await one.hear()).data["reason"] for one in strangers] == ["garbage"] * 70
    for each in (phone, *strangers):
        each.writer.transport.abort()
    await leave_nothing(server, clock)


async def test_what_a_stranger_says_after_rubbish_is_not_heard(server: BotServer, keeper: MemoryKeeper):
    strangers = [await Phone.call(server) for _ in range(51)]
    for stranger in strangers:
        stranger.write(b"rubbish\n" + packet("handshake", WHO))
    await until(lambda: all(one.is_closed or one.lines.is_paused for one in server.connections))

    assert len(server.strangers) == 1
    assert keeper.calls("handshake") == 0


async def test_a_line_that_a_phone_may_send_is_too_long_for_a_stranger(server: BotServer, keeper: MemoryKeeper):
    """Seventy kilobytes: more than any chat has, and far less than an approved phone may say at once."""
    keeper.verdicts["stranger"] = PENDING
    waits, silent = await greet(server, "stranger"), await Phone.call(server)
    phone = await Phone.greet(server)
    line = chat("x" * 52_000)
    assert 64 * 1024 < len(line) < 80 * 1024

    for each in (waits, silent, phone):
        each.write(line)

    assert [(await one.hear()).data["reason"] for one in (waits, silent)] == [refusals.TOO_LONG.reason] * 2
    await until(lambda: keeper.chats)
    assert [each.bot_name for each in server.connections if each.is_trusted] == [WHO["botName"]]


async def test_what_an_address_keeps_before_its_handshakes_is_bounded_and_given_back(
    server: BotServer, clock: Clock, keeper: MemoryKeeper
):
    strangers = [await Phone.call(server) for _ in range(20)]
    for _ in range(30):
        for stranger in strangers:
            stranger.write(chat("x" * 20_000))
        clock.at += 5 / 30
        await server.sweep()
        await asyncio.sleep(0.001)
    await until(lambda: server.strangers.kept_bytes > KEPT_OF_ADDRESS // 2)

    assert server.strangers.kept_bytes <= KEPT_OF_ADDRESS
    for stranger in strangers:
        stranger.writer.transport.abort()
    await leave_nothing(server, clock)


async def test_a_stranger_is_read_no_faster_than_its_address_may_speak(
    server: BotServer, keeper: MemoryKeeper, clock: Clock
):
    keeper.verdicts["stranger"] = PENDING
    waits = await Phone.greet(server, botName="stranger", deviceID="stranger")
    phone = await Phone.greet(server)
    silent = await Phone.call(server)

    for flooder in (waits, silent):
        flooder.write(packet("weather", {"x": "y" * 1000}) * 16_000)
    await until(lambda: all(one.lines.is_paused for one in server.strangers.list_all()))

    # in the kernel, and then at the sender
    assert all(one.writer.transport.get_write_buffer_size() > MEGABYTE for one in (waits, silent))
    # a phone of the same address is heard, and another shakes hands
    phone.chat("저는 괜찮아요")
    await until(lambda: keeper.chats)
    await greet(server, "another")
    assert len(server.strangers) == 2
    clock.at += 5
    await server.sweep()
    assert not all(one.lines.is_paused for one in server.strangers.list_all())


async def test_lines_cost_more_than_their_bytes(server: BotServer, clock: Clock, monkeypatch: pytest.MonkeyPatch):
    heard = 0
    hear = Connection._hear

    async def count(self: Connection, line: bytes) -> None:
        nonlocal heard
        heard += 1
        await hear(self, line)

    monkeypatch.setattr(Connection, "_hear", count)
    stranger = await Phone.call(server)

    stranger.write(b'{"event":"x"}\n' * 10_000)
    await until(lambda: server.connections and (heard == 10_000 or not server.connections[0]._may_speak()))

    assert 100 < heard <= (BURST + FREE) // 256 + 1


async def test_a_device_that_waits_for_approval_is_not_heard(server: BotServer, keeper: MemoryKeeper):
    keeper.verdicts["stranger"] = PENDING
    waits = await Phone.call(server)
    waits.chat("먼저")
    waits.say("handshake", {**WHO, "deviceID": "stranger"})
    waits.chat("나중")
    waits.say("pong", {"monitoring": {}})

    await until(lambda: keeper.calls("pong"))

    assert keeper.chats == []
    assert server.strangers.kept_bytes == 0


async def test_strangers_fill_no_place_of_a_bot(keeper: MemoryKeeper, clock: Clock):
    server = await serve(keeper, clock, active_bots=2)
    for n in range(6):
        keeper.verdicts[f"stranger {n}"] = PENDING
        await greet(server, f"stranger {n}")
    silent = [await Phone.call(server) for _ in range(6)]

    phones = [await greet(server, f"bot {n}") for n in range(3)]

    assert server.load().active_bots == len(phones)
    late = await Phone.call(server)
    late.say("handshake", {**WHO, "botName": "one too many", "deviceID": "late"})
    assert (await late.hear()).data["reason"] == "bots"
    assert len(server.strangers) == 6 + len(silent)
    await server.close()


async def test_a_device_approved_while_it_waits_is_refused_when_there_is_no_place(keeper: MemoryKeeper, clock: Clock):
    keeper.verdicts["waits"] = PENDING
    server = await serve(keeper, clock, active_bots=0)
    waits = await greet(server, "waits")
    [connection] = server.connections
    await greet(server, "bot")

    assert not connection.take_route(7)

    assert (await waits.hear()).data["reason"] == "bots"
    await server.close()


async def test_one_stranger_too_many_of_an_address_closes_its_oldest_and_no_phone(keeper: MemoryKeeper, clock: Clock):
    server = await serve(keeper, clock, strangers_of_address=3)
    phones = [await greet(server, f"bot {n}") for n in range(5)]
    strangers = [await Phone.call(server) for _ in range(3)]
    await until(lambda: len(server.strangers) == 3)

    late = await greet(server, "late")

    assert (await strangers[0].hear()).data["reason"] == "crowded"
    assert len(server.strangers) == 2
    assert {each.bot_name for each in server.connections if each.is_trusted} == {
        *(f"bot {n}" for n in range(5)),
        "late",
    }
    for phone in (*phones, late):
        phone.say("pong", {})
    await until(lambda: keeper.calls("pong") == 6)
    await server.close()


async def test_no_address_crowds_out_another(keeper: MemoryKeeper, clock: Clock):
    server = await serve(keeper, clock, strangers=4)
    first = await Phone.call(server, local="127.0.0.7")
    await until(lambda: len(server.strangers) == 1)

    for count in range(2, 9):
        await Phone.call(server)
        await until(lambda count=count: len(server.strangers) == min(count, 4))

    assert {each.source for each in server.strangers.list_all()} == {"127.0.0.1", "127.0.0.7"}
    first.say("handshake", dict(WHO))
    assert (await first.hear()).data["success"] is True
    await server.close()


@pytest.mark.parametrize("over", [{"memory_mb": 1}, {"cpu_percent": -1}])
async def test_when_room_is_short_strangers_go_and_an_approved_phone_stays(
    keeper: MemoryKeeper, clock: Clock, over: dict[str, float]
):
    keeper.verdicts["stranger"] = PENDING
    now = ROOMY
    server = BotServer(keeper, host="127.0.0.1", port=0, limits=lambda: now, now=clock)
    await server.start()
    waits = await greet(server, "stranger")
    silent = await Phone.call(server)
    await until(lambda: len(server.strangers) == 2)

    now = replace(ROOMY, **over)
    await greet(server, "phone")
    await greet(server, "another")

    assert [(await one.hear()).data["reason"] for one in (waits, silent)] == ["crowded", "crowded"]
    again = await Phone.call(server)
    again.say("handshake", {**WHO, "deviceID": "stranger"})
    assert (await again.hear()).data["reason"] in ("memory", "cpu")
    # nobody is left who could go
    clock.at += 31
    await until(lambda: not len(server.strangers))
    late = await Phone.call(server)
    late.say("handshake", {**WHO, "botName": "late", "deviceID": "late"})
    assert (await late.hear()).data["reason"] in ("memory", "cpu")
    await server.close()


async def test_unknown_devices_wait_for_each_other_and_a_known_one_for_nobody(server: BotServer, keeper: MemoryKeeper):
    go_on = asyncio.Event()
    asked: list[str] = []

    async def hold(name: str, connection: Connection) -> None:
        if name == "handshake":
            asked.append(connection.bot_name)
            if connection.bot_name.startswith("stranger"):
                await go_on.wait()

    keeper.before = hold
    for n in range(5):
        keeper.verdicts[f"stranger {n}"] = PENDING
        stranger = await Phone.call(server)
        stranger.say("handshake", {**WHO, "botName": f"stranger {n}", "deviceID": f"stranger {n}"})
    await until(lambda: asked)

    await greet(server, "phone")

    assert len(asked) == 2
    go_on.set()
    await until(lambda: len(asked) == 6)


async def test_a_flood_of_refusals_is_logged_as_a_number(server: BotServer, capsys: pytest.CaptureFixture[str]):
    start_logging(level="warning")
    for _ in range(30):
        stranger = await Phone.call(server)
        stranger.write(b"garbage\n")
        await stranger.hear()
    await server.sweep()

    lines = [line for line in capsys.readouterr().err.splitlines() if "listener.refused" in line]
    assert len(lines) < 30
    assert sum(json.loads(line)["count"] for line in lines) == 30


AUTH = {"botName": WHO["botName"], "deviceID": WHO["deviceID"], "version": "3.3.3"}


async def test_what_was_heard_before_the_handshake_is_handed_on_after_it(server: BotServer, keeper: MemoryKeeper):
    phone = await Phone.call(server)

    phone.write(b"".join(chat(f"{n}") for n in range(200)))
    phone.say("handshake", dict(WHO))
    phone.chat("다음")

    await until(lambda: len(keeper.chats) == 201)
    assert [one.text for one in keeper.chats] == [*(f"{n}" for n in range(200)), "다음"]
    assert keeper.told[0][0] == "handshake"
    assert server.strangers.kept_bytes == 0


@pytest.mark.parametrize(("count", "size"), [(500, 1), (30, 6_000)])
async def test_of_too_much_before_the_handshake_the_rest_is_dropped_and_the_phone_is_not(
    server: BotServer, keeper: MemoryKeeper, clock: Clock, count: int, size: int
):
    phone = await Phone.call(server)
    phone.write(chat("x" * size, auth=AUTH) * count)
    phone.say("handshake", dict(WHO))

    while not keeper.calls("handshake"):
        await server.sweep()
        clock.at += 0.01
        await asyncio.sleep(0.001)

    assert (await phone.hear()).data["success"] is True
    phone.chat("다음")
    await until(lambda: keeper.chats and keeper.chats[-1].text == "다음")
    assert 10 < len(keeper.chats) < count
    assert server.strangers.kept_bytes == 0


@pytest.mark.parametrize(
    ("auth", "approved", "seconds"),
    [
        (AUTH, True, 60),
        (AUTH, False, 10),
        ({**AUTH, "deviceID": ""}, True, 10),
        (None, True, 10),
    ],
    ids=["approved", "not approved", "without a device", "without a name"],
)
async def test_messages_of_an_approved_device_give_its_handshake_more_time_but_not_for_ever(
    server: BotServer, keeper: MemoryKeeper, clock: Clock, auth: dict | None, approved: bool, seconds: int
):
    keeper.verdicts[WHO["deviceID"]] = Verdict(approved=approved)
    phone = await Phone.call(server)
    await until(lambda: server.connections)
    [connection] = server.connections
    lived = 0

    while not connection.is_closed and lived < 100:
        phone.chat("아직", auth=auth)
        await until(lambda: not connection.lines.has_line and connection._heard_at == clock.at)
        clock.at += 5
        lived += 5
        await server.sweep()

    assert lived == seconds
    assert (await phone.hear()).data["reason"] == "no_handshake"


async def test_a_name_that_changes_gives_no_more_time(server: BotServer, clock: Clock, keeper: MemoryKeeper):
    phone = await Phone.call(server)
    await until(lambda: server.connections)
    [connection] = server.connections

    for n in range(3):
        phone.chat("아직", auth={**AUTH, "deviceID": f"device {n}"})
        await until(lambda: connection._heard_at == clock.at)
        clock.at += 5
        await server.sweep()

    assert (await phone.hear()).data["reason"] == "no_handshake"
