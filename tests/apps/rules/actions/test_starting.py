"""A rule that starts a workflow: with what it read, in its owner's name, in the commit that ends its run."""

from typing import Any

import pytest

from pabal.apps.rules.actions import rules as actions
from pabal.apps.rules.errors import RuleRefused
from pabal.apps.rules.machine import RULE, RULE_RUN
from pabal.apps.rules.model.rules import Rule, RuleRunState, Run
from pabal.apps.rules.steps import ENDS, STEPS
from pabal.engine import kinds
from pabal.engine.kinds import Kinds
from pabal.engine.workflows import listing
from pabal.engine.workflows.listing import RunRow, WantedRuns
from pabal.engine.workflows.model import DEEPEST
from pabal.engine.workflows.strands import Strands
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.auth import NewUser
from pabal.platform.platform_slice import make_step_kinds
from pabal.platform.slice import Slice
from pabal.platform.workflows import Workflows
from pabal.testing import Parts, drain
from tests.support.rules import RulesWorld

FLOWS = Workflows(make_step_kinds((Slice("rules", steps=STEPS),)))
TELL = """\
name: tell
seen_by: viewer
input: {ticker: string, price: number, room: string, key: {type: string, secret: true}}
steps:
  - {name: wait, wait: {event: never}}
  - {name: publish, kind: platform.publish, input: {name: {from: input.room}}}
"""
CALLBACK = {"type": "workflow", "config": {"workflow": "tell", "input": {"ticker": "{ticker}!", "price": "{price}"}}}


async def hire(world: RulesWorld, role: Role = Role.OPERATOR) -> Actor:
    async with world.db.transaction() as tx:
        return (await auth.add_user(tx, ENGINE, NewUser("owner", "owner", world.tree.haeundae.id, role))).actor()


async def save(world: RulesWorld, actor: Actor, text: str = TELL) -> int:
    async with world.db.transaction() as tx:
        return (await FLOWS.save(tx, actor, text, unit_id=world.tree.haeundae.id)).id


async def make(world: RulesWorld, actor: Actor, callback: dict[str, Any], **given: Any) -> Rule:
    payload = {"ticker": "AAPL", "price": 512.5, "room": "kitchen"}
    said = {"name": "주가", "schedule": "0 0 1 1 *", "source": "offline_quote", "payload": payload, **given}
    async with world.db.transaction() as tx:
        return await actions.create_rule(tx, actor, on_success=[callback], **said)


async def run(world: RulesWorld, rule: Rule, *, is_dry: bool = False) -> Run:
    async with world.db.transaction() as tx:
        await (actions.dry_run if is_dry else actions.run_now)(tx, ENGINE, rule.id)
    await world.drain()
    return (await world.runs(rule))[-1]


async def list_runs(world: RulesWorld) -> list[RunRow]:
    async with world.db.transaction() as tx:
        return (await listing.list_runs(tx, WantedRuns(None))).items


@pytest.mark.req("D-28")
async def test_a_rule_starts_a_workflow_with_what_it_read_in_its_owners_name(world: RulesWorld):
    owner = await hire(world)
    await save(world, owner)
    rule = await make(world, owner, CALLBACK)

    ended = await run(world, rule)

    [started] = await list_runs(world)
    assert started.input == {"ticker": "AAPL!", "price": 512.5}
    assert (started.owner, started.cause, started.unit_id) == (owner.name, ended.about, rule.unit_id)
    [told] = ended.captured
    assert (told["type"], told["is_sent"], told["run"], told["text"]) == ("workflow", True, started.id, "tell")


async def test_a_dry_run_shows_what_it_would_start_and_starts_nothing(world: RulesWorld):
    owner = await hire(world)
    await save(world, owner)
    config = {"workflow": "tell", "input": {"price": "{price}", "key": "{payload.ticker}"}}
    rule = await make(world, owner, {"type": "workflow", "config": config})

    tried = await run(world, rule, is_dry=True)

    [told] = tried.captured
    assert (told["is_sent"], told["input"], "run" in told) == (False, {"price": 512.5, "key": "•••"}, False)
    assert await list_runs(world) == []


