"""Which connection sends for a bot, here and on other servers: the newest, while it is heard, and never two."""

from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import bots
from pabal.apps.messaging.actions import bots as actions
from pabal.apps.messaging.errors import DeviceNotReady
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import routes, workers
from pabal.platform import notifications, settings
from pabal.platform.actor import ENGINE
from tests.apps.messaging.listener.houses import (
    ADMIN,
    House,
    OpenBot,
    act,
    find_bot,
    find_device,
    house,
    open_house,
    phone,
    read,
    route,
    say,
    settle,
    until_free,
)
from tests.apps.messaging.listener.phones import Clock
from tests.support.messaging import add_bot
from tests.support.people import plant
from tests.support.servers import Gate, until, until_ended
from tests.support.work import crash, hold_route

__all__ = ["house", "phone"]


def texts(bot: SimulatedBot) -> list[str]:
    return [each.text for each in bot.received]


def was_told(bot: SimulatedBot, word: str) -> bool:
    return any(change.state == "told" and word in change.message for change in bot.changes)


def count_told(bot: SimulatedBot, word: str) -> int:
    return sum(word in change.message for change in bot.changes)


async def welcome(db: Database, house: House, device_id: str) -> None:
    await act(house, actions.approve, (await find_device(db, device_id)).id)


@pytest.mark.req("A-33")
async def test_what_waits_for_a_bot_starts_when_it_connects_and_arrives_once(
    db: Database, house: House, phone: OpenBot
):
    await add_bot(db, None, "busan1")
    heard: list[str] = []
    house.server.wakeups.on_hint(lambda topic, _at: heard.append(topic))
    await say(house, "첫째")
    second = await say(house, "둘째")
    assert (await find_bot(db)).lane == 2

    bot = await phone(house)
    await bot.until(lambda each: len(each.received) == 2)
    # a route that is lost before an attempt is settled hands it back, and this one would arrive again
    await until_ended(db, second)
    bot.hang_up()
    await bot.until(lambda each: [change.state for change in each.changes].count("approved") == 2)
    await say(house, "셋째")

    await bot.until(lambda each: len(each.received) == 3)
    assert texts(bot) == ["첫째", "둘째", "셋째"]
    # so that nobody has to wait until somebody polls
    assert "queue:bot:busan1" in heard


@pytest.mark.req("A-201")
async def test_of_two_devices_of_one_bot_the_newest_sends_and_the_one_before_stays_in_reserve(
    db: Database, house: House, phone: OpenBot
):
    older, newer = await two_phones(db, house, phone)
    await say(house, "새 기기로")
    await newer.until(lambda each: len(each.received) == 1)
    for _ in "123":
        await settle(house)

    assert sender(house) == "b"
    assert older.received == []
    assert older.is_connected, "closed, it would come back and take the bot, again and again"
    assert [change.state for change in older.changes].count("lost") == 0
    assert "예비" in older.changes[-1].message
    devices = {device.device_id: device.role for device in (await find_bot(db)).devices}
    assert devices == {"a": "reserve", "b": "sends"}


async def test_a_phone_in_reserve_takes_over_when_the_one_that_sends_leaves(db: Database, house: House, phone: OpenBot):
    older, newer = await two_phones(db, house, phone)

    await newer.stop()
    await until(lambda: sender(house) == "a")
    await say(house, "예비 기기로")

    await older.until(lambda each: texts(each) == ["예비 기기로"])
    assert "이제 이 기기가" in older.changes[-1].message
    assert [change.state for change in older.changes].count("lost") == 0


async def test_when_the_phone_that_sends_leaves_the_one_in_reserve_is_asked_at_once(
    db: Database, house: House, phone: OpenBot
):
    _, newer = await two_phones(db, house, phone)
    woken: list[str | None] = []
    wake = house.gateway.routes.wake

    def note() -> None:
        woken.append(sender(house))
        wake()

    house.gateway.routes.wake = note
    await newer.stop()
    await until(lambda: sender(house) == "a")

    assert woken == [None]


