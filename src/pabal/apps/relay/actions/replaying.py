"""A replay: what a user once said goes to an account again, to see what it answers. The answer reaches nobody.

It is a copy of the text alone, in a conversation that no KakaoTalk user has: there is no callback address to call, no
key of a user to push to, and what is answered is never kept for a next message.
"""

import logging
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions.answers import lang_of
from pabal.apps.relay.actions.receiving import MAIL
from pabal.apps.relay.errors import AccountDisabled, AccountNotFound, AccountNotPaired, CallbackExpired, NothingToReplay
from pabal.apps.relay.machine import CONVERSATION, MESSAGE, MessageEvent
from pabal.apps.relay.model.messages import AREA, MESSAGE_ABOUT, OPEN, End, Message, MessageState
from pabal.apps.relay.model.skill import REPLAY_CHANNEL, make_replay, replay_key
from pabal.apps.relay.store import accounts, messages, replays, replies
from pabal.apps.relay.store.replays import NewReplay
from pabal.apps.relay.store.replies import Answerable
from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine.subjects import Plain
from pabal.engine.transitions import Because, begin, begin_loaded, transition
from pabal.platform import audit, settings
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.tenants import Scope, visible_to

declare("relay.message.replayed", "Messages replayed to an account by somebody who runs it", level=logging.INFO)


async def replay(tx: Tx, actor: Actor, uid: UUID, *, account_id: UUID) -> Message:
    """The new message: a copy of the text, for an account in sight."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    original = await messages.get_message(tx, scope, uid)
    account = await hold_account(tx, scope, account_id)
    if not original.text.strip():
        raise NothingToReplay(str(uid))
    new = await _new_replay(tx, original, account)
    where = await begin_conversation(tx, actor, replay_key(account.id), REPLAY_CHANNEL, account)
    await _put_into_mailbox(tx, actor, new, where)
    about, after = f"{MESSAGE_ABOUT}:{original.id}", {"account": account.name, "replay": str(new.uid)}
    await audit.record(tx, actor, "relay.message_replay", about, unit_id=account.unit_id, after=after)
    return await messages.get_message(tx, scope, new.uid)


async def show_answer(tx: Tx, message: Answerable, *, digest: str, response: Any) -> None:
    """An instance answered a replay: that is kept for those who look at it, and ends it."""
    await keep_shown(tx, message, End.REPLAYED, digest=digest, response=response)


async def keep_shown(tx: Tx, message: Answerable, why: End, *, digest: str, response: Any) -> None:
    """An answer that reaches no user. The first one ends its message."""
    if tx.now >= message.readable_until:
        raise CallbackExpired
    await replays.insert_shown(tx, message, digest=digest, response=response, detail=why.value)
    if message.state in OPEN:
        await replies.note_end(tx, message.id, why, is_acked=True)
        await transition(tx, MESSAGE, message.id, MessageEvent.ACK, actor=ENGINE.name, reason=why)


async def begin_conversation(tx: Tx, actor: Actor, key: str, channel: str, account: accounts.HeldAccount) -> int:
    """The one of this account in a channel of ours; made where there is none."""
    found = await replays.ensure_conversation(tx, key, channel, account_id=account.id, unit_id=account.unit_id)
    if found.is_new:
        await begin(tx, CONVERSATION, [found.id], actor=actor.name)
    return found.id


async def hold_account(tx: Tx, scope: Scope, account_id: UUID) -> accounts.HeldAccount:
    held = await accounts.hold_account(tx, account_id)
    if held is None or not scope.holds(held.unit_id):
        raise AccountNotFound(str(account_id))
    if held.disabled_at is not None:
        raise AccountDisabled(held.name)
    if held.session_until is not None:
        raise AccountNotPaired(held.name)
    return held


async def _new_replay(tx: Tx, original: Message, account: accounts.HeldAccount) -> NewReplay:
    """With the clock of a real one, so that what is seen is what a user would see."""
    values = await settings.values(tx, [own.CALLBACK_TTL, own.CALLBACK_MARGIN, own.QUEUE_TTL])
    life = values[own.CALLBACK_TTL]
    request = make_replay(original.text, lang_of(original.kakao_payload))
    return NewReplay(
        uid=uuid4(),
        replay_of=original.uid,
        unit_id=account.unit_id,
        account_id=account.id,
        payload=request.payload,
        normalized=request.normalized,
        expires_at=tx.now + life,
        answer_by=tx.now + max(life - values[own.CALLBACK_MARGIN], timedelta(0)),
        readable_until=tx.now + max(life, values[own.QUEUE_TTL]),
    )


async def _put_into_mailbox(tx: Tx, actor: Actor, new: NewReplay, conversation_id: int) -> None:
    made = await replays.insert_replay(tx, new, conversation_id)
    begun = [Plain(made, new.unit_id, MessageState.QUEUED.value, 1)]
    await begin_loaded(tx, MESSAGE, begun, {made: MessageState.QUEUED.value}, Because(actor.name))
    tx.hint(f"{MAIL}{new.account_id}", tx.now)
    emit("relay.message.replayed", account=str(new.account_id))
