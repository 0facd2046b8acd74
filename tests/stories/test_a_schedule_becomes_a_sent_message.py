"""Across all floors: somebody saves a schedule, its moment comes, a bot receives it, the log says so."""

import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from PIL import Image

from pabal import main
from pabal.apps.messaging import settings as own
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.resources.deliveries import MessageDeliveryFilter
from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.apps.messaging.simulator.options import Options
from pabal.apps.messaging.store.deliveries import list_deliveries
from pabal.base import clock
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.main import App
from pabal.platform.actor import Role
from pabal.platform.tenants import Scope
from tests.apps.messaging.api.house import build
from tests.support.botline import set_value
from tests.support.messaging import World, add_bot, add_room, add_schedule, make_world
from tests.support.servers import until
from tests.support.web import SECRET, open_web

HOUSE = Scope(None, None)


SEOUL = ZoneInfo("Asia/Seoul")
MINUTE = timedelta(minutes=1)
ROLES = frozenset({"worker", "scheduler"})


@asynccontextmanager
async def serving(db: Database, folder: Path) -> AsyncIterator[App]:
    """One server of the same house; stopped at the end if it is not yet."""
    settings = Settings(
        database_url=db.url,
        data_dir=folder,
        port=0,
        bots_port=0,
        secret_key=SECRET,
        shutdown_grace=timedelta(seconds=10),
    )
    app = await main.build(settings, ROLES)
    await app.start()
    try:
        yield app
    finally:
        if not app.is_stopping:
            await app.stop()


def door(app: App) -> tuple[str, int]:
    return app.services.connections.doors["bots"]


def phone(name: str, *apps: App) -> SimulatedBot:
    return SimulatedBot(name, [door(app) for app in apps], Options(device_id=f"device of {name}", pace=0.01))


async def be_roomy(db: Database) -> None:
    """A test run uses more than a server does: what it uses must refuse nobody."""
    await set_value(db, own.MAX_MEMORY_MB, 100_000)
    await set_value(db, own.MAX_CPU_PERCENT, 10_000)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    await be_roomy(db)
    return world


async def list_ends(db: Database, schedule_id: int | None = None) -> list[tuple[str, str | None, bool]]:
    async with db.transaction() as tx:
        page = await list_deliveries(tx, HOUSE, MessageDeliveryFilter(schedule=schedule_id))
    return [(one.state, one.reason, one.is_catch_up) for one in page.items if one.state != "open"]


def has(count: int, db: Database, schedule_id: int | None = None) -> Callable[[], Awaitable[bool]]:
    async def does() -> bool:
        return len(await list_ends(db, schedule_id)) >= count

    return does


def draw(colour: str) -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (40, 30), colour).save(written, "PNG")
    return written.getvalue()


@pytest.mark.req("A-19", "A-20", "A-22", "A-173", "A-174")
async def test_what_an_operator_saves_arrives_at_the_bot_in_order_and_is_in_the_log(
    db: Database, tmp_path: Path
) -> None:
    settings = Settings(database_url=db.url, data_dir=tmp_path, port=0, secret_key=SECRET)
    async with AsyncExitStack() as stack:
        web = await stack.enter_async_context(open_web(db, settings))
        await be_roomy(db)
        await build(web)
        server = await stack.enter_async_context(serving(db, tmp_path))
        bot = await stack.enter_async_context(phone("busan1", server))
        operator = await web.as_("haeundae", Role.OPERATOR)
        files = [await upload(operator, colour) for colour in ("red", "green", "blue")]
        async with db.transaction() as tx:
            due = (tx.now + timedelta(hours=1)).astimezone(SEOUL).replace(microsecond=0)
        made = await operator.post("/api/schedules", json=ask(due, files))
        assert made.status_code == 201, made.text
        about = f"/api/schedules/{made.json()['id']}"
        await bot.until(lambda each: each.is_approved)

        await clock.advance(db, timedelta(hours=1, seconds=1))
        await bot.until(lambda each: len(each.received) == 4)
        await until(has(1, db))

        logs = (await operator.get(f"{about}/logs")).json()["items"]
        thumbnail = await operator.get(f"/api/v1/messages/images/{files[0]}/thumbnail")
        after = (await operator.get(about)).json()
    assert [one.kind for one in bot.received] == ["image", "image", "image", "text"]
    assert [len(one.images) for one in bot.received[:3]] == [1, 1, 1]
    assert bot.received[3].text == "신상품 안내\n오늘까지!"
    assert {one.channel_id for one in bot.received} == {"18200001"}
    assert [(one["status"], one["send_components"]) for one in logs] == [("success", "text,images_1,images_2")]
    assert (thumbnail.status_code, thumbnail.headers["content-type"]) == (200, "image/webp")
    assert (after["status"], after["send_count"], after["next_send_at"]) == ("completed", 1, None)


async def upload(client: Any, colour: str) -> Any:
    answer = await client.post("/api/v1/messages/images", files={"file": (f"{colour}.png", draw(colour), "image/png")})
    assert answer.status_code == 201, answer.text
    return answer.json()["id"]


