"""The three machines: a schedule's life, a delivery's, and what was decided about a device."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from pabal.apps.messaging import asking
from pabal.apps.messaging.model.bots import DeviceState
from pabal.apps.messaging.model.deliveries import DeliveryState
from pabal.apps.messaging.model.schedules import ScheduleState
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.machine import Machine, choose, move

SQL = load(__file__)


class ScheduleEvent(StrEnum):
    EDIT = "edit"
    DEACTIVATE = "deactivate"
    ACTIVATE = "activate"
    COMPLETE = "complete"
    FAIL = "fail"
    REOPEN = "reopen"
    DELETE = "delete"


class DeliveryEvent(StrEnum):
    SEND = "send"
    CUT = "cut"
    FAIL = "fail"
    LOSE = "lose"
    MISS = "miss"
    RESUME = "resume"


class DeviceEvent(StrEnum):
    APPROVE = "approve"
    DENY = "deny"
    REVOKE = "revoke"
    BLOCK = "block"
    UNBLOCK = "unblock"


@dataclass(frozen=True, slots=True)
class ScheduleSubject:
    """`next_at` is the engine's: None when no moment is ahead."""

    id: int
    unit_id: int
    state: str
    version: int
    next_at: datetime | None


def has_a_moment_ahead(schedule: ScheduleSubject, now: datetime) -> bool:
    return schedule.next_at is not None


async def load_schedules(tx: Tx, ids: list[int]) -> list[ScheduleSubject]:
    return await tx.all(ScheduleSubject, SQL.load_schedules, ids=ids)


_S, _SE = ScheduleState, ScheduleEvent
SCHEDULE = Machine(
    name="message_schedule",
    table="pabal.message_schedule",
    states=ScheduleState,
    initial=_S.ACTIVE,
    final=(_S.DELETED,),
    moves=(
        # each edit is a row of its history, and whoever edits with an older version in hand is told so
        *(move(_SE.EDIT, state, state) for state in (_S.ACTIVE, _S.INACTIVE, _S.COMPLETED, _S.ERROR)),
        move(_SE.DEACTIVATE, _S.ACTIVE, _S.INACTIVE),
        move(_SE.ACTIVATE, (_S.INACTIVE, _S.ERROR), choose(has_a_moment_ahead, _S.ACTIVE, _S.COMPLETED)),
        move(_SE.COMPLETE, _S.ACTIVE, _S.COMPLETED),
        move(_SE.FAIL, _S.ACTIVE, _S.ERROR),
        # an edit gave it new moments
        move(_SE.REOPEN, _S.COMPLETED, _S.ACTIVE),
        move(_SE.DELETE, (_S.ACTIVE, _S.INACTIVE, _S.COMPLETED, _S.ERROR), _S.DELETED),
    ),
    loader=load_schedules,
)

_D, _DE = DeliveryState, DeliveryEvent
DELIVERY = Machine(
    name="delivery",
    table="pabal.delivery",
    states=DeliveryState,
    initial=_D.OPEN,
    final=(_D.SENT,),
    moves=(
        move(_DE.SEND, _D.OPEN, _D.SENT),
        # some parts were written and the rest will not be
        move(_DE.CUT, _D.OPEN, _D.PARTIAL),
        move(_DE.FAIL, _D.OPEN, _D.FAILED),
        # everything else was written, but of a part nobody knows
        move(_DE.LOSE, _D.OPEN, _D.UNKNOWN),
        move(_DE.MISS, _D.OPEN, _D.MISSED),
        # somebody says: send the rest, or send it now
        move(_DE.RESUME, (_D.PARTIAL, _D.FAILED, _D.UNKNOWN, _D.MISSED), _D.OPEN),
    ),
)

_V, _VE = DeviceState, DeviceEvent
DEVICE = Machine(
    name="bot_device",
    table="pabal.bot_device",
    states=DeviceState,
    initial=_V.PENDING,
    final=(),
    moves=(
        move(_VE.APPROVE, (_V.PENDING, _V.DENIED, _V.REVOKED), _V.APPROVED),
        move(_VE.DENY, _V.PENDING, _V.DENIED),
        move(_VE.REVOKE, _V.APPROVED, _V.REVOKED),
        move(_VE.BLOCK, (_V.PENDING, _V.APPROVED, _V.DENIED, _V.REVOKED), _V.BLOCKED),
        move(_VE.UNBLOCK, _V.BLOCKED, _V.PENDING),
    ),
    effects={
        _V.PENDING: asking.on_pending,
        **dict.fromkeys((_V.APPROVED, _V.DENIED, _V.REVOKED, _V.BLOCKED), asking.on_device_decided),
    },
)
