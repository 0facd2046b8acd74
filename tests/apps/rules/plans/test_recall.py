"""What went well is remembered and shown to the model the next time: as far as its asker may see, without secrets."""

import pytest

from pabal.apps.rules.plans import actions, store
from pabal.apps.rules.plans.comparing import compare
from pabal.apps.rules.plans.model import Plan
from pabal.apps.rules.recall import actions as recall
from pabal.apps.rules.recall import store as cases
from pabal.apps.rules.recall.model import Case, CaseKind
from pabal.apps.rules.recall.settings import EMBEDDING
from pabal.apps.rules.skills.choosing import make_tools
from pabal.apps.rules.skills.startup import SkillsStartup
from pabal.engine.workflows import signals
from pabal.platform.actor import Actor, Role
from tests.support.embedding import serve_embeddings
from tests.support.models import ScriptedModel
from tests.support.planning import HOUSE, NEWS, NOTICE, PlansWorld

WAITING = "name: x\nsteps:\n  - {name: w, wait: {event: go}, time_limit: 1m}\n"


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
    world.model = ScriptedModel([WAITING])
    await world.ask(kim, "기다려 줘")
    plan = await world.decide(kim, await world.ask(kim, "또 기다려 줘"))

    await world.advance(hours=1)

    assert (await world.run_of(plan)).state == "failed"
    assert await list_cases(world) == []


async def run_again(world: PlansWorld, actor: Actor, plan: Plan) -> None:
    assert plan.workflow_id is not None
    async with world.db.transaction() as tx:
        await world.flows.start(tx, actor, plan.workflow_id, {})
    await world.drain()


async def send_go(world: PlansWorld) -> None:
    async with world.db.transaction() as tx:
        await signals.send(tx, signals.event_signal("go", None, world.tree.haeundae.id), {})
    await world.drain()


