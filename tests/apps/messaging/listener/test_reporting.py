"""What a server of bots says of itself, and of the phones connected to it."""

from pathlib import Path

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.store import bots, connected
from pabal.apps.messaging.store.bots import BotServer
from pabal.base.database import Database
from pabal.platform import settings
from pabal.platform.actor import ENGINE
from tests.apps.messaging.listener.houses import OpenBot, find_device, open_house, phone
from tests.apps.messaging.listener.phones import Clock, packet
from tests.support.messaging import add_bot
from tests.support.servers import until

__all__ = ["phone"]


async def servers(db: Database) -> list[BotServer]:
    async with db.transaction() as tx:
        return await bots.list_servers(tx)


@pytest.mark.req("A-202", "A-212", "A-216", "A-26", "A-110")
async def test_each_server_reports_its_bots_its_load_and_when_each_phone_answered(
    db: Database, phone: OpenBot, tmp_path: Path
):
    for name in ("busan1", "busan2", "busan3"):
        await add_bot(db, None, name)
    time = Clock()
    async with open_house(db, tmp_path, now=time) as house, open_house(db, tmp_path) as other:
        await phone(house)
        await phone(other, name="busan2", device_id="device of busan2")
        await phone(other, name="busan3", device_id="device of busan3")
        await phone(other, name="nobody", device_id="of whom nobody heard")
        time.at += 59
        await house.gateway.server.sweep()
        await until(lambda: any(each.monitoring for each in house.gateway.server.clients.get_all_clients().values()))
        time.at += 20
        for each in (house, other):
            await each.gateway.reporting.report_once(each.gateway.server)
        found = {server.worker: server for server in await servers(db)}
        device = await find_device(db)

        assert (found[house.worker].active_bots, found[other.worker].active_bots) == (1, 2)
        assert found[other.worker].total_connections == 3
        assert found[house.worker].port == house.gateway.port
        assert all(server.memory_mb > 1 and server.cpu_percent >= 0 for server in found.values())
        assert device.monitoring["message_queue_size"] == 0
        assert device.last_ping_at is not None
        assert (found[house.worker].at - device.last_ping_at).total_seconds() == pytest.approx(20)

    async with open_house(db, tmp_path) as third:
        await third.gateway.reporting.report_once(third.gateway.server)

        assert [server.worker for server in await servers(db)] == [third.worker]


async def test_a_device_that_left_while_the_database_was_away_is_not_shown_as_connected(
    db: Database, phone: OpenBot, tmp_path: Path
):
    _, gone = await add_bot(db, None, "busan1")
    async with open_house(db, tmp_path) as house:
        await phone(house, name="busan2", device_id="b")
        async with db.transaction() as tx:
            await connected.update_moved(tx, [gone], worker=house.worker)
        assert (await find_device(db)).worker == house.worker

        await house.gateway.reporting.report_once(house.gateway.server)

        assert (await find_device(db)).worker is None
        assert (await find_device(db, "b", "busan2")).worker == house.worker


async def test_values_of_a_phone_that_no_row_can_hold_are_left_out(db: Database, phone: OpenBot, tmp_path: Path):
    await add_bot(db, None, "busan1")
    async with open_house(db, tmp_path) as house:
        bot = await phone(house)
        wild = {"a": float("nan"), "b": {"deep": 1}, "c\x00": "x\x00y" * 200, "d": 7, "e": 10**30}
        bot.send_raw(packet("pong", {"monitoring": {**wild, **{f"more {n}": n for n in range(100)}}}))
        await until(lambda: any(each.monitoring for each in house.gateway.server.clients.get_all_clients().values()))

        await house.gateway.reporting.report_once(house.gateway.server)

        more = {f"more {n}": n for n in range(15)}
        assert (await find_device(db)).monitoring == {"c": ("xy" * 200)[:100], "d": 7, **more}


async def test_how_many_strangers_there_may_be_is_as_it_was_set_last(db: Database, tmp_path: Path):
    async with open_house(db, tmp_path) as house:
        reporting = house.gateway.reporting
        shipped = (reporting.limits.strangers, reporting.limits.strangers_of_address)
        async with db.transaction() as tx:
            await settings.change(tx, ENGINE, own.MAX_STRANGERS, 30)
            await settings.change(tx, ENGINE, own.MAX_STRANGERS_PER_ADDRESS, 7)

        await reporting.read_limits_once()

        assert shipped == (400, 200)
        assert (reporting.limits.strangers, reporting.limits.strangers_of_address) == (30, 7)
