"""Sends that went wrong are told: to their unit, gathered or one by one, and not at all where nobody wants it."""

from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import telling
from pabal.base.database import Database
from pabal.engine import facts
from pabal.engine.facts import Subscriber
from pabal.platform import notifications
from pabal.platform.actor import Actor, Role
from pabal.platform.notifications import Notification
from pabal.platform.tenants import Unit
from tests.apps.messaging.history import add_deliveries, ended
from tests.support.botline import Desk, fall_due, set_value
from tests.support.messaging import World, add_schedule, make_world
from tests.support.work import advance


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    return await make_world(db, tmp_path)


async def miss_two(world: World) -> None:
    """Their bot is nowhere until it is too late."""
    desk = await Desk.open(world)
    await desk.disconnect()
    for title in ("아침", "점심"):
        await add_schedule(world, title=title)
    await fall_due(world.db)
    await advance(world.db, 400)
    await desk.expire()


async def gone_wrong(world: World, state: str, **more: Any) -> dict[str, Any]:
    async with world.db.transaction() as tx:
        return ended(state, tx.now, **more)


async def end_as(world: World, state: str, *, unit: Unit | None = None, **more: Any) -> None:
    unit = unit or world.tree.haeundae
    schedule_id = await add_schedule(world, unit_id=unit.id)
    [delivery_id] = await add_deliveries(world.db, schedule_id, [await gone_wrong(world, state, **more)])
    async with world.db.transaction() as tx:
        await facts.record(tx, f"delivery.{state}", f"delivery:{delivery_id}", {}, unit.id)


async def tell(world: World, reader: Actor | None = None) -> list[Notification]:
    """What its reader finds; without one, an operator of Haeundae."""
    await facts.deliver_once(world.db, Subscriber("test", telling.TROUBLES, telling.tell_troubles, from_start=True))
    actor = reader or Actor("user:1", world.tree.haeundae.id, Role.OPERATOR)
    async with world.db.transaction() as tx:
        found = await notifications.list_notifications(tx, actor)
    return [one for one in found if one.name == telling.NAME]


async def test_each_is_told_at_once_where_that_is_wanted(world: World) -> None:
    await set_value(world.db, own.TELL_TROUBLES, "at_once")
    await miss_two(world)

    told = await tell(world)

    assert sorted(one.title[1] for one in told) == ["제때 못 보냄: 아침", "제때 못 보냄: 점심"]
    assert {one.unit_id for one in told} == {world.tree.haeundae.id}


async def test_they_are_gathered_by_default_and_counted(world: World) -> None:
    await miss_two(world)

    [told] = await tell(world)

    assert told.times == 2


async def test_gathered_is_all_that_went_wrong_in_one_unit_and_nothing_of_another(world: World) -> None:
    for state in ("failed", "partial", "unknown", "missed"):
        await end_as(world, state)
    await end_as(world, "failed", unit=world.tree.gangnam)

    await tell(world)
    told = await tell(world, Actor("user:1", None, Role.OPERATOR))

    expected = {(world.tree.haeundae.id, 4), (world.tree.gangnam.id, 1)}
    assert (len(told), {(one.unit_id, one.times) for one in told}) == (2, expected)


@pytest.mark.parametrize("how", ["at_once", "gathered"])
async def test_of_one_send_nobody_is_told_twice(world: World, how: str) -> None:
    await set_value(world.db, own.TELL_TROUBLES, how)
    await end_as(world, "failed")
    await tell(world)

    [told] = await tell(world)

    assert told.times == 1


async def test_of_what_goes_wrong_later_somebody_is_told_again_after_an_hour(world: World) -> None:
    await miss_two(world)
    first = await tell(world)
    for seconds in (3000, 1200):
        await advance(world.db, seconds)
        await end_as(world, "missed")
        await tell(world)

    told = await tell(world)
    assert len(first) == 1
    assert sorted(one.times for one in told) == [1, 3]


@pytest.mark.parametrize(
    ("state", "title"),
    [
        ("failed", "발송 실패: 아침 인사"),
        ("partial", "일부만 발송: 아침 인사"),
        ("unknown", "도착 확인 필요: 아침 인사"),
        ("missed", "제때 못 보냄: 아침 인사"),
    ],
)
async def test_each_kind_of_trouble_is_told_by_its_name(world: World, state: str, title: str) -> None:
    await end_as(world, state)

    [told] = await tell(world)

    assert told.title[1] == title


async def test_a_test_and_what_somebody_called_off_are_no_trouble(world: World) -> None:
    await end_as(world, "failed", cause="test")
    await end_as(world, "missed", detail={"dismissed_by": "user:1"})

    assert await tell(world) == []


async def test_nobody_is_told_where_it_is_off(world: World) -> None:
    await set_value(world.db, own.TELL_TROUBLES, "off")
    await miss_two(world)

    assert await tell(world) == []
