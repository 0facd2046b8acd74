import asyncio
import base64
from typing import Any

import pytest

from pabal.apps.messaging.errors import BotGone
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.protocol import Verdict
from pabal.apps.messaging.listener.refusals import BLOCKED
from pabal.apps.messaging.listener.server import BotServer
from tests.apps.messaging.listener.phones import WHO, Clock, MemoryKeeper, Phone, chat, packet, until

MEGABYTE = 1024 * 1024
DEVICE = WHO["deviceID"]


@pytest.mark.req("A-26", "A-27", "A-28", "A-110", "A-117")
async def test_a_phone_is_known_from_its_handshake_until_it_hangs_up(server: BotServer, keeper: MemoryKeeper):
    phone = await Phone.call(server)
    phone.say("handshake", dict(WHO))
    welcome = await phone.hear()

    assert (welcome.event, welcome.data["approved"], welcome.data["message"]) == (
        "handshakeComplete",
        True,
        "어서 오세요",
    )
    assert welcome.data["server_version"]
    [(address, client)] = server.clients.get_all_clients().items()
    assert address == phone.address
    assert (client.bot_name, client.device_id, client.version) == ("LOA.i", DEVICE, "3.3.3")
    assert server.find("LOA.i") is not None

    phone.hang_up()
    await until(lambda: keeper.calls("close"))

    assert server.clients.get_all_clients() == {}
    assert server.find("LOA.i") is None
    await until(lambda: not server.connections)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (packet("handshake", {**WHO, "botName": ""}), "botName"),
        (packet("handshake", {**WHO, "deviceID": ""}), "deviceID"),
        (packet("handshake", {"botName": "x", "deviceId": "d"}), "version"),
        (b'{"version":"3.3.3"}\n', "botName"),
        (b"GET / HTTP/1.1\r\n", "JSON"),
        (b'{"event":"handshake","data":7}\n', "data"),
        (b"x" * (64 * 1024 + 1), "64 KB"),
        (b"{" + b"x" * MEGABYTE + b"}\n", "64 KB"),
    ],
    ids=lambda given: str(given[:40]),
)
async def test_who_begins_wrongly_is_told_what_and_closed_while_others_go_on(
    server: BotServer, keeper: MemoryKeeper, line: bytes, says: str
):
    other = await Phone.greet(server)
    phone = await Phone.call(server)

    phone.write(line)

    refusal = await phone.hear()
    assert (refusal.event, refusal.data["success"]) == ("handshakeComplete", False)
    assert says in refusal.data["message"]
    assert await phone.is_hung_up_on()
    other.chat("저는 괜찮아요")
    await until(lambda: keeper.chats)


@pytest.mark.parametrize(
    "line",
    [b"not a packet\n", packet("message", {"message_positions": [0, 90]}, "YQ=="), b"y" * (MEGABYTE + 1)],
    ids=["no packet", "cut", "oversized"],
)
async def test_garbage_after_the_handshake_is_an_error_and_the_end(
    server: BotServer, keeper: MemoryKeeper, line: bytes
):
    phone = await Phone.greet(server)

    phone.write(line)

    error = await phone.hear()
    assert (error.event, error.data["success"]) == ("error", False)
    assert await phone.is_hung_up_on()
    await until(lambda: keeper.calls("close"))


async def test_a_message_whose_text_cannot_be_read_does_not_cost_the_connection(
    server: BotServer, keeper: MemoryKeeper
):
    phone = await Phone.greet(server)

    phone.say("message", {"room": "r", "message_positions": [0, 0]}, "not base64!")
    phone.say("weather", {"sunny": True})
    phone.write(b"\r\n\n")
    phone.chat("괜찮아요")

    await until(lambda: keeper.chats)
    assert [one.text for one in keeper.chats] == ["괜찮아요"]


@pytest.mark.parametrize(("said", "seconds", "reason"), [(b"", 10, "no_handshake"), (chat("x"), 10, "no_handshake")])
async def test_who_does_not_say_who_it_is_within_ten_seconds_is_refused(
    server: BotServer, clock: Clock, said: bytes, seconds: float, reason: str
):
    phone = await Phone.call(server)
    phone.write(said)
    await until(lambda: server.connections)

    clock.at += seconds - 0.1
    await server.sweep()
    assert not server.connections[0].is_closed

    clock.at += 0.1
    await server.sweep()
    refusal = await phone.hear()
    assert (refusal.event, refusal.data["success"], refusal.data["reason"]) == ("handshakeComplete", False, reason)
    assert await phone.is_hung_up_on()


