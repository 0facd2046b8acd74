"""Notifications: what people were told, and the channels it goes through."""

from datetime import datetime
from typing import TYPE_CHECKING, Literal

from pabal.engine import ids
from pabal.platform.language.pairs import Lang, put
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, Rules, View, Viewer, ask, column, field
from pabal.platform.resources.asks import case
from pabal.resources.alerts import LEVELS

if TYPE_CHECKING:
    from pabal.platform.notifications import Channel, Delivery, Notification

_ROWS = "pabal.resources.rows"
AREA = "notifications"
LevelName = Literal["info", "attention", "failure"]
_WORD = Rules(min_length=1, max_length=200)
_ADDRESS = Rules(max_length=5500)


class NotificationView(View):
    """`times` counts it and its repetitions."""

    id: str = field(("ID", "ID"), example="ntf_01h2xcejqtf2n")
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    name: str = field(("Name", "이름"), example="alert.fired")
    level: str = field(("Level", "단계"), words=LEVELS, example="failure")
    title: str = field(("Title", "제목"), example="Work is stuck")
    text: str = field(("Text", "내용"), example="")
    about: str | None = field(("About", "대상"), example="alert:7")
    link: str | None = field(("Link", "주소"), example="/alerts")
    times: int = field(("Times", "횟수"), example=1)
    at: datetime = field(("At", "시각"))
    last_at: datetime = field(("Last", "마지막"))


class ChannelView(View):
    """Of its token, or a webhook's secret, only the last four characters are shown. `state` is ok, paused, or failed
    while it is stopped. `address` is a webhook's, or the mailboxes of e-mail; Telegram has a `chat_id`."""

    id: int = field(("ID", "ID"), example=3)
    unit_id: int | None = field(("Unit", "조직"), kind="unit", example=3)
    kind: str = field(("Kind", "종류"), example="telegram")
    name: str = field(("Name", "이름"), example="당직방")
    state: str = field(("State", "상태"), example="ok")
    chat_id: str = field(("Chat", "채팅"), example="-1001234567890")
    address: str | None = field(("Address", "주소"), example=None)
    token_tail: str = field(("Token ends with", "토큰 끝"), example="x9Qz")
    lang: str = field(("Language", "언어"), example="ko")
    least_level: str = field(("Level", "단계"), words=LEVELS, example="attention")
    wants: list[str] = field(("Only", "받을 것"), example=["alert.*"])
    is_active: bool = field(("Active", "사용"), example=True)
    is_two_way: bool = field(("Two-way", "양방향"), example=True)
    stopped_at: datetime | None = field(("Stopped", "멈춘 때"))
    last_ok_at: datetime | None = field(("Last sent", "마지막 보냄"))
    last_error: str | None = field(("Last error", "마지막 오류"), example=None)
    last_error_at: datetime | None = field(("Failed", "오류 시각"))
    failures: int = field(("Failed in a row", "연속 실패"), example=0)
    before_until: datetime | None = field(("Old secret until", "옛 비밀 값 기한"))
    created_at: datetime = field(("Made", "만든 때"))

    @column(("Leads to", "가는 곳"))
    def leads_to(self, _lang: Lang) -> str:
        return (self.address or self.chat_id).partition("?")[0]


class MadeChannelView(ChannelView):
    """`secret` signs a webhook, and is in this answer only; other channels have none."""

    secret: str | None = field(("Secret", "비밀 값"), example=None)


class DeliveryView(View):
    """One message through one channel; `result` is null while it is on its way.

    `attempts` and `last_status` are of webhooks and e-mail; `replay_of` is the delivery that said it first, whose id
    receivers know it by.
    """

    id: str = field(("ID", "ID"), example="dlv_01h2xcejqtf2n")
    state: str = field(("State", "상태"), example="done")
    result: str | None = field(("Result", "결과"), example="sent")
    detail: str | None = field(("Found", "결과 내용"), example=None)
    parts_sent: int = field(("Parts sent", "보낸 조각"), example=1)
    is_test: bool = field(("Test", "시험"), example=True)
    attempts: int = field(("Attempts", "시도"), example=0)
    last_status: int | None = field(("Last status", "마지막 상태"), example=None)
    replay_of: str | None = field(("Said first", "처음 보낸 것"), example=None)
    created_at: datetime = field(("Made", "만든 때"))
    ended_at: datetime | None = field(("Ended", "끝"))


class TestSentView(View):
    """The delivery that tells how it went."""

    delivery: str = field(("Delivery", "보낸 것"), example="dlv_01h2xcejqtf2n")


