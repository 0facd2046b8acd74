import asyncio

import pytest

from pabal.apps.messaging.errors import BotGone
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.handshake import Handshake
from pabal.apps.messaging.listener.protocol import Verdict
from pabal.apps.messaging.listener.server import BotServer, Limits
from pabal.apps.messaging.listener.switchboard import ClientStatusManager
from tests.apps.messaging.listener.phones import WHO, Clock, MemoryKeeper, Phone, until

A, B, C = ("10.0.0.1", 5001), ("10.0.0.2", 5002), ("10.0.0.3", 5003)


@pytest.fixture
def clients(clock: Clock) -> ClientStatusManager:
    return ClientStatusManager(clock)


@pytest.mark.req("A-27", "A-28", "A-29", "A-194")
def test_clients_are_kept_by_address_and_shown_as_a_copy(clients: ClientStatusManager):
    clients.register_client(A, Handshake("LOA.i", "d1", "3.3.3"))
    clients.register_client(B, Handshake("LOA.i", "d2", "3.2.1"))

    copy = clients.get_all_clients()
    copy.pop(A)

    known = clients.get_all_clients()
    assert {addr: (one.bot_name, one.device_id, one.version) for addr, one in known.items()} == {
        A: ("LOA.i", "d1", "3.3.3"),
        B: ("LOA.i", "d2", "3.2.1"),
    }
    assert all(one.connected_at.tzinfo is not None for one in known.values())


@pytest.mark.req("A-30", "A-32", "A-117", "A-119", "A-206")
def test_a_bot_is_connected_from_its_handshake_until_sixty_seconds_after_its_last_ping(
    clients: ClientStatusManager, clock: Clock
):
    clients.register_client(A, Handshake("LOA.i", "d", "3.3.3"))
    assert clients.is_bot_connected("LOA.i")

    clock.at += 59.9
    assert clients.is_bot_connected("LOA.i")

    clients.update_ping_time(A, {"memory_percent": 41})
    clock.at += 59.9
    assert clients.is_bot_connected("LOA.i")
    assert clients.get_all_clients()[A].monitoring == {"memory_percent": 41}

    clock.at += 0.1
    assert not clients.is_bot_connected("LOA.i")
    assert not clients.is_active(A)
    assert Limits().ping_timeout == 60


@pytest.mark.req("A-118", "A-194")
def test_active_bots_are_distinct_names_that_are_not_empty_with_a_young_ping(
    clients: ClientStatusManager, clock: Clock
):
    clients.register_client(C, Handshake("old", "d", "3.3.3"))
    clock.at += 60
    clients.register_client(A, Handshake("LOA.i", "d1", "3.3.3"))
    clients.register_client(B, Handshake("LOA.i", "d2", "3.3.3"))
    clients.register_client(("10.0.0.4", 1), Handshake("", "d", "3.3.3"))
    clients.register_client(("10.0.0.5", 1), Handshake("부산", "d", "3.3.3"))

    assert clients.get_active_bots() == ["LOA.i", "부산"]


@pytest.mark.req("A-117")
def test_a_client_that_left_is_forgotten(clients: ClientStatusManager):
    clients.register_client(A, Handshake("LOA.i", "d", "3.3.3"))

    clients.remove_client(A)
    clients.update_ping_time(A)
    clients.push_busy(A, 5)

    assert clients.get_all_clients() == {}
    assert not clients.is_bot_connected("LOA.i")


def test_a_bot_busy_with_media_is_not_declared_dead(clients: ClientStatusManager, clock: Clock):
    clients.register_client(A, Handshake("LOA.i", "d", "3.3.3"))
    clients.push_busy(A, 30)
    clients.push_busy(A, 30)

    clock.at += 119.9
    assert clients.is_bot_connected("LOA.i")

    clock.at += 0.1
    assert not clients.is_bot_connected("LOA.i")


def test_the_timeout_is_the_one_setting(clock: Clock):
    timeout = 60.0
    clients = ClientStatusManager(clock, timeout=lambda: timeout)
    clients.register_client(A, Handshake("LOA.i", "d", "3.3.3"))
    clock.at += 30

    timeout = 20.0

    assert not clients.is_bot_connected("LOA.i")


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
async def test_a_new_connection_of_another_phone_sends_and_the_one_before_stays(server: BotServer):
    first = await Phone.greet(server)
    before = server.find("LOA.i")

    second = await Phone.greet(server, deviceID="another")

    assert set(server.clients.get_all_clients()) == {first.address, second.address}
    assert server.find("LOA.i").address == second.address
    assert not before.holds_route
    with pytest.raises(BotGone) as caught:
        await before.send_text("방", "1", "옛 연결로")
    assert caught.value.began is False


@pytest.mark.req("A-201")
async def test_a_new_connection_of_the_same_phone_replaces_the_old_one(server: BotServer, keeper: MemoryKeeper):
    first = await Phone.greet(server)

    second = await Phone.greet(server)

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
