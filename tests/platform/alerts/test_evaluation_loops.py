"""Main adds these loops to every server; a server with them samples, judges and tells by itself."""

import asyncio

import pytest

from pabal.base.database import Database
from pabal.platform import alerts
from pabal.platform.alerts import ENGINE_MEASURES, ENGINE_RULES, BadRule
from tests.platform.alerts.house import EVERYTHING, Dial, House


async def test_a_server_with_the_loops_fires_by_itself(db: Database) -> None:
    house = House(db, dial=Dial(shows=99.0))
    own = Dial("test.here", 1.0).measure(is_per_host=True)
    await house.set(house.rule.held_for_setting, "0s")
    loops = alerts.make_loops(db, [house.measure, own], [house.rule], house.tell, host="here")

    for loop in loops:
        loop.start()
    try:
        async with asyncio.timeout(30):
            while not house.told or not await series_of(db, "here"):
                for loop in loops:
                    loop.wake()
                await asyncio.sleep(0.01)
    finally:
        for loop in loops:
            await loop.stop()

    assert house.news == ["fired"]
    assert [loop.state().last_error for loop in loops] == [None] * 4


async def series_of(db: Database, about: str) -> bool:
    async with db.transaction() as tx:
        return any(one.about == about for one in await alerts.list_series(tx, EVERYTHING))


async def test_a_rule_without_its_measure_is_refused_at_start(db: Database) -> None:
    with pytest.raises(BadRule):
        alerts.make_loops(db, ENGINE_MEASURES[:1], ENGINE_RULES, House(db).tell)
