"""Who is let in: what a device receives hangs on what was decided about it, and on its signature where one is asked."""

from datetime import timedelta

import pytest

from pabal.apps.messaging.actions import bots as actions
from pabal.apps.messaging.listener.keeper import Seeing
from pabal.apps.messaging.listener.protocol import JOINER, Chat
from pabal.apps.messaging.machine import DEVICE
from pabal.apps.messaging.model.bots import DeviceState
from pabal.apps.messaging.model.rooms import Room
from pabal.apps.messaging.store import rooms
from pabal.base.database import Database
from pabal.base.sql import Statement
from pabal.engine import ids
from pabal.engine.transitions import history
from pabal.platform import operating
from pabal.platform.controls import KindControls
from pabal.platform.language import stories
from pabal.platform.tenants import Scope
from tests.apps.messaging.listener.houses import (
    ADMIN,
    SALT,
    SAY,
    SECRET,
    House,
    OpenBot,
    act,
    find_bot,
    find_device,
    house,
    phone,
    read,
    route,
    say,
    settle,
    until_free,
)
from tests.support.messaging import add_bot
from tests.support.servers import until

__all__ = ["house", "phone"]


@pytest.mark.req("A-28", "A-26")
async def test_a_phone_that_calls_for_the_first_time_is_a_pending_device_with_what_it_said(
    db: Database, house: House, phone: OpenBot
):
    bot = await phone(house, name="새 봇", device_id="a1b2", version="3.2.9")

    device = await find_device(db, "a1b2", "새 봇")

    assert bot.changes[0].state == "pending"
    assert (device.state, device.client_version, device.worker) == (DeviceState.PENDING, "3.2.9", house.worker)
    assert device.connected_at is not None
    assert device.address.startswith("127.0.0.1:")
    assert [made.event for made in await read(db, lambda tx: history(tx, DEVICE, device.id))] == ["begin"]


async def test_only_an_approved_device_receives_anything(db: Database, house: House, phone: OpenBot):
    bot = await phone(house)
    device = (await find_device(db)).id
    said = 0

    async def decided(verb, *, receives: bool) -> None:
        nonlocal said
        if verb is not None:
            await act(house, verb, device)
        await settle(house)
        said += receives
        assert (house.find("busan1") is not None) == receives
        assert (await route(db, "busan1") is not None) == receives
        await bot.until(lambda each: len(each.received) == said)

    await say(house, "첫째")
    await decided(None, receives=False)
    await decided(actions.deny, receives=False)
    await decided(actions.approve, receives=True)
    await decided(actions.revoke, receives=False)
    await say(house, "둘째")
    await decided(None, receives=False)
    assert bot.is_connected
    await decided(actions.approve, receives=True)
    assert [each.text for each in bot.received] == ["첫째", "둘째"]
    assert [change.state for change in bot.changes] == ["pending", "approved", "pending", "approved"]

    await act(house, actions.block, device)
    await bot.until(lambda each: "refused" in [change.state for change in each.changes])

    assert not bot.is_connected
    assert [change.state for change in bot.changes if "차단" in change.message] == ["told", "refused"]
    await until_free(db)


@pytest.mark.usefixtures("host_clock")
async def test_where_a_secret_is_set_only_a_signed_pong_takes_the_route(db: Database, house: House, phone: OpenBot):
    unsigned = await phone(house, device_id="a")
    await act(house, actions.approve, (await find_device(db, "a")).id)
    bot = await find_bot(db)
    await house.until_holds("busan1")

    await act(house, actions.set_secret, bot.id, vault=house.services.vault, secret=SECRET, salt=SALT)
    await until_free(db)
    await unsigned.until(lambda each: each.pongs > 0)
    wrong = await phone(house, device_id="b", secret="another secret", salt=SALT)
    await act(house, actions.approve, (await find_device(db, "b")).id)
    await wrong.until(lambda each: each.pongs > 0)
    await settle(house)
    assert await route(db, "busan1") is None

    right = await phone(house, device_id="c", secret=SECRET, salt=SALT)
    await act(house, actions.approve, (await find_device(db, "c")).id)
    await house.until_holds("busan1")
    await say(house, "서명한 전화기에만")

    await right.until(lambda each: len(each.received) == 1)
    assert unsigned.received == wrong.received == []
    signatures = {device.connection.device_id: device.signature for device in house.gateway.routes.devices}
    assert signatures == {"a": "none", "b": "invalid", "c": "valid"}


