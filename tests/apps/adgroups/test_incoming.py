"""What ad groups take in from a broker: under the guards people have, once, and refused with the reason kept."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from pabal import main
from pabal.apps.adgroups.incoming import EVENTS
from pabal.apps.adgroups.model.adgroups import Event, State
from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.engine import ids
from pabal.platform.actor import ENGINE
from pabal.platform.broker import Kept, list_events
from pabal.platform.broker.incoming import Intake
from pabal.platform.broker.line import Line, Wish, open_line
from pabal.platform.broker.store import read_lag
from tests.apps.adgroups.actions.world import World, make_world
from tests.support.servers import until

WISH = Wish("pabal.events", "here", timedelta(minutes=1))


@pytest.fixture
async def world(db: Database) -> World:
    return await make_world(db)


@pytest.fixture
async def redis(redis_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(redis_url) as client:
        yield client


@pytest.fixture
async def line(redis_url: str) -> AsyncIterator[Line]:
    made = open_line(redis_url)
    yield made
    await made.close()


async def say(redis: Redis, number: int, event: str, subject: str, **data: Any) -> None:
    said = {"id": f"evt-{number}", "name": f"adgroup.{event}", "subject": subject, "data": data}
    await redis.xadd("pabal.events", {"__data__": json.dumps(said)})


async def kept(db: Database) -> list[Kept]:
    """The oldest first."""
    async with db.transaction() as tx:
        return (await list_events(tx, ENGINE)).items[::-1]


SAID: list[tuple[int, str, dict[str, Any]]] = [
    (1, "COMPLETE_SETUP", {}),
    (2, "approve", {"reason": "agreed"}),
    (3, "RESUME", {}),  # before its pause
    (4, "PAUSE", {"expect_version": 3, "reason": "sold out"}),
    (4, "PAUSE", {"expect_version": 3, "reason": "sold out"}),
    (5, "DELETE", {"expect_version": 3}),
    (6, "Resume", {}),
    (7, "DELETE", {}),
    (7, "DELETE", {}),
]


@pytest.mark.req("E-11", "E-12", "E-102")
async def test_events_move_an_ad_group_once_and_those_that_come_too_early_are_refused(
    world: World, redis: Redis, line: Line
):
    number = await world.make()
    shown = ids.show("adg", number)
    async with world.db.transaction() as tx:
        await tx.script(f"update pabal.ad_group set legacy_id = 'old-7' where id = {number}")
    for one, event, data in SAID:
        # by the old system's id too
        await say(redis, one, event, "old-7" if one == 2 else shown, **data)

    for _ in SAID:
        assert await Intake(world.db, line, EVENTS).take_once(WISH) == 1

    assert [(one.id, one.result, one.code, one.duplicates) for one in await kept(world.db)] == [
        ("evt-1", "applied", None, 0),
        ("evt-2", "applied", None, 0),
        ("evt-3", "refused", "move_not_allowed", 0),
        ("evt-4", "applied", None, 1),
        ("evt-5", "refused", "ad_group_changed", 0),
        ("evt-6", "applied", None, 0),
        ("evt-7", "applied", None, 1),
    ]
    history = await world.history(number)
    assert [(one.event, one.actor, one.reason) for one in history[1:]] == [
        (Event.COMPLETE_SETUP, "broker", None),
        (Event.APPROVE, "broker", "agreed"),
        (Event.PAUSE, "broker", "sold out"),
        (Event.RESUME, "broker", None),
        (Event.DELETE, "broker", None),
    ]
    assert await world.state(number) == State.DELETED


async def test_what_is_refused_says_why_and_changes_nothing(world: World, redis: Redis, line: Line):
    number = await world.make(Event.COMPLETE_SETUP)
    shown = ids.show("adg", number)
    await world.pass_to((await world.get(number)).schedule.end_at)
    said: list[tuple[str, str, dict[str, Any]]] = [
        ("APPROVE", shown, {}),
        ("START", shown, {}),
        ("PAUSE", "nobody", {}),
        ("PAUSE", "", {}),
        ("PAUSE", "adg_?", {}),
        ("PAUSE", "adg_zzzzzzzzzzzzz", {}),
        ("REJECT", shown, {"reason": 7}),
        ("REJECT", shown, {"expect_version": True}),
    ]
    for place, (event, subject, data) in enumerate(said):
        await say(redis, place, event, subject, **data)

    for _ in said:
        assert await Intake(world.db, line, EVENTS).take_once(WISH) == 1

    found = await kept(world.db)
    assert [one.code for one in found] == [
        "guard_refused",
        "move_not_allowed",
        *["ad_group_not_found"] * 2,
        "bad_id",
        "ad_group_not_found",
        *["bad_event_data"] * 2,
    ]
    report = found[0].report or {}
    conditions = {one["name"]: one["holds"] for one in report["conditions"]}
    assert (report["state"], report["event"], conditions["has_not_ended"]) == ("READY", "APPROVE", False)
    assert await world.state(number) == State.READY


@pytest.mark.req("E-11", "E-14")
async def test_a_server_takes_a_pause_from_the_broker_and_tells_it_on(
    world: World, redis: Redis, redis_url: str, tmp_path: Path
):
    """Guard, action, state saved, domain event: all the way through one running server."""
    number = await world.make_approved()
    settings = Settings(
        database_url=world.db.url, data_dir=tmp_path, apps="pabal.apps.adgroups", broker_url=redis_url, bots_port=0
    )
    app = await main.build(settings, frozenset({"worker"}))
    await app.start()
    try:
        await until(lambda: is_publishing(world.db))
        await say(redis, 1, "PAUSE", ids.show("adg", number), reason="sold out")
        await until(lambda: redis.xlen("pabal.facts"))
    finally:
        await app.stop()

    [(_, fields)] = await redis.xrange("pabal.facts")
    fact = json.loads(fields[b"__data__"])
    assert (fact["name"], fact["subject"], fact["data"]["reason"]) == (
        "adgroup.paused",
        f"adgroup:{number}",
        "sold out",
    )
    assert await world.state(number) == State.PAUSED
    assert int((await redis.xpending("pabal.events", "pabal"))["pending"]) == 0


async def is_publishing(db: Database) -> bool:
    async with db.transaction() as tx:
        return await read_lag(tx) is not None
