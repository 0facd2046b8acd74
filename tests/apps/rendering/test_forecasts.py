from datetime import timedelta

from pabal.apps.rendering import alert_rules
from pabal.apps.rendering.actions import renders as verbs
from pabal.apps.rendering.forecasts import Forecast, foresee
from pabal.apps.rendering.model.renders import Render
from pabal.apps.rendering.store import showing
from pabal.platform.actor import ENGINE
from tests.support.rendering import RenderWorld


async def look(world: RenderWorld, *wanted: Render) -> list[Forecast]:
    async with world.db.transaction() as tx:
        outlook = await foresee(tx, wanted or await showing.list_needed(tx))
    return list(outlook.renders.values())


async def test_those_that_wait_are_through_one_after_the_other(world: RenderWorld):
    first, second = await world.ask("A", "B")

    sooner, later = await look(world, first, second)

    assert sooner.ends_at == later.starts_at
    assert sooner.ends_at is not None
    assert sooner.on_air is None


async def test_a_render_that_will_miss_its_moment_is_told_of(world: RenderWorld):
    [asked] = await world.ask()
    async with world.db.transaction() as tx:
        await verbs.set_on_air(tx, ENGINE, asked.id, tx.now + timedelta(seconds=5))

    assert [one.on_air for one in await look(world)] == ["missed"]
    async with world.db.transaction() as tx:
        assert [one.value for one in await alert_rules.read_late(tx)] == [1]
        await verbs.set_on_air(tx, ENGINE, asked.id, tx.now + timedelta(hours=5))
    assert [one.on_air for one in await look(world)] == ["safe"]
