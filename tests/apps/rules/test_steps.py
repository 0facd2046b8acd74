"""A workflow runs a rule and goes on with what its run answered; runs that nobody waits for concern no workflow."""

from datetime import timedelta

from pabal.apps.rules import SLICE
from pabal.apps.rules.jobs import make_kinds
from pabal.apps.rules.machine import RULE, RULE_RUN
from pabal.apps.rules.steps import ENDS
from pabal.apps.rules.subscribers import SUBSCRIBERS
from pabal.engine.workflows import listing
from pabal.engine.workflows.strands import Strands
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Role
from pabal.platform.auth import NewUser
from pabal.platform.platform_slice import make_step_kinds
from pabal.platform.workflows import Workflows
from pabal.testing import Parts, advance, drain
from tests.support.rules import RulesWorld

FLOW = """\
name: look
steps:
  - {{name: look, kind: rules.run, input: {{rule: {rule}}}}}
output: {{price: {{from: steps.look.data.price}}}}
"""


async def test_a_workflow_goes_on_when_the_run_it_waits_for_has_ended(world: RulesWorld):
    rule, other = await world.rule(schedule="0 3 * * *"), await world.rule("nobody waits for it")
    flows = Workflows(make_step_kinds((SLICE,)))
    kinds = Strands(world.db, flows.kinds).add_to(make_kinds(world.lookups, world.scripts, world.db))
    parts = Parts(world.db, kinds, machines=(RULE, RULE_RUN), subscribers=(*SUBSCRIBERS, ENDS))
    await drain(parts)
    async with world.db.transaction() as tx:
        owner = await auth.add_user(tx, ENGINE, NewUser("owner", "owner", rule.unit_id, Role.OPERATOR))
        saved = await flows.save(tx, owner.actor(), FLOW.format(rule=rule.id))
        run = await flows.start(tx, owner.actor(), saved.id, {})

    await advance(parts, timedelta(minutes=5))

    async with world.db.transaction() as tx:
        over = await listing.get_run(tx, run, units=None)
    assert (over.state, over.output) == ("done", {"price": 512.5})
    assert len(await world.runs(other)) == 1
