from datetime import timedelta

from pabal.apps.rules import SLICE, alert_rules
from pabal.apps.rules.actions import rules as actions
from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import alerts
from pabal.platform.actor import ENGINE
from pabal.platform.alerts import Alert, check_rules
from pabal.platform.tenants import visible_to
from tests.support.rules import RulesWorld, failed


async def watch(db: Database) -> list[Alert]:
    await clock.advance(db, timedelta(seconds=16))
    await alerts.sample_once(db, alert_rules.MEASURES)
    await alerts.evaluate_once(db, alert_rules.RULES, alerts.tell_people)
    async with db.transaction() as tx:
        return await alerts.list_open(tx, await visible_to(tx, ENGINE))


async def test_a_rule_that_fails_calls_its_unit_until_it_succeeds(world: RulesWorld) -> None:
    rule = await world.rule(execution_script_path="a.py", schedule="0 0 1 1 *")
    world.scripts.answers = [failed()]
    for count in (1, 0):
        async with world.db.transaction() as tx:
            await actions.run_now(tx, ENGINE, rule.id)
        await world.drain()

        fired = await watch(world.db)
        assert [(one.rule, one.about) for one in fired] == [("rules.failing", "해운대점")] * count


def test_every_rule_has_its_words() -> None:
    check_rules(SLICE.measures, SLICE.alert_rules)
