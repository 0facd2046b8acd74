"""One delivery: what happened to each of its parts, as it was sent, and what can still be done."""

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import deliveries as actions
from pabal.apps.messaging.model.content import ImageMode, Pace
from pabal.apps.messaging.model.deliveries import Delivery, DeliveryPart, PartState
from pabal.apps.messaging.model.preview import bubbles
from pabal.apps.messaging.model.reasons import COMPONENTS, Sentence, name_limit, name_reason
from pabal.apps.messaging.pages.charts import CAUSES
from pabal.apps.messaging.pages.deliveries import TOPICS, show_line
from pabal.apps.messaging.pages.listing import AREA, tell
from pabal.apps.messaging.store import deliveries as store
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
Back = Annotated[str, Form(max_length=2000)]
_MARKS = {"planned": "wait", "writing": "work", "written": "good", "unknown": "attn"}
_ENDS: dict[str, tuple[str, Pair]] = {
    "sent": ("good", ("Everything is out.", "모두 보냈습니다.")),
    "partial": ("attn", ("It ended with a part of it sent.", "일부만 보내고 끝났습니다.")),
    "failed": ("fail", ("It ended without success.", "보내지 못하고 끝났습니다.")),
    "unknown": ("attn", ("It ended, and of a part nobody knows.", "끝났지만 한 부분은 도착했는지 알 수 없습니다.")),
    "missed": ("attn", ("It was too late.", "제때 보내지 못해 놓쳤습니다.")),
}


@router.get("/messages/deliveries/{delivery_id}")
async def page(visit: Visitor, delivery_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        delivery = await store.get_delivery(tx, visit.scope, delivery_id)
        shown = await _show_sent(tx, delivery)
    return await visit.show(
        "messaging/delivery.html",
        line=show_line(visit, delivery),
        story=list(_tell_story(visit, delivery)),
        cause=visit.say(*CAUSES[delivery.cause]),
        job=None if delivery.job_id is None else ids.show("job", delivery.job_id),
        components=COMPONENTS,
        live_topics=TOPICS,
        topics=TOPICS,
        **shown,
    )


@router.post("/messages/deliveries/{delivery_id}/resume")
async def resume(
    visit: Visitor, delivery_id: RowId, resend_unknown: Annotated[str, Form()] = "", back: Back = ""
) -> Response:
    async with visit.change() as tx:
        done = await actions.resume(tx, visit.actor, delivery_id, resend_unknown=resend_unknown == "yes")
    return visit.go(back or f"/messages/deliveries/{done.id}", said=("It goes on.", "이어서 보냅니다."))


@router.post("/messages/deliveries/{delivery_id}/dismiss")
async def dismiss(visit: Visitor, delivery_id: RowId, back: Back = "") -> Response:
    async with visit.change() as tx:
        await actions.dismiss(tx, visit.actor, delivery_id)
    return visit.go(back or f"/messages/deliveries/{delivery_id}", said=("Passed over.", "넘어갔습니다."))


async def _show_sent(tx: Tx, delivery: Delivery) -> dict[str, Any]:
    """As it was sent, or as it would have been."""
    gap = await settings.value(tx, own.IMAGE_GAP_MS)
    fold = await settings.value(tx, own.FOLD_LENGTH)
    pace = Pace(ImageMode(delivery.image_mode), gap)
    at = delivery.started_at or delivery.scheduled_at
    made = bubbles(delivery.content, pace, bot_name=delivery.bot_name, at=at, fold_length=fold)
    return {"bubbles": made, "room_name": delivery.room_name}


def _tell_story(visit: Visit, delivery: Delivery) -> Iterator[dict[str, Any]]:
    """From its moment to its end, one line each, as `ui.why` takes it."""
    yield _item(visit, delivery.scheduled_at, "wait", visit.say("Its moment came.", "보낼 시각이 되었습니다."))
    for entry in delivery.detail.get("errors", ()):
        yield from _tell_error(visit, delivery, entry)
    if delivery.started_at is not None:
        said = visit.say(
            "Bot ‘{bot}’ began to send it.", "봇 ‘{bot}’이(가) 보내기 시작했습니다.", bot=delivery.bot_name
        )
        late = visit.say("attempts so far: {n}", "지금까지 시도 {n}번", n=delivery.attempts)
        yield _item(visit, delivery.started_at, "work", said, late)
    for part in delivery.parts:
        yield _tell_part(visit, part)
    yield _tell_end(visit, delivery)


def _tell_error(visit: Visit, delivery: Delivery, entry: Any) -> Iterator[dict[str, Any]]:
    """What an attempt left behind when it failed."""
    if not isinstance(entry, dict):
        return
    said = visit.say(*name_reason(str(entry.get("reason", "")), bot=delivery.bot_name))
    at = _read(entry.get("at"))
    yield _item(visit, at, "fail", said, str(entry.get("error") or entry.get("detail") or ""))


def _tell_part(visit: Visit, part: DeliveryPart) -> dict[str, Any]:
    what = visit.say(*COMPONENTS[part.component])
    if part.to_image > part.from_image:
        numbers = (
            f"{part.from_image + 1}"
            if part.to_image - part.from_image == 1
            else f"{part.from_image + 1}–{part.to_image}"
        )
        what += f" #{numbers}"
    said = f"{what}: {visit.voice.status_word('delivery_part', part.state)}"
    facts = []
    if part.began_at is not None and part.written_at is not None:
        took = (part.written_at - part.began_at).total_seconds()
        facts.append(visit.say("took {n} s", "{n}초 걸림", n=f"{took:.1f}"))
    if part.resent:
        facts.append(visit.say("sent again {n} time|sent again {n} times", "다시 보냄 {n}번", n=part.resent))
    if part.state is PartState.UNKNOWN:
        facts.append(visit.say("cut off while it was written", "보내다 끊겼습니다"))
    return _item(visit, part.written_at or part.began_at, _MARKS[part.state], said, " · ".join(facts))


def _tell_end(visit: Visit, delivery: Delivery) -> dict[str, Any]:
    why = show_line(visit, delivery).why
    if delivery.state == "open":
        place = delivery.place or "queued"
        if place == "deferred":
            values = {"limit": name_limit(delivery.deferred_by), "until": delivery.deferred_until}
            why = tell(
                visit,
                [Sentence(("It goes on at {until}: {limit}.", "{limit} 제한이 풀리는 {until}에 이어집니다."), values)],
            )
        return _item(visit, None, "wait", visit.voice.status_word("delivery", place), why) | {"now": True}
    cls, said = _ENDS[delivery.state]
    return _item(visit, delivery.ended_at, cls, visit.say(*said), why)


def _item(visit: Visit, at: datetime | None, cls: str, text: str, fact: str = "") -> dict[str, Any]:
    shown = "" if at is None else visit.voice.when(at, "t", relative=False, seconds=True)
    return {"at": shown, "cls": cls, "text": text, "fact": fact}


def _read(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
