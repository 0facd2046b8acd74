from datetime import timedelta

import pytest

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.actions.retention import Cleaning
from pabal.apps.rules.store import rules
from pabal.base import clock
from pabal.platform.actor import ENGINE
from tests.support.rules import RulesWorld


@pytest.mark.req("D-95", "D-96")
async def test_runs_go_after_thirty_days_and_that_is_looked_at_once_a_day(world: RulesWorld):
    rule, cleaning = await world.rule(schedule="0 12 1 1 *"), Cleaning(world.db)
    async with world.db.transaction() as tx:
        await actions.run_now(tx, ENGINE, rule.id)
    await world.drain()

    await clock.advance(world.db, timedelta(days=29, hours=23))
    assert await cleaning.run_once() == 0
    await clock.advance(world.db, timedelta(hours=2))
    assert await cleaning.run_once() == 0
    await clock.advance(world.db, timedelta(hours=22))

    assert await cleaning.run_once() == 1
    assert await world.runs(rule) == []


async def test_a_deleted_rule_goes_with_its_last_run(world: RulesWorld):
    rule = await world.rule()
    await world.advance(minutes=5)
    async with world.db.transaction() as tx:
        await actions.delete_rule(tx, ENGINE, rule.id)

    await clock.advance(world.db, timedelta(days=31))
    await Cleaning(world.db).run_once()

    async with world.db.transaction() as tx:
        assert await rules.load_rules(tx, [rule.number]) == []
