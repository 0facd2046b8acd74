"""The verbs of plans: ask for one, propose one, edit, withdraw, draft again, approve, reject."""

from typing import Any

from pabal.apps.rules.planner.errors import BadRequest
from pabal.apps.rules.plans import asking, store
from pabal.apps.rules.plans.allowed import may
from pabal.apps.rules.plans.checking import CheckedPlan, check_plan
from pabal.apps.rules.plans.errors import (
    BadPlanRemark,
    PlanBeyondRights,
    PlanNotFound,
    PlanNotOpen,
    TooManyPlans,
)
from pabal.apps.rules.plans.machine import PLAN, PlanEvent
from pabal.apps.rules.plans.model import (
    AREA,
    LONGEST_REMARK,
    LONGEST_REQUEST,
    MOST_OPEN,
    RULES,
    Plan,
    PlanState,
    door_of,
)
from pabal.apps.rules.recall.scrubbing import scrub
from pabal.apps.rules.skills.errors import BadModelName
from pabal.apps.rules.skills.llm import is_model_name
from pabal.base.database import Tx
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.engine.transitions import begin, transition
from pabal.platform import audit, tenants
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.findings import FieldsRefused
from pabal.platform.tenants import UnitNotFound, visible_to
from pabal.platform.workflows import Workflows

DRAFT, START = "rules.plan_draft", "rules.plan_start"
ATTEMPTS = 3


async def request_plan(  # long: what one may say of a new one
    tx: Tx,
    actor: Actor,
    *,
    request: str,
    workflows: Workflows,
    yaml: str | None = None,
    model: str = "",
    unit_id: int | None = None,
) -> Plan:
    """In words, for a language model to plan; or with the workflow that an agent of one's own has planned already.
    Raises FieldsRefused with every mistake of that one."""
    plan = await _insert(tx, actor, request, unit_id, _check_model(actor, model))
    if yaml is None:
        await _draft(tx, plan)
    else:
        await propose(tx, plan, _checked(yaml, workflows, actor, plan), actor=actor.name)
    return await _load(tx, plan.id)


async def request_in_words(tx: Tx, actor: Actor, request: str) -> Plan:
    """For doors that know no steps: a chat, say."""
    plan = await _insert(tx, actor, request, None)
    await _draft(tx, plan)
    return plan


async def propose(tx: Tx, plan: Plan, checked: CheckedPlan, *, actor: str) -> None:
    """From here on a person decides. `actor` wrote it: a model's name, or whoever proposed it."""
    await _keep(tx, plan, checked, actor)
    await transition(tx, PLAN, plan.id, PlanEvent.PROPOSE, actor=actor)
    await asking.ask(tx, await _load(tx, plan.id))


async def edit_plan(tx: Tx, actor: Actor, plan_id: int, *, yaml: str, workflows: Workflows) -> Plan:
    """The inbox asks again, about what it is now."""
    actor.require(Right.WRITE, RULES)
    before = await hold(tx, actor, plan_id)
    checked = _checked(yaml, workflows, actor, before)
    await transition(tx, PLAN, plan_id, PlanEvent.EDIT, actor=actor.name)
    await _keep(tx, before, checked, actor.name)
    after = await _load(tx, plan_id)
    await asking.ask(tx, after)
    await _record(tx, actor, "edit", after, before={"yaml": before.yaml}, after={"yaml": after.yaml})
    return after


async def withdraw_plan(tx: Tx, actor: Actor, plan_id: int) -> Plan:
    """It is not wanted any more. One's own, or with the right to change rules anybody's."""
    plan = await hold(tx, actor, plan_id)
    await transition(tx, PLAN, plan_id, PlanEvent.WITHDRAW, actor=actor.name)
    await asking.settle(tx, plan_id)
    await _record(tx, actor, "withdraw", plan)
    return await _load(tx, plan_id)


async def redo_plan(tx: Tx, actor: Actor, plan_id: int, *, remark: str = "", model: str = "") -> Plan:
    """A language model drafts it again, told what is wanted otherwise."""
    plan = await hold(tx, actor, plan_id)
    chosen = _check_model(actor, model)
    said = scrub(remark.strip())
    if len(said) > LONGEST_REMARK or "\0" in said:
        raise BadPlanRemark(str(len(said)))
    await store.begin_draft(tx, plan_id, said, chosen)
    await transition(tx, PLAN, plan_id, PlanEvent.REDO, actor=actor.name, reason=said or None)
    await asking.settle(tx, plan_id)
    await _draft(tx, await _load(tx, plan_id))
    await _record(tx, actor, "redo", plan, after={"remark": said} | ({"model": chosen} if chosen else {}))
    return await _load(tx, plan_id)


