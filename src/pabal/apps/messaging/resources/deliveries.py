"""Deliveries: what was sent, what is under way, what was missed, and why each is as it is."""

from datetime import datetime
from typing import Any

from pabal.apps.messaging.model.content import SendOrder
from pabal.apps.messaging.model.deliveries import (
    Cause,
    Delivery,
    DeliveryState,
    OpenSend,
    PartState,
    Recent,
    tally,
)
from pabal.apps.messaging.model.reasons import COMPONENTS, Sentence, explain
from pabal.apps.messaging.resources.images import (
    SEND_ORDERS,
    ImageView,
    images_field,
    name_images,
    text_field,
    view_image,
)
from pabal.engine import ids
from pabal.platform.language.moments import show_moment
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.resources import ROW_ID, Ask, Filter, Noun, View, Viewer, ask, column, field

_HERE = "pabal.apps.messaging"
_ACTIONS, _STORE, _FIND = f"{_HERE}.actions.deliveries", f"{_HERE}.store.deliveries", f"{_HERE}.cli.finding"
CAUSES: dict[str, Pair] = {
    "schedule": ("schedule", "스케줄"),
    "now": ("sent now", "지금 보내기"),
    "test": ("test", "테스트"),
}
_SIGNS = {"handled": "✓", "written": "✓", "unknown": "?", "partial": "…", "planned": "✕"}
_EMPTY: Pair = ("Nothing was sent yet.", "아직 보낸 것이 없습니다.")


class TallyView(View):
    """How far a component is: so many of its parts are out, and of so many nobody knows.

    Those that are out were handled by the phone, but for sends from before phones confirmed them.
    """

    component: str = field(("Component", "부분"), words=COMPONENTS, example="images_1")
    state: str = field(("State", "상태"), example="handled")
    written: int = field(("Out", "보냄"), example=3)
    handled: int = field(("Handled", "전화기가 처리함"), example=3)
    unknown: int = field(("Unknown", "모름"), example=0)
    total: int = field(("Of", "모두"), example=3)


class PartView(View):
    """One packet to the bot. Images are counted from 0, the end not included.

    It is handled once the phone has confirmed it, and seen where the bot reported it in its room.
    """

    no: int = field(("No.", "번호"), example=0)
    component: str = field(("Component", "부분"), words=COMPONENTS, example="text")
    from_image: int = field(("From image", "첫 그림"), example=0)
    to_image: int = field(("To image", "끝 그림"), example=0)
    state: PartState = field(("State", "상태"), status="delivery_part")
    began_at: datetime | None = field(("Began", "시작"))
    written_at: datetime | None = field(("Out at", "보낸 때"))
    handled_at: datetime | None = field(("Handled at", "처리한 때"))
    seen_at: datetime | None = field(("Seen at", "톡방에서 본 때"))
    resent: int = field(("Sent again", "다시 보냄"), example=0)


class MessageDeliveryView(View):
    """One send with its parts, and with the content as it was when it began.

    `place` is where it is while open; `why` says in a sentence why it is as it is.
    """

    id: str = field(("Id", "번호"), example="dlv_01h2xcejqtf2n")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    state: DeliveryState = field(("State", "상태"), status="delivery", example="sent")
    place: str | None = field(("Place", "위치"), status="delivery", example=None)
    cause: Cause = field(("Cause", "계기"), words=CAUSES)
    schedule_id: int = field(("Schedule no.", "스케줄 번호"), example=12)
    schedule_title: str = field(("Schedule", "스케줄"), example="아침 공지")
    bulk_id: int | None = field(("Of many rooms", "여러 톡방 발송"), example=None)
    room_id: int = field(("Room no.", "톡방 번호"), example=3)
    room_name: str = field(("Room", "톡방"), example="부산-운영")
    channel_id: str = field(("Channel", "채널ID"), example="18390001")
    bot_id: int = field(("Bot no.", "봇 번호"), example=1)
    bot_name: str = field(("Bot", "봇"), example="busan1")
    scheduled_at: datetime = field(("Due", "예정"))
    started_at: datetime | None = field(("Began", "시작"))
    ended_at: datetime | None = field(("Ended", "끝"))
    duration_ms: int | None = field(("Took (ms)", "걸린 시간(ms)"), example=1840)
    attempts: int = field(("Tries", "시도"), example=1)
    is_catch_up: bool = field(("Late", "늦게 보냄"), example=False)
    asked_by: str | None = field(("Asked by", "시킨 사람"), example=None)
    reason: str | None = field(("Reason", "이유 코드"), example=None)
    why: str = field(("Why", "이유"), example="")
    deferred_by: str | None = field(("Put off by", "미룬 제한"), example=None)
    deferred_until: datetime | None = field(("Put off until", "미룬 때"))
    components: list[TallyView] = field(("Components", "구성"))
    job: str | None = field(("Job", "작업"), example="job_01h2xcejqtf2n")
    created_at: datetime = field(("Made", "만든 때"))
    text: str | None = text_field()
    images_1: list[ImageView] = images_field(1)
    images_2: list[ImageView] = images_field(2)
    send_order: SendOrder = field(("Order", "순서"), words=SEND_ORDERS, example="text_first")
    image_mode: str = field(("Images", "그림 보내기"), example="single")
    template_id: int | None = field(("Template", "템플릿"), example=None)
    parts: list[PartView] = field(("Parts", "부분"))
    detail: dict[str, Any] = field(("Detail", "자세히"), example={})

    @column(("State", "상태"), status="delivery")
    def stands(self, _: Lang) -> str:
        """To people an open one is where it is."""
        return self.place or self.state.value

    @column(("Sent", "보낸 것"))
    def sent(self, lang: Lang) -> str:
        return " · ".join(_chip(one, lang, is_open=self.state is DeliveryState.OPEN) for one in self.components)

    @column(("Images 1", "그림 1"))
    def pictures_1(self, _: Lang) -> str:
        return name_images(self.images_1)

    @column(("Images 2", "그림 2"))
    def pictures_2(self, _: Lang) -> str:
        return name_images(self.images_2)


