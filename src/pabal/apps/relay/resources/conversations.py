"""Conversations: KakaoTalk users at a channel, and the account each is paired with."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pabal.apps.relay.model.messages import AREA, Conversation
from pabal.apps.relay.resources.names import (
    ACCOUNT_EXAMPLE,
    APP,
    FINDING,
    KEY_EXAMPLE,
    ROWS,
    STATUS_WORDS,
    ConversationStatus,
)
from pabal.platform.resources import Ask, Filter, Noun, View, Viewer, ask, field

_ACTIONS, _STORE = f"{APP}.actions.conversations", f"{APP}.store.conversations"


class ConversationView(View):
    """A KakaoTalk user at a channel. `state` is UNPAIRED, PENDING (waits for approval), PAIRED or BLOCKED."""

    id: int = field(("No.", "번호"), example=12)
    unit_id: int | None = field(
        ("Unit", "조직"),
        kind="unit",
        description="Its account's. Null: nobody's yet, and only the head office sees it.",
        example=3,
    )
    conversation_key: str = field(("Conversation", "대화 키"), example=KEY_EXAMPLE)
    kakao_channel_id: str = field(("Channel", "채널"), example="b0ts")
    plusfriend_user_key: str = field(("User", "사용자 키"), example="kim")
    account_id: str | None = field(("Account ID", "계정 ID"), example=ACCOUNT_EXAMPLE)
    account_name: str | None = field(("Account", "계정"), example="김비서")
    state: ConversationStatus = field(("State", "상태"), status="relay_conversation_status", example="PAIRED")
    version: int = field(("Version", "버전"), description="Rises with every transition.", example=2)
    messages: int = field(("Messages", "메시지"), description="Those that are still kept.", is_told=True, example=5)
    first_seen_at: datetime = field(("First seen", "처음 본 때"))
    last_seen_at: datetime = field(("Last seen", "마지막으로 본 때"))
    paired_at: datetime | None = field(("Paired", "연결된 때"))
    has_callback_url: bool = field(
        ("Callback", "콜백 주소"),
        description="There is a last_callback_url that still lives. The address itself is never shown.",
        is_told=True,
        example=False,
    )
    last_callback_url_expires_at: datetime | None = field(("Callback until", "콜백 기한"))
    blocked_until: datetime | None = field(
        ("Codes refused until", "코드 입력 차단 기한"),
        description="Too many wrong codes: no other is looked at until then.",
        example=None,
    )


def view_conversation(one: Conversation, viewer: Viewer) -> ConversationView:
    until = one.last_callback_url_expires_at
    return ConversationView.of(
        one,
        account_id=None if one.account_id is None else str(one.account_id),
        state=ConversationStatus(one.state.upper()),
        has_callback_url=one.last_callback_url is not None and until is not None and until > viewer.now,
    )


class ConversationFilter(Filter):
    state: tuple[ConversationStatus, ...] = ask("Any of these, separated by commas.", default=())
    account: UUID | None = ask(
        "Only of this account.", find=f"{FINDING}:find_account_id", example=ACCOUNT_EXAMPLE, default=None
    )
    q: str | None = ask("A part of its key or of its account's name.", option="--find", default=None)


def _reason() -> Any:
    return ask(
        "Why; kept in the history.", option="--message,-m", metavar="TEXT", example="Asked to be let go.", default=None
    )


class ConversationDecision(Ask):
    reason: str | None = _reason()


class ConversationMove(Ask):
    account_id: UUID = ask(
        "The account it is moved to: a name or an id.",
        argument=True,
        metavar="ACCOUNT",
        find=f"{FINDING}:find_account_id",
        example=ACCOUNT_EXAMPLE,
    )
    reason: str | None = _reason()


CONVERSATION = Noun(
    "conversation",
    "conversations",
    AREA,
    ConversationView,
    view=f"{__name__}:view_conversation",
    find=f"{_STORE}:get_conversation",
    hold=f"{_STORE}:hold_conversation",
    named=f"{_STORE}:name_conversation",
    words=STATUS_WORDS,
    columns=(
        *("id", "conversation_key", "state", "account_name", "unit_id", "messages", "paired_at", "first_seen_at"),
        *("last_seen_at", "last_callback_url_expires_at", "blocked_until"),
    ),
    which="Its number, or its key (channel:user).",
    is_versioned=True,
    get_help="Shows one conversation.",
)
CONVERSATION.lists(
    "list_conversations",
    "Lists conversations, the newest first.",
    f"{ROWS}:list_conversations",
    columns=("id", "conversation_key", "state", "account_name", "unit_id", "messages", "paired_at", "last_seen_at"),
    empty=(
        "No conversations. Somebody must write to the channel first.",
        "대화가 없습니다. 먼저 누군가 채널에 메시지를 보내야 합니다.",
    ),
    wanted=ConversationFilter,
)
CONVERSATION.verb("approve", f"{_ACTIONS}:approve", "Approves a pairing that waits for it.", ConversationDecision)
CONVERSATION.verb(
    "reject",
    f"{_ACTIONS}:reject",
    "Rejects a pairing that waits for approval. The user may try again with another code.",
    ConversationDecision,
)
CONVERSATION.verb(
    "unpair",
    f"{_ACTIONS}:unpair",
    "Ends a pairing. What is not answered yet goes to nobody; the user may pair again with a new code.",
    ConversationDecision,
    confirm=(
        "Unpair conversation {which}? Its user needs a new code to come back.",
        "대화 {which}의 연결을 끊을까요? 다시 연결하려면 새 코드가 필요합니다.",
    ),
)
CONVERSATION.verb(
    "move",
    f"{_ACTIONS}:move",
    "Pairs a conversation with another account. What the old account has not answered yet goes to nobody.",
    ConversationMove,
)
CONVERSATION.verb(
    "block",
    f"{_ACTIONS}:block",
    "Blocks a user: nothing more is passed on, and no code works. A pairing ends.",
    ConversationDecision,
    confirm=(
        "Block conversation {which}? Its pairing ends.",
        "대화 {which}을(를) 차단할까요? 연결도 끊깁니다.",
    ),
)
CONVERSATION.verb(
    "unblock", f"{_ACTIONS}:unblock", "Unblocks a user, who may pair again with a new code.", ConversationDecision
)
