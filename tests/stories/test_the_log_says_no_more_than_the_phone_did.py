"""Across all floors: a phone that dies while it is busy, and what the log says of it afterwards."""

from collections.abc import Callable
from pathlib import Path

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.resources.deliveries import MessageDeliveryFilter
from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.apps.messaging.simulator.options import Change, Options
from pabal.apps.messaging.simulator.witness import Received
from pabal.apps.messaging.store.deliveries import list_deliveries
from pabal.base import clock
from pabal.base.database import Database
from pabal.main import App
from tests.stories.test_a_schedule_becomes_a_sent_message import (
    HOUSE,
    MINUTE,
    be_roomy,
    door,
    has,
    list_ends,
    phone,
    serving,
)
from tests.support.botline import set_value
from tests.support.messaging import World, add_room, add_schedule, make_world, upload
from tests.support.servers import until

# So long over a picture that nobody waits for its end.
ASLEEP = 100_000.0


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    await be_roomy(db)
    await set_value(db, own.IMAGE_GAP_MS, 0)
    return world


def sleepy(app: App, version: str, is_asleep: Callable[[SimulatedBot], bool]) -> SimulatedBot:
    """A phone that falls asleep over a picture, once it has received what it is asked about."""
    bots: list[SimulatedBot] = []

    def look(_news: Received | Change) -> None:
        if is_asleep(bots[0]):
            bots[0].trouble.media_factor = ASLEEP

    bots.append(
        SimulatedBot(
            "busan1", [door(app)], Options(device_id="device of busan1", version=version, pace=0.01, tell=look)
        )
    )
    return bots[0]


@pytest.mark.parametrize("version", ["3.3.3", "3.2.1"])
async def test_a_phone_killed_over_the_fourth_of_four_images_has_handled_three_and_of_one_nobody_knows(
    world: World, tmp_path: Path, db: Database, version: str
) -> None:
    pictures = tuple([await upload(db, world.files, world.tree.haeundae, colour=n) for n in range(4)])
    await add_schedule(world, Content(images_1=pictures))

    async with serving(db, tmp_path) as server:
        async with sleepy(server, version, lambda bot: len(bot.received) >= 4) as bot:
            await bot.until(lambda each: each.is_approved)
            await clock.advance(db, MINUTE)
            await bot.until(lambda each: len(each.received) == 4)
        async with phone("busan1", server):
            await until(has(1, db))

    assert await list_ends(db) == [("unknown", "bot_gone", False)]
    async with db.transaction() as tx:
        [delivery] = (await list_deliveries(tx, HOUSE, MessageDeliveryFilter())).items
    assert [part.state.value for part in delivery.parts] == ["handled", "handled", "handled", "unknown"]


async def test_of_five_sends_only_what_the_phone_handled_is_a_success(
    world: World, tmp_path: Path, db: Database
) -> None:
    """They were all written in three seconds once, and called a success while the phone slept over the second."""
    for number in range(5):
        room_id = await add_room(db, world.tree.haeundae, f"1839{number}", f"톡방 {number}", bots=[world.bot_id])
        content = Content(text=f"공지 {number}", images_1=(world.picture,), send_interval_seconds=0)
        await add_schedule(world, content, room_id=room_id, title=f"공지 {number}")

    async with serving(db, tmp_path) as server:
        async with sleepy(server, "3.3.3", lambda bot: len(bot.received) >= 2) as bot:
            await bot.until(lambda each: each.is_approved)
            await clock.advance(db, MINUTE)
            await bot.until(lambda each: len(each.received) == 2)
        during = await list_ends(db)
        async with phone("busan1", server) as again:
            await until(has(5, db))

    assert during == [], "nothing is a success yet"
    assert sorted(state for state, _, _ in await list_ends(db)) == ["sent"] * 4 + ["unknown"]
    # the text of the first is not said again, nor is the picture nobody knows of
    assert (len(bot.received), len(again.received)) == (2, 8)


async def test_where_the_bot_hears_itself_its_text_is_seen(world: World, tmp_path: Path, db: Database) -> None:
    await add_schedule(world, Content(text="신상품 안내"))
    options = Options(device_id="device of busan1", pace=0.01, hears_itself=True)

    async with serving(db, tmp_path) as server, SimulatedBot("busan1", [door(server)], options) as bot:
        await bot.until(lambda each: each.is_approved)
        await clock.advance(db, MINUTE)
        await until(has(1, db))

        async def is_seen() -> bool:
            async with db.transaction() as tx:
                [delivery] = (await list_deliveries(tx, HOUSE, MessageDeliveryFilter())).items
            return [part.state.value for part in delivery.parts] == ["seen"]

        await until(is_seen)
