"""The simulated bot over a real socket, against a server that is not ours."""

import asyncio
import hashlib
import hmac
import json
from base64 import b64decode, b64encode
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.apps.messaging.simulator.options import Options, Room, Trouble
from pabal.apps.messaging.simulator.witness import Image, Log, Reason, read_log
from tests.apps.messaging.simulator.tiny_server import PING, TinyServer, image_packet, packet, text_packet

QUICK = Options(device_id="a1b2c3d4e5f60718", pace=0.001)


async def test_the_handshake_is_what_the_phone_sends() -> None:
    async with TinyServer() as server, SimulatedBot("LOA.i", [server.address], QUICK) as bot:
        await bot.until(lambda bot: bot.is_approved)

    [line] = server.heard[0].lines
    sent = json.loads(line)
    stamp = sent["data"].pop("timestamp")
    assert stamp.endswith("Z")
    assert sent == {
        "event": "handshake",
        "data": {
            "clientType": "MessengerBotR",
            "botName": "LOA.i",
            "version": "3.3.3",
            "deviceID": "a1b2c3d4e5f60718",
            "deviceIP": "10.0.0.5",
            "deviceInfo": "Pabal simulator (Android 13, API 33)",
            "timezone": "Asia/Seoul",
            "message_positions": [0, 0],
        },
    }


@pytest.mark.parametrize("key", ["deviceID", "deviceId"])
@pytest.mark.parametrize("is_nested", [True, False])
async def test_each_shape_of_the_handshake_can_be_had(key: Any, is_nested: bool) -> None:
    options = replace(QUICK, device_key=key, is_nested=is_nested)

    async with TinyServer() as server, SimulatedBot("bot", [server.address], options) as bot:
        await bot.until(lambda bot: bot.is_connected)

    sent = json.loads(server.heard[0].lines[0])
    fields = sent["data"] if is_nested else sent
    assert (fields[key], "event" in sent) == ("a1b2c3d4e5f60718", is_nested)


async def test_texts_and_pictures_of_the_new_dialect_arrive_and_old_ones_are_only_counted() -> None:
    async with TinyServer() as server, SimulatedBot("bot", [server.address], QUICK) as bot:
        await bot.until(lambda bot: bot.is_connected)
        server.send(text_packet("안녕 }{\n둘째 줄", event="scheduleMessage", bot_name="bot"))
        server.send(image_packet(b"\xff\xd8one", b"\xff\xd8three", media_wait_time=8000))
        server.send(
            packet("messageResponse", room="해운대점", text="old"), text_packet("end", event="broadcastMessage")
        )
        await bot.until(lambda bot: len(bot.received) == 3)

    text, pictures, end = bot.received
    sums = tuple(Image(hashlib.sha256(one).hexdigest(), len(one)) for one in (b"\xff\xd8one", b"\xff\xd8three"))
    assert (text.kind, text.room, text.channel_id, text.text) == ("text", "해운대점", "18390001", "안녕 }{\n둘째 줄")
    assert (pictures.kind, pictures.images, pictures.media_wait_time) == ("image", sums, 8000)
    assert (end.seq, end.text, end.server) == (3, "end", f"127.0.0.1:{server.port}")
    assert bot.ignored == {Reason.DIALECT: 1}


async def test_the_old_script_reads_plain_json_and_ignores_the_new_dialect() -> None:
    one, two = b64encode(b"one").decode(), b64encode(b"two").decode()

    async with (
        TinyServer() as server,
        SimulatedBot("bot", [server.address], replace(QUICK, version="3.2.9")) as bot,
    ):
        await bot.until(lambda bot: bot.is_connected)
        server.send(text_packet("new"), packet("messageResponse", room="해운대점", channel_id="1", text="안녕"))
        server.send(
            packet("messageResponse", room="해운대점", channel_id="1", text=f"IMAGE_BASE64:{one}|||{two}"), PING
        )
        bot.say("해운대점", "18390001", "민수", "반가워요")
        heard = await server.until(lambda heard: {"ping", "analyze"} <= set(heard.events))

    assert [(arrival.kind, arrival.text, len(arrival.images)) for arrival in bot.received] == [
        ("text", "안녕", 0),
        ("image", "", 2),
    ]
    assert bot.ignored == {Reason.DIALECT: 1}
    assert heard.data("ping")["server_timestamp"] == "2026-11-16 03:30:00.123"
    chat = heard.data("analyze")
    assert (chat["channelId"], chat["text"], chat["isGroupChat"]) == ("18390001", "반가워요", True)
    assert not any(b"message_positions" in line for line in heard.lines)