async def test_a_phone_is_told_once_each_time_it_comes_to_be_in_reserve(db: Database, house: House, phone: OpenBot):
    older, newer = await two_phones(db, house, phone)

    for _ in "123":
        await settle(house)
    await act(house, actions.choose, (await find_device(db, "a")).id)
    await until(lambda: sender(house) == "a")
    for _ in "123":
        await settle(house)
    await act(house, actions.choose, (await find_device(db, "b")).id)
    await until(lambda: sender(house) == "b")
    for _ in "123":
        await settle(house)
    await newer.stop()
    await until(lambda: sender(house) == "a")
    await say(house, "예전 기기로")

    # a line comes after those before it: whatever else it was told has arrived
    await older.until(lambda each: texts(each) == ["예전 기기로"])
    assert count_told(older, "예비") == 2
    assert count_told(older, "이제 이 기기가") == 2


async def test_a_person_gives_the_bot_to_the_phone_in_reserve(db: Database, house: House, phone: OpenBot):
    older, newer = await two_phones(db, house, phone)

    await act(house, actions.choose, (await find_device(db, "a")).id)
    await until(lambda: sender(house) == "a")
    await newer.until(lambda each: "예비" in each.changes[-1].message)
    await say(house, "고른 기기로")
    await older.until(lambda each: texts(each) == ["고른 기기로"])
    for _ in "123":
        await settle(house)

    assert sender(house) == "a", "once said, it stays so"
    devices = {device.device_id: device.role for device in (await find_bot(db)).devices}
    assert devices == {"a": "sends", "b": "reserve"}
    await act(house, actions.choose, (await find_device(db, "a")).id)
    await newer.stop()
    await until_away(db, "b")
    away = (await find_device(db, "b")).id
    with pytest.raises(DeviceNotReady):
        await act(house, actions.choose, away)


async def test_of_two_phones_that_may_take_the_bot_it_is_the_one_somebody_chose(
    db: Database, house: House, phone: OpenBot
):
    await two_phones(db, house, phone)
    bot_id, older = (await find_bot(db)).id, (await find_device(db, "a")).id
    # in one commit: nobody has the bot when the word is heard
    async with house.services.database.transaction() as tx:
        await actions.choose(tx, ADMIN, older)
        await actions.exclude(tx, ADMIN, bot_id, "전화기 점검")
    await until_free(db)

    await act(house, actions.include, bot_id)
    await until(lambda: sender(house))

    assert sender(house) == "a"


async def test_while_a_bot_is_excluded_none_of_its_phones_is_shown_as_the_one_that_sends(
    db: Database, house: House, phone: OpenBot
):
    await two_phones(db, house, phone)
    bot_id = (await find_bot(db)).id

    await act(house, actions.exclude, bot_id, "전화기 점검")
    await until_free(db)
    during = [device.role for device in (await find_bot(db)).devices]
    await act(house, actions.include, bot_id)
    await until(lambda: sender(house))

    assert during == [None, None]
    assert sorted(str(device.role) for device in (await find_bot(db)).devices) == ["reserve", "sends"]


@pytest.mark.beside
async def test_a_phone_in_reserve_on_another_server_is_given_the_bot_too(
    db: Database, house: House, phone: OpenBot, tmp_path: Path
):
    await add_bot(db, None, "busan1")
    async with open_house(db, tmp_path) as other:
        here = await phone(house)
        await house.until_holds("busan1")
        there = await phone(other, device_id="b")
        await welcome(db, other, "b")
        await other.until_holds("busan1")
        await settle(house)
        await here.until(lambda each: "예비" in each.changes[-1].message)

        await act(house, actions.choose, (await find_device(db)).id)
        await house.until_holds("busan1")
        await there.until(lambda each: "예비" in each.changes[-1].message)
        await here.stop()
        await other.until_holds("busan1")

        assert [change.state for change in there.changes].count("lost") == 0


