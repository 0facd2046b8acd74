"""What people may do to the relay's machines and work through the doors all apps share: these verbs."""

from pabal.apps.relay.actions import conversations
from pabal.apps.relay.machine import CONVERSATION, MESSAGE, ConversationEvent, MessageEvent
from pabal.apps.relay.model.messages import AREA, CALL_BACK, PUSH
from pabal.base.database import Tx
from pabal.platform.actor import Actor, Right
from pabal.platform.controls import ByHand, KindControls, MachineControls, NotByHand


async def _decide(tx: Tx, actor: Actor, conversation_id: int, event: str, reason: str | None) -> None:
    await conversations.decide(tx, actor, conversation_id, ConversationEvent(event), reason=reason)


_BY_HAND = ByHand(Right.WRITE, _decide)
CONTROLS = (
    MachineControls(
        CONVERSATION,
        AREA,
        {
            # only a user's own code pairs
            ConversationEvent.ASK: NotByHand(),
            ConversationEvent.PAIR: NotByHand(),
            ConversationEvent.MOVE: NotByHand("POST /api/v1/relay/conversations/{id}/move"),
            ConversationEvent.APPROVE: _BY_HAND,
            ConversationEvent.REJECT: _BY_HAND,
            ConversationEvent.UNPAIR: _BY_HAND,
            ConversationEvent.BLOCK: _BY_HAND,
            ConversationEvent.UNBLOCK: _BY_HAND,
        },
    ),
    MachineControls(MESSAGE, AREA, {event: NotByHand() for event in MessageEvent}),
)
# a callback that was cancelled or tried again by hand could reach a user twice, or never
KIND_CONTROLS = (KindControls(CALL_BACK, AREA, Right.MANAGE), KindControls(PUSH, AREA, Right.MANAGE))