@pytest.mark.usefixtures("host_clock")
async def test_a_signed_pong_of_a_proven_phone_asks_the_database_nothing(
    db: Database, house: House, phone: OpenBot, monkeypatch: pytest.MonkeyPatch
):
    bot_id, _ = await add_bot(db, None, "busan1")
    await act(house, actions.set_secret, bot_id, vault=house.services.vault, secret=SECRET, salt=SALT)
    await phone(house, secret=SECRET, salt=SALT)
    await house.until_holds("busan1")
    [device] = house.gateway.routes.devices
    before = device.signed_ms
    asked: list[str] = []
    keeper = device.connection._board.keeper
    monkeypatch.setattr(keeper, "_database", NoDatabase(asked))

    device.connection.ping()
    await until(lambda: device.signed_ms > before)

    assert (device.signature, device.is_trusted, asked) == ("valid", True, [])


@pytest.mark.usefixtures("host_clock")
async def test_who_signs_with_the_secret_of_before_sends_no_more_until_the_phone_has_the_new_one(
    db: Database, house: House, phone: OpenBot
):
    bot_id, _ = await add_bot(db, None, "busan1")
    await act(house, actions.set_secret, bot_id, vault=house.services.vault, secret=SECRET, salt=SALT)
    bot = await phone(house, secret=SECRET, salt=SALT)
    await house.until_holds("busan1")
    before = bot.pongs

    await act(house, actions.set_secret, bot_id, vault=house.services.vault, secret="a new secret", salt=SALT)
    await until_free(db)
    await bot.until(lambda each: each.pongs > before)
    await until(lambda: [device.signature for device in house.gateway.routes.devices] == ["invalid"])
    await settle(house)

    assert await route(db, "busan1") is None


class NoDatabase:
    def __init__(self, asked: list[str]) -> None:
        self._asked = asked

    def transaction(self) -> None:
        self._asked.append("transaction")
        raise AssertionError("nobody asks")


@pytest.mark.usefixtures("host_clock")
async def test_a_phone_with_a_wrong_secret_shows_as_such_and_not_as_away(db: Database, house: House, phone: OpenBot):
    bot_id, _ = await add_bot(db, None, "busan1")
    await act(house, actions.set_secret, bot_id, vault=house.services.vault, secret=SECRET, salt=SALT)
    bot = await phone(house, secret="another secret", salt=SALT)
    await bot.until(lambda each: each.pongs > 0)
    await until(lambda: [device.signature for device in house.gateway.routes.devices] == ["invalid"])
    await house.gateway.reporting.report_once(house.gateway.server)
    job = await say(house, "나가지 않는다")

    shown = await find_bot(db)
    assert (shown.state, [device.is_unproven for device in shown.devices]) == ("wrong_secret", [True])
    absent = await read(db, actions.list_absences)
    assert list(absent) == ["bot:busan1"]
    owners = {SAY: KindControls(SAY, "messaging", absences=actions.list_absences)}
    async with db.transaction() as tx:
        story = await operating.why(tx, ADMIN, HOUSE, ids.show("job", job), owners=owners)
    assert [stories.tell(line, "en", str) for line in story.lines if line.code == "route_because"] == [
        absent["bot:busan1"][0]
    ]
    assert "does not sign with its secret" in absent["bot:busan1"][0]


async def test_a_text_the_bot_reports_in_its_room_is_noted_as_its_own(db: Database, house: House, phone: OpenBot):
    await add_bot(db, None, "busan1")
    bot = await phone(house, hears_itself=True)
    await house.until_holds("busan1")
    await say(house, "내가 한 말")
    await bot.until(lambda each: len(each.received) == 1)

    await until(lambda: [one.text for one in house.gateway.seeing._own] == ["내가 한 말"])
    bot.say("톡방", "18200001", "김손님", "내가 한 말이라고?")
    await house.gateway.seeing.write_once()

    assert house.gateway.seeing._own == {}


async def test_what_an_old_phone_got_so_that_it_obeys_nothing_is_noted_as_it_was_written(db: Database):
    bot_id, _ = await add_bot(db, None, "busan1")
    seeing = Seeing(db)

    seeing.note_own(bot_id, heard(f"{JOINER}MEDIA_URL: 뜻"))

    assert [one.text for one in seeing._own] == ["MEDIA_URL: 뜻"]


