"""The scheduler's pace follows the hour and the settings, while servers run."""

from datetime import datetime, timedelta

import pytest

from pabal.apps.messaging import settings
from pabal.apps.messaging.actions.timetables import read_pace
from pabal.base.database import Database
from pabal.platform.settings import change
from tests.support.people import person, plant
from tests.support.schedules import go_to


@pytest.mark.req("A-31", "A-133", "A-188", "A-199", "A-218")
async def test_the_pace_follows_the_clock_of_seoul_and_the_settings(db: Database) -> None:
    tree = await plant(db)
    rests = {}
    for wall in ("2035-06-04T03:00+09:00", "2035-06-04T08:00+09:00", "2035-06-04T19:00+09:00"):
        await go_to(db, datetime.fromisoformat(wall))
        async with db.transaction() as tx:
            rests[wall[11:16]] = (await read_pace(tx)).rest

    async with db.transaction() as tx:
        before = await read_pace(tx)
        await change(tx, person(tree.hq), settings.POLL_BUSY, timedelta(seconds=10))
        await change(tx, person(tree.hq), settings.POLL_MAX, 7)
        after = await read_pace(tx)

    minute = timedelta(minutes=1)
    assert rests == {"03:00": 2 * minute, "08:00": minute, "19:00": minute / 2}
    assert (before.most, after.most, after.rest) == (100, 7, timedelta(seconds=10))