async def two_phones(db: Database, house: House, phone: OpenBot) -> tuple[SimulatedBot, SimulatedBot]:
    """Of one bot, both approved: the second has the bot, and the first has been told so."""
    older = await phone(house, device_id="a")
    await welcome(db, house, "a")
    await house.until_holds("busan1")
    newer = await phone(house, device_id="b")
    await welcome(db, house, "b")
    await until(lambda: sender(house) == "b")
    await older.until(lambda each: "예비" in each.changes[-1].message)
    return older, newer


def sender(house: House) -> str | None:
    line = house.find("busan1")
    return line.device_id if isinstance(line, Connection) else None


async def until_away(db: Database, device_id: str) -> None:
    async def is_away() -> bool:
        return (await find_device(db, device_id)).worker is None

    await until(is_away)


@pytest.mark.req("A-25", "A-108", "A-110", "A-201")
async def test_a_bot_that_connects_elsewhere_takes_its_route_with_it(
    db: Database, house: House, phone: OpenBot, tmp_path: Path
):
    await add_bot(db, None, "busan1")
    async with open_house(db, tmp_path) as other:
        here = await phone(house)
        before = await house.until_holds("busan1")
        line = house.find("busan1")

        there = await phone(other, device_id="b")
        await welcome(db, other, "b")
        after = await other.until_holds("busan1")
        await settle(house)
        await here.until(lambda each: "예비" in each.changes[-1].message)
        await say(house, "새 서버에서")

        await there.until(lambda each: len(each.received) == 1)
        assert after.epoch > before.epoch
        assert here.received == []
        assert house.find("busan1") is None
        assert isinstance(line, Connection)
        assert not line.holds_route
        assert (await find_bot(db)).worker == (await find_device(db, "b")).worker == other.worker


async def test_a_device_nobody_approved_is_closed_where_it_was_when_it_connects_elsewhere(
    db: Database, house: House, phone: OpenBot, tmp_path: Path
):
    async with open_house(db, tmp_path) as other:
        here = await phone(house)
        here.servers.clear()

        await phone(other)
        await settle(house)

        await here.until(lambda each: was_told(each, "다른 서버"))
        assert (await find_device(db)).worker == other.worker


async def test_a_device_approved_again_is_the_newest_again(db: Database, house: House, phone: OpenBot, tmp_path: Path):
    _, device_id = await add_bot(db, None, "busan1")
    async with open_house(db, tmp_path) as other:
        here = await phone(house)
        await house.until_holds("busan1")
        await act(house, actions.revoke, device_id)
        await until_free(db)
        there = await phone(other, device_id="b")
        await welcome(db, other, "b")
        await other.until_holds("busan1")

        await act(house, actions.approve, device_id)

        await house.until_holds("busan1")
        await settle(other)
        await there.until(lambda each: "예비" in each.changes[-1].message)
        assert [change.state for change in here.changes] == ["approved", "pending", "approved"]


@pytest.mark.req("A-24", "A-107", "A-109", "A-219")
async def test_when_a_server_stops_its_bots_go_on_at_another(db: Database, phone: OpenBot, tmp_path: Path):
    await add_bot(db, None, "busan1")
    async with open_house(db, tmp_path) as other:
        async with open_house(db, tmp_path) as first:
            bot = await phone(first, other)
            await first.until_holds("busan1")
            await say(first, "처음 서버에서")
            await bot.until(lambda each: len(each.received) == 1)
            clients = [each.gateway.server.clients for each in (first, other)]
            assert [one.get_active_bots() for one in clients] == [["busan1"], []]
            assert [one.is_bot_connected("busan1") for one in clients] == [True, False]
        await say(other, "다른 서버에서")

        await bot.until(lambda each: len(each.received) == 2)

        assert texts(bot) == ["처음 서버에서", "다른 서버에서"]
        assert (await other.until_holds("busan1")).worker == other.worker


