"""Drafting and starting: asked again with the checker's words, bounded, paid for; started once, as the approver."""

from decimal import Decimal

import pytest

from pabal.apps.rules.plans import actions, store
from pabal.apps.rules.plans import settings as own
from pabal.apps.rules.plans.actions import START
from pabal.apps.rules.plans.model import PlanState
from pabal.apps.rules.skills import settings as skills
from pabal.apps.rules.skills.errors import ModelUnavailable
from pabal.apps.rules.skills.llm import Answer, AskLimits
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.engine.workflows import listing
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Role
from pabal.platform.approvals import Verdict
from tests.support.models import ScriptedModel
from tests.support.planning import HOUSE, NEWS, NOTICE, PlansWorld

WRONG = NOTICE.replace("platform.notify", "platform.shout")


class SilentModel(ScriptedModel):
    async def ask(self, prompt: str, *, model: str, limits: AskLimits) -> Answer:
        self.prompts.append(prompt)
        raise ModelUnavailable("away")


@pytest.mark.req("D-41", "D-10")
async def test_words_become_a_workflow_that_nobody_has_run(world: PlansWorld):
    world.model = ScriptedModel([f"```yaml\n{NOTICE}```"])
    kim = await world.hire(world.tree.haeundae)

    plan = await world.ask(kim, "인사해 줘")
    await world.advance(hours=5)

    assert (plan.state, plan.written_by, plan.rights) == ("proposed", "model:strong", ["workflows:write"])
    assert "kind: platform.notify@1" in plan.yaml
    async with world.db.transaction() as tx:
        assert await listing.list_workflows(tx, None, seen_by=("viewer", "operator", "admin")) == []


@pytest.mark.req("D-41")
async def test_a_wrong_answer_is_corrected_with_the_checkers_own_words(world: PlansWorld):
    world.model = ScriptedModel([WRONG, NOTICE])
    kim = await world.hire(world.tree.haeundae)

    plan = await world.ask(kim, "인사해 줘")

    said = "There is no kind of step named platform.shout here."
    assert f"- Line 4: {said}" in world.model.prompts[1]
    assert WRONG.strip() in world.model.prompts[1]
    assert plan.state == "proposed"
    first, second = await world.answers(plan)
    assert (first.mistakes, second.mistakes) == ([f"Line 4: {said}"], [])


async def test_a_model_that_cannot_is_asked_as_often_as_the_setting_says(world: PlansWorld):
    world.model = ScriptedModel([WRONG])
    kim = await world.hire(world.tree.haeundae)
    await world.set(own.MOST_ANSWERS, 2)

    plan = await world.ask(kim, "인사해 줘")

    assert (plan.state, len(world.model.prompts)) == ("failed", 2)
    assert "platform.shout" in plan.problem


async def test_a_model_that_says_it_cannot_is_not_asked_again(world: PlansWorld):
    world.model = ScriptedModel(["cannot: nothing here books a flight"])
    kim = await world.hire(world.tree.haeundae)

    plan = await world.ask(kim, "비행기 표 예약해 줘")

    assert (plan.state, plan.problem, len(world.model.prompts)) == ("failed", "nothing here books a flight", 1)


async def test_tokens_and_cost_are_kept_per_plan_and_per_model(world: PlansWorld):
    world.model = ScriptedModel([WRONG, NOTICE])
    kim = await world.hire(world.tree.haeundae)

    plan = await world.ask(kim, "인사해 줘")

    answers = await world.answers(plan)
    assert [(one.tokens_in, one.tokens_out, one.cost) for one in answers] == [(10, 5, Decimal("0.01"))] * 2
    async with world.db.transaction() as tx:
        [use] = await store.sum_models(tx, HOUSE, plan.created_at)
    assert (use.model, use.plans, use.answers, use.tokens_in, use.cost) == ("strong", 1, 2, 20, Decimal("0.02"))


async def test_the_days_calls_are_those_of_the_skills_and_a_plan_waits_for_the_next(world: PlansWorld):
    world.model = ScriptedModel([NOTICE])
    kim = await world.hire(world.tree.haeundae)
    await world.set(skills.CALLS_PER_DAY, 1)
    await world.ask(kim, "인사해 줘")

    second = await world.ask(kim, "다시 인사해 줘")
    assert (second.state, len(world.model.prompts)) == ("drafting", 1)

    await world.advance(hours=25)
    assert (await world.look(second)).state == "proposed"


async def test_a_model_that_does_not_answer_is_tried_again_and_then_the_plan_has_failed(world: PlansWorld):
    world.model = SilentModel([""])
    kim = await world.hire(world.tree.haeundae)

    plan = await world.ask(kim, "인사해 줘")
    await world.advance(hours=1)

    plan = await world.look(plan)
    assert (plan.state, "away" in plan.problem) == ("failed", True)
    assert len(world.model.prompts) == actions.ATTEMPTS


