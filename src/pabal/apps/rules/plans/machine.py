"""A plan's life: drafted, proposed, decided. Nothing of it runs before somebody has said yes."""

from datetime import datetime
from enum import StrEnum

from pabal.apps.rules.plans.model import ABOUT, Plan, PlanState
from pabal.apps.rules.plans.store import load_plans
from pabal.engine.machine import Machine, Moments, arms, move


class PlanEvent(StrEnum):
    PROPOSE = "propose"
    EDIT = "edit"
    APPROVE = "approve"
    REJECT = "reject"
    WITHDRAW = "withdraw"
    LAPSE = "lapse"
    FAIL = "fail"
    REDO = "redo"


_S, _E = PlanState, PlanEvent


@arms(_E.FAIL)
def while_drafting(plan: Plan, now: datetime) -> Moments:
    return {_E.FAIL: plan.gives_up_at}


PLAN = Machine(
    name=ABOUT,
    table="rules.plan",
    states=PlanState,
    initial=_S.DRAFTING,
    final=(),
    moves=(
        move(_E.PROPOSE, _S.DRAFTING, _S.PROPOSED),
        # somebody changed the workflow: it is asked for again
        move(_E.EDIT, _S.PROPOSED, _S.PROPOSED),
        move(_E.APPROVE, _S.PROPOSED, _S.APPROVED),
        move(_E.REJECT, _S.PROPOSED, _S.REJECTED),
        move(_E.WITHDRAW, (_S.DRAFTING, _S.PROPOSED), _S.WITHDRAWN),
        move(_E.LAPSE, _S.PROPOSED, _S.EXPIRED),
        # from approved: it could not be saved or started any more
        move(_E.FAIL, (_S.DRAFTING, _S.APPROVED), _S.FAILED),
        move(_E.REDO, (_S.PROPOSED, _S.REJECTED, _S.FAILED, _S.WITHDRAWN, _S.EXPIRED), _S.DRAFTING),
    ),
    timers={_S.DRAFTING: while_drafting},
    loader=load_plans,
)
