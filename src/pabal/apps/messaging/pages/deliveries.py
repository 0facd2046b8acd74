"""The send logs: what is under way, then every end with its parts and its reason; also as CSV."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.messaging.actions import archives, reports
from pabal.apps.messaging.model.deliveries import Delivery, Tally, show_components, tally
from pabal.apps.messaging.model.reasons import Sentence, explain, name_limit
from pabal.apps.messaging.pages.charts import CAUSES
from pabal.apps.messaging.pages.listing import AREA, PAGE, tell
from pabal.apps.messaging.store import bots, deliveries, rooms, schedules
from pabal.apps.messaging.store.deliveries import OpenSend, Wanted
from pabal.apps.messaging.store.statistics import Period
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.exports import stream_csv
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, keep_filters, midnight, read_day, read_number, today, turn
from pabal.platform.web.paging import AT_ONCE
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
ENDED = ("sent", "partial", "failed", "unknown", "missed")
PLACES = ("waiting_for_bot", "queued", "deferred", "held", "retrying", "sending")
TOPICS = "messaging.*,delivery.*"
CHOICES = 100
COLUMNS = (
    *("id", "state", "scheduled_at", "started_at", "ended_at", "delay_ms", "duration_ms", "attempts"),
    *("schedule_id", "schedule", "room_id", "room", "bot", "cause", "is_catch_up", "components", "parts"),
    *("reason", "reason_words", "deferred_by"),
)
_PLACES: dict[str, Pair] = {
    "waiting_for_bot": ("bot ‘{bot}’ is not connected", "봇 ‘{bot}’이(가) 연결되어 있지 않음"),
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
    cause: Word = ""
    day: Word = ""
    q: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.model_dump(exclude_defaults=True, exclude={"cursor"}))

    def wanted(self, visit: Visit) -> Wanted:
        """Only ends; a day is the visitor's."""
        day = read_day(self.day)
        return Wanted(
            units=visit.scope.listed,
            states=(self.state,) if self.state in ENDED else ENDED,
            schedule_id=read_number(self.schedule),
            room_id=read_number(self.room),
            bot_id=read_number(self.bot),
            cause=self.cause if self.cause in CAUSES else None,
            from_at=None if day is None else midnight(visit, day),
            to_at=None if day is None else midnight(visit, day, days=1),
            q=self.q or None,
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
        has_archives = await archives.may_see(tx, visit.actor)
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
        **names,
    )


@router.get("/messages/deliveries.csv")
async def export(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    """All that the filters leave, streamed."""
    visit.actor.require(Right.READ, AREA)

    async def read(cursor: str | None) -> Page[Sequence[Any]]:
        async with visit.read() as tx:
            page = await deliveries.list_deliveries(tx, filters.wanted(visit), cursor, AT_ONCE)
        return Page([_csv_row(visit, show_line(visit, one)) for one in page.items], page.cursor)

    return stream_csv("deliveries", COLUMNS, read)


async def _load(tx: Tx, visit: Visit, filters: Filters) -> Page[Delivery]:
    """A place is no end; a cursor somebody mistyped is the first page."""
    if filters.state in PLACES:
        return Page([], None)
    wanted = filters.wanted(visit)
    return await read_page(lambda cursor: deliveries.list_deliveries(tx, wanted, cursor, PAGE), filters.cursor)


async def _list_open(tx: Tx, visit: Visit, filters: Filters) -> list[OpenLine]:
    """On the first page only: what is under way is always the newest."""
    if filters.cursor or filters.day or filters.state in ENDED:
        return []
    found = await deliveries.list_open(tx, visit.scope.listed)
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
    known_rooms = await rooms.list_rooms(tx, rooms.Wanted(units=visit.scope.listed), limit=CHOICES)
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
