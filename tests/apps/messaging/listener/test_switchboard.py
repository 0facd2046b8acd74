import asyncio

import pytest

from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.protocol import Verdict
from pabal.apps.messaging.listener.server import BotServer
from tests.apps.messaging.listener.phones import WHO, MemoryKeeper, Phone, until

DEVICE = WHO["deviceID"]


async def test_nothing_is_sent_before_the_welcome(server: BotServer, keeper: MemoryKeeper):
    go_on = asyncio.Event()
    take = keeper.on_handshake

    async def take_and_dawdle(connection: Connection) -> Verdict:
        verdict = await take(connection)
        await go_on.wait()
        return verdict

    keeper.on_handshake = take_and_dawdle  # type: ignore[method-assign]
    phone = await Phone.call(server)
    phone.say("handshake", dict(WHO))
    await until(lambda: keeper.epoch)

    assert server.find("LOA.i") is None
    go_on.set()

    await phone.hear()
    assert server.find("LOA.i") is not None


async def test_a_device_with_a_secret_is_pinged_at_once_and_sends_only_after_its_proof(
    server: BotServer, keeper: MemoryKeeper
):
    keeper.verdicts[DEVICE] = Verdict(approved=True, needs_proof=True)
    phone = await Phone.greet(server)

    assert (await phone.hear()).event == "ping"
    assert server.find("LOA.i") is None

    phone.say("pong", {"auth": {"signature": "good"}, "message_positions": [0, 0]})

    await until(lambda: server.find("LOA.i"))


async def test_a_newcomer_that_owes_its_proof_does_not_drive_the_proven_one_out(
    server: BotServer, keeper: MemoryKeeper
):
    keeper.verdicts[DEVICE] = Verdict(approved=True, needs_proof=True)
    first = await Phone.greet(server)
    await first.hear()
    first.say("pong", {"auth": {}})
    await until(lambda: server.find("LOA.i"))
    holder = server.find("LOA.i")

    second = await Phone.greet(server)
    await second.hear()
    assert server.find("LOA.i") is holder

    second.say("pong", {"auth": {}})

    assert (await first.hear()).data["reason"] == "replaced"
    assert server.find("LOA.i").address == second.address


@pytest.mark.req("A-201")
@pytest.mark.parametrize("device", [DEVICE, "another"])
async def test_a_new_connection_of_the_same_bot_replaces_the_old_one(
    server: BotServer, keeper: MemoryKeeper, device: str
):
    first = await Phone.greet(server)

    second = await Phone.greet(server, deviceID=device)

    told = await first.hear()
    assert (told.event, told.data["reason"]) == ("error", "replaced")
    assert await first.is_hung_up_on()
    assert list(server.clients.get_all_clients()) == [second.address]
    await server.find("LOA.i").send_text("방", "1", "새 연결로")
    assert (await second.hear()).parts == ["새 연결로".encode()]
    await until(lambda: keeper.calls("close") == 1)


async def test_a_device_not_approved_replaces_itself_but_nobody_else(server: BotServer, keeper: MemoryKeeper):
    keeper.verdicts["stranger"] = Verdict(approved=False)
    holder = await Phone.greet(server)
    first = await Phone.greet(server, deviceID="stranger")

    second = await Phone.greet(server, deviceID="stranger")

    assert (await first.hear()).data["reason"] == "replaced"
    assert set(server.clients.get_all_clients()) == {holder.address, second.address}
    assert server.find("LOA.i").address == holder.address
