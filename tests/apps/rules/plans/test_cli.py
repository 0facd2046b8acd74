"""`pabal plan "…"`: a request from the command line."""

import json

import pytest

from pabal.apps.rules.plans.machine import PLAN
from pabal.engine.transitions import history
from tests.cli.inside import Inside
from tests.support.planning import NEWS, NOTICE, PlansWorld


@pytest.mark.req("D-14", "D-44")
async def test_a_request_is_a_plan_that_waits_in_the_inbox_until_it_is_approved(run: Inside, world: PlansWorld):
    asked = await run("-o", "json", "plan", NEWS)
    assert asked.code == 0, asked.err
    number = json.loads(asked.out)["id"]
    await world.drain()

    shown = await run("-o", "json", "plan", "show", str(number))
    plan = json.loads(shown.out)
    assert (plan["state"], plan["steps"], plan["door"]) == ("proposed", 4, "cli")
    assert plan["effects"] == {"files": 1, "messages": 1, "money": 1, "network": 2, "reads_outside": 2}
    assert plan["run_id"] is None
    waiting = json.loads((await run("-o", "json", "inbox")).out)["items"]
    [approval] = [one["id"] for one in waiting if one["kind"] == "rules.plan"]

    done = await run("approve", approval)
    assert done.code == 0, done.err
    await world.drain()

    plan = json.loads((await run("-o", "json", "plan", "show", str(number))).out)
    assert (plan["state"], plan["run_id"] is not None) == ("approved", True)
    models = json.loads((await run("-o", "json", "plan", "models")).out)
    assert [one["model"] for one in models["items"]] == ["offline"]


@pytest.mark.req("D-14")
async def test_without_a_yes_nothing_of_a_plan_runs_and_a_no_keeps_its_reason(run: Inside, world: PlansWorld):
    number = json.loads((await run("-o", "json", "plan", NEWS)).out)["id"]
    await world.drain()
    [approval] = [one["id"] for one in json.loads((await run("-o", "json", "inbox")).out)["items"]]
    waiting = json.loads((await run("-o", "json", "plan", "show", str(number))).out)

    silent = await run("reject", approval, "-m", " ", "--lang", "en")
    done = await run("-o", "json", "reject", approval, "-m", "다음 주에")
    late = await run("approve", approval)
    await world.drain()

    plan = json.loads((await run("-o", "json", "plan", "show", str(number))).out)
    assert (waiting["state"], waiting["run_id"]) == ("proposed", None)
    # what was wrong with a plan is what the next one is made of
    assert (silent.code, "Say why not" in silent.err) == (2, True), silent.err
    assert done.code == 0, done.err
    assert (plan["state"], plan["run_id"]) == ("rejected", None)
    async with world.db.transaction() as tx:
        assert (await history(tx, PLAN, number))[-1].reason == "다음 주에"
    assert late.code != 0
    assert json.loads((await run("-o", "json", "inbox")).out)["items"] == []


async def test_a_workflow_of_ones_own_is_proposed_from_a_file_and_refused_with_every_mistake(
    run: Inside, world: PlansWorld
):
    file = run.folder / "plan.yaml"
    file.write_text(NOTICE.replace("notify", "shout"), encoding="utf-8")

    refused = await run("plan", "new", "소리쳐 줘", "--yaml", f"@{file}")
    assert (refused.code, "no kind of step named platform.shout" in refused.err) == (2, True), refused.err

    file.write_text(NOTICE, encoding="utf-8")
    taken = await run("-o", "json", "plan", "new", "인사해 줘", "--yaml", f"@{file}")
    assert json.loads(taken.out)["state"] == "proposed", taken.err
