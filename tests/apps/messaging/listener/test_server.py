import asyncio
import socket
from dataclasses import replace

import pytest

from pabal.apps.messaging.errors import BotPortTaken
from pabal.apps.messaging.listener.server import BotServer, CpuMeter, Limits, Load, memory_mb, refusal
from pabal.base.telemetry import REGISTRY
from tests.apps.messaging.listener.conftest import ROOMY
from tests.apps.messaging.listener.phones import WHO, Clock, MemoryKeeper, Phone, until


@pytest.mark.req("A-26", "A-202")
async def test_two_hundred_phones_are_each_heard_and_each_reached(clock: Clock, keeper: MemoryKeeper):
    roomy = replace(ROOMY, active_bots=200)
    server = BotServer(keeper, host="127.0.0.1", port=0, limits=lambda: roomy, now=clock)
    await server.start()
    names = [f"bot{n}" for n in range(200)]

    phones = await asyncio.gather(*(Phone.greet(server, botName=name, deviceID=name) for name in names))

    assert server.clients.get_active_bots() == sorted(names)
    load = server.load()
    assert (load.active_bots, load.total_connections) == (200, 200)
    assert load.memory_mb > 1
    assert load.cpu_percent >= 0
    await asyncio.gather(*(server.find(name).send_text("방", "1", name) for name in names))
    heard = await asyncio.gather(*(phone.hear_part() for phone in phones))
    assert [one.parts for one in heard] == [[name.encode()] for name in names]

    await server.close()

    told = await asyncio.gather(*(phone.hear_part() for phone in phones))
    assert {one.data["reason"] for one in told} == {"stopping"}
    assert keeper.calls("close") == 200
    assert server.connections == []


@pytest.mark.parametrize(
    ("limits", "reason"),
    [(Limits(memory_mb=1, cpu_percent=100_000), "memory"), (Limits(memory_mb=1_000_000, cpu_percent=-1), "cpu")],
)
@pytest.mark.req("A-203")
async def test_a_server_over_its_limits_takes_no_more_and_keeps_those_it_has(
    keeper: MemoryKeeper, clock: Clock, limits: Limits, reason: str
):
    now = ROOMY
    server = BotServer(keeper, host="127.0.0.1", port=0, limits=lambda: now, now=clock)
    await server.start()
    before = refused(reason)
    first = await Phone.greet(server)

    now = limits
    phone = await Phone.call(server)
    phone.say("handshake", {**WHO, "botName": "second"})

    refusal = await phone.hear()
    assert (refusal.event, refusal.data["success"], refusal.data["reason"]) == ("handshakeComplete", False, reason)
    assert await phone.is_hung_up_on()
    assert refused(reason) == before + 1
    first.chat("저는 남아요")
    await until(lambda: keeper.chats)
    await server.close()


@pytest.mark.req("A-203", "A-201")
async def test_a_server_with_all_its_bots_refuses_new_ones_but_not_its_own_coming_back(
    keeper: MemoryKeeper, clock: Clock
):
    few = Limits(active_bots=1, memory_mb=1_000_000, cpu_percent=100_000)
    server = BotServer(keeper, host="127.0.0.1", port=0, limits=lambda: few, now=clock)
    await server.start()
    await Phone.greet(server, botName="one")
    await Phone.greet(server, botName="two")

    third = await Phone.call(server)
    third.say("handshake", {**WHO, "botName": "three"})
    assert (await third.hear()).data["reason"] == "bots"

    again = await Phone.greet(server, botName="two")
    assert server.find("two").address == again.address
    await server.close()


async def test_a_server_that_stops_takes_no_more_but_lets_its_bots_finish(server: BotServer):
    phone = await Phone.greet(server)

    server.refuse_new()
    late = await Phone.call(server)

    assert (await late.hear()).data["reason"] == "stopping"
    await server.find("LOA.i").send_text("방", "1", "마지막")
    assert (await phone.hear()).parts == ["마지막".encode()]


async def test_a_keeper_that_hangs_does_not_keep_a_server_from_closing(
    server: BotServer, keeper: MemoryKeeper, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("pabal.apps.messaging.listener.server.PATIENCE", 0.01)
    await Phone.greet(server)

    async def hang(name: str, connection: object) -> None:
        await asyncio.Event().wait()

    keeper.before = hang

    await server.close()

    assert server.connections == []


async def test_a_port_that_cannot_be_had_says_which_setting_to_change(keeper: MemoryKeeper):
    server = BotServer(keeper, host="192.0.2.1", port=1490)

    with pytest.raises(BotPortTaken) as caught:
        await server.start()

    assert "PABAL_BOTS_PORT" in str(caught.value)
    assert "1490" in caught.value.detail


@pytest.mark.req("A-108", "A-211")
async def test_servers_of_one_machine_take_the_next_free_port(keeper: MemoryKeeper):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        number = taken.getsockname()[1]
        server = BotServer(keeper, host="127.0.0.1", port=number)

        await server.start()

    assert server.port > number
    await server.close()


@pytest.mark.req("A-108")
async def test_servers_on_other_ports_each_know_their_own_bots(server: BotServer, clock: Clock):
    keeper = MemoryKeeper()
    other = BotServer(keeper, host="127.0.0.1", port=0, limits=lambda: ROOMY, now=clock)
    await other.start()

    await Phone.greet(server, botName="here")
    await Phone.greet(other, botName="there")

    assert (server.clients.get_active_bots(), other.clients.get_active_bots()) == (["here"], ["there"])
    await other.close()


def refused(reason: str) -> float:
    return REGISTRY.get_sample_value("pabal_listener_refused_total", {"reason": reason}) or 0.0


FULL = Load(active_bots=100, total_connections=500, memory_mb=1024, cpu_percent=80)


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (FULL, None),
        (Load(101, 101, 1, 1), "bots"),
        (Load(1, 1, 1024.1, 1), "memory"),
        (Load(1, 1, 1, 80.1), "cpu"),
    ],
)
@pytest.mark.req("A-203")
def test_more_than_a_limit_refuses(load: Load, reason: str | None):
    refused = refusal(load, Limits())

    assert (refused.reason if refused else None) == reason


def test_a_bot_that_is_here_already_is_not_counted_against_itself():
    assert refusal(Load(101, 101, 1, 1), Limits(), is_new_bot=False) is None


def test_cpu_is_that_of_the_last_thirty_seconds():
    meter = CpuMeter()
    for second in range(60):
        meter.sample(float(second), used=0.9 * max(second - 20, 0))

    assert meter.percent() == pytest.approx(90, abs=3)

    for second in range(60, 91):
        meter.sample(float(second), used=0.9 * 39)

    assert meter.percent() == pytest.approx(0)


def test_a_busy_start_is_not_taken_for_a_busy_half_minute():
    meter = CpuMeter()
    meter.sample(0.0, used=0.0)
    meter.sample(3.0, used=3.0)

    assert meter.percent() == pytest.approx(10)


def test_memory_is_that_of_this_process():
    before = memory_mb()

    ballast = b"x" * (64 * 1024 * 1024)

    assert memory_mb() - before > 32
    assert len(ballast) == 64 * 1024 * 1024
