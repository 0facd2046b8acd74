"""What the inbox says of a plan, and what a yes and a no do: web, REST, command line and Telegram come here."""

from collections.abc import Sequence

from pabal.apps.rules.plans import actions, store
from pabal.apps.rules.plans.asking import REQUEST
from pabal.apps.rules.plans.machine import PLAN
from pabal.apps.rules.plans.model import RULES, Plan
from pabal.apps.rules.plans.wording import say_author
from pabal.base.database import Tx
from pabal.engine.workflows import yaml_form
from pabal.engine.workflows.model import FlowStep
from pabal.platform.actor import Actor, Right
from pabal.platform.approvals import Approvable, Approval, Told
from pabal.platform.language.pairs import Pair
from pabal.platform.language.rights import say_rights

MOST_TOLD = 8


async def approve(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await actions.approve_plan(tx, actor, approval.subject, reason=reason)


async def reject(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await actions.reject_plan(tx, actor, approval.subject, reason=reason)


async def expire(tx: Tx, actor: Actor, approval: Approval, reason: str | None) -> None:
    await actions.expire_plan(tx, approval.subject)


async def tell(tx: Tx, asked: Sequence[Approval]) -> dict[int, Told]:
    found = {plan.id: plan for plan in await store.load_plans(tx, [one.subject for one in asked])}
    return {one.id: _tell(found[one.subject]) for one in asked if one.subject in found}


def _tell(plan: Plan) -> Told:
    """Each step in one line, so that a phone shows what a yes does."""
    workflow, _, _ = yaml_form.read_workflow(plan.yaml)
    steps = [] if workflow is None else list(workflow.steps)
    will: list[Pair] = [_tell_step(number, step) for number, step in enumerate(steps[:MOST_TOLD], start=1)]
    if len(steps) > MOST_TOLD:
        more = len(steps) - MOST_TOLD
        will.append((f"… and {more} more steps", f"… 그 밖에 {more}단계"))
    author, rights = say_author(plan.written_by), say_rights(plan.rights)
    written: Pair = (f"Written by {author[0]}", f"만든 쪽: {author[1]}")
    return Told(
        title=(f"Plan: {plan.request[:150]}", f"계획: {plan.request[:150]}"),
        will=tuple(will),
        why=(written, (f"Takes the rights {rights[0]}", f"필요한 권한: {rights[1]}")),
        href=f"/rules/plans/{plan.id}",
        risks=plan.reckoned.risks,
    )


def _tell_step(number: int, step: FlowStep) -> Pair:
    what = step.kind.partition("@")[0] or "wait"
    name = step.title or step.name
    return f"{number}. {name} ({what})", f"{number}. {name} ({what})"


APPROVABLE = Approvable(
    REQUEST,
    PLAN,
    RULES,
    Right.WRITE,
    label=("Plan", "계획"),
    icon="route",
    tell=tell,
    approve=approve,
    reject=reject,
    yes=("Approve and run", "승인하고 실행"),
    expired=expire,
    then=("then the plan has expired", "지나면 계획이 만료됩니다"),
    # whoever drafts it again, a person or a model, is told what to do otherwise
    asks_why=True,
)