@pytest.mark.req("A-180", "A-199", "A-203")
async def test_bots_a_full_server_refuses_are_served_by_the_next(db: Database, phone: OpenBot, tmp_path: Path):
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, own.MAX_BOTS, 1)
    async with open_house(db, tmp_path) as first, open_house(db, tmp_path) as other:
        bots = []
        for name in ("a", "b", "c", "d"):
            await add_bot(db, None, name)
            bots.append(await phone(first, other, name=name, device_id=f"device of {name}"))
        for bot in bots:
            await say(first, "모두에게", bot_name=bot.name)
        for bot in bots:
            await bot.until(lambda each: len(each.received) == 1)

        # the limit says more than, so that one over it is still taken
        assert [bot.server for bot in bots].count(f"127.0.0.1:{first.gateway.port}") == 2
        assert [bot.server for bot in bots].count(f"127.0.0.1:{other.gateway.port}") == 2


@pytest.mark.beside
async def test_after_a_lapse_the_same_connection_holds_its_route_in_the_new_life(
    db: Database, house: House, phone: OpenBot
):
    await add_bot(db, None, "busan1")
    bot = await phone(house)
    before = await house.until_holds("busan1")

    found: list[object] = []
    house.server.life.on_lapse.append(lambda: found.append(house.find("busan1")))
    await crash(db, house.worker)
    await until(lambda: found)
    after = await house.until_holds("busan1")
    await say(house, "새 삶에서")

    await bot.until(lambda each: len(each.received) == 1)
    assert found == [None]
    assert after.worker == house.worker != before.worker
    assert after.epoch > before.epoch
    assert (await find_device(db)).worker == house.worker
    assert [change.state for change in bot.changes] == ["approved"]


@pytest.mark.req("A-32", "A-206")
async def test_a_bot_silent_past_the_one_timeout_gets_nothing_until_it_answers_and_not_while_it_sends_media(
    db: Database, phone: OpenBot, tmp_path: Path
):
    await add_bot(db, None, "busan1")
    time = Clock()
    async with open_house(db, tmp_path, now=time) as house:
        bot = await phone(house)
        await house.until_holds("busan1")
        line = house.find("busan1")
        assert isinstance(line, Connection)
        receipt = await line.send_images("18200001", "톡방", [b"GIF89a"], "gif", 8000)
        await receipt.wait(30)
        bot.trouble.is_mute = True

        # nine seconds it was busy, then silent
        time.at += 65
        await settle(house)
        assert house.find("busan1") is line
        time.at += 10
        await settle(house)
        assert house.find("busan1") is None
        assert await route(db, "busan1") is None
        assert bot.is_connected
        await say(house, "다시 들리면")

        bot.trouble.is_mute = False
        await house.gateway.server.sweep()
        await bot.until(lambda each: "다시 들리면" in texts(each))
        async with db.transaction() as tx:
            await settings.change(tx, ENGINE, own.PING_TIMEOUT, timedelta(seconds=200))
        await house.gateway.reporting.read_limits_once()
        bot.trouble.is_mute = True
        time.at += 150
        await settle(house)

        assert house.find("busan1") is line


async def test_a_phone_that_left_a_part_unanswered_gets_nothing_until_it_answers_a_ping(
    db: Database, phone: OpenBot, tmp_path: Path
):
    await add_bot(db, None, "busan1")
    time = Clock()
    async with open_house(db, tmp_path, now=time) as house:
        bot = await phone(house)
        await house.until_holds("busan1")
        bot.trouble.is_mute = True
        await say(house, "답이 없다")
        await bot.until(lambda each: len(each.received) == 1)

        time.at += 61
        await house.gateway.server.sweep()
        await bot.until(lambda each: [change.state for change in each.changes].count("approved") == 2)
        await settle(house)
        assert (house.find("busan1"), await route(db, "busan1")) == (None, None)
        await say(house, "답할 때까지 기다린다")
        await settle(house)
        assert len(bot.received) == 1

        bot.trouble.is_mute = False
        bot.hang_up()
        await bot.until(lambda each: texts(each)[-1] == "답할 때까지 기다린다")


