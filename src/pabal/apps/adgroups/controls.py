"""What people may do to ad groups and their work through the doors all apps share: the app's own verbs and rights."""

from pabal.apps.adgroups.actions.events import RIGHTS, send
from pabal.apps.adgroups.legacy.actions import MIGRATE
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import AREA, Event
from pabal.apps.adgroups.serving.actions import CHECK, REBUILD, REFRESH
from pabal.base.database import Tx
from pabal.platform.actor import Actor, Right
from pabal.platform.controls import ByHand, KindControls, MachineControls


async def _send(tx: Tx, actor: Actor, ad_group_id: int, event: str, reason: str | None) -> None:
    await send(tx, actor, ad_group_id, Event(event), reason=reason)


# What the clock sends may be sent by hand too: its guard compares the clock as it does for the timer.
CONTROLS = (MachineControls(AD_GROUP, AREA, {event: ByHand(RIGHTS.get(event, Right.WRITE), _send) for event in Event}),)
KIND_CONTROLS = tuple(KindControls(kind, AREA, Right.MANAGE) for kind in (REFRESH, REBUILD, CHECK, MIGRATE))
