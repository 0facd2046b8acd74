"""What went well is remembered and shown to the model the next time: as far as its asker may see, without secrets."""

import pytest

from pabal.apps.rules.plans.comparing import compare
from pabal.apps.rules.recall import actions as recall
from pabal.apps.rules.recall import store as cases
from pabal.apps.rules.recall.model import Case, CaseKind
from pabal.platform.actor import Role
from tests.support.models import ScriptedModel
from tests.support.planning import HOUSE, NEWS, NOTICE, PlansWorld


async def list_cases(world: PlansWorld) -> list[Case]:
    async with world.db.transaction() as tx:
        return (await cases.list_cases(tx, HOUSE)).items


@pytest.mark.req("D-42")
async def test_a_plan_whose_run_went_well_is_an_example_for_the_next_one_like_it(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    first = await world.decide(kim, await world.ask(kim, NEWS))
    [case] = await list_cases(world)
    assert (case.kind, case.request, case.answer.strip()) == ("plan", NEWS, first.yaml.strip())
    world.model = ScriptedModel([NOTICE])

    second = await world.ask(kim, "어제 AI 뉴스 요약해서 보고서 만들어줘")

    [example] = second.examples
    assert example["case"] == case.id
    assert example["score"] > 0.5
    assert {"ai", "뉴스", "보고서"} <= set(example["words"])
    assert f"For “{NEWS}” this was good:" in world.model.prompts[0]
    assert "kind: rules.report@1" in world.model.prompts[0].split("this was good:")[1]


@pytest.mark.req("D-42")
async def test_a_case_of_another_branch_is_nobody_elses_example(world: PlansWorld):
    kim, lee = await world.hire(world.tree.haeundae), await world.hire(world.tree.gangnam, login="lee")
    await world.decide(kim, await world.ask(kim, NEWS))
    world.model = ScriptedModel([NOTICE])

    plan = await world.ask(lee, NEWS)

    assert plan.examples == []
    assert "this was good" not in world.model.prompts[0]


async def test_a_plan_that_was_not_run_or_failed_is_not_remembered(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    world.model = ScriptedModel(["name: x\nsteps:\n  - {name: w, wait: {event: never}, time_limit: 1m}\n"])
    await world.ask(kim, "기다려 줘")
    plan = await world.decide(kim, await world.ask(kim, "또 기다려 줘"))

    await world.advance(hours=1)

    assert (await world.run_of(plan)).state == "failed"
    assert await list_cases(world) == []


async def test_scripts_are_no_examples_for_plans_and_banned_cases_for_nobody(world: PlansWorld):
    boss = await world.hire(world.tree.hq, Role.ADMIN, "boss")
    async with world.db.transaction() as tx:
        script = await recall.teach_case(tx, boss, request=NEWS, answer="=== a.py\n")
        banned = await recall.teach_case(tx, boss, request=NEWS, answer=NOTICE, kind=CaseKind.PLAN)
        await recall.ban_case(tx, boss, banned.id)
    world.model = ScriptedModel([NOTICE])

    plan = await world.ask(boss, NEWS)

    assert (script.kind, plan.examples) == ("script", [])


async def test_secrets_of_a_plan_are_not_remembered(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    world.model = ScriptedModel([NOTICE.replace("안녕하세요", "token=abcdef0123456789abcdef012345")])

    await world.decide(kim, await world.ask(kim, "인사해 줘"))

    [case] = await list_cases(world)
    assert "abcdef0123456789" not in case.answer


async def test_a_plan_is_compared_with_the_most_similar_approved_one(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    near = await world.decide(kim, await world.ask(kim, NEWS))
    far = await world.decide(kim, await world.ask(kim, "30분 뒤에 '회의'라고 알려줘"))

    plan = await world.ask(kim, "어제 AI 뉴스 요약해서 보고서 만들어줘")

    found = compare(plan, [far, near])
    assert found is not None
    assert found.plan == near
    assert [(one.sign, one.text.strip()) for one in found.lines if one.sign] == [("-", "days: 7"), ("+", "days: 1")]
    assert compare(plan, [far]) is None