@pytest.mark.req("A-196")
async def test_a_bot_that_fails_again_and_again_gets_nothing_and_is_brought_back(
    db: Database, house: House, phone: OpenBot
):
    tree = await plant(db)
    bot_id, _ = await add_bot(db, tree.haeundae, "busan1")
    bot = await phone(house)
    await house.until_holds("busan1")

    async def fail(times: int) -> None:
        for _ in range(times):
            async with house.services.database.transaction() as tx:
                await bots.note_failure(tx, bot_id)

    await fail(4)
    async with db.transaction() as tx:
        await bots.note_success(tx, [bot_id])
    await fail(4)
    assert (await find_bot(db)).state == "online"
    await fail(1)
    await until_free(db)
    excluded = await find_bot(db)
    assert (excluded.state, excluded.excluded_by, excluded.failures) == ("excluded", "engine", 5)
    [told] = await read(db, lambda tx: notifications.list_notifications(tx, ENGINE))
    assert (told.name, told.unit_id) == ("messaging.bot_excluded", tree.haeundae.id)
    await say(house, "제외된 동안")

    assert await bots.bring_back_once(db) == 0
    await clock.advance(db, timedelta(minutes=10))
    await bots.bring_back_once(house.services.database)
    await bot.until(lambda each: texts(each) == ["제외된 동안"])
    await fail(5)
    await until_free(db)
    bot.hang_up()
    await house.until_holds("busan1")
    assert (await find_bot(db)).failures == 0


@pytest.mark.req("A-196")
async def test_a_bot_somebody_excluded_is_not_brought_back_until_somebody_says_so(
    db: Database, house: House, phone: OpenBot
):
    bot_id, _ = await add_bot(db, (await plant(db)).haeundae, "busan1")
    bot = await phone(house)
    await house.until_holds("busan1")

    await act(house, actions.exclude, bot_id, "전화기 수리")
    await until_free(db)
    await clock.advance(db, timedelta(days=1))
    assert await bots.bring_back_once(db) == 0
    bot.hang_up()
    await bot.until(lambda each: [change.state for change in each.changes].count("approved") == 2)
    await settle(house)
    assert await route(db, "busan1") is None
    await act(house, actions.include, bot_id)
    await house.until_holds("busan1")


async def test_a_draining_server_sends_its_bots_elsewhere_once_nothing_of_theirs_runs(
    db: Database, phone: OpenBot, tmp_path: Path
):
    await add_bot(db, None, "busan1")
    gate = Gate()
    async with open_house(db, tmp_path) as other, open_house(db, tmp_path, wait=gate.__call__) as house:
        bot = await phone(house, other)
        await house.until_holds("busan1")
        await say(house, "", kind="test.wait")
        await gate.until_begun()

        async with house.services.database.transaction() as tx:
            await workers.set_drain(tx, house.worker, is_draining=True)
        await until(lambda: house.server.life.is_draining)
        await settle(house)
        assert bot.server == f"127.0.0.1:{house.gateway.port}"
        gate.open.set()
        await other.until_holds("busan1")

        assert was_told(bot, "다른 서버")
        assert gate.cancelled == []
        assert bot.server == f"127.0.0.1:{other.gateway.port}"


async def test_a_route_held_for_nobody_is_let_go(db: Database, house: House):
    await hold_route(db, house.worker, "bot:ghost")
    await hold_route(db, house.worker, "printer:first")

    await settle(house)

    assert await read(db, lambda tx: routes.list_routes(tx, worker=house.worker)) == ["printer:first"]
