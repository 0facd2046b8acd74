"""What the requirements call a task: a rule's run, a request for a yes, and work that is done once. Each leads to the
next, and each is open until its history has its one end."""

import pytest

from pabal.apps.rules import SLICE
from pabal.apps.rules.machine import RULE_RUN
from pabal.apps.rules.model.rules import Trigger
from pabal.base.database import Database
from pabal.engine.machine import Machine
from pabal.engine.transitions import history, replay
from pabal.platform import approvals
from pabal.platform.actor import Role
from pabal.platform.approvals import Approval, Verdict, Wanted, store
from pabal.platform.approvals.machine import APPROVAL
from pabal.platform.slice import list_approvables
from tests.support.people import person
from tests.support.rules import HOUSE, RulesWorld, make_rules


async def find_request(world: RulesWorld) -> Approval:
    async with world.db.transaction() as tx:
        wanted = Wanted(("rules.request",), ("open", "approved", "rejected"))
        [found] = await store.list_approvals(tx, HOUSE, wanted, limit=5)
    return found


async def read_story(db: Database, machine: Machine, subject: int) -> tuple[list[str], str]:
    """Where it went, and who made it end."""
    async with db.transaction() as tx:
        told = await history(tx, machine, subject)
    assert replay(told) == told[-1].target
    return [one.target for one in told], told[-1].actor


@pytest.mark.req("D-17", "D-03")
async def test_a_run_asks_a_person_and_their_yes_starts_work_that_is_done_once(db: Database):
    world = await make_rules(db)
    once = await world.rule("사기", schedule="0 0 1 1 *")
    question = {"type": "approval", "config": {"template": "{ticker}: 사도 될까요?", "then": str(once.id)}}
    asking = await world.rule("물어보기", schedule="*/5 * * * *", misfire="skip", on_success=[question])
    await world.advance(minutes=5)
    [run], request = await world.runs(asking), await find_request(world)
    waiting = await world.runs(once)
    boss = person(world.tree.haeundae, Role.ADMIN, number=8)

    async with db.transaction() as tx:
        known = list_approvables([SLICE])
        await approvals.decide(tx, boss, request.id, approvables=known, verdict=Verdict.APPROVE, reason="예")
    begun = await world.runs(once)
    await world.drain()
    [work] = await world.runs(once)

    assert (run.trigger, request.is_open, waiting) == (Trigger.SCHEDULE, True, [])
    assert [one.state for one in begun] in ([], ["running"])
    assert work.trigger is Trigger.MANUAL
    assert [await read_story(db, RULE_RUN, one.number) for one in (run, work)] == [
        # it asks nobody outside, so that it is over in the commit that begins it
        (["success"], "engine"),
        (["running", "success"], "engine"),
    ]
    assert await read_story(db, APPROVAL, request.id) == (["open", "approved"], boss.name)
    await world.advance(minutes=1)
    assert len(await world.runs(once)) == 1
