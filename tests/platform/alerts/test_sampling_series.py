"""A chart gets no more points than it asks for, and breaks where nothing is known."""

from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import alerts
from pabal.platform.alerts import BadChart, Chart, Point, Reading
from pabal.platform.tenants import Scope
from tests.platform.alerts.house import EVERY, EVERYTHING, House

HOUR = timedelta(hours=1)


async def chart(
    db: Database, *, points: int, back: timedelta, about: str = "", scope: Scope = EVERYTHING
) -> list[Point]:
    async with db.transaction() as tx:
        wanted = Chart("test.dial", tx.now - back, tx.now + timedelta(seconds=1), points, about)
        return await alerts.read_series(tx, scope, wanted)


async def test_a_bucket_knows_its_lowest_its_mean_and_its_highest(db: Database) -> None:
    house = House(db)
    for value in (1.0, 2.0, 6.0):
        await house.pass_by(EVERY, showing=value)

    [point] = await chart(db, points=1, back=HOUR)

    assert (point.low, point.mean, point.high) == (1.0, 3.0, 6.0)


async def test_there_are_no_more_points_than_asked_for_and_they_are_in_order(db: Database) -> None:
    house = House(db)
    await house.pass_by(timedelta(minutes=10), showing=1.0)

    points = await chart(db, points=7, back=timedelta(minutes=10))

    assert 6 <= len(points) <= 7
    assert [point.at for point in points] == sorted(point.at for point in points)


async def test_a_stretch_without_samples_has_no_points(db: Database) -> None:
    house = House(db)
    await house.pass_by(EVERY, showing=1.0)
    await clock.advance(db, HOUR)
    await house.pass_by(EVERY, showing=2.0)

    points = await chart(db, points=100, back=2 * HOUR)

    assert [point.mean for point in points] == [1.0, 2.0]


async def test_a_unit_sees_its_own_series_and_no_other(db: Database) -> None:
    house = House(db)
    await house.pass_by(EVERY, showing=[Reading(1, "bot:1", 7), Reading(2, "bot:2", 8), Reading(3, "server")])
    seven = Scope((7,), 7)

    async with db.transaction() as tx:
        listed = [one.about for one in await alerts.list_series(tx, seven)]

    assert listed == ["bot:1"]
    assert len(await chart(db, points=1, back=HOUR, about="bot:1", scope=seven)) == 1
    assert await chart(db, points=1, back=HOUR, about="bot:2", scope=seven) == []
    assert await chart(db, points=1, back=HOUR, about="server", scope=seven) == []


async def test_a_chart_that_cannot_be_drawn_is_refused(db: Database) -> None:
    async with db.transaction() as tx:
        now = tx.now

    for since, points in ((now, 10), (now - HOUR, 0), (now - HOUR, 2001)):
        with pytest.raises(BadChart):
            Chart("test.dial", since, now, points)
