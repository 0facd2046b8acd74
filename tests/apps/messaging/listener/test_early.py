import asyncio

import pytest

from pabal.apps.messaging.listener.protocol import Verdict
from pabal.apps.messaging.listener.server import BotServer
from tests.apps.messaging.listener.phones import WHO, Clock, MemoryKeeper, Phone, chat, until

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