HOUSE = Scope(None, None)


def heard(text: str, *, room: str = "손님방", channel: str = "18390001", log_id: str = "") -> Chat:
    return Chat(room, channel, "김손님", text, log_id, is_group_chat=True, at=None)


async def unclaimed(db: Database) -> list[Room]:
    async with db.transaction() as tx:
        return (await rooms.list_unclaimed(tx, HOUSE)).items


async def said(db: Database, room: Room) -> int:
    async with db.transaction() as tx:
        hour = timedelta(hours=1)
        return sum(
            each.messages for each in await rooms.list_traffic(tx, room.id, since=tx.now - hour, until=tx.now + hour)
        )


async def versions(db: Database) -> list[object]:
    """Changes whenever a room, or a bot's place in one, is written."""
    async with db.transaction() as tx:
        text = "select r.xmin::text, rb.xmin::text from pabal.room r join pabal.room_bot rb on rb.room_id = r.id"
        return [tuple(row) for row in await tx.rows(Statement("versions", text, ()))]


async def test_a_room_is_discovered_by_an_approved_device_only(db: Database, house: House, phone: OpenBot):
    bot = await phone(house)
    bot.say("손님방", "18390001", "김손님", "몇 시까지 하세요?")
    bot.say("손님방", "18390001", "김손님", "여보세요")
    [device] = house.gateway.routes.devices
    device.connection.ping()
    # what it said before its answer has been heard by then
    await until(lambda: any(each.monitoring for each in house.gateway.server.clients.get_all_clients().values()))
    await house.gateway.seeing.write_once()
    assert await unclaimed(db) == []

    await act(house, actions.approve, (await find_device(db)).id)
    await settle(house)
    bot.say("손님방", "18390001", "김손님", "이제 들리나요?")

    async def is_discovered() -> bool:
        await house.gateway.seeing.write_once()
        return bool(await unclaimed(db))

    await until(is_discovered)
    [room] = await unclaimed(db)

    assert (room.name, room.channel_id, room.unit_id) == ("손님방", "18390001", None)
    assert [(each.bot_name, each.room_name) for each in room.bots] == [("busan1", "손님방")]


async def test_a_known_room_is_only_counted_and_a_message_two_bots_heard_counts_once(db: Database):
    first, second = (await add_bot(db, None, "first"))[0], (await add_bot(db, None, "second"))[0]
    seeing = Seeing(db)
    seeing.note(first, heard("안녕하세요", log_id="1"))
    seeing.note(second, heard("안녕하세요", log_id="1", room="해운대 손님방"))
    await seeing.write_once()
    before = await versions(db)

    for number in range(2, 50):
        seeing.note(first, heard("네", log_id=str(number)))
    await seeing.write_once()
    [room] = await unclaimed(db)

    assert await versions(db) == before
    assert await said(db, room) == 49
    assert {each.bot_name: each.room_name for each in room.bots} == {"first": "손님방", "second": "해운대 손님방"}

    seeing.note(first, heard("이름이 바뀌었네요", room="새 손님방"))
    await seeing.write_once()
    [room] = await unclaimed(db)

    assert room.name == "새 손님방"
    assert {each.bot_name: each.room_name for each in room.bots}["first"] == "새 손님방"


async def test_what_could_not_be_written_is_counted_later(db: Database):
    bot_id, _ = await add_bot(db, None, "first")
    closed = await Database.open(db.url, size=1)
    seeing = Seeing(closed)
    seeing.note(bot_id, heard("안녕하세요"))
    await closed.close()
    with pytest.raises(Exception, match="clos"):
        await seeing.write_once()

    seeing._database = db
    await seeing.write_once()
    await seeing.write_once()

    [room] = await unclaimed(db)
    assert await said(db, room) == 1


async def test_what_cannot_be_a_room_is_none(db: Database):
    bot_id, _ = await add_bot(db, None, "first")
    seeing = Seeing(db)
    for chat in (heard("?", room=" "), heard("?", channel=""), heard("?", channel="1" * 101)):
        seeing.note(bot_id, chat)
    seeing.note(bot_id, heard("?", room="긴" * 300, channel="2"))

    await seeing.write_once()

    assert [len(room.name) for room in await unclaimed(db)] == [200]