class TryView(View):
    """One try of a delivery. Without a status there was no answer."""

    number: int = field(("Attempt", "시도"), example=1)
    at: datetime = field(("At", "시각"))
    status: int | None = field(("Status", "상태"), example=503)
    reason: str = field(("Found", "결과 내용"), example="busy")
    ms: int = field(("Milliseconds", "밀리초"), example=120)


class ReplayedView(View):
    """The deliveries that say it again."""

    count: int = field(("Sent again", "다시 보낸 것"), example=1)
    deliveries: list[str] = field(("Deliveries", "보낸 것"), example=["dlv_01h2xcejqtf2n"])


class NewChannel(Ask):
    """A Telegram chat (`chat_id` and `token`), a webhook (`address`: where it is posted to) or e-mail (`address`: who
    gets it, by commas). Without a unit it belongs to your own."""

    name: str = ask("What it is called.", rules=_WORD, example="당직방")
    kind: Literal["telegram", "webhook", "email"] = ask("What it is.", example="telegram", default="telegram")
    chat_id: str = ask(
        "The chat: a number, or the @name of a public channel.", rules=_WORD, example="-1001234567890", default=""
    )
    token: str | None = ask(
        "The bot's token.",
        secret=("Bot token", "봇 토큰"),
        rules=_WORD,
        example="123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc",
        default=None,
    )
    address: str = ask("Where a webhook is posted to, or who gets the e-mail.", rules=_ADDRESS, example="", default="")
    lang: Literal["ko", "en"] = ask("Language of its messages.", default="ko")
    least_level: LevelName = ask("This loud or louder.", example="attention", default="attention")
    wants: tuple[str, ...] = ask("Only notices named so.", rules=Rules(max_length=20), example=["alert.*"], default=())
    is_active: bool = ask("Whether anything goes through it.", default=True)
    is_two_way: bool = ask("Telegram: whether the bot is listened to, as one program at a time can.", default=True)
    unit_id: int | None = ask("Whose it is.", rules=ROW_ID, example=3, default=None)


class ChannelChange(Ask):
    """Only what is given changes (JSON merge patch)."""

    name: str = ask("What it is called.", rules=_WORD, example="당직방", default="")
    chat_id: str = ask(
        "The chat: a number, or the @name of a public channel.",
        option="--chat",
        rules=_WORD,
        example="-1001234567890",
        default="",
    )
    address: str = ask("Where a webhook is posted to, or who gets the e-mail.", rules=_ADDRESS, example="", default="")
    # a command would ask for it at every edit
    token: str | None = ask("The bot's token.", rules=_WORD, rest_only=True, example=None, default=None)
    lang: Literal["ko", "en"] = ask("Language of its messages.", option="--language", default="ko")
    least_level: LevelName = ask("This loud or louder.", option="--level", example="failure", default="attention")
    wants: tuple[str, ...] = ask("Only notices named so.", rules=Rules(max_length=20), example=["alert.*"], default=())
    is_active: bool = ask("Whether anything goes through it.", option="--active/--inactive", default=True)
    is_two_way: bool = ask(
        "Telegram: whether the bot is listened to, as one program at a time can.",
        option="--two-way/--one-way",
        default=True,
    )


class SecretRotation(Ask):
    overlap_seconds: int = ask(
        "How long everything is signed with the old secret too.",
        option="--overlap-seconds",
        rules=Rules(ge=0, le=30 * 86_400),
        example=86_400,
        default=86_400,
    )


class Replay(Ask):
    """One delivery, or all that did not arrive since a moment."""

    cases = (case("delivery"), case("since"))

    delivery: str = ask("A delivery of this channel.", example="dlv_01h2xcejqtf2n", default="")
    since: datetime | None = ask("What did not arrive since then.", example=None, default=None)
    also_sent: bool = ask("With `since`: also what arrived.", default=False)

    def fits(self) -> None:
        if bool(self.delivery) == (self.since is not None):
            raise ValueError("say a delivery or a moment, and not both")


class NotificationFilter(Filter):
    level: tuple[LevelName, ...] = ask("Any of these, separated by commas.", rest_only=True, default=())


def view_notification(one: "Notification", viewer: Viewer) -> NotificationView:
    title, text = put(viewer.lang, one.title), put(viewer.lang, one.text)
    return NotificationView.of(one, id=ids.show("ntf", one.id), level=one.level.value, title=title, text=text)


def view_channel(channel: "Channel", viewer: Viewer) -> ChannelView:
    state = "paused" if not channel.is_active else "failed" if channel.stopped_at else "ok"
    return ChannelView.of(channel, state=state)