class OpenDeliveryView(View):
    """A send under way. `delivery` is null until somebody has taken it; `until` is when a deferred one goes on."""

    delivery: str | None = field(("Id", "번호"), example="dlv_01h2xcejqtf2n")
    job: str | None = field(("Job", "작업"), example="job_01h2xcejqtf2n")
    place: str = field(("State", "상태"), status="delivery", example="waiting_for_bot")
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    schedule_id: int = field(("Schedule no.", "스케줄 번호"), example=12)
    schedule_title: str = field(("Schedule", "스케줄"), example="아침 공지")
    room_id: int = field(("Room no.", "톡방 번호"), example=3)
    room_name: str = field(("Room", "톡방"), example="부산-운영")
    bot_id: int = field(("Bot no.", "봇 번호"), example=1)
    bot_name: str = field(("Bot", "봇"), example="busan1")
    scheduled_at: datetime = field(("Due", "예정"))
    cause: str = field(("Cause", "계기"), words=CAUSES, example="schedule")
    deferred_by: str | None = field(("Put off by", "미룬 제한"), example=None)
    until: datetime | None = field(("Until", "끝"))
    parts: int = field(("Parts", "부분"), example=4)
    written: int = field(("Out", "보냄"), example=1)

    @column(("Sent", "보낸 것"))
    def sent(self, _: Lang) -> str:
        return f"{self.written}/{self.parts}" if self.parts else ""


class RecentDeliveryView(View):
    """What became of what was due. `verdict` is not_sent, retry_needed or sent."""

    schedule_id: int = field(("Schedule no.", "스케줄 번호"), example=12)
    unit_id: int = field(("Unit", "조직"), kind="unit", example=3)
    schedule_title: str = field(("Schedule", "스케줄"), example="아침 공지")
    scheduled_at: datetime = field(("Due", "예정"))
    delivery: str | None = field(("Id", "번호"), example="dlv_01h2xcejqtf2n")
    state: str | None = field(("State", "상태"), status="delivery", example="missed")
    reason: str | None = field(("Reason", "이유 코드"), example="bot_offline")
    verdict: str = field(("Verdict", "판정"), example="not_sent")


def view_delivery(delivery: Delivery, viewer: Viewer) -> MessageDeliveryView:
    content = delivery.content
    return MessageDeliveryView.of(
        delivery,
        id=ids.show("dlv", delivery.id),
        state=DeliveryState(delivery.state),
        cause=Cause(delivery.cause),
        job=_show("job", delivery.job_id),
        why=" ".join(say(one, viewer) for one in explain(delivery)),
        components=[TallyView.of(one) for one in tally(delivery.parts)],
        text=content.text,
        images_1=[view_image(one) for one in content.images_1],
        images_2=[view_image(one) for one in content.images_2],
        send_order=content.send_order,
        parts=[PartView.of(one) for one in delivery.parts],
    )


def view_open(one: OpenSend, viewer: Viewer) -> OpenDeliveryView:
    return OpenDeliveryView.of(one, delivery=_show("dlv", one.delivery_id), job=_show("job", one.job_id))


def view_recent(one: Recent) -> RecentDeliveryView:
    return RecentDeliveryView.of(one, delivery=_show("dlv", one.delivery_id))


def say(sentence: Sentence, viewer: Viewer) -> str:
    return put(viewer.lang, sentence.pair, **{name: _value(one, viewer) for name, one in sentence.values.items()})


