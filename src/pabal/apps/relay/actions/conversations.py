"""What people decide about conversations: approve, reject, unpair, move to another account, block."""

from uuid import UUID

from pabal.apps.relay.actions import pairing
from pabal.apps.relay.actions.endings import close_conversation, drop_open
from pabal.apps.relay.errors import AccountDisabled, AccountNotFound, ConversationNotFound, SameAccount
from pabal.apps.relay.machine import CONVERSATION, ConversationEvent
from pabal.apps.relay.model.messages import AREA, CONVERSATION_ABOUT, Conversation
from pabal.apps.relay.store import accounts, conversations
from pabal.base.database import Tx
from pabal.engine.transitions import transition
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, visible_to


async def decide(
    tx: Tx, actor: Actor, conversation_id: int, event: ConversationEvent, *, reason: str | None = None
) -> Conversation:
    """Every verb below but the move, by its event: the door all machines share comes in here."""
    held, scope = await _hold(tx, actor, conversation_id)
    await transition(tx, CONVERSATION, conversation_id, event, actor=actor.name, reason=reason)
    if event is ConversationEvent.APPROVE and held.account_id is not None and held.unit_id is not None:
        await pairing.complete(tx, conversation_id, held.account_id, held.unit_id)
    elif event is not ConversationEvent.UNBLOCK:
        await close_conversation(tx, conversation_id, unit_id=held.unit_id)
    return await _done(tx, actor, scope, held, event)


async def approve(tx: Tx, actor: Actor, conversation_id: int, *, reason: str | None = None) -> Conversation:
    return await decide(tx, actor, conversation_id, ConversationEvent.APPROVE, reason=reason)


async def reject(tx: Tx, actor: Actor, conversation_id: int, *, reason: str | None = None) -> Conversation:
    return await decide(tx, actor, conversation_id, ConversationEvent.REJECT, reason=reason)


async def unpair(tx: Tx, actor: Actor, conversation_id: int, *, reason: str | None = None) -> Conversation:
    return await decide(tx, actor, conversation_id, ConversationEvent.UNPAIR, reason=reason)


async def block(tx: Tx, actor: Actor, conversation_id: int, *, reason: str | None = None) -> Conversation:
    """Nothing of it is passed on any more, and it cannot pair."""
    return await decide(tx, actor, conversation_id, ConversationEvent.BLOCK, reason=reason)


async def unblock(tx: Tx, actor: Actor, conversation_id: int, *, reason: str | None = None) -> Conversation:
    """It may pair again."""
    return await decide(tx, actor, conversation_id, ConversationEvent.UNBLOCK, reason=reason)


async def move(
    tx: Tx, actor: Actor, conversation_id: int, *, account_id: UUID, reason: str | None = None
) -> Conversation:
    """To another account in sight. What the old one has not answered yet, it need not."""
    held, scope = await _hold(tx, actor, conversation_id)
    target = await accounts.hold_account(tx, account_id)
    if target is None or not scope.holds(target.unit_id):
        raise AccountNotFound(str(account_id))
    if target.disabled_at is not None:
        raise AccountDisabled(target.name)
    if held.account_id == account_id:
        raise SameAccount(target.name)
    await transition(tx, CONVERSATION, conversation_id, ConversationEvent.MOVE, actor=actor.name, reason=reason)
    await drop_open(tx, conversation_id)
    await pairing.complete(tx, conversation_id, account_id, target.unit_id)
    return await _done(tx, actor, scope, held, ConversationEvent.MOVE)


async def unpair_own(tx: Tx, account_id: UUID, conversation_key: str) -> bool:
    """By the instance itself; only what is its own."""
    found = await conversations.find_of_account(tx, account_id, conversation_key=conversation_key)
    held = None if found is None else await conversations.hold_conversation(tx, found)
    if held is None or held.account_id != account_id or held.state not in ("paired", "pending"):
        return False
    await transition(tx, CONVERSATION, held.id, ConversationEvent.UNPAIR, actor=f"relay:{account_id}")
    await close_conversation(tx, held.id, unit_id=held.unit_id)
    return True


async def _hold(tx: Tx, actor: Actor, conversation_id: int) -> tuple[conversations.HeldConversation, Scope]:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    held = await conversations.hold_conversation(tx, conversation_id)
    if held is None or not scope.holds(held.unit_id):
        raise ConversationNotFound(str(conversation_id))
    return held, scope


async def _done(
    tx: Tx, actor: Actor, scope: Scope, held: conversations.HeldConversation, event: ConversationEvent
) -> Conversation:
    done = await conversations.get_conversation(tx, scope, held.id)
    about = f"{CONVERSATION_ABOUT}:{held.id}"
    before, after = (
        {"state": held.state, "account": str(held.account_id)},
        {
            "state": done.state.value,
            "account": str(done.account_id),
        },
    )
    await audit.record(
        tx, actor, f"relay.conversation_{event}", about, unit_id=held.unit_id, before=before, after=after
    )
    return done
