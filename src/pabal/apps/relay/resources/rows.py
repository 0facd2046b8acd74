"""Rows as the descriptions ask for them: lists by their filters, and a message with all that happened to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from pabal.apps.relay.machine import MESSAGE
from pabal.apps.relay.model.messages import Account, Conversation, Message, PairingCode, Reply
from pabal.apps.relay.resources.accounts import PairingCodeFilter, RelayAccountFilter
from pabal.apps.relay.resources.conversations import ConversationFilter
from pabal.apps.relay.resources.messages import RelayMessageFilter
from pabal.apps.relay.store import accounts, conversations, messages, replies
from pabal.base.database import Tx
from pabal.engine import transitions
from pabal.engine.listing import Page
from pabal.engine.transitions import Transition
from pabal.platform.tenants import Scope


@dataclass(frozen=True, slots=True)
class TracedReply:
    """`carried_by` is what instances call the later message that it went out with."""

    reply: Reply
    carried_by: UUID | None


@dataclass(frozen=True, slots=True)
class Trace:
    message: Message
    answers: list[TracedReply]
    steps: list[Transition]

    @property
    def id(self) -> UUID:
        """What it is known by."""
        return self.message.uid


async def list_accounts(
    tx: Tx, scope: Scope, wanted: RelayAccountFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Account]:
    return await accounts.list_accounts(tx, scope, q=wanted.q, with_waiting=wanted.sessions, cursor=cursor, limit=limit)


async def list_codes(
    tx: Tx, scope: Scope, wanted: PairingCodeFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[PairingCode]:
    return await accounts.list_codes(
        tx, scope, account_id=wanted.account, with_ended=wanted.ended, cursor=cursor, limit=limit
    )


async def list_conversations(
    tx: Tx, scope: Scope, wanted: ConversationFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Conversation]:
    states = _states(wanted.state)
    return await conversations.list_conversations(
        tx, scope, states=states, account_id=wanted.account, q=wanted.q, cursor=cursor, limit=limit
    )


async def list_messages(
    tx: Tx, scope: Scope, wanted: RelayMessageFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[Message]:
    return await messages.list_messages(
        tx,
        scope,
        states=_states(wanted.status),
        account_id=wanted.account,
        conversation_id=wanted.conversation,
        since=wanted.since,
        until=wanted.until,
        q=wanted.q,
        cursor=cursor,
        limit=limit,
    )


async def get_trace(tx: Tx, scope: Scope, uid: UUID) -> Trace:
    return await _trace(tx, await messages.get_message(tx, scope, uid))


async def name_trace(tx: Tx, scope: Scope, text: str) -> Trace:
    return await _trace(tx, await messages.name_message(tx, scope, text))


async def _trace(tx: Tx, message: Message) -> Trace:
    answers = [TracedReply(one, await _carrier(tx, one)) for one in await replies.list_replies(tx, message.id)]
    return Trace(message, answers, await transitions.history(tx, MESSAGE, message.id))


async def _carrier(tx: Tx, reply: Reply) -> UUID | None:
    return None if reply.carried_by is None else await messages.find_uid(tx, reply.carried_by)


def _states(statuses: Sequence[str]) -> list[str]:
    return [one.lower() for one in statuses]
