"""A plan whose run came to a good end is remembered: the next request like it is shown to the model as an example."""

from pabal.apps.rules.plans import store
from pabal.apps.rules.recall import store as cases
from pabal.apps.rules.recall.actions import check_case
from pabal.apps.rules.recall.errors import BadCase
from pabal.apps.rules.recall.model import CaseKind, list_grams
from pabal.apps.rules.recall.scrubbing import scrub
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber
from pabal.engine.workflows.machine import WORKFLOW_RUN, RunState


async def remember(tx: Tx, facts: list[Fact]) -> None:
    """For the plan's own unit; without what looks like a secret."""
    runs = [int(fact.subject.partition(":")[2]) for fact in facts]
    for plan in await store.find_of_runs(tx, runs):
        try:
            request, answer = check_case(scrub(plan.request), scrub(plan.yaml))
        except BadCase:
            continue
        await cases.insert_case(
            tx,
            plan.unit_id,
            request=request,
            answer=answer,
            grams=list_grams(request),
            created_by=plan.about,
            kind=CaseKind.PLAN,
        )


REMEMBERING = Subscriber("rules.plans_remembered", (f"{WORKFLOW_RUN.name}.{RunState.DONE}",), remember)
