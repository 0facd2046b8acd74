"""Messages of KakaoTalk users, and the trace of one: its steps, its answers and what became of each."""

from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pabal.apps.relay.labels import ENDS
from pabal.apps.relay.model.messages import AREA, Message
from pabal.apps.relay.resources.names import (
    ACCOUNT_EXAMPLE,
    APP,
    FINDING,
    KEY_EXAMPLE,
    MESSAGE_EXAMPLE,
    READINGS,
    ROWS,
    STATUS_WORDS,
    MessageStatus,
)
from pabal.platform.language.pairs import Lang, Pair
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, View, Viewer, ask, column, field

if TYPE_CHECKING:
    from pabal.apps.relay.resources.rows import Trace, TracedReply

MASKED = "***"
LONGEST_CELL = 60
EVENT_WORDS: dict[str, Pair] = {
    "begin": ("received", "받음"),
    "hand_out": ("handed out", "전달"),
    "repeat": ("handed out again", "다시 전달"),
    "ack": ("answered", "응답"),
    "expire": ("expired", "만료"),
    "fail": ("failed", "실패"),
}


class RelayMessageView(View):
    """What a user said. `status` is QUEUED, DELIVERED, ACKED, EXPIRED or FAILED; `end_reason` says why it ended.
    Instances know it by the same `id`."""

    id: str = field(("ID", "ID"), example=MESSAGE_EXAMPLE)
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    account_id: str = field(("Account ID", "계정 ID"), example=ACCOUNT_EXAMPLE)
    account_name: str = field(("Account", "계정"), example="김비서")
    conversation_id: int = field(("Conversation no.", "대화 번호"), example=12)
    conversation_key: str = field(("Conversation", "대화 키"), example=KEY_EXAMPLE)
    status: MessageStatus = field(("State", "상태"), status="relay_message_status", example="ACKED")
    kakao_payload: dict[str, Any] = field(
        ("Payload", "카카오 요청"),
        description="As Kakao sent it; `callbackUrl` is masked.",
        example={"userRequest": {"utterance": "날씨 어때?", "callbackUrl": MASKED}},
    )
    normalized: dict[str, Any] = field(
        ("Normalized", "정리한 내용"), description="As instances get it.", example={"text": "날씨 어때?"}
    )
    callback_expires_at: datetime = field(("Callback until", "콜백 기한"))
    remaining_seconds: float | None = field(
        ("Left (s)", "남은 시간(초)"),
        description="How long an answer still goes straight to Kakao. Null: it has ended.",
        is_told=True,
        example=None,
    )
    source_event_id: str | None = field(("Event ID", "이벤트 ID"), example=None)
    created_at: datetime = field(("Received", "받은 때"))
    delivered_at: datetime | None = field(("Handed out", "전달한 때"))
    handed_out: int = field(("Times handed out", "전달 횟수"), example=1)
    answered_at: datetime | None = field(("Answered", "응답한 때"))
    called_at: datetime | None = field(("Called back", "콜백한 때"))
    acked_at: datetime | None = field(("Accepted by Kakao", "카카오가 받은 때"))
    end_reason: str | None = field(("Ended because", "끝난 이유"), words=ENDS, example="called_back")
    end_detail: str | None = field(("Detail", "자세히"), example=None)
    replay_of: str | None = field(
        ("Replay of", "재실행한 메시지"),
        description="The message it repeats. Its answer is shown in its trace and reaches no user. Null: a user's own.",
        example=None,
    )
    asked_by: str | None = field(
        ("Asked by", "질문한 곳"),
        description="The workflow's run that asked it and waits for the answer. Null: a user said it.",
        example=None,
    )

    @column(("Text", "내용"))
    def text(self, _: Lang) -> str:
        return str(self.normalized.get("text", ""))

    @column(("Text", "내용"))
    def beginning(self, lang: Lang) -> str:
        """Of its text, for a table."""
        text = " ".join(self.text(lang).split())
        return text if len(text) <= LONGEST_CELL else f"{text[: LONGEST_CELL - 1]}…"


class ReplyView(View):
    """One answer of the instance. `state` is pending, sent, deferred (too late, kept for the user's next message),
    carried (on its way with that one, `carried_by`), expired, failed, unknown or shown (to a replay
    or the workflow that asked, and sent to nobody)."""

    state: str = field(("State", "상태"), status="relay_reply", example="sent")
    response: Any = field(
        ("Answer", "답"), description="As the instance sent it.", example={"version": "2.0", "template": {}}
    )
    received_at: datetime = field(("Received", "받은 때"))
    ended_at: datetime | None = field(("Ended", "끝난 때"))
    carried_by: str | None = field(("Went with", "함께 보낸 메시지"), example=None)
    detail: str | None = field(("Because", "이유"), words=ENDS, example="called_back")

    @column(("Answer", "답"))
    def said(self, _: Lang) -> str:
        return _text_of(self.response)


class MessageStepView(View):
    """One transition of a message. `reason` is why it ended, if it did."""

    version: int = field(("Version", "버전"), example=2)
    event: str = field(("Event", "이벤트"), words=EVENT_WORDS, example="hand_out")
    source: MessageStatus | None = field(("Before", "이전"), status="relay_message_status", example="QUEUED")
    target: MessageStatus = field(("After", "이후"), status="relay_message_status", example="DELIVERED")
    actor: str = field(("Who", "누가"), example="engine")
    reason: str | None = field(("Reason", "이유"), words=ENDS, example=None)
    at: datetime = field(("At", "시각"))


