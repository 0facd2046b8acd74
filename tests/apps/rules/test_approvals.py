"""A run that asks: its request is in the inbox, and a yes runs the rule that waits for it."""

import pytest

from pabal.apps.rules import SLICE
from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.model.rules import Rule, Trigger
from pabal.platform import approvals
from pabal.platform.actor import ENGINE
from pabal.platform.approvals import ApprovalDecided, Verdict, Wanted, store
from pabal.platform.slice import list_approvables
from tests.support.rules import HOUSE, RulesWorld

APPROVABLES = list_approvables([SLICE])


async def ask(world: RulesWorld, after: Rule, **given: object) -> Rule:
    told = {"type": "approval", "config": {"template": "{ticker}: 사도 될까요?", "then": str(after.id)}}
    asking = await world.rule("물어보기", schedule="0 0 1 1 *", on_success=[told], **given)
    async with world.db.transaction() as tx:
        await actions.run_now(tx, ENGINE, asking.id)
    await world.drain()
    return asking


async def decide(world: RulesWorld, verdict: Verdict) -> None:
    async with world.db.transaction() as tx:
        wanted = Wanted(("rules.request",), ("open", "approved", "rejected"))
        [approval] = await store.list_approvals(tx, HOUSE, wanted, limit=5)
        await approvals.decide(tx, ENGINE, approval.id, approvables=APPROVABLES, verdict=verdict, reason="예")
    await world.drain()


async def test_a_yes_runs_the_rule_that_waits_for_it_once(world: RulesWorld):
    after = await world.rule("사기", schedule="0 0 1 1 *")
    await ask(world, after)
    assert await world.runs(after) == []

    await decide(world, Verdict.APPROVE)

    assert [run.trigger for run in await world.runs(after)] == [Trigger.MANUAL]
    with pytest.raises(ApprovalDecided):
        await decide(world, Verdict.APPROVE)
    assert len(await world.runs(after)) == 1


async def test_a_no_runs_nothing(world: RulesWorld):
    after = await world.rule("사기", schedule="0 0 1 1 *")
    await ask(world, after)

    await decide(world, Verdict.REJECT)

    assert await world.runs(after) == []