async def test_a_pong_is_signed_as_the_server_recomputes_it() -> None:
    options = replace(QUICK, secret="열쇠", salt="소금")

    async with TinyServer() as server, SimulatedBot("LOA.i", [server.address], options) as bot:
        await bot.until(lambda bot: bot.is_connected)
        server.send(PING)
        heard = await server.until(lambda heard: "pong" in heard.events)

    pong = heard.data("pong")
    auth = pong["auth"]
    names = ("clientType", "botName", "deviceUUID", "macAddress", "ipAddress", "timestamp")
    signed = "|".join([*(str(auth[name]) for name in names), "소금"])
    assert auth["signature"] == hmac.new("열쇠".encode(), signed.encode(), "sha256").hexdigest()
    assert (auth["deviceID"], type(auth["timestamp"])) == ("a1b2c3d4e5f60718", int)
    assert pong["monitoring"].keys() == {
        "total_memory",
        "memory_usage",
        "memory_percent",
        "message_queue_size",
        "active_rooms",
    }
    assert "열쇠" not in repr(options) + repr(bot.phone)


async def test_nothing_is_heard_or_answered_while_the_phone_sleeps_over_a_picture() -> None:
    at_real_pace = replace(QUICK, pace=1.0)

    async with (
        TinyServer() as server,
        SimulatedBot("quick", [server.address], QUICK) as quick,
        SimulatedBot("asleep", [server.address], at_real_pace) as asleep,
    ):
        await quick.until(lambda bot: bot.is_connected)
        await asleep.until(lambda bot: bot.is_connected)
        for heard in server.heard:
            heard.writer.write(image_packet(b"x", media_wait_time=8000) + PING + text_packet("later"))
        await asleep.until(lambda bot: len(bot.received) == 1)
        await quick.until(lambda bot: len(bot.received) == 2)

        assert (quick.pongs, asleep.pings, len(asleep.received)) == (1, 0, 1)


async def test_the_second_server_is_taken_when_the_first_is_away_or_refuses() -> None:
    async with TinyServer() as gone:
        pass
    full, good = TinyServer(success=False, message="full"), TinyServer(approved=False)

    async with full, good:
        bot = SimulatedBot("bot", [gone.address, full.address, good.address], QUICK)
        async with bot:
            await bot.until(lambda bot: bot.is_connected)
            server = bot.server

    assert server == f"127.0.0.1:{good.port}"
    assert [(change.state, change.message) for change in bot.changes[:3]] == [
        ("refused", "full"),
        ("lost", ""),
        ("pending", "ok"),
    ]


async def test_what_was_said_offline_comes_before_the_handshake() -> None:
    async with TinyServer() as server, SimulatedBot("bot", [server.address], QUICK) as bot:
        await bot.until(lambda bot: bot.is_connected)
    port = server.port

    late = SimulatedBot("bot", [server.address], QUICK)
    for number in range(25):
        late.say("해운대점", "18390001", "민수", f"{number}번")
    async with TinyServer(port) as again, late:
        await late.until(lambda bot: bot.is_connected)
        late.say("해운대점", "18390001", "민수", "끝")
        heard = await again.until(lambda heard: len(heard.lines) == 27)

    assert heard.events == [*["message"] * 25, "handshake", "message"]
    first = heard.data("message")
    raw = heard.lines[0].decode().rstrip("\n").rpartition("}")[2]
    assert (first["sender"], first["message_positions"], b64decode(raw).decode()) == ("민수", [0, len(raw)], "0번")


async def test_what_was_said_too_long_ago_is_forgotten() -> None:
    bot = SimulatedBot("bot", [], replace(QUICK, queue_ttl=-1.0))
    bot.say("해운대점", "18390001", "민수", "old")

    async with TinyServer() as server:
        bot.move([server.address])
        async with bot:
            await bot.until(lambda bot: bot.is_connected)

    assert server.heard[0].events == ["handshake"]


async def test_rooms_are_greeted_at_every_connection_and_zero_positions_can_be_had() -> None:
    options = replace(QUICK, rooms=(Room("해운대점", "18390001"),), has_zero_positions=True)

    async with TinyServer() as server, SimulatedBot("bot", [server.address], options) as bot:
        await server.until(lambda heard: "message" in heard.events)
        bot.hang_up()
        heard = await server.until(lambda heard: "message" in heard.events, number=2)

    assert (heard.events, heard.data("message")["message_positions"]) == (["handshake", "message"], [0, 0])


async def test_the_log_holds_what_arrived_before_anybody_is_told(tmp_path: Path) -> None:
    path, seen = tmp_path / "arrivals.jsonl", []
    log = Log(path, is_synced=True)
    options = replace(QUICK, log=log, tell=lambda _: seen.append(read_log(path) if path.exists() else []))

    async with TinyServer() as server, SimulatedBot("bot", [server.address], options) as bot:
        await bot.until(lambda bot: bot.is_connected)
        server.send(text_packet("한 줄\u2028둘"), image_packet(b"x"), packet("messageResponse", text="old"))
        await bot.until(lambda bot: bool(bot.ignored))
    log.close()

    assert seen[1] == bot.received[:1]
    assert read_log(path) == bot.received
    assert len(bot.received) == 2


async def test_a_phone_leaves_after_so_many_arrivals_and_takes_no_more_from_that_connection() -> None:
    options = replace(QUICK, trouble=Trouble(leave_after_parts=2))

    async with TinyServer() as server, SimulatedBot("bot", [server.address], options) as bot:
        await bot.until(lambda bot: bot.is_connected)
        server.send(text_packet("1"), text_packet("2"), text_packet("3"))
        await server.until(lambda heard: "handshake" in heard.events, number=2)

    assert [arrival.text for arrival in bot.received] == ["1", "2"]


