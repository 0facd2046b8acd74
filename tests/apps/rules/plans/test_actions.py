"""Who may ask, see, edit, withdraw and decide; secrets, too many, and what the inbox asks about."""

import pytest

from pabal.apps.rules.planner.errors import BadRequest
from pabal.apps.rules.plans import actions
from pabal.apps.rules.plans.errors import BadPlanRemark, PlanBeyondRights, PlanNotFound, TooManyPlans
from pabal.apps.rules.plans.machine import PLAN
from pabal.apps.rules.plans.model import MOST_OPEN
from pabal.engine.transitions import MoveNotAllowed, history
from pabal.platform import approvals
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.approvals import ApprovalWithdrawn, Verdict
from pabal.platform.findings import FieldsRefused
from pabal.platform.tenants import visible_to
from tests.support.models import ScriptedModel
from tests.support.planning import KNOWN, NOTICE, PlansWorld

MAIL = "name: mail\nsteps:\n  - {name: send, kind: test.mail, input: {to: boss}}\n"


@pytest.fixture
def world(world: PlansWorld) -> PlansWorld:
    world.model = ScriptedModel([NOTICE])
    return world


async def test_who_may_only_look_asks_for_nothing(world: PlansWorld):
    viewer = await world.hire(world.tree.haeundae, Role.VIEWER)

    with pytest.raises(NotAllowed):
        await world.ask(viewer)


@pytest.mark.parametrize("request_text", ["", "   ", "가" * 2001, "a\0b"])
async def test_a_request_has_words_and_an_end(world: PlansWorld, request_text: str):
    with pytest.raises(BadRequest):
        await world.ask(await world.hire(world.tree.haeundae), request_text)


async def test_another_branch_sees_and_touches_nothing(world: PlansWorld):
    kim, lee = await world.hire(world.tree.haeundae), await world.hire(world.tree.gangnam, login="lee")
    plan = await world.ask(kim)

    verbs = (actions.withdraw_plan, actions.redo_plan, actions.approve_plan, actions.reject_plan)
    for verb in verbs:
        with pytest.raises(PlanNotFound):
            await world.do(verb, lee, plan)
    with pytest.raises(PlanNotFound):
        await world.do(actions.edit_plan, lee, plan, yaml=NOTICE, workflows=world.flows)


async def test_who_may_only_propose_sees_what_they_proposed_and_nothing_else(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    agent = Actor("token:5", world.tree.haeundae.id, Role.OPERATOR, ("plans:write",))
    plan = await world.ask(kim)

    assert not actions.may_see(agent, plan)
    with pytest.raises(PlanNotFound):
        await world.do(actions.withdraw_plan, agent, plan)
    with pytest.raises(NotAllowed):
        await world.do(actions.approve_plan, agent, plan)


@pytest.mark.req("D-10")
async def test_nobody_approves_what_they_could_not_do_themselves(world: PlansWorld):
    boss, kim = await world.hire(world.tree.hq, Role.ADMIN, "boss"), await world.hire(world.tree.haeundae)
    wipe = MAIL.replace("test.mail", "test.wipe")
    plan = await world.ask(boss, yaml=wipe, unit_id=world.tree.haeundae.id)
    assert plan.rights == ["rules:manage", "workflows:write"]

    with pytest.raises(PlanBeyondRights, match="rules:manage"):
        await world.decide(kim, plan)

    assert (await world.look(plan)).state == "proposed"
    assert (await world.decide(boss, plan)).state == "approved"


async def test_an_agents_own_plan_is_checked_at_once_and_proposed_as_it_is(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)

    plan = await world.ask(kim, "편지 보내 줘", yaml=MAIL)

    assert (plan.state, plan.written_by, "kind: test.mail@1" in plan.yaml) == ("proposed", kim.name, True)
    with pytest.raises(FieldsRefused, match="shout here"):
        await world.ask(kim, "소리쳐 줘", yaml=NOTICE.replace("notify", "shout"))
    assert world.model is not None
    assert world.model.prompts == []


async def test_an_edit_is_checked_as_every_plan_is_and_the_inbox_asks_again(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    plan = await world.ask(kim)
    async with world.db.transaction() as tx:
        scope = await visible_to(tx, kim)
        [old] = await approvals.list_seen(tx, kim, scope, KNOWN, approvals.Wanted(tuple(KNOWN)), limit=5)

    with pytest.raises(FieldsRefused, match="wipe here"):
        await world.do(actions.edit_plan, kim, plan, yaml=MAIL.replace("mail,", "wipe,"), workflows=world.flows)
    edited = await world.do(actions.edit_plan, kim, plan, yaml=MAIL, workflows=world.flows)

    assert (edited.state, edited.written_by, edited.rights) == (
        "proposed",
        kim.name,
        ["messaging:write", "workflows:write"],
    )
    # a yes to what was shown before is no yes to what it is now
    async with world.db.transaction() as tx:
        with pytest.raises(ApprovalWithdrawn):
            await approvals.decide(tx, kim, old.id, approvables=KNOWN, verdict=Verdict.APPROVE)
    assert (await world.decide(kim, edited)).state == "approved"


async def test_what_was_decided_is_not_decided_again_and_its_life_is_kept(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    plan = await world.ask(kim)
    await world.decide(kim, plan, Verdict.REJECT, "너무 김")

    with pytest.raises(MoveNotAllowed):
        await world.do(actions.approve_plan, kim, plan)
    redone = await world.do(actions.redo_plan, kim, plan, remark="더 짧게")

    assert (redone.state, redone.draft, redone.remark) == ("proposed", 2, "더 짧게")
    assert world.model is not None
    assert "더 짧게" in world.model.prompts[-1]
    async with world.db.transaction() as tx:
        life = await history(tx, PLAN, plan.id)
    assert [one.target for one in life] == ["drafting", "proposed", "rejected", "drafting", "proposed"]
    assert [one.actor for one in life] == [kim.name, "model:strong", kim.name, kim.name, "model:strong"]


async def test_a_secret_in_a_request_is_neither_kept_nor_sent(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)

    plan = await world.ask(kim, "비밀번호: hunter2hunter 로 들어가서 알려줘")
    with pytest.raises(BadPlanRemark):
        await world.do(actions.redo_plan, kim, plan, remark="가" * 1001)

    assert world.model is not None
    assert "hunter2" not in plan.request + world.model.prompts[0]


async def test_one_asker_has_so_many_open_plans_and_no_more(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    async with world.db.transaction() as tx:
        for _ in range(MOST_OPEN):
            await actions.request_in_words(tx, kim, "인사해 줘")

        with pytest.raises(TooManyPlans):
            await actions.request_in_words(tx, kim, "인사해 줘")