def ask(due: datetime, files: list[Any]) -> dict[str, Any]:
    return {
        "title": "신상품",
        "target_bot_name": "busan1",
        "target_room_id": "18200001",
        "message_text": "신상품 안내\n오늘까지!",
        "message_images_1": files[:2],
        "message_images_2": files[2:],
        "send_order": "images_first",
        "send_interval_seconds": 0,
        "schedule_type": "once",
        "schedule_date": due.date().isoformat(),
        "schedule_time": due.time().isoformat(),
        "valid_from": (due - timedelta(days=1)).isoformat(),
        "valid_until": (due + timedelta(days=1)).isoformat(),
        "status": "active",
    }


@pytest.mark.req("A-111", "A-113", "A-114", "A-217")
async def test_an_outage_of_minutes_is_made_up_for_once_and_a_longer_one_is_told(
    world: World, tmp_path: Path, db: Database
) -> None:
    async with db.transaction() as tx:
        now = tx.now.replace(microsecond=0)
    recent = await add_schedule(world, Content(text="늦었지만"), at=now + 8 * MINUTE)
    old = await add_schedule(world, Content(text="너무 늦은"), at=now + 2 * MINUTE, title="옛 공지")
    on_time = await add_schedule(world, Content(text="제때"), at=now + 60 * MINUTE, title="제때 공지")
    await clock.advance(db, 10 * MINUTE)

    async with serving(db, tmp_path) as server, phone("busan1", server) as bot:
        await until(has(1, db, recent))
        await until(has(1, db, old))
    async with serving(db, tmp_path) as server, phone("busan1", server) as again:
        await again.until(lambda each: each.is_approved)
        await clock.advance(db, 51 * MINUTE)
        await until(has(1, db, on_time))
        async with db.transaction() as tx:
            [sent] = (await list_deliveries(tx, HOUSE, MessageDeliveryFilter(schedule=on_time))).items

    assert [one.text for one in bot.received] == ["늦었지만"]
    assert [one.text for one in again.received] == ["제때"]
    assert await list_ends(db, recent) == [("sent", None, True)]
    assert [(state, reason) for state, reason, _ in await list_ends(db, old)] == [("missed", "misfired")]
    # the clock jumped a minute over the moment; what the server itself added is far less than the seed's minute
    assert sent.started_at is not None
    assert sent.started_at - sent.scheduled_at < 2 * MINUTE


@pytest.mark.req("A-109", "A-179", "A-210", "A-211")
async def test_servers_are_replaced_one_after_the_other_and_nothing_is_lost_or_said_twice(
    world: World, tmp_path: Path, db: Database
) -> None:
    names = ["busan1", *(f"busan{n}" for n in range(2, 7))]
    for number, name in enumerate(names[1:], start=2):
        bot_id, _ = await add_bot(db, world.tree.haeundae, name)
        room_id = await add_room(db, world.tree.haeundae, f"1830{number:04}", f"{name} 방", bots=[bot_id])
        await add_schedule(world, say(world, name), bot_id=bot_id, room_id=room_id, bot_name=name, title=name)
    await add_schedule(world, say(world, "busan1"), title="busan1")

    async with AsyncExitStack() as stack:
        first = await stack.enter_async_context(serving(db, tmp_path))
        second = await stack.enter_async_context(serving(db, tmp_path))
        bots = [
            await stack.enter_async_context(phone(name, *turn))
            for name, turn in zip(names, turns(first, second), strict=True)
        ]
        for bot in bots:
            await bot.until(lambda each: each.is_approved)
        await until(lambda: [len(app.services.connections) for app in (first, second)] == [3, 3])
        await clock.advance(db, MINUTE)
        await first.stop()
        for bot in bots:
            await bot.until(lambda each: len(each.received) == 2)
        third = await stack.enter_async_context(serving(db, tmp_path))
        for bot in bots:
            bot.move([door(third), door(second)])
        await second.stop()
        for bot in bots:
            await bot.until(lambda each: each.is_approved and each.server == "{}:{}".format(*door(third)))
        await clock.advance(db, timedelta(days=1))
        for bot in bots:
            await bot.until(lambda each: len(each.received) == 4)
        await until(has(12, db))

    assert door(first)[1] != door(second)[1]
    assert {state for state, _, _ in await list_ends(db)} == {"sent"}
    for name, bot in zip(names, bots, strict=True):
        assert [one.text for one in bot.received if one.kind == "text"] == [f"{name} 공지"] * 2
        assert len(bot.received) == 4


def say(world: World, name: str) -> Content:
    """Its second part comes a second later: the server that stops is in the middle of it."""
    return Content(text=f"{name} 공지", images_1=(world.picture,), send_interval_seconds=1)


def turns(first: App, second: App) -> list[tuple[App, App]]:
    """Half of the bots come to each first."""
    return [(first, second), (second, first)] * 3
