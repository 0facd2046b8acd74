"""The send logs: what is under way, every end with its parts and reason (also as CSV), one delivery, old months."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions import deliveries as actions
from pabal.apps.messaging.actions import reports
from pabal.apps.messaging.jobs.archive import ARCHIVE
from pabal.apps.messaging.model.content import ImageMode, Pace
from pabal.apps.messaging.model.deliveries import (
    Cause,
    Delivery,
    DeliveryPart,
    DeliveryState,
    OpenSend,
    PartState,
    Tally,
    show_components,
    tally,
)
from pabal.apps.messaging.model.preview import bubbles
from pabal.apps.messaging.model.reasons import COMPONENTS, Sentence, explain, name_limit, name_reason
from pabal.apps.messaging.pages.page_texts import AREA, PAGE, tell
from pabal.apps.messaging.pages.statistics import CAUSES
from pabal.apps.messaging.resources.deliveries import MessageDeliveryFilter
from pabal.apps.messaging.store import bots, rooms, schedules
from pabal.apps.messaging.store import deliveries as store
from pabal.apps.messaging.store.statistics import Period
from pabal.base.database import Tx
from pabal.engine import ids, listing
from pabal.engine.listing import Page
from pabal.engine.listing import schedules as plans
from pabal.platform import settings, storage
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.exports import stream_csv
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, keep_filters, midnight, read_day, read_number, today, turn
from pabal.platform.web.many import offer
from pabal.platform.web.paging import AT_ONCE
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
ENDED = ("sent", "partial", "failed", "unknown", "missed")
PLACES = ("waiting_for_bot", "wrong_secret", "queued", "deferred", "held", "retrying", "sending")
TOPICS = "messaging.*,delivery.*"
CHOICES = 100
COLUMNS = (
    *("id", "state", "scheduled_at", "started_at", "ended_at", "delay_ms", "duration_ms", "attempts"),
    *("schedule_id", "schedule", "room_id", "room", "bot", "cause", "is_catch_up", "components", "parts"),
    *("reason", "reason_words", "deferred_by"),
)
_PLACES: dict[str, Pair] = {
    "waiting_for_bot": ("bot ‘{bot}’ is not connected", "봇 ‘{bot}’이(가) 연결되어 있지 않음"),
    "wrong_secret": (
        "the phone of bot ‘{bot}’ does not sign with its secret",
        "봇 ‘{bot}’의 전화기 비밀값이 맞지 않음",
    ),
    "queued": ("waits for its turn with bot ‘{bot}’", "봇 ‘{bot}’의 차례를 기다림"),
    "deferred": ("put off until {until}: {limit}", "{limit} 제한으로 {until}까지 미룸"),
    "held": (
        "held: bot ‘{bot}’ has the same name for another unit's room",
        "보류: 봇 ‘{bot}’에 같은 이름의 다른 조직 톡방이 있음",
    ),
    "retrying": ("tried again at {until}", "{until}에 다시 시도"),
    "sending": ("{done} of {all} parts are out", "{all}개 중 {done}개 보냄"),
}


class Filters(BaseModel):
    """What the address says; what is not known is not minded."""

    state: Word = ""
    room: Word = ""
    bot: Word = ""
    schedule: Word = ""
    bulk: Word = ""
    cause: Word = ""
    day: Word = ""
    q: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.model_dump(exclude_defaults=True, exclude={"cursor"}))

    def wanted(self, visit: Visit) -> MessageDeliveryFilter:
        """Only ends; a day is the visitor's."""
        day = read_day(self.day)
        return MessageDeliveryFilter.make(
            {
                "state": tuple(DeliveryState(one) for one in ((self.state,) if self.state in ENDED else ENDED)),
                "schedule": read_number(self.schedule),
                "room": read_number(self.room),
                "bot": read_number(self.bot),
                "bulk": read_number(self.bulk),
                "cause": Cause(self.cause) if self.cause in CAUSES else None,
                "since": None if day is None else midnight(visit, day),
                "until": None if day is None else midnight(visit, day, days=1),
                "q": self.q or None,
            }
        )

    def leaves(self, one: OpenSend) -> bool:
        """Of what is under way."""
        return (
            self.state in ("", one.place)
            and read_number(self.room) in (None, one.room_id)
            and read_number(self.bot) in (None, one.bot_id)
            and read_number(self.schedule) in (None, one.schedule_id)
            and self.cause in ("", one.cause)
            and self.q.lower() in f"{one.schedule_title} {one.room_name}".lower()
        )


