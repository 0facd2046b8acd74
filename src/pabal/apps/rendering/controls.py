"""What people may do to renders through the doors all apps share: these verbs."""

from pabal.apps.rendering.actions import renders
from pabal.apps.rendering.machine import RENDER as MACHINE
from pabal.apps.rendering.machine import RenderEvent
from pabal.apps.rendering.model.renders import AREA, RENDER
from pabal.base.database import Tx
from pabal.platform.actor import Actor, Right
from pabal.platform.controls import ByHand, EventAction, KindControls, MachineControls, NotByHand


async def _cancel(tx: Tx, actor: Actor, render_id: int, event: str, reason: str | None) -> None:
    await renders.cancel(tx, actor, render_id, reason=reason)


async def _retry(tx: Tx, actor: Actor, render_id: int, event: str, reason: str | None) -> None:
    await renders.retry(tx, actor, render_id)


async def _release(tx: Tx, actor: Actor, render_id: int, event: str, reason: str | None) -> None:
    await renders.release_stuck(tx, actor, render_id, reason=reason)


_BY_HAND: dict[str, EventAction] = {
    RenderEvent.CANCEL: _cancel,
    RenderEvent.RETRY: _retry,
    RenderEvent.RELEASE: _release,
}
CONTROLS = (
    MachineControls(
        MACHINE,
        AREA,
        {event: ByHand(Right.WRITE, _BY_HAND[event]) if event in _BY_HAND else NotByHand() for event in RenderEvent},
    ),
)
# the render's own verbs keep its row and its job together
KIND_CONTROLS = (KindControls(RENDER, AREA, Right.MANAGE),)
