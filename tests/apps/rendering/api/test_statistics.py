"""The figures of the requirements over HTTP, with corrected definitions."""

from datetime import timedelta

import pytest

from pabal.apps.rendering.model.renders import Reason
from pabal.apps.rendering.store import slots
from pabal.base import clock
from tests.support.studio import Studio, slot_id
from tests.support.web import Web

STATISTICS = "/api/v1/render/statistics"


@pytest.mark.req("B-99")
async def test_everything_that_waits_counts_however_old_it_is(web: Web, studio: Studio) -> None:
    await studio.ask()
    await clock.advance(web.db, timedelta(hours=3))
    await studio.ask()
    found = (await (await web.as_("haeundae")).get(STATISTICS)).json()

    assert (found["pending"], found["pending_last_hour"]) == (2, 1)
    assert found["oldest_pending_seconds"] == pytest.approx(3 * 3600, abs=60)


@pytest.mark.req("B-100", "B-101")
async def test_the_average_is_of_the_last_hundred_and_the_rate_of_a_day(web: Web, studio: Studio) -> None:
    old = await studio.complete(await studio.ask())
    await clock.advance(web.db, timedelta(days=2))
    done = await studio.complete(await studio.ask())
    await studio.fail(await studio.ask(), Reason.TEMPLATE_MISSING, has_file=False)
    async with web.db.transaction() as tx:
        await tx.script(f"update rendering.render set duration_seconds = 90 where id = {done.id}")
        await tx.script(f"update rendering.render set duration_seconds = 9000 where id = {old.id}")
    found = (await (await web.as_("haeundae")).get(STATISTICS)).json()

    assert (found["average_seconds"], found["success_rate"]) == (90, 50)
    assert [(one["code"], one["count"]) for one in found["reasons"]] == [("template_missing", 1)]


@pytest.mark.req("B-102")
async def test_an_idle_worker_that_beats_is_active_and_one_that_does_not_is_not(web: Web, studio: Studio) -> None:
    await studio.submit(await studio.ask())
    client = await web.as_("haeundae")
    both = (await client.get(STATISTICS)).json()
    await clock.advance(web.db, timedelta(minutes=1))
    async with web.db.transaction() as tx:
        await slots.beat(tx, [slot_id(2)], 1)
    one = (await client.get(STATISTICS)).json()

    assert (both["active_workers"], both["busy_workers"]) == (2, 1)
    assert (one["active_workers"], one["busy_workers"]) == (1, 0)
