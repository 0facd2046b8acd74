"""A plan whose run came to a good end is remembered: the next request like it is shown to the model as an example. All
runs of its workflow count for the case from then on; what fails goes behind what does not."""

from typing import Any

from pabal.apps.rules.plans import store
from pabal.apps.rules.plans.model import Plan
from pabal.apps.rules.recall import store as cases
from pabal.apps.rules.recall.actions import check_case
from pabal.apps.rules.recall.errors import BadCase
from pabal.apps.rules.recall.model import CaseKind, list_grams
from pabal.apps.rules.recall.scrubbing import scrub
from pabal.base.database import Tx
from pabal.engine.facts import Fact, Subscriber
from pabal.engine.workflows import listing
from pabal.engine.workflows.machine import WORKFLOW_RUN, RunState

_GOOD, _BAD = (f"{WORKFLOW_RUN.name}.{state}" for state in (RunState.DONE, RunState.FAILED))
# A plan is a workflow of its own; from the second version on it is what somebody made of it.
_AS_APPROVED = 1


async def remember(tx: Tx, facts: list[Fact]) -> None:
    ends = [(int(fact.subject.partition(":")[2]), fact.name == _GOOD) for fact in facts]
    versions = await listing.find_versions(tx, [run for run, _ in ends])
    workflows = {one.workflow_id for one in versions.values() if one.number == _AS_APPROVED}
    plans = {plan.workflow_id: plan for plan in await store.find_of_workflows(tx, sorted(workflows))}
    for run, is_good in ends:
        version = versions.get(run)
        plan = plans.get(version.workflow_id) if version is not None and version.number == _AS_APPROVED else None
        if plan is not None:
            await _count(tx, plan, is_good=is_good)


async def _count(tx: Tx, plan: Plan, *, is_good: bool) -> None:
    """A case begins with its first good run, and does not come back once it was forgotten."""
    case = await cases.find_of_plan(tx, plan.id)
    if case is None and is_good and not await cases.is_forgotten(tx, plan.id):
        case = await _insert(tx, plan)
    if case is not None:
        await cases.count_run(tx, case, plan.id, is_good=is_good)


async def _insert(tx: Tx, plan: Plan) -> int | None:
    """For the plan's own unit; without what looks like a secret."""
    try:
        request, answer = check_case(scrub(plan.request), scrub(plan.yaml))
    except BadCase:
        return None
    given: dict[str, Any] = {
        "request": request,
        "answer": answer,
        "grams": list_grams(request),
        "created_by": plan.about,
    }
    return await cases.insert_case(tx, plan.unit_id, **given, kind=CaseKind.PLAN)


REMEMBERING = Subscriber("rules.plans_remembered", (_GOOD, _BAD), remember)
