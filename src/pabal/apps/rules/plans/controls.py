"""What people may do to plans through the doors all apps share: these verbs."""

from pabal.apps.rules.plans import actions
from pabal.apps.rules.plans.actions import DRAFT, START
from pabal.apps.rules.plans.machine import PLAN, PlanEvent
from pabal.apps.rules.plans.model import RULES
from pabal.base.database import Tx
from pabal.platform.actor import Actor, Right
from pabal.platform.controls import ByHand, KindControls, MachineControls, NotByHand


async def _withdraw(tx: Tx, actor: Actor, plan_id: int, _event: str, _reason: str | None) -> None:
    await actions.withdraw_plan(tx, actor, plan_id)


async def _redo(tx: Tx, actor: Actor, plan_id: int, _event: str, reason: str | None) -> None:
    await actions.redo_plan(tx, actor, plan_id, remark=reason or "")


CONTROLS = MachineControls(
    PLAN,
    RULES,
    {
        # what the checker took, what nobody decided in time, what could not be drafted or started
        PlanEvent.PROPOSE: NotByHand(),
        PlanEvent.LAPSE: NotByHand(),
        PlanEvent.FAIL: NotByHand(),
        PlanEvent.EDIT: NotByHand("PATCH /api/v1/plans/{id}"),
        # in the inbox, which shows what is decided
        PlanEvent.APPROVE: NotByHand("POST /api/v1/approvals/{id}/decision"),
        PlanEvent.REJECT: NotByHand("POST /api/v1/approvals/{id}/decision"),
        PlanEvent.WITHDRAW: ByHand(Right.WRITE, _withdraw),
        PlanEvent.REDO: ByHand(Right.WRITE, _redo),
    },
)
KIND_CONTROLS = (KindControls(DRAFT, RULES), KindControls(START, RULES))
