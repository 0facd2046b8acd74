"""What people may do to heartbeats through the doors all apps share: these verbs."""

from pabal.apps.rules.heartbeats import actions
from pabal.apps.rules.heartbeats.machine import HEARTBEAT, HeartbeatEvent
from pabal.apps.rules.heartbeats.model import AREA
from pabal.base.database import Tx
from pabal.platform.actor import Actor, Right
from pabal.platform.controls import ByHand, MachineControls, NotByHand


async def _pause(tx: Tx, actor: Actor, heartbeat_id: int, event: str, reason: str | None) -> None:
    await actions.pause_heartbeat(tx, actor, heartbeat_id, reason=reason)


async def _resume(tx: Tx, actor: Actor, heartbeat_id: int, event: str, reason: str | None) -> None:
    await actions.resume_heartbeat(tx, actor, heartbeat_id, reason=reason)


CONTROLS = MachineControls(
    HEARTBEAT,
    AREA,
    {
        # what jobs elsewhere report, and what their silence means
        HeartbeatEvent.SUCCEED: NotByHand(),
        HeartbeatEvent.FAIL: NotByHand(),
        HeartbeatEvent.RUN_LATE: NotByHand(),
        HeartbeatEvent.MISS: NotByHand(),
        HeartbeatEvent.PAUSE: ByHand(Right.WRITE, _pause),
        HeartbeatEvent.RESUME: ByHand(Right.WRITE, _resume),
    },
)