@pytest.mark.parametrize("is_dry", [True, False])
async def test_what_cannot_be_started_says_why_and_spoils_no_run(world: RulesWorld, is_dry: bool):
    owner = await hire(world)
    await save(world, owner)
    rules = [
        await make(world, owner, {"type": "workflow", "config": {"workflow": "gone"}}),
        await make(world, owner, {"type": "workflow", "config": {"workflow": "tell", "input": {"price": "much"}}}),
        await make(world, owner, {"type": "workflow", "config": {"workflow": "tell", "input": {"room": "{ticker}"}}}),
    ]

    ended = [await run(world, one, is_dry=is_dry) for one in rules]

    wanted = ["workflow_not_found", "bad_run_input", "workflow_destination_from_outside"]
    assert [one.captured[0]["code"] for one in ended] == wanted
    assert {(one.state, one.captured[0]["is_sent"]) for one in ended} == {(RuleRunState.SUCCESS, False)}
    assert await list_runs(world) == []


async def test_what_the_owner_wrote_may_say_where_something_goes(world: RulesWorld):
    owner = await hire(world)
    await save(world, owner)
    written = {"workflow": "tell", "input": {"room": "{payload.room}", "ticker": "{rule_name}"}}

    await run(world, await make(world, owner, {"type": "workflow", "config": written}))

    [started] = await list_runs(world)
    assert started.input == {"room": "kitchen", "ticker": "주가"}


async def test_the_rights_are_those_the_owner_has_now(world: RulesWorld):
    owner = await hire(world)
    await save(world, owner)
    rule = await make(world, owner, CALLBACK)
    async with world.db.transaction() as tx:
        await auth.deactivate_user(tx, ENGINE, int(owner.name.removeprefix("user:")))

    ended = await run(world, rule)

    assert ended.captured[0]["code"] == "workflow_owner_gone"
    assert await list_runs(world) == []


async def test_the_rule_of_an_operator_starts_no_workflow_of_administrators(world: RulesWorld):
    await save(world, ENGINE, TELL.replace("seen_by: viewer", "seen_by: admin"))
    rule = await make(world, await hire(world), CALLBACK)

    ended = await run(world, rule)

    assert ended.captured[0]["code"] == "workflow_not_found"


async def test_the_run_of_a_workflow_for_some_is_not_told_to_all_who_read_rules(world: RulesWorld):
    owner = await hire(world, Role.ADMIN)
    await save(world, owner, TELL.replace("seen_by: viewer", "seen_by: admin"))

    ended = await run(world, await make(world, owner, CALLBACK))

    assert len(await list_runs(world)) == 1
    assert ended.captured == [
        {"type": "workflow", "text": "tell", "is_sent": True, "is_due": True},
    ]


async def test_a_rule_and_a_workflow_that_start_each_other_come_to_an_end(world: RulesWorld):
    owner = await hire(world)
    rule = await make(world, owner, {"type": "workflow", "config": {"workflow": "around"}})
    await save(world, owner, f"name: around\nsteps:\n  - {{name: run, kind: rules.run, input: {{rule: {rule.id}}}}}\n")
    own = world.parts
    strands = Strands(world.db, FLOWS.kinds).add_to(Kinds())
    parts = Parts(world.db, kinds.merge([own.kinds, strands]), (RULE, RULE_RUN), [*own.subscribers, ENDS])

    async with world.db.transaction() as tx:
        await actions.run_now(tx, ENGINE, rule.id)
    await drain(parts)

    assert len(await list_runs(world)) == DEEPEST + 1
    assert (await world.runs(rule))[-1].captured[0]["code"] == "workflow_too_deep"


@pytest.mark.parametrize("config", [{}, {"workflow": "No Name"}, {"workflow": "tell", "input": "text"}])
async def test_a_callback_that_cannot_start_anything_is_refused_when_the_rule_is_saved(world: RulesWorld, config: Any):
    with pytest.raises(RuleRefused):
        await make(world, ENGINE, {"type": "workflow", "config": config}, unit_id=world.tree.haeundae.id)
