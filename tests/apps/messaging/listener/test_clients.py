import pytest

from pabal.apps.messaging.listener.clients import ClientStatusManager
from pabal.apps.messaging.listener.handshake import Handshake
from pabal.apps.messaging.listener.server import Limits
from tests.apps.messaging.listener.phones import Clock

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