class MessageTraceView(RelayMessageView):
    """A message with all that happened to it."""

    steps: list[MessageStepView] = field(("Steps", "과정"))
    replies: list[ReplyView] = field(("Answers", "답"))


def view_message(message: Message, viewer: Viewer) -> RelayMessageView:
    return RelayMessageView.of(message, **_shown(message, viewer))


def view_trace(trace: "Trace", viewer: Viewer) -> MessageTraceView:
    steps = [
        MessageStepView.of(one, source=one.source and _status(one.source), target=_status(one.target))
        for one in trace.steps
    ]
    replies = [view_reply(one) for one in trace.answers]
    return MessageTraceView.of(trace.message, **_shown(trace.message, viewer), steps=steps, replies=replies)


def view_reply(answer: "TracedReply") -> ReplyView:
    carried = None if answer.carried_by is None else str(answer.carried_by)
    return ReplyView.of(answer.reply, state=answer.reply.state.value, carried_by=carried)


def _shown(message: Message, viewer: Viewer) -> dict[str, Any]:
    left = (message.answer_by - viewer.now).total_seconds()
    return {
        "id": str(message.uid),
        "account_id": str(message.account_id),
        "status": _status(message.state),
        "kakao_payload": mask_callback(message.kakao_payload),
        "replay_of": None if message.replay_of is None else str(message.replay_of),
        "remaining_seconds": round(max(0.0, left), 1) if message.is_open else None,
    }


def _status(state: str) -> MessageStatus:
    return MessageStatus(state.upper())


def mask_callback(payload: dict[str, Any]) -> dict[str, Any]:
    """The address is a secret while it lives: whoever has it may answer in our place."""
    asked = payload.get("userRequest")
    if not isinstance(asked, dict) or asked.get("callbackUrl") is None:
        return payload
    return {**payload, "userRequest": {**asked, "callbackUrl": MASKED}}


def _text_of(response: Any) -> str:
    """The texts of an answer, for a table; a card is its name."""
    if isinstance(response, str):
        return response
    if isinstance(response.get("text"), str):
        return str(response["text"])
    outputs = response.get("template", {}).get("outputs", [])
    return " · ".join(_output_text(one) for one in outputs)


def _output_text(output: dict[str, Any]) -> str:
    text = (output.get("simpleText") or {}).get("text")
    return " ".join(str(text).split()) if text else f"[{next(iter(output), '')}]"


class RelayMessageFilter(Filter):
    """From and to are of the moment it was received."""

    status: tuple[MessageStatus, ...] = ask("Any of these, separated by commas.", option="--state", default=())
    account: UUID | None = ask(
        "Only of this account.", find=f"{FINDING}:find_account_id", example=ACCOUNT_EXAMPLE, default=None
    )
    conversation: int | None = ask(
        "Only of this conversation.",
        option="--conv",
        rules=ROW_ID,
        find=f"{FINDING}:find_conversation_id",
        example=12,
        default=None,
    )
    since: datetime | None = ask("Received from then on: -2h, 어제 09:00, an ISO moment.", alias="from", default=None)
    until: datetime | None = ask("Received before then.", alias="to", default=None)
    q: str | None = ask("A part of the text.", option="--find", default=None)


class MessageReplay(Ask):
    account_id: UUID = ask(
        "The account it is replayed to: a name or an id.",
        argument=True,
        metavar="ACCOUNT",
        find=f"{FINDING}:find_account_id",
        example=ACCOUNT_EXAMPLE,
    )


MESSAGE = Noun(
    "message",
    "messages",
    AREA,
    RelayMessageView,
    view=f"{__name__}:view_message",
    named=f"{ROWS}:name_trace",
    reads_key=f"{READINGS}:MessageId",
    words=STATUS_WORDS,
    columns=("id", "status", "text", "account_name", "unit_id", "replay_of", "created_at", "remaining_seconds"),
    which="Its id.",
    called="relay_message",
)
MESSAGE.verb(
    "replay",
    f"{APP}.actions.replaying:replay",
    "Replays a message: its text goes to an account as a message of nobody. The answer is shown in its trace and "
    "reaches no user.",
    MessageReplay,
    status=201,
    shows=RelayMessageView,
    view=f"{__name__}:view_message",
    location="/messages/{id}",
)
MESSAGE.lists(
    "list_relay_messages",
    "Lists messages of users, the newest first.",
    f"{ROWS}:list_messages",
    columns=(
        *("id", "status", "created_at", "conversation_key", "account_name", "beginning", "remaining_seconds"),
        *("end_reason", "replay_of"),
    ),
    empty=("No messages.", "메시지가 없습니다."),
    wanted=RelayMessageFilter,
)

# one message has what a list would read in vain
TRACE = Noun(
    "message",
    "messages",
    AREA,
    MessageTraceView,
    view=f"{__name__}:view_trace",
    find=f"{ROWS}:get_trace",
    named=f"{ROWS}:name_trace",
    reads_key=f"{READINGS}:MessageId",
    words=STATUS_WORDS,
    columns=(
        *("id", "status", "text", "conversation_key", "account_name", "unit_id", "created_at", "delivered_at"),
        *("handed_out", "answered_at", "called_at", "acked_at", "callback_expires_at", "remaining_seconds"),
        *("end_reason", "end_detail", "replay_of"),
    ),
    which="Its id.",
    called="relay_message",
    get_help="Shows one message with every step, its answers, and what became of each.",
    details={
        "steps": ("at", "event", "source", "target", "actor", "reason"),
        "replies": ("received_at", "state", "said", "ended_at", "carried_by", "detail"),
    },
)