async def test_a_device_that_is_not_approved_stays_and_receives_pings_and_nothing_else(
    server: BotServer, keeper: MemoryKeeper, clock: Clock
):
    keeper.verdicts[DEVICE] = Verdict(approved=False, message="승인 대기")
    phone = await Phone.call(server)
    phone.say("handshake", dict(WHO))

    welcome = await phone.hear()
    [connection] = server.connections

    assert (welcome.data["success"], welcome.data["approved"]) == (True, False)
    assert server.find("LOA.i") is None
    with pytest.raises(BotGone) as caught:
        await connection.send_text("방", "1", "비밀")
    assert caught.value.began is False
    clock.at += 60
    await server.sweep()
    assert (await phone.hear()).event == "ping"
    assert not connection.is_closed


async def test_a_device_approved_while_connected_is_welcomed_again_and_may_send(
    server: BotServer, keeper: MemoryKeeper
):
    keeper.verdicts[DEVICE] = Verdict(approved=False)
    phone = await Phone.greet(server)
    [connection] = server.connections

    connection.welcome(Verdict(approved=True))
    connection.take_route(1)
    await connection.send_text("방", "1", "이제 됩니다")

    assert (await phone.hear()).data["approved"] is True
    assert (await phone.hear()).parts == ["이제 됩니다".encode()]
    connection.drop_route()
    assert server.find("LOA.i") is None
    with pytest.raises(BotGone):
        await connection.send_text("방", "1", "이제 안 됩니다")


async def test_a_device_turned_away_by_the_keeper_is_told(server: BotServer, keeper: MemoryKeeper):
    async def turn_away(name: str, connection: Connection) -> None:
        if name == "handshake":
            connection.tell_and_close(BLOCKED)

    keeper.before = turn_away
    phone = await Phone.call(server)

    phone.say("handshake", dict(WHO))

    refusal = await phone.hear()
    assert (refusal.event, refusal.data["success"], refusal.data["reason"]) == ("handshakeComplete", False, "blocked")
    assert await phone.is_hung_up_on()
    assert server.clients.get_all_clients() == {}
    assert server.find("LOA.i") is None


async def test_one_connection_is_one_bot(server: BotServer):
    phone = await Phone.greet(server)

    phone.say("handshake", dict(WHO))
    assert (await phone.hear()).event == "handshakeComplete"
    phone.say("handshake", {**WHO, "botName": "other"})

    assert (await phone.hear()).data["reason"] == "other_identity"


@pytest.mark.req("A-30", "A-32", "A-117")
async def test_pings_go_out_every_thirty_seconds_and_a_pong_keeps_the_bot_connected(
    server: BotServer, keeper: MemoryKeeper, clock: Clock
):
    phone = await Phone.greet(server)
    clock.at += 0.9
    await server.sweep()
    clock.at += 58.1
    await server.sweep()
    assert (await phone.hear()).event == "ping"

    phone.say("pong", {"monitoring": {"message_queue_size": 3}, "message_positions": [0, 0]})
    await until(lambda: keeper.calls("pong"))
    clock.at += 29.9
    await server.sweep()
    await server.find("LOA.i").send_text("방", "1", "사이에")
    clock.at += 0.1
    await server.sweep()

    # the one behind the text, and the one that was due
    assert [(await phone.hear()).event for _ in "123"] == ["messageResponse", "ping", "ping"]
    assert server.clients.get_all_clients()[phone.address].monitoring == {"message_queue_size": 3}
    # what was sent to it has as long to be answered as any ping
    clock.at += 59.8
    assert server.clients.is_bot_connected("LOA.i")
    clock.at += 0.2
    assert not server.clients.is_bot_connected("LOA.i")
    assert server.find("LOA.i").is_active is False