async def test_a_frame_is_cut_once_in_its_middle_and_never_taken_for_whole() -> None:
    options = replace(QUICK, trouble=Trouble(cut_after_bytes=1000))

    async with TinyServer() as server, SimulatedBot("bot", [server.address], options) as bot:
        await bot.until(lambda bot: bot.is_connected)
        server.send(text_packet("small"), image_packet(b"x" * 200_000))
        await bot.until(lambda bot: bot.ignored[Reason.CUT] == 1)
        await server.until(lambda heard: "handshake" in heard.events, number=2)
        server.send(image_packet(b"x" * 200_000))
        await bot.until(lambda bot: len(bot.received) == 2)

    assert [arrival.kind for arrival in bot.received] == ["text", "image"]


async def test_a_server_that_dies_within_a_frame_leaves_a_note_and_no_arrival() -> None:
    async with TinyServer() as server, SimulatedBot("bot", [server.address], QUICK) as bot:
        await bot.until(lambda bot: bot.is_connected)
        server.send(text_packet("half")[:-1])
        server.heard[0].writer.close()
        await bot.until(lambda bot: bot.ignored[Reason.CUT] == 1)

    assert bot.received == []


async def test_a_deaf_phone_makes_the_server_wait_and_hears_all_of_it_later() -> None:
    async with (
        TinyServer() as server,
        SimulatedBot("deaf", [server.address], QUICK) as deaf,
    ):
        await deaf.until(lambda bot: bot.is_connected)
        deaf.stop_reading()
        async with SimulatedBot("other", [server.address], QUICK) as other:
            await other.until(lambda bot: bot.is_connected)
            for heard in server.heard:
                heard.writer.write(text_packet("small") + image_packet(b"x" * 4_000_000) * 3)
            await other.until(lambda bot: len(bot.received) == 4)
        transport = server.heard[0].writer.transport
        while_deaf = (len(deaf.received), transport.get_write_buffer_size() > 0)
        deaf.resume_reading()
        await deaf.until(lambda bot: len(bot.received) == 4)

    assert while_deaf == (0, True)


async def test_a_mute_phone_answers_no_ping_and_a_late_one_sends_garbage_first() -> None:
    trouble = Trouble(is_mute=True, garbage=b"\x00{]\n", handshake_after=1.0)

    async with (
        TinyServer() as server,
        SimulatedBot("bot", [server.address], replace(QUICK, trouble=trouble)) as bot,
    ):
        await bot.until(lambda bot: bot.is_connected)
        server.send(PING)
        await bot.until(lambda bot: bot.pings == 1)
        bot.send_raw(b"end\n")
        heard = await server.until(lambda heard: len(heard.lines) == 3)

    assert heard.lines[0] == b"\x00{]\n"
    assert b'"handshake"' in heard.lines[1]
    assert (heard.lines[2], bot.pongs) == (b"end\n", 0)


async def test_a_twin_is_the_same_device_and_a_stranger_always_another() -> None:
    stranger = replace(QUICK, trouble=Trouble(is_stranger=True))

    async with TinyServer() as server, SimulatedBot("bot", [server.address], QUICK) as bot:
        await bot.until(lambda bot: bot.is_connected)
        async with bot.twin() as twin:
            await twin.until(lambda bot: bot.is_connected)
            both = [heard.data("handshake")["deviceID"] for heard in server.heard]
    async with TinyServer() as server, SimulatedBot("bot", [server.address], stranger) as bot:
        await bot.until(lambda bot: bot.is_connected)
        bot.hang_up()
        await server.until(lambda heard: "handshake" in heard.events, number=2)

    assert both == ["a1b2c3d4e5f60718"] * 2
    assert len({heard.data("handshake")["deviceID"] for heard in server.heard}) == 2


async def test_a_packet_for_another_bot_is_taken_and_noted_and_why_a_server_closes_is_told() -> None:
    async with TinyServer() as server, SimulatedBot("bot", [server.address], QUICK) as bot:
        await bot.until(lambda bot: bot.is_connected)
        server.send(text_packet("not mine", bot_name="other"), packet("news"), packet("error", message="replaced"))
        await bot.until(lambda bot: bot.changes[-1].state == "told")

    assert [arrival.text for arrival in bot.received] == ["not mine"]
    assert bot.ignored == {Reason.OTHER_BOT: 1, Reason.UNKNOWN_EVENT: 1}
    assert bot.changes[-1].message == "replaced"


async def test_it_stops_at_once_while_it_waits_for_a_server() -> None:
    bot = SimulatedBot("bot", [("127.0.0.1", 1)])
    running = asyncio.create_task(bot.run_until_stopped())
    await bot.until(lambda bot: bool(bot.changes))

    await bot.stop()
    await running

    assert [change.state for change in bot.changes] == ["unreachable"]