def view_made_channel(channel: "Channel", viewer: Viewer) -> MadeChannelView:
    return MadeChannelView.of(channel, state=view_channel(channel, viewer).state)


def view_delivery(one: "Delivery", viewer: Viewer) -> DeliveryView:
    state = {None: "enqueued", "sent": "done"}.get(one.result, "failed")
    first = None if one.replay_of is None else ids.show("dlv", one.replay_of)
    return DeliveryView.of(one, id=ids.show("dlv", one.id), state=state, replay_of=first)


def view_replayed(made: list[int], viewer: Viewer) -> ReplayedView:
    return ReplayedView(count=len(made), deliveries=[ids.show("dlv", one) for one in made])


def view_test(delivery_id: int, viewer: Viewer) -> TestSentView:
    return TestSentView(delivery=ids.show("dlv", delivery_id))


NOTIFICATION = Noun(
    "notification", "notifications", AREA, NotificationView, view=f"{__name__}:view_notification", prefix="ntf"
)
NOTIFICATION.lists(
    "list_notifications",
    "Lists notifications, the newest first.",
    f"{_ROWS}:list_notifications",
    columns=("id", "last_at", "level", "title", "text", "times"),
    empty=("Nobody was told anything yet.", "아직 알림이 없습니다."),
    wanted=NotificationFilter,
    command="",
)

CHANNEL = Noun(
    "channel",
    "channels",
    AREA,
    ChannelView,
    view=f"{__name__}:view_channel",
    find=f"{_ROWS}:get_channel",
    hold="pabal.platform.notifications.store:hold_channel",
    named="pabal.cli.finding:find_channel",
    columns=("id", "name", "kind", "state", "unit_id", "leads_to", "least_level", "wants", "last_ok_at", "last_error"),
    which="Its number: see `pabal channel list`.",
    get_help="Shows one channel.",
    show_command="",
)
CHANNEL.lists(
    "list_channels",
    "Lists the channels notifications go through.",
    f"{_ROWS}:list_channels",
    columns=CHANNEL.columns,
    empty=(
        "No channels yet: pabal channel add NAME --chat ID (or --url, or --to)",
        "아직 채널이 없습니다: pabal channel add 이름 --chat ID (또는 --url, --to)",
    ),
    is_short=True,
)
CHANNEL.verb(
    "add",
    "pabal.resources.verbs:add_channel",
    "Adds a channel.",
    NewChannel,
    makes=True,
    needs=("vault",),
    shows=MadeChannelView,
    view=f"{__name__}:view_made_channel",
    location="/channels/{id}",
    in_commands=False,  # the command line says which command comes next
)
CHANNEL.verb(
    "edit",
    "pabal.resources.verbs:edit_channel",
    "Changes a channel: what is not given stays.",
    ChannelChange,
    method="PATCH",
    needs=("vault",),
)
CHANNEL.verb(
    "test",
    "pabal.platform.notifications:send_test",
    "Sends a test line through a channel; its deliveries tell how it went.",
    status=202,
    shows=TestSentView,
    view=f"{__name__}:view_test",
    location="/channels/{id}/deliveries",
    in_commands=False,  # the command line waits for what comes of it
)
CHANNEL.verb(
    "rotate",
    "pabal.resources.verbs:rotate_secret",
    "Makes a new secret of a webhook. It is in this answer and nowhere else; the old one counts for a while longer.",
    SecretRotation,
    operation="rotate_channel_secret",
    needs=("vault",),
    shows=MadeChannelView,
    view=f"{__name__}:view_made_channel",
    in_commands=False,  # the command line shows the secret once, and takes a span
)
CHANNEL.verb(
    "open",
    "pabal.platform.notifications:open_channel",
    "Lets a channel that was stopped try again. What it missed is sent with replay.",
)
CHANNEL.verb(
    "replay",
    "pabal.resources.verbs:replay_channel",
    "Sends again, under their own ids: one delivery, or all that did not arrive since a moment (1,000 at most).",
    Replay,
    status=202,
    shows=ReplayedView,
    view=f"{__name__}:view_replayed",
    in_commands=False,  # the command line takes moments as people write them
)
CHANNEL.verb(
    "remove",
    "pabal.resources.verbs:remove_channel",
    "Removes a channel, with what was still to go through it.",
    method="DELETE",
    answers_nothing=True,
    confirm=("Remove channel {which}, with what still waits for it?", "채널 {which}을(를) 보낼 것까지 지울까요?"),
)