def _value(value: Any, viewer: Viewer) -> Any:
    if isinstance(value, datetime):
        return show_moment(value, viewer.zone, viewer.lang, now=viewer.now, seconds=True)
    return put(viewer.lang, value) if isinstance(value, tuple) else "–" if value is None else value


def _chip(one: TallyView, lang: Lang, *, is_open: bool) -> str:
    count = f" {one.written}/{one.total}" if one.total > 1 else ""
    sign = "○" if is_open and one.state == "planned" else _SIGNS[one.state]
    return f"{put(lang, COMPONENTS[one.component])}{count} {sign}"


def _show(prefix: str, number: int | None) -> str | None:
    return None if number is None else ids.show(prefix, number)


class MessageDeliveryFilter(Filter):
    """From and to are of the moment it was due."""

    state: tuple[DeliveryState, ...] = ask("Any of these, separated by commas.", default=())
    schedule: int | None = ask(
        "Only of this schedule.", rules=ROW_ID, find=f"{_FIND}:find_schedule_id", example=12, default=None
    )
    room: int | None = ask("Only to this room.", rules=ROW_ID, find=f"{_FIND}:find_room_id", example=3, default=None)
    bot: int | None = ask("Only by this bot.", rules=ROW_ID, find=f"{_FIND}:find_bot_id", example=1, default=None)
    bulk: int | None = ask("Only of this send to many rooms.", rules=ROW_ID, example=4, default=None)
    cause: Cause | None = ask("What led to it.", default=None)
    since: datetime | None = ask("Due from then on: -2h, 어제 09:00, an ISO moment.", alias="from", default=None)
    until: datetime | None = ask("Due before then.", alias="to", default=None)
    q: str | None = ask("A part of the text, the schedule's title or the room's name.", option="--find", default=None)


class ResumeDelivery(Ask):
    """A part of which nobody knows whether it arrived is sent again only with `resend_unknown`."""

    resend_unknown: bool = ask("Also parts of which nobody knows whether they arrived.", default=False)


DELIVERY = Noun(
    "delivery",
    "deliveries",
    "messaging",
    MessageDeliveryView,
    view=f"{__name__}:view_delivery",
    find=f"{_STORE}:get_delivery",
    hold=f"{_STORE}:lock_delivery",
    named=f"{_FIND}:find_delivery",
    prefix="dlv",
    words=f"{_HERE}.labels:STATUS",
    columns=(
        *("id", "stands", "schedule_title", "room_name", "bot_name", "cause", "scheduled_at", "started_at"),
        *("ended_at", "attempts", "sent", "why", "text", "pictures_1", "pictures_2", "job"),
    ),
    which="Like dlv_01h2xcejqtf2n; the first letters are enough.",
    called="message_delivery",
    get_help="Shows one delivery with its parts, as it was sent.",
    title="schedule_title",
    page="/messages/deliveries/{id}",
)
DELIVERY.lists(
    "list_message_deliveries",
    "Lists deliveries, the newest first.",
    f"{_STORE}:list_deliveries",
    columns=(
        *("id", "stands", "scheduled_at", "schedule_title", "room_name", "bot_name", "cause", "sent", "attempts"),
        "why",
    ),
    empty=_EMPTY,
    wanted=MessageDeliveryFilter,
    title="deliveries",
    command="",
)
DELIVERY.verb(
    "resume",
    f"{_ACTIONS}:resume",
    "Sends the rest of a delivery, or one that was missed. What is out already is not sent again.",
    ResumeDelivery,
    status=202,
)
DELIVERY.verb(
    "dismiss",
    f"{_ACTIONS}:dismiss",
    "Says that nobody needs to look at it any more. It stays in the log as it is.",
    answers_nothing=True,
)
DELIVERY.on_many(
    "resume",
    ("Send what is missing", "못 보낸 것 보내기"),
    labels={"resend_unknown": ("Also parts that may have arrived", "도착했는지 모르는 조각도 다시 보내기")},
)
DELIVERY.on_many("dismiss", ("Nobody needs to look", "확인함"))

OPEN_DELIVERY = Noun(
    "open-delivery",
    "deliveries/open",
    "messaging",
    OpenDeliveryView,
    view=f"{__name__}:view_open",
    words=f"{_HERE}.labels:STATUS",
)
OPEN_DELIVERY.lists(
    "list_open_deliveries",
    "Lists what is under way: waiting for its bot, queued, deferred by a limit, being sent. The longest due first.",
    f"{_STORE}:list_under_way",
    columns=(
        *("delivery", "place", "scheduled_at", "schedule_title", "room_name", "bot_name", "cause", "sent", "until"),
        "job",
    ),
    empty=_EMPTY,
    is_short=True,
    command="",
)