@pytest.mark.req("D-11", "D-42")
async def test_later_runs_of_an_approved_plan_count_for_its_case_and_ask_no_model(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    plan = await world.decide(kim, await world.ask(kim, NEWS))
    asked = len(await world.answers(plan))

    await world.advance(hours=1)
    await run_again(world, kim, plan)
    await run_again(world, kim, plan)

    [case] = await list_cases(world)
    assert (case.plan_id, case.succeeded, case.failed) == (plan.id, 3, 0)
    assert case.last_run_at is not None
    assert case.last_run_at > case.created_at
    assert len(await world.answers(plan)) == asked


@pytest.mark.req("D-42")
async def test_a_plan_whose_runs_fail_goes_behind_one_that_does_not_and_the_model_is_told(world: PlansWorld):
    kim, request = await world.hire(world.tree.haeundae), "배포 소식을 기다려 줘"
    world.model = ScriptedModel([WAITING])
    good = await world.decide(kim, await world.ask(kim, request))
    # the newer of two that are equally near comes first, as long as its runs are good
    weak = await world.decide(kim, await world.ask(kim, request))
    await send_go(world)
    before = {one.plan_id: one for one in await list_cases(world)}
    for _ in range(2):
        await run_again(world, kim, weak)
        await world.advance(hours=1)
    world.model = ScriptedModel([NOTICE])

    third = await world.ask(kim, request)

    after = {one.plan_id: one for one in await list_cases(world)}
    assert [(before[one.id].succeeded, before[one.id].failed) for one in (good, weak)] == [(1, 0), (1, 0)]
    assert (after[weak.id].succeeded, after[weak.id].failed) == (1, 2)
    assert [one["case"] for one in third.examples] == [after[good.id].id, after[weak.id].id]
    assert [one["score"] for one in third.examples] == [1.0, 0.5]
    assert f"For “{request}” this was good, though 2 of its 3 runs failed:" in world.model.prompts[0]
    assert f"For “{request}” this was good:" in world.model.prompts[0]


async def test_a_version_that_somebody_edited_is_not_the_plan_any_more(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    plan = await world.decide(kim, await world.ask(kim, NEWS))
    async with world.db.transaction() as tx:
        await world.flows.save(tx, kim, plan.yaml.replace("days: 7", "days: 3"), unit_id=plan.unit_id)

    await run_again(world, kim, plan)

    [case] = await list_cases(world)
    assert case.succeeded == 1


async def test_a_forgotten_case_does_not_come_back_with_the_next_run(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    plan = await world.decide(kim, await world.ask(kim, NEWS))
    [case] = await list_cases(world)
    async with world.db.transaction() as tx:
        await recall.forget_case(tx, kim, case.id)

    await run_again(world, kim, plan)

    assert await list_cases(world) == []


async def test_a_plan_that_failed_at_first_is_remembered_once_a_run_of_it_is_good(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    world.model = ScriptedModel([WAITING])
    plan = await world.decide(kim, await world.ask(kim, "기다려 줘"))
    await world.advance(hours=1)
    assert await list_cases(world) == []
    assert plan.run_id is not None

    async with world.db.transaction() as tx:
        await world.flows.start(tx, kim, plan.workflow_id or 0, {})
    await world.drain()
    await send_go(world)

    assert [(one.succeeded, one.failed) for one in await list_cases(world)] == [(1, 0)]


@pytest.mark.req("D-42")
async def test_a_request_in_other_words_is_shown_the_case_that_means_the_same(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    await world.set(EMBEDDING, "offline")
    await world.decide(kim, await world.ask(kim, NEWS))
    [case] = await list_cases(world)
    await world.fill()
    world.model = ScriptedModel([NOTICE])

    plan = await world.ask(kim, "저번주 인공지능 소식 간추려 리포트로 작성")

    [example] = plan.examples
    assert (example["case"], example["words"], example["why"]) == (case.id, [], ["meaning"])
    assert f"For “{NEWS}” this was good:" in world.model.prompts[0]
    # one answer: to ask what a request means is none
    assert len(await world.answers(plan)) == 1


@pytest.mark.req("D-42")
async def test_without_vectors_a_plan_is_drafted_by_words_and_says_why(world: PlansWorld):
    kim = await world.hire(world.tree.haeundae)
    await world.decide(kim, await world.ask(kim, NEWS))
    await world.set(EMBEDDING, "api")

    plan = await world.ask(kim, NEWS)

    assert [one["why"] for one in plan.examples] == [["words"]]
    async with world.db.transaction() as tx:
        found = await store.find_meaning(tx, plan)
    assert found is not None
    assert (found.meaning, found.problem) == (None, "no_address")


@pytest.mark.req("D-42")
async def test_a_model_of_meanings_that_is_away_keeps_nobody_from_a_plan_and_gets_no_secret(world: PlansWorld):
    kim, secret = await world.hire(world.tree.haeundae), "abcdef0123456789abcdef012345"
    async with serve_embeddings() as serving:
        startup = SkillsStartup(networks="127.0.0.0/8", embedding_url=serving.url)
        world.tools = make_tools(startup)
        await world.set(EMBEDDING, "api")
        await world.decide(kim, await world.ask(kim, NEWS))
        await world.fill()
        serving.answer = b"HTTP/1.1 500 Broken\r\ncontent-length: 0\r\n\r\n"
        async with world.db.transaction() as tx:
            # as in a plan of an older version, which knew less of how secrets look
            made = await actions.request_plan(tx, kim, request=NEWS, workflows=world.flows)
            await tx.script(f"update rules.plan set request = request || ' token={secret}' where id = {made.id}")
        await world.drain()
        await world.tools.close()

    plan = await world.look(made)
    assert plan.state == "proposed"
    assert [one["why"] for one in plan.examples] == [["words"]]
    async with world.db.transaction() as tx:
        found = await store.find_meaning(tx, plan)
    assert found is not None
    assert found.problem.startswith("no_answer: ")
    assert "HTTP 500" in found.problem
    assert NEWS in serving.texts[-1]
    assert secret not in "".join(serving.texts)


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
