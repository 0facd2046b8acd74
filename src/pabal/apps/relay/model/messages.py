"""Accounts, conversations, messages, replies and codes, as the database has them."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

AREA = "relay"
# what jobs, facts and the audit call them
MESSAGE_ABOUT = "relay_message"
CONVERSATION_ABOUT = "relay_conversation"
ACCOUNT_ABOUT = "relay_account"
CALL_BACK = "relay.call_back"
PUSH = "relay.push"


class ConversationState(StrEnum):
    UNPAIRED = "unpaired"
    PENDING = "pending"
    PAIRED = "paired"
    BLOCKED = "blocked"


class MessageState(StrEnum):
    """Outside, and in the requirements, in capitals."""

    QUEUED = "queued"
    DELIVERED = "delivered"
    ACKED = "acked"
    EXPIRED = "expired"
    FAILED = "failed"


class ReplyState(StrEnum):
    """Of one reply: on its way, with Kakao, kept for the user's next message, on its way with that one, or ended."""

    PENDING = "pending"
    SENT = "sent"
    DEFERRED = "deferred"
    CARRIED = "carried"
    EXPIRED = "expired"
    FAILED = "failed"
    UNKNOWN = "unknown"
    # an answer to a replay: with those who look, and with no user
    SHOWN = "shown"


OPEN = (MessageState.QUEUED, MessageState.DELIVERED)


class End(StrEnum):
    """Why a message or a reply ended as it did."""

    CALLED_BACK = "called_back"
    ANSWERED_DIRECTLY = "answered_directly"
    NOBODY_ANSWERED = "nobody_answered"
    ANSWERED_LATE = "answered_late"
    REFUSED_BY_KAKAO = "refused_by_kakao"
    CALLBACK_UNKNOWN = "callback_unknown"
    CALLBACK_UNREACHABLE = "callback_unreachable"
    ADDRESS_NOT_ALLOWED = "address_not_allowed"
    WITHDRAWN = "withdrawn"
    UNPAIRED = "unpaired"
    PUSHED = "pushed"
    QUEUE_TIME_OVER = "queue_time_over"
    REPLAYED = "replayed"
    QUESTION_ANSWERED = "question_answered"
    QUESTION_WITHDRAWN = "question_withdrawn"


@dataclass(frozen=True, slots=True)
class Account:
    """One OpenClaw instance. `session_until`: made by an instance itself, and gone unless somebody pairs by then.

    `read_at` is when somebody last read its mailbox; `is_quiet`: too long ago; `asleep_at`: since when its owner knows.
    """

    id: UUID
    number: int
    unit_id: int
    openclaw_user_id: str
    name: str
    rate_limit_per_minute: int
    asks_owner: bool
    session_until: datetime | None
    token_made_at: datetime
    old_token_until: datetime | None
    created_at: datetime
    disabled_at: datetime | None
    read_at: datetime | None
    asleep_at: datetime | None
    is_quiet: bool = False
    conversations: int = 0
    queued: int = 0
    used: int = 0

    @property
    def state(self) -> str:
        if self.disabled_at is not None:
            return "disabled"
        if self.session_until is not None:
            return "waiting"
        return "asleep" if self.asleep_at is not None or self.is_quiet else "awake"


@dataclass(frozen=True, slots=True)
class Conversation:
    id: int
    unit_id: int | None
    state: ConversationState
    version: int
    conversation_key: str
    kakao_channel_id: str
    plusfriend_user_key: str
    account_id: UUID | None
    account_name: str | None
    paired_at: datetime | None
    first_seen_at: datetime
    last_seen_at: datetime
    last_callback_url: str | None = field(repr=False)
    last_callback_url_expires_at: datetime | None
    blocked_until: datetime | None
    messages: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", ConversationState(self.state))


@dataclass(frozen=True, slots=True)
class Message:
    id: int
    uid: UUID
    unit_id: int | None
    state: MessageState
    version: int
    account_id: UUID
    account_name: str
    conversation_id: int
    conversation_key: str
    kakao_payload: dict[str, Any] = field(repr=False)
    normalized: dict[str, Any] = field(repr=False)
    callback_url: str | None = field(repr=False)
    callback_expires_at: datetime
    answer_by: datetime
    readable_until: datetime
    source_event_id: str | None
    created_at: datetime
    delivered_at: datetime | None
    handed_out: int
    answered_at: datetime | None
    called_at: datetime | None
    acked_at: datetime | None
    end_reason: End | None
    end_detail: str | None
    # the message this one repeats, for those who run the account alone
    replay_of: UUID | None
    # the workflow's run that asked
    asked_by: str | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", MessageState(self.state))
        object.__setattr__(self, "end_reason", None if self.end_reason is None else End(self.end_reason))

    @property
    def status(self) -> str:
        return self.state.upper()

    @property
    def text(self) -> str:
        return str(self.normalized.get("text", ""))

    @property
    def is_open(self) -> bool:
        return self.state in OPEN

    @property
    def is_replay(self) -> bool:
        return self.replay_of is not None

    @property
    def is_question(self) -> bool:
        return self.asked_by is not None


@dataclass(frozen=True, slots=True)
class Reply:
    """One answer of an instance to a message. `carried_by` is the later message it went out with."""

    id: int
    message_id: int
    conversation_id: int
    state: ReplyState
    digest: str
    response: dict[str, Any] | str = field(repr=False)
    received_at: datetime
    ended_at: datetime | None
    carried_by: int | None
    detail: str | None

    def __post_init__(self) -> None:
        object.__setattr__(self, "state", ReplyState(self.state))


@dataclass(frozen=True, slots=True)
class PairingCode:
    code: str
    account_id: UUID
    account_name: str
    unit_id: int
    expires_at: datetime
    used_at: datetime | None
    used_by: str | None
    metadata: dict[str, Any]
    created_at: datetime
    revoked_at: datetime | None

    @property
    def id(self) -> str:
        """What it is known by."""
        return self.code

    def state_at(self, now: datetime) -> str:
        if self.used_at is not None:
            return "used"
        if self.revoked_at is not None:
            return "revoked"
        return "active" if self.expires_at > now else "expired"
