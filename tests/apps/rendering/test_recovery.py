from datetime import timedelta

import pytest

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.recovery import RecoveryClock
from tests.support.rendering import RenderWorld


@pytest.mark.req("B-78")
async def test_lost_jobs_are_looked_for_every_ten_minutes_or_as_often_as_the_setting_says(world: RenderWorld):
    runs: list[bool] = []

    async def recover() -> int:
        runs.append(True)
        return 0

    clock = RecoveryClock(recover, world.db)
    await clock.run_once()
    assert clock.seconds() == 600

    await world.set(own.RECOVERY_EVERY, timedelta(minutes=1))
    await clock.run_once()

    assert (clock.seconds(), len(runs)) == (60, 2)