async def test_an_old_phone_is_spoken_to_in_plain_json_and_pongs_with_ping(server: BotServer, keeper: MemoryKeeper):
    phone = await Phone.greet(server, version="3.2.7")

    await server.find("LOA.i").send_text("방", "1", "옛날 {말}")
    await server.find("LOA.i").send_images("1", "방", [b"one", b"two"], "jpg", 5000)
    phone.say("ping", {"bot_name": "LOA.i"})
    phone.say("analyze", {"room": "방", "channelId": "1", "text": "들려요"})

    text, images = await phone.hear_part(), await phone.hear_part()
    assert (text.data["text"], text.raw) == ("옛날 {말}", "")
    assert (
        images.data["text"] == f"IMAGE_BASE64:{base64.b64encode(b'one').decode()}|||{base64.b64encode(b'two').decode()}"
    )
    await until(lambda: keeper.chats)
    assert keeper.calls("pong") == 1
    assert keeper.chats[0].text == "들려요"


@pytest.mark.req("A-32")
async def test_media_push_the_moment_from_which_silence_counts(server: BotServer, clock: Clock):
    phone = await Phone.greet(server)
    connection = server.find("LOA.i")

    await connection.send_images("1", "방", [b"one"], "jpg", 8000)
    await connection.send_images("1", "방", [b"one"], "jpg", 0)

    assert [(await phone.hear()).data.get("media_wait_time") for _ in "12"] == [8000, None]
    busy = 8 + 1.2 + 4 + 1.2
    clock.at += busy + 59.9
    assert connection.is_active
    clock.at += 0.2
    assert not connection.is_active


async def test_a_bot_silent_for_ten_minutes_is_told_and_closed(server: BotServer, clock: Clock):
    phone = await Phone.greet(server)

    clock.at += 600
    await server.sweep()

    assert (await phone.hear()).data["reason"] == "silent"
    assert server.clients.get_all_clients() == {}


async def test_a_phone_that_never_hangs_up_is_cut_off_in_the_end(server: BotServer, clock: Clock, keeper: MemoryKeeper):
    phone = await Phone.greet(server)
    connection = server.find("LOA.i")
    connection.tell_and_close(BLOCKED)
    await until(lambda: keeper.calls("close"))
    phone.chat("아직 있어요")

    clock.at += 3
    await server.sweep()

    await until(lambda: not server.connections)
    assert keeper.calls("close") == 1
    assert keeper.chats == []


async def test_a_keeper_that_fails_at_the_handshake_means_try_later(server: BotServer, keeper: MemoryKeeper):
    async def fail(name: str, connection: Connection) -> None:
        raise OSError("the database is away")

    keeper.before = fail
    phone = await Phone.call(server)
    phone.say("handshake", dict(WHO))

    refusal = await phone.hear()

    assert (refusal.event, refusal.data["success"], refusal.data["reason"]) == ("handshakeComplete", False, "try_later")
    assert await phone.is_hung_up_on()
    keeper.before = None
    await Phone.greet(server)


async def test_a_keeper_that_fails_later_costs_nobody_the_connection(server: BotServer, keeper: MemoryKeeper):
    phone = await Phone.greet(server)
    failed = []

    async def fail(name: str, connection: Connection) -> None:
        failed.append(name)
        raise OSError("the database is away")

    keeper.before = fail
    phone.say("pong", {})
    phone.chat("잃어버린 말")
    await server.find("LOA.i").send_text("방", "1", "보내기는 됩니다")
    await phone.hear()
    await until(lambda: failed == ["pong", "message"])
    keeper.before = None
    phone.chat("다시 들려요")

    await until(lambda: keeper.chats)
    assert [one.text for one in keeper.chats] == ["다시 들려요"]


async def test_calls_for_one_phone_follow_each_other_and_a_slow_one_stops_nobody_else(
    server: BotServer, keeper: MemoryKeeper
):
    slow = await Phone.greet(server, botName="slow", deviceID="slow")
    quick = await Phone.greet(server, botName="quick", deviceID="quick")
    go_on = asyncio.Event()
    running: list[Any] = []

    async def hold(name: str, connection: Connection) -> None:
        if connection.bot_name == "slow":
            running.append(name)
            assert len(running) == 1
            await go_on.wait()
            running.pop()

    keeper.before = hold
    slow.write(b"".join(chat(f"slow {n}", sender="느림") for n in range(400)))
    slow.hang_up()
    await until(lambda: running)
    quick.chat("빠름", sender="빠름")

    await until(lambda: keeper.chats)
    assert [one.sender for one in keeper.chats] == ["빠름"]
    go_on.set()
    await until(lambda: keeper.calls("close"))
    assert [one.text for one in keeper.chats if one.sender == "느림"] == [f"slow {n}" for n in range(400)]
