"""A delivery as programs see it: what was to be sent, how far it came, and why it is as it is."""

from datetime import datetime
from typing import Any

from pydantic import Field

from pabal.apps.messaging.api.fields import ImageShown, show_image
from pabal.apps.messaging.api.parts import Shown, fill
from pabal.apps.messaging.model.deliveries import Cause, Delivery, DeliveryPart, DeliveryState, PartState, tally
from pabal.apps.messaging.model.reasons import Sentence, explain
from pabal.engine import ids
from pabal.platform.web.visit import Visit


class TallyShown(Shown):
    """How far a component is: so many of its parts are out, and of so many nobody knows."""

    component: str = Field(examples=["images_1"])
    state: str = Field(examples=["written"])
    written: int = Field(examples=[3])
    unknown: int = Field(examples=[0])
    total: int = Field(examples=[3])


class PartShown(Shown):
    """One packet to the bot. Images are counted from 0, the end not included."""

    no: int = Field(examples=[0])
    component: str = Field(examples=["text"])
    from_image: int = Field(examples=[0])
    to_image: int = Field(examples=[0])
    state: PartState
    began_at: datetime | None
    written_at: datetime | None
    resent: int = Field(examples=[0])


class MessageDeliveryShown(Shown):
    """One send. `place` is where it is while open; `why` says in a sentence why it is as it is."""

    id: str = Field(examples=["dlv_01h2xcejqtf2n"])
    unit_id: int = Field(examples=[3])
    state: DeliveryState = Field(examples=["sent"])
    place: str | None = Field(examples=[None])
    cause: Cause
    schedule_id: int = Field(examples=[12])
    schedule_title: str = Field(examples=["아침 공지"])
    room_id: int = Field(examples=[3])
    room_name: str = Field(examples=["부산-운영"])
    channel_id: str = Field(examples=["18390001"])
    bot_id: int = Field(examples=[1])
    bot_name: str = Field(examples=["busan1"])
    scheduled_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    duration_ms: int | None = Field(examples=[1840])
    attempts: int = Field(examples=[1])
    is_catch_up: bool = Field(examples=[False])
    asked_by: str | None = Field(examples=[None])
    reason: str | None = Field(examples=[None])
    why: str = Field(examples=[""])
    deferred_by: str | None = Field(examples=[None])
    deferred_until: datetime | None
    components: list[TallyShown]
    job: str | None = Field(examples=["job_01h2xcejqtf2n"])
    created_at: datetime


class MessageDeliveryWhole(MessageDeliveryShown):
    """With its parts, and with the content as it was when it began."""

    text: str | None = Field(examples=["오늘도 좋은 하루 되세요"])
    images_1: list[ImageShown]
    images_2: list[ImageShown]
    send_order: str = Field(examples=["text_first"])
    image_mode: str = Field(examples=["single"])
    template_id: int | None = Field(examples=[None])
    parts: list[PartShown]
    detail: dict[str, Any] = Field(examples=[{}])


def show_delivery(delivery: Delivery, visit: Visit) -> MessageDeliveryShown:
    return fill(MessageDeliveryShown, delivery, **_named(delivery, visit))


def show_whole(delivery: Delivery, visit: Visit) -> MessageDeliveryWhole:
    content = delivery.content
    return fill(
        MessageDeliveryWhole,
        delivery,
        **_named(delivery, visit),
        text=content.text,
        images_1=[show_image(one) for one in content.images_1],
        images_2=[show_image(one) for one in content.images_2],
        send_order=content.send_order,
        parts=[_part(one) for one in delivery.parts],
    )


def _named(delivery: Delivery, visit: Visit) -> dict[str, Any]:
    return {
        "id": ids.show("dlv", delivery.id),
        "job": None if delivery.job_id is None else ids.show("job", delivery.job_id),
        "why": " ".join(_say(one, visit) for one in explain(delivery)),
        "components": [TallyShown.model_validate(one) for one in tally(delivery.parts)],
    }


def _part(part: DeliveryPart) -> PartShown:
    return PartShown.model_validate(part)


def _say(sentence: Sentence, visit: Visit) -> str:
    return visit.say(*sentence.pair, **{name: _value(value, visit) for name, value in sentence.values.items()})


def _value(value: Any, visit: Visit) -> Any:
    if isinstance(value, datetime):
        return visit.voice.moment(value, seconds=True)
    return visit.say(*value) if isinstance(value, tuple) else "–" if value is None else value