async def approve_plan(tx: Tx, actor: Actor, plan_id: int, *, reason: str | None = None) -> Plan:
    """Whoever approves is its owner: they must be allowed all of it now, and are asked again when each step runs."""
    actor.require(Right.WRITE, RULES)
    plan = await hold(tx, actor, plan_id)
    beyond = [right for right in plan.rights if not may(actor, right)]
    if beyond:
        raise PlanBeyondRights(", ".join(beyond))
    await transition(tx, PLAN, plan_id, PlanEvent.APPROVE, actor=actor.name, reason=reason)
    await store.keep_decision(tx, plan_id, actor.name)
    await asking.settle(tx, plan_id)
    job = NewJob(START, {"plan": plan_id}, key=plan.about, about=plan.about, unit_id=plan.unit_id)
    await queue.enqueue(tx, job)
    await _record(tx, actor, "approve", plan, after={"yaml": plan.yaml, "reason": reason})
    return await _load(tx, plan_id)


async def reject_plan(tx: Tx, actor: Actor, plan_id: int, *, reason: str | None = None) -> Plan:
    actor.require(Right.WRITE, RULES)
    plan = await hold(tx, actor, plan_id)
    await transition(tx, PLAN, plan_id, PlanEvent.REJECT, actor=actor.name, reason=reason)
    await store.keep_decision(tx, plan_id, actor.name)
    await asking.settle(tx, plan_id)
    await _record(tx, actor, "reject", plan, after={"reason": reason})
    return await _load(tx, plan_id)


async def expire_plan(tx: Tx, plan_id: int) -> None:
    """Nobody decided in time."""
    await transition(tx, PLAN, plan_id, PlanEvent.LAPSE, actor=ENGINE.name)


async def fail_plan(tx: Tx, plan: Plan, problem: str) -> None:
    await store.keep_problem(tx, plan.id, problem[:500])
    await transition(tx, PLAN, plan.id, PlanEvent.FAIL, actor=ENGINE.name, reason=problem[:200])


async def hold(tx: Tx, actor: Actor, plan_id: int) -> Plan:
    """Locked. One's own with the right to propose; any in sight with the right to change rules."""
    if not actor.may(Right.WRITE, RULES):
        actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    found = await store.hold_plan(tx, plan_id)
    is_seen = found is not None and scope.holds(found.unit_id) and may_see(actor, found)
    if found is None or not is_seen:
        raise PlanNotFound(str(plan_id))
    if found.asked_by != actor.name:
        actor.require(Right.WRITE, RULES)
    return found


def may_see(actor: Actor, plan: Plan) -> bool:
    """Whoever may only propose sees what they proposed themselves, and nothing of others."""
    return plan.asked_by == actor.name or actor.may(Right.READ, RULES)


def _check_model(actor: Actor, model: str) -> str:
    """A dearer one costs the house: whoever may only propose takes what the settings name."""
    if model:
        actor.require(Right.WRITE, RULES)
    if not is_model_name(model):
        raise BadModelName(model[:100])
    return model


async def _insert(tx: Tx, actor: Actor, request: str, unit_id: int | None, model: str = "") -> Plan:
    actor.require(Right.WRITE, AREA)
    said = scrub(request.strip())
    if not 1 <= len(said) <= LONGEST_REQUEST or "\0" in said:
        raise BadRequest(str(len(said)))
    scope = await visible_to(tx, actor)
    # whoever holds the database's address and names no unit asks for the head office
    owner = unit_id or scope.unit_id or (await tenants.ensure_hq(tx)).id
    if not scope.holds(owner):
        raise UnitNotFound(str(owner))
    await tenants.get_unit(tx, owner)
    if await store.count_open(tx, actor.name) >= MOST_OPEN:
        raise TooManyPlans(str(MOST_OPEN))
    made = await store.insert_plan(tx, owner, request=said, door=door_of(actor), asked_by=actor.name, model=model)
    await begin(tx, PLAN, [made], actor=actor.name)
    plan = await _load(tx, made)
    await _record(tx, actor, "request", plan, after={"request": said} | ({"model": model} if model else {}))
    return plan


def _checked(yaml: str, workflows: Workflows, actor: Actor, plan: Plan) -> CheckedPlan:
    checked = check_plan(yaml, workflows.kinds, actor, plan.id)
    if isinstance(checked, list):
        raise FieldsRefused(checked)
    return checked


async def _keep(tx: Tx, plan: Plan, checked: CheckedPlan, written_by: str) -> None:
    await store.keep_workflow(
        tx, plan.id, yaml=checked.yaml, rights=checked.rights, cost=checked.cost, written_by=written_by
    )


async def _draft(tx: Tx, plan: Plan) -> None:
    if plan.state != PlanState.DRAFTING:
        raise PlanNotOpen(plan.state)
    args = {"plan": plan.id, "draft": plan.draft}
    job = NewJob(
        DRAFT,
        args,
        key=f"{plan.about}.{plan.draft}",
        about=plan.about,
        unit_id=plan.unit_id,
        max_failures=ATTEMPTS,
        expires_at=plan.gives_up_at,
    )
    await queue.enqueue(tx, job)


async def _load(tx: Tx, plan_id: int) -> Plan:
    [found] = await store.load_plans(tx, [plan_id])
    return found


async def _record(  # long: before and after
    tx: Tx,
    actor: Actor,
    verb: str,
    plan: Plan,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    await audit.record(tx, actor, f"rules.plan_{verb}", plan.about, unit_id=plan.unit_id, before=before, after=after)