async def test_a_draft_that_nobody_wants_any_more_proposes_nothing(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)

    class Withdrawing(ScriptedModel):
        async def ask(self, prompt: str, *, model: str, limits: AskLimits) -> Answer:
            async with world.db.transaction() as tx:
                page = await store.list_plans(tx, HOUSE)
                await actions.withdraw_plan(tx, kim, page.items[0].id)
            return await super().ask(prompt, model=model, limits=limits)

    world.model = Withdrawing([NOTICE])

    plan = await world.ask(kim, "인사해 줘")

    assert (plan.state, plan.yaml) == ("withdrawn", "")


@pytest.mark.req("D-11", "D-44")
async def test_an_approved_plan_is_a_workflow_that_runs_again_without_a_model(world: PlansWorld):
    world.model = ScriptedModel([NOTICE])
    kim = await world.hire(world.tree.haeundae)
    plan = await world.ask(kim, "인사해 줘")

    plan = await world.decide(kim, plan)

    run = await world.run_of(plan)
    assert (plan.state, plan.decided_by, run.state, run.owner) == ("approved", kim.name, "done", kim.name)
    assert run.name == f"hello_{plan.id}"
    assert plan.workflow_id is not None
    async with world.db.transaction() as tx:
        again = await world.flows.start(tx, kim, plan.workflow_id, {})
    await world.drain()
    async with world.db.transaction() as tx:
        assert (await listing.get_run(tx, again, units=None)).state == "done"
    assert len(world.model.prompts) == 1


@pytest.mark.req("D-44")
async def test_a_no_runs_nothing_and_neither_does_silence(world: PlansWorld):
    world.model = ScriptedModel([NOTICE])
    kim = await world.hire(world.tree.haeundae)
    rejected, silent = await world.ask(kim, "인사해 줘"), await world.ask(kim, "또 인사해 줘")

    rejected = await world.decide(kim, rejected, Verdict.REJECT, "필요 없음")
    await world.advance(days=4)

    silent = await world.look(silent)
    assert (rejected.state, rejected.run_id) == ("rejected", None)
    assert (silent.state, silent.run_id) == ("expired", None)


@pytest.mark.req("D-10")
async def test_whoever_loses_their_rights_before_the_start_starts_nothing(world: PlansWorld):
    world.model = ScriptedModel([NOTICE])
    kim = await world.hire(world.tree.haeundae)
    plan = await world.ask(kim, "인사해 줘")
    async with world.db.transaction() as tx:
        await actions.approve_plan(tx, kim, plan.id)
        await auth.deactivate_user(tx, ENGINE, int(kim.name.removeprefix("user:")))

    await world.drain()

    plan = await world.look(plan)
    assert (plan.state, plan.run_id) == ("failed", None)
    assert "may not do all of it" in plan.problem


async def test_a_plan_whose_asker_left_is_not_drafted(world: PlansWorld):
    world.model = ScriptedModel([NOTICE])
    kim = await world.hire(world.tree.haeundae)
    async with world.db.transaction() as tx:
        made = await actions.request_in_words(tx, kim, "인사해 줘")
        await auth.deactivate_user(tx, ENGINE, int(kim.name.removeprefix("user:")))

    await world.drain()

    assert (await world.look(made)).state == PlanState.FAILED
    assert world.model.prompts == []


async def test_what_is_asked_for_names_the_kinds_the_asker_may_use_and_no_other(world: PlansWorld):
    world.model = ScriptedModel([NOTICE])
    kim, boss = await world.hire(world.tree.haeundae), await world.hire(world.tree.hq, Role.ADMIN, "boss")

    await world.ask(kim, "인사해 줘")
    await world.ask(boss, "인사해 줘")

    first, second = world.model.prompts
    assert ("test.wipe@1" in first, "test.wipe@1" in second) == (False, True)
    assert '"x-destination": true' in first
    assert "- rules.search@1: Search news articles. Effects: network, reads_outside." in first


@pytest.mark.req("D-44")
async def test_work_that_would_start_a_plan_nobody_approved_or_a_second_time_does_nothing(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    waiting, approved = await world.ask(kim, NEWS), await world.decide(kim, await world.ask(kim, NEWS))

    async with world.db.transaction() as tx:
        await queue.enqueue_many(tx, [NewJob(START, {"plan": one.id}) for one in (waiting, approved)])
    await world.drain()

    assert await world.look(waiting) == waiting
    assert await world.look(approved) == approved