@dataclass(frozen=True, slots=True)
class Line:
    """A delivery as lists show it."""

    delivery: Delivery
    why: str
    tallies: list[Tally]

    @property
    def delay_ms(self) -> float | None:
        """How long after its moment it began."""
        one = self.delivery
        return None if one.started_at is None else max(0.0, (one.started_at - one.scheduled_at).total_seconds() * 1000)

    @property
    def is_dismissed(self) -> bool:
        return "dismissed_by" in self.delivery.detail

    @property
    def has_unknown(self) -> bool:
        return any(one.unknown for one in self.tallies)


@dataclass(frozen=True, slots=True)
class OpenLine:
    send: OpenSend
    why: str


def show_line(visit: Visit, delivery: Delivery) -> Line:
    return Line(delivery, tell(visit, explain(delivery)), tally(delivery.parts))


@router.get("/messages/deliveries")
async def list_page(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load(tx, visit, filters)
        under_way = await _list_open(tx, visit, filters)
        day = await reports.read_day(tx, visit.scope, Period(midnight(visit, today(visit)), visit.now))
        names = await _read_choices(tx, visit, filters)
        has_archives = await reports.may_see(tx, visit.actor)
    return await visit.show(
        "messaging/deliveries.html",
        lines=[show_line(visit, one) for one in page.items],
        under_way=under_way,
        is_now=not filters.cursor and not filters.day and filters.state not in ENDED,
        day=day,
        filters=filters,
        limits=[visit.say(*name_limit(one.name)) for one in day.limits],
        states=[(code, visit.voice.status_word("delivery", code)) for code in (*PLACES, *ENDED)],
        causes=[(code, visit.say(*said)) for code, said in CAUSES.items()],
        today=today(visit),
        export=keep_filters(visit, "/messages/deliveries.csv"),
        has_archives=has_archives,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
        topics=TOPICS,
        offer=offer(visit, "messaging.deliveries", filters.wanted(visit), total=_whole(page, filters)),
        show_id=lambda number: ids.show("dlv", number),
        **names,
    )


@router.get("/messages/deliveries.csv")
async def export(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    """All that the filters leave, streamed."""
    visit.actor.require(Right.READ, AREA)

    async def read(cursor: str | None) -> Page[Sequence[Any]]:
        async with visit.read() as tx:
            page = await store.list_deliveries(tx, visit.scope, filters.wanted(visit), cursor=cursor, limit=AT_ONCE)
        return Page([_csv_row(visit, show_line(visit, one)) for one in page.items], page.cursor)

    return stream_csv("deliveries", COLUMNS, read)


def _whole(page: Page[Delivery], filters: Filters) -> int | None:
    """How many there are, where all of them are shown."""
    return None if page.cursor or filters.cursor else len(page.items)


async def _load(tx: Tx, visit: Visit, filters: Filters) -> Page[Delivery]:
    """A place is no end; a cursor somebody mistyped is the first page."""
    if filters.state in PLACES:
        return Page([], None)
    wanted = filters.wanted(visit)
    return await read_page(
        lambda cursor: store.list_deliveries(tx, visit.scope, wanted, cursor=cursor, limit=PAGE), filters.cursor
    )


async def _list_open(tx: Tx, visit: Visit, filters: Filters) -> list[OpenLine]:
    """On the first page only: what is under way is always the newest."""
    if filters.cursor or filters.day or filters.state in ENDED:
        return []
    found = await store.list_open(tx, visit.scope.listed)
    return [OpenLine(one, _say_place(visit, one)) for one in found if filters.leaves(one)]


def _say_place(visit: Visit, one: OpenSend) -> str:
    values = {
        "bot": one.bot_name,
        "limit": name_limit(one.deferred_by),
        "until": one.until,
        "done": one.written,
        "all": one.parts,
    }
    return tell(visit, [Sentence(_PLACES[one.place], values)])


async def _read_choices(tx: Tx, visit: Visit, filters: Filters) -> dict[str, Any]:
    known_rooms = await rooms.list_rooms(tx, visit.scope, limit=CHOICES)
    known_bots = await bots.list_bots(tx, visit.scope, limit=CHOICES)
    schedule_id = read_number(filters.schedule)
    schedule = None if schedule_id is None else await schedules.find_schedule(tx, schedule_id)
    return {
        "schedule_title": schedule.title if schedule is not None and visit.scope.holds(schedule.unit_id) else "",
        "rooms": [(str(one.id), one.name) for one in known_rooms.items],
        "bots": [(str(one.id), one.name) for one in known_bots.items],
    }


def _csv_row(visit: Visit, line: Line) -> Sequence[Any]:
    one = line.delivery
    moments = [None if at is None else at.isoformat() for at in (one.scheduled_at, one.started_at, one.ended_at)]
    delay = None if line.delay_ms is None else round(line.delay_ms)
    return (
        *(str(one.id), one.state, *moments, delay, one.duration_ms, one.attempts),
        *(one.schedule_id, one.schedule_title, one.room_id, one.room_name, one.bot_name, one.cause, one.is_catch_up),
        *(
            show_components(one.parts),
            " ".join(f"{each.component} {each.written}/{each.total}" for each in line.tallies),
        ),
        *(one.reason, line.why, one.deferred_by),
    )


@router.get("/messages/deliveries/archives")
async def list_archives(visit: Visitor) -> Response:
    async with visit.read() as tx:
        months = await reports.list_months(tx, visit.actor)
        planned = await listing.list_schedules(tx, plans.Wanted(units=None, kind=ARCHIVE), limit=1)
        kept = await settings.value(tx, own.KEEP_LOGS)
    return await visit.show(
        "messaging/archives.html",
        months=months,
        next_at=planned.items[0].next_at if planned.items else None,
        days=kept.days,
    )


@router.get("/messages/deliveries/archives/{month}")
async def download_archive(visit: Visitor, month: str) -> Response:
    async with visit.read() as tx:
        file = (await reports.get_month(tx, visit.actor, month)).file
    content = await storage.read(visit.services.files, file)
    headers = {"Content-Length": str(content.size), "Content-Disposition": f'attachment; filename="{file.name}"'}
    return StreamingResponse(content.chunks, 200, headers, media_type="application/gzip")


Back = Annotated[str, Form(max_length=2000)]
_MARKS = {"planned": "wait", "writing": "work", "written": "work", "handled": "good", "seen": "good", "unknown": "attn"}
_ENDS: dict[str, tuple[str, Pair]] = {
    "sent": ("good", ("The phone handled everything.", "전화기가 모두 처리했습니다.")),
    "partial": ("attn", ("It ended with a part of it sent.", "일부만 보내고 끝났습니다.")),
    "failed": ("fail", ("It ended without success.", "보내지 못하고 끝났습니다.")),
    "unknown": ("attn", ("It ended, and of a part nobody knows.", "끝났지만 한 부분은 도착했는지 알 수 없습니다.")),
    "missed": ("attn", ("It was too late.", "제때 보내지 못해 놓쳤습니다.")),
}

# as it was called before phones confirmed what they handled
_WRITTEN: Pair = ("Everything was written to the phone.", "모두 전화기에 보냈습니다.")


@router.get("/messages/deliveries/{delivery_id}")
async def show(visit: Visitor, delivery_id: RowId) -> Response:
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
    at = part.handled_at or part.written_at or part.began_at
    return _item(visit, at, "good" if part.is_out else _MARKS[part.state], said, " · ".join(_list_facts(visit, part)))


def _list_facts(visit: Visit, part: DeliveryPart) -> Iterator[str]:
    """Beside its state: how long it took, and what is known of it and what is not."""
    ended_at = part.handled_at or part.written_at
    if part.began_at is not None and ended_at is not None:
        took = (ended_at - part.began_at).total_seconds()
        yield visit.say("took {n} s", "{n}초 걸림", n=f"{took:.1f}")
    if part.resent:
        yield visit.say("sent again {n} time|sent again {n} times", "다시 보냄 {n}번", n=part.resent)
    if part.is_cut:
        yield visit.say("cut off while it was written: half may have appeared", "보내다 끊겨 반만 올라갔을 수 있습니다")
    elif part.state is PartState.UNKNOWN:
        yield visit.say("written, but the phone never confirmed it", "보냈지만 전화기가 처리했다고 답하지 않았습니다")
    elif part.state is PartState.WRITTEN:
        yield _say_unconfirmed(visit, part)


def _say_unconfirmed(visit: Visit, part: DeliveryPart) -> str:
    if part.receipt:
        return visit.say("the phone has not confirmed it yet", "전화기가 아직 처리했다고 답하지 않았습니다")
    return visit.say("from before phones confirmed", "전화기가 확인해 주기 전의 기록")


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
    if delivery.state == "sent" and any(part.state is PartState.WRITTEN for part in delivery.parts):
        said = _WRITTEN
    return _item(visit, delivery.ended_at, cls, visit.say(*said), why)


def _item(visit: Visit, at: datetime | None, cls: str, text: str, fact: str = "") -> dict[str, Any]:
    shown = "" if at is None else visit.voice.when(at, "t", relative=False, seconds=True)
    return {"at": shown, "cls": cls, "text": text, "fact": fact}


def _read(value: Any) -> datetime | None:
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
