"""Events: the log, who takes them and how far they are, and what could not be taken."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from pabal.engine import ids
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, field

if TYPE_CHECKING:
    from pabal.platform.events import ConsumerSeen, DeadLetter, PublishedEvent

_ROWS, _ACTIONS = "pabal.resources.event_rows", "pabal.platform.events"
AREA = "events"
_WORD = Rules(max_length=200)
_NAME = Rules(min_length=1, max_length=200)


class EventView(View):
    """Something that somebody told the house. `event_id` is the sender's: the same one again is the same event."""

    id: str = field(("ID", "ID"), example="evt_0000000000001")
    event_id: str = field(("Event ID", "이벤트 ID"), example="5f0c7a52-6a55-4d7e-9d34-0a2f6f9b1c11")
    name: str = field(("Name", "이름"), example="orders.paid")
    key: str = field(("Key", "키"), example="order:7")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    source: str = field(("By", "보낸 이"), example="token:5")
    at: datetime = field(("At", "시각"))
    data: dict[str, Any] = field(("Data", "내용"), example={"order": 7})


class ConsumerView(View):
    """Who takes events, and how far it is. `backlog` is counted up to 10,001."""

    name: str = field(("Consumer", "소비자"), example="billing")
    patterns: list[str] = field(("Takes", "받는 이벤트"), example=["orders.*"])
    shares: int = field(("Shares", "나눔"), description="So many servers work for it at once.", example=1)
    is_paused: bool = field(("Paused", "멈춤"), example=False)
    backlog: int = field(("Backlog", "밀린 수"), example=0)
    lag_seconds: float = field(("Lag (s)", "지연(초)"), example=0.0)
    oldest_at: datetime | None = field(("Oldest waiting", "가장 오래 기다린 것"))
    retry_at: datetime | None = field(("Tries again", "다시 시도"))
    dead: int = field(("Dead letters", "처리 못함"), example=0)
    since: datetime = field(("Since", "시작"))


class DeadLetterView(View):
    """An event that a consumer could not take. `asked_at`: somebody wants it tried again, and it soon is."""

    id: str = field(("ID", "ID"), example="dle_01h2xcejqtf2n")
    consumer: str = field(("Consumer", "소비자"), example="billing")
    event: str = field(("Event", "이벤트"), example="evt_0000000000001")
    event_id: str = field(("Event ID", "이벤트 ID"), example="o-7")
    name: str = field(("Name", "이름"), example="orders.paid")
    key: str = field(("Key", "키"), example="order:7")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    error: str = field(("Reason", "이유"), example="ValueError: no such order")
    tries: int = field(("Tries", "시도"), example=3)
    at: datetime = field(("At", "시각"))
    asked_at: datetime | None = field(("Asked again", "다시 요청"))
    data: dict[str, Any] = field(("Data", "내용"), example={"order": 7})


class EventFilter(Filter):
    name: str | None = ask("Only of this name; it may end in a star.", rules=_WORD, example="orders.*", default=None)
    key: str | None = ask("Only of this key.", rules=_WORD, example="order:7", default=None)
    event_id: str | None = ask("Only with this id of the sender's.", rules=_WORD, example="o-7", default=None)


class DeadLetterFilter(Filter):
    consumer: str | None = ask("Only of this consumer.", rules=_WORD, example="billing", default=None)


class NewPublishedEvent(Ask):
    """What happened or is wanted, under a name. Without a unit it belongs to your own."""

    name: str = ask("Its name: parts between dots.", rules=_NAME, example="orders.paid")
    data: dict[str, Any] | None = ask("What it says: an object of at most 64 kB.", example={"order": 7}, default=None)
    event_id: str = ask("The same id again is the same event; left out, one is made.", rules=_WORD, default="")
    key: str = ask("Events of one key stay in order.", rules=_WORD, example="order:7", default="")
    unit_id: int | None = ask("Whose it is.", rules=ROW_ID, example=3, default=None)


class ReplayFrom(Ask):
    since: datetime = ask("From this moment on, as far as the log reaches.")
    again: bool = ask("Also do again what is done; otherwise only what is not.", default=False)


class DiscardReason(Ask):
    reason: str = ask(
        "Why, for whoever looks later.",
        option="--message,-m",
        metavar="TEXT",
        rules=Rules(max_length=500),
        example="the order was a test",
        default="",
    )


def view_event(event: "PublishedEvent", viewer: Viewer) -> EventView:
    return show_event(event)


def show_event(event: "PublishedEvent") -> EventView:
    return EventView.of(event, id=ids.show("evt", event.seq), event_id=event.id)


def view_consumer(seen: "ConsumerSeen", viewer: Viewer) -> ConsumerView:
    return ConsumerView.of(seen, lag_seconds=round(seen.lag_seconds, 3))


