"""Messages on the front page, in the menu and in the search: only what one may see."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import overview
from pabal.base.database import Database
from pabal.platform.overview import Card
from pabal.platform.tenants import Scope
from tests.apps.messaging.asking import begin_at
from tests.apps.messaging.bulking import picked
from tests.apps.messaging.bulking import save as save_bulk
from tests.apps.messaging.history import add_deliveries, ended, stop_schedule
from tests.support.messaging import World, add_bot, add_room, add_schedule, make_world
from tests.support.people import person, plant

NOON = datetime(2035, 6, 4, 3, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
HOUSE = Scope(None, None)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    made = await make_world(db, tmp_path)
    await begin_at(db, NOON)
    return made


def only(world: World, unit: str) -> Scope:
    found = getattr(world.tree, unit).id
    return Scope((found,), found)


async def test_the_card_tells_the_day_so_far(world: World):
    schedule = await add_schedule(world)
    rows = [ended("sent", NOON - HOUR), ended("missed", NOON - 2 * HOUR), ended("sent", NOON - 3 * HOUR)]
    await add_deliveries(world.db, schedule, [*rows, ended("sent", NOON - 13 * HOUR)])

    async with world.db.transaction() as tx:
        card = await overview.card(tx, HOUSE)
        elsewhere = await overview.card(tx, only(world, "gangnam"))

    assert isinstance(card, Card)
    assert (card.value, card.bars, card.look) == (2, "7m7", "attn")
    assert card.trouble[1] == "못 보냄 1"
    assert card.next_at is not None
    assert elsewhere is None


async def test_the_next_send_may_be_one_to_many_rooms(world: World):
    saved = await save_bulk(world, person(world.tree.haeundae), picked([world.room_id]))

    async with world.db.transaction() as tx:
        card = await overview.card(tx, HOUSE)

    assert isinstance(card, Card)
    assert card.next_at == NOON + MINUTE
    assert saved


async def test_an_empty_house_says_to_connect_a_phone_until_there_is_a_bot(db: Database):
    tree = await plant(db)
    branch = Scope((tree.haeundae.id,), tree.haeundae.id)

    async with db.transaction() as tx:
        house, below = await overview.card(tx, HOUSE), await overview.card(tx, branch)
    await add_bot(db, tree.haeundae, "first", state="pending")
    async with db.transaction() as tx:
        afterwards = await overview.card(tx, HOUSE)

    assert house == overview.FIRST_STEP
    assert (below, afterwards) == (None, None)


async def test_what_waits_for_a_person_is_listed_with_its_reason_and_counted_in_the_menu(world: World):
    schedule = await add_schedule(world)
    rows = [
        ended("missed", NOON - 5 * MINUTE, reason="bot_offline"),
        ended("partial", NOON - HOUR),
        ended("failed", NOON - 2 * HOUR, detail={"dismissed_by": "user:1"}),
        ended("failed", NOON - 30 * HOUR),
        ended("failed", NOON - HOUR - MINUTE, cause="test"),
        ended("sent", NOON - 3 * HOUR),
    ]
    await add_deliveries(world.db, schedule, rows)
    await stop_schedule(world.db, await add_schedule(world, title="멈춘 것"))
    await add_bot(world.db, world.tree.haeundae, "new one", state="pending")
    await add_room(world.db, None, "18209999", "누구의 방", bots=[world.bot_id])

    async with world.db.transaction() as tx:
        needs = await overview.list_needs(tx, HOUSE)
        counted = [
            [await count(tx, scope) for scope in (HOUSE, only(world, "haeundae"), only(world, "gangnam"))]
            for count in (
                overview.count_needs,
                overview.count_bot_needs,
                overview.count_room_needs,
                overview.count_schedule_needs,
            )
        ]
        elsewhere = await overview.list_needs(tx, only(world, "gangnam"))

    assert [(need.family, need.state, need.severity) for need in needs] == [
        ("delivery", "missed", "missing"),
        ("delivery", "partial", "attention"),
        ("message_schedule", "error", "failure"),
        ("bot_device", "pending", "attention"),
    ]
    assert needs[0].reason == ("Bot ‘busan1’ was not connected.", "봇 ‘busan1’이(가) 연결되어 있지 않았습니다.")
    assert counted == [[2, 2, 0], [1, 1, 0], [1, 0, 0], [1, 1, 0]]
    assert elsewhere == []


async def test_search_finds_schedules_rooms_and_bots_of_ones_own_and_takes_signs_as_they_are(world: World):
    await add_schedule(world, title="100% 할인")
    await add_schedule(world, title="1000 할인")

    async with world.db.transaction() as tx:
        found = await overview.find(tx, HOUSE, "100%")
        rooms = await overview.find(tx, only(world, "haeundae"), "손님")
        bots = await overview.find(tx, only(world, "haeundae"), "BUSAN")
        elsewhere = await overview.find(tx, only(world, "gangnam"), "s")

    assert [one.title for one in found] == ["100% 할인"]
    assert [one.href for one in rooms] == [f"/messages/rooms/{world.room_id}"]
    assert [one.href for one in bots] == [f"/messages/bots/{world.bot_id}"]
    assert elsewhere == []


@pytest.mark.parametrize(
    ("about", "there"),
    [
        ("message_schedule:7", "/messages/schedules/7"),
        ("delivery:7", "/messages/deliveries/7"),
        ("bot:7", "/messages/bots/7"),
        ("room:7", "/messages/rooms/7"),
        ("room:7 dispatch", None),
        ("kettle:7", None),
        ("delivery:" + "9" * 30, None),
    ],
)
def test_a_thing_has_its_page(about: str, there: str | None):
    assert overview.link(about) == there
