"""An approval's life: it waits until somebody decides, its subject moves on without it, or its time is over."""

from datetime import datetime
from enum import StrEnum

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, Moments, arms, move
from pabal.platform.approvals.model import AREA, Approval
from pabal.platform.controls import MachineControls, NotByHand

SQL = load(__file__)


class State(StrEnum):
    OPEN = "open"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"


class Event(StrEnum):
    APPROVE = "approve"
    REJECT = "reject"
    WITHDRAW = "withdraw"
    EXPIRE = "expire"


@arms(Event.EXPIRE)
def at_deadline(approval: Approval, now: datetime) -> Moments:
    return {Event.EXPIRE: approval.deadline_at}


async def load_approvals(tx: Tx, ids: list[int]) -> list[Approval]:
    return await tx.all(Approval, SQL.load_approvals, ids=ids)


APPROVAL = Machine(
    name="approval",
    table="pabal.approval",
    states=State,
    initial=State.OPEN,
    final=(State.APPROVED, State.REJECTED, State.WITHDRAWN, State.EXPIRED),
    moves=(
        move(Event.APPROVE, State.OPEN, State.APPROVED),
        move(Event.REJECT, State.OPEN, State.REJECTED),
        move(Event.WITHDRAW, State.OPEN, State.WITHDRAWN),
        move(Event.EXPIRE, State.OPEN, State.EXPIRED),
    ),
    timers={State.OPEN: at_deadline},
    loader=load_approvals,
)
_DECISION = NotByHand("POST /api/v1/approvals/{id}/decision")
CONTROLS = MachineControls(
    APPROVAL,
    AREA,
    {
        Event.APPROVE: _DECISION,
        Event.REJECT: _DECISION,
        Event.WITHDRAW: NotByHand(),
        Event.EXPIRE: NotByHand(),
    },
)