def view_dead(letter: "DeadLetter", viewer: Viewer) -> DeadLetterView:
    return DeadLetterView.of(letter, id=ids.show("dle", letter.id), event=ids.show("evt", letter.event_seq))


EVENT = Noun(
    "event",
    "event-log",
    AREA,
    EventView,
    view=f"{__name__}:view_event",
    find=f"{_ACTIONS}:get_event",
    named=f"{_ROWS}:find_event",
    prefix="evt",
    columns=("id", "event_id", "name", "key", "source", "at", "data"),
    which="Like evt_0000000000001.",
    called="logged_event",
    get_help="Shows one event.",
)
EVENT.lists(
    "list_logged_events",
    "Lists events, the newest first.",
    f"{_ROWS}:list_events",
    columns=("at", "id", "name", "key", "event_id", "source"),
    empty=("No events.", "이벤트가 없습니다."),
    wanted=EventFilter,
)
EVENT.verb(
    "publish",
    f"{_ROWS}:publish",
    "Publishes an event: every consumer that takes its name gets it, at least once and with one effect.",
    NewPublishedEvent,
    operation="publish_event",
    path="/events",
    status=201,
    makes=True,
    key_required=True,
    shows=EventView,
    view=f"{__name__}:view_event",
    location="/event-log/{id}",
    in_commands=False,
)
CONSUMER = Noun(
    "consumer",
    "event-consumers",
    AREA,
    ConsumerView,
    view=f"{__name__}:view_consumer",
    find=f"{_ROWS}:get_consumer",
    hold=f"{_ACTIONS}:hold_consumer",
    named=f"{_ROWS}:get_consumer",
    columns=("name", "patterns", "shares", "is_paused", "backlog", "lag_seconds", "oldest_at", "retry_at", "dead"),
    which="Its name.",
    key="name",
    reads_key="pabal.api.parts:ConsumerName",
    called="event_consumer",
    get_help="Shows one consumer. They belong to the house.",
    show_command="consumer",
)
CONSUMER.lists(
    "list_event_consumers",
    "Lists consumers with backlog and lag. They belong to the house: only people of the head office see them.",
    f"{_ROWS}:list_consumers",
    columns=("name", "patterns", "is_paused", "backlog", "lag_seconds", "dead"),
    empty=("No consumers.", "소비자가 없습니다."),
    is_short=True,
    of_house=True,
    command="consumers",
)
CONSUMER.verb(
    "replay",
    f"{_ACTIONS}:replay",
    "Sets a consumer back to a moment. What it has not taken yet is never stepped over.",
    ReplayFrom,
    key_required=True,
)
CONSUMER.verb("pause", f"{_ACTIONS}:pause", "Lets events wait. Nothing is lost.")
CONSUMER.verb("resume", f"{_ACTIONS}:resume", "Lets a paused consumer go on from where it is.")
CONSUMER.verb(
    "forget",
    f"{_ACTIONS}:forget",
    "Forgets a paused consumer whose code is gone, with its place and its dead letters.",
    method="DELETE",
    confirm=(
        "Forget {which}, with its place and its dead letters?",
        "{which}의 위치와 처리하지 못한 이벤트까지 지울까요?",
    ),
)
DEAD_LETTER = Noun(
    "dead-letter",
    "dead-letters",
    AREA,
    DeadLetterView,
    view=f"{__name__}:view_dead",
    find=f"{_ACTIONS}:get_dead",
    hold=f"{_ACTIONS}:hold_dead",
    named=f"{_ROWS}:find_dead",
    prefix="dle",
    columns=("id", "consumer", "name", "key", "event_id", "tries", "error", "at", "asked_at", "data"),
    which="Like dle_01h2xcejqtf2n.",
    get_help="Shows one dead letter: an event that a consumer could not take, and why.",
    show_command="letter",
    title="name",
)
DEAD_LETTER.lists(
    "list_dead_letters",
    "Lists dead letters, the newest first.",
    f"{_ROWS}:list_dead",
    columns=("id", "consumer", "name", "key", "tries", "error", "at"),
    empty=("No dead letters.", "처리하지 못한 이벤트가 없습니다."),
    wanted=DeadLetterFilter,
    command="dead",
)
DEAD_LETTER.verb(
    "retry",
    f"{_ACTIONS}:retry",
    "Tries a dead letter again, soon and by a server that has the consumer's code.",
)
DEAD_LETTER.verb(
    "discard",
    f"{_ACTIONS}:discard",
    "Discards a dead letter: it is not taken. The event stays in the log.",
    DiscardReason,
    confirm=("Discard {which}?", "{which}을(를) 버릴까요?"),
)
DEAD_LETTER.on_many("retry", ("Try again", "다시 시도"))
DEAD_LETTER.on_many("discard", ("Discard", "버리기"), labels={"reason": ("Reason", "사유")}, is_grave=True)
