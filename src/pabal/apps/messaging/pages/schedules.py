"""The list of schedules, the page of one, and what one does to it: pause, resume, send, test, skip, delete."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.messaging.actions import bulks, deliveries, schedules
from pabal.apps.messaging.actions.checking import Checked, survey
from pabal.apps.messaging.machine import SCHEDULE
from pabal.apps.messaging.model.content import ImageMode, Pace
from pabal.apps.messaging.model.deliveries import DeliveryState, OpenSend
from pabal.apps.messaging.model.preview import Bubble
from pabal.apps.messaging.model.rooms import RoomType
from pabal.apps.messaging.model.schedules import Schedule, ScheduleState, ScheduleType
from pabal.apps.messaging.pages.deliveries import show_line
from pabal.apps.messaging.pages.form_view import MOST_CHOICES, describe, load_limits, show_bubbles
from pabal.apps.messaging.pages.page_texts import AREA
from pabal.apps.messaging.resources.bulks import BulkSendFilter
from pabal.apps.messaging.resources.deliveries import MessageDeliveryFilter
from pabal.apps.messaging.resources.rooms import RoomFilter
from pabal.apps.messaging.resources.schedules import ListedState, MessageScheduleFilter, ScheduleSort, pace_of
from pabal.apps.messaging.store.bots import find_bot
from pabal.apps.messaging.store.bulks import list_bulks
from pabal.apps.messaging.store.deliveries import list_deliveries, list_open
from pabal.apps.messaging.store.groups import find_group
from pabal.apps.messaging.store.rooms import list_rooms
from pabal.apps.messaging.store.schedules import (
    Last,
    count_states,
    count_today,
    get_schedule,
    list_last,
    list_schedules,
    show_bot_states,
)
from pabal.base.database import Tx
from pabal.engine import why
from pabal.engine.listing import Page
from pabal.engine.listing.history import Wanted as WantedHistory
from pabal.engine.listing.history import list_transitions
from pabal.engine.schedules import NotAMoment
from pabal.platform import tenants
from pabal.platform.actor import Right
from pabal.platform.language.moments import show_moment
from pabal.platform.language.pairs import Pair, put
from pabal.platform.tenants import Scope, UnitNotFound
from pabal.platform.web.actors import name_actors
from pabal.platform.web.idempotency import REPLAYED, Act, Once
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, midnight, read_number, today, turn
from pabal.platform.web.many import Offer, offer
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/messages/schedules", include_in_schema=False)
TOPICS = "messaging.*,message_schedule.*,delivery.*"
LIST = "/messages/schedules"
Back = Annotated[str, Form(max_length=2000)]
Nonce = Annotated[str, Form(max_length=100)]
_VIEWS = {"trouble": (ScheduleState.ERROR,), "over": (ScheduleState.COMPLETED,), "today": (ScheduleState.ACTIVE,)}
_STATES = frozenset(ScheduleState) - {ScheduleState.DELETED}


class Filters(BaseModel):
    view: Word = ""
    state: Word = ""
    type: Word = ""
    room: Word = ""
    bot: Word = ""
    unit: Word = ""
    q: Word = ""
    sort: Word = ""
    cursor: str = ""

    @property
    def is_any(self) -> bool:
        return any((self.view, self.state, self.type, self.room, self.bot, self.unit, self.q))


@dataclass(frozen=True, slots=True)
class Counts:
    every: int
    today: int
    trouble: int
    over: int


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page, offered = await _load_page(tx, visit, filters)
        rows = await make_rows(tx, visit, page.items)
        rooms = (await list_rooms(tx, visit.scope, limit=MOST_CHOICES)).items
        units = (await load_tree(tx, visit.scope)).choices()
        counts = await _count(tx, visit)
    return await visit.show(
        "messaging/schedules.html",
        rows=rows,
        filters=filters,
        counts=counts,
        rooms=[(str(room.id), room.name) for room in rooms],
        bots=sorted({(str(bot.bot_id), bot.bot_name) for room in rooms for bot in room.bots}, key=lambda one: one[1]),
        units=units[:MOST_CHOICES],
        is_filtered=filters.is_any,
        pager=turn(visit, page.cursor),
        offer=offered,
        nonce=secrets.token_urlsafe(12),
        live_topics=TOPICS,
    )


@router.post("/{schedule_id}/activate")
async def activate(visit: Visitor, schedule_id: RowId, back: Back = "") -> Response:
    async with visit.change() as tx:
        done = await schedules.activate(tx, visit.actor, schedule_id)
    said = ("Goes on: {title}", "이어 합니다: {title}")
    if done.state == ScheduleState.COMPLETED:
        said = ("No moment is ahead of it any more: {title}", "앞으로 보낼 시각이 없어 끝난 스케줄입니다: {title}")
    return visit.go(back or _href(done), said=said, title=done.title)


@router.post("/{schedule_id}/deactivate")
async def deactivate(visit: Visitor, schedule_id: RowId, back: Back = "") -> Response:
    async with visit.change() as tx:
        done = await schedules.deactivate(tx, visit.actor, schedule_id)
    return visit.go(back or _href(done), said=("Paused: {title}", "멈췄습니다: {title}"), title=done.title)


@router.post("/{schedule_id}/delete")
async def delete(visit: Visitor, schedule_id: RowId) -> Response:
    async with visit.change() as tx:
        gone = await get_schedule(tx, visit.scope, schedule_id)
        await schedules.delete(tx, visit.actor, schedule_id)
    return visit.go(LIST, said=("Deleted: {title}", "지웠습니다: {title}"), title=gone.title)


@router.post("/{schedule_id}/skip")
async def skip(
    visit: Visitor, schedule_id: RowId, back: Back = "", at: Annotated[str, Form(max_length=60)] = ""
) -> Response:
    """That moment, or without one the next."""
    async with visit.change() as tx:
        moment = await schedules.skip(tx, visit.actor, schedule_id, _read_moment(at) if at else None)
    english, korean = _in_both(visit, moment)
    return visit.go(back or f"{LIST}/{schedule_id}", said=(f"Will be skipped: {english}", f"건너뜁니다: {korean}"))


@router.post("/{schedule_id}/keep")
async def keep(
    visit: Visitor, schedule_id: RowId, at: Annotated[str, Form(max_length=60)], back: Back = ""
) -> Response:
    moment = _read_moment(at)
    async with visit.change() as tx:
        await schedules.keep(tx, visit.actor, schedule_id, moment)
    english, korean = _in_both(visit, moment)
    said = (f"Will be sent as planned: {english}", f"그대로 보냅니다: {korean}")
    return visit.go(back or f"{LIST}/{schedule_id}", said=said)


@router.post("/{schedule_id}/send")
async def send(visit: Visitor, schedule_id: RowId, back: Back = "", once: Nonce = "") -> Response:
    """`once` is new in every form that is shown: sent a second time, nothing more is sent."""

    async def act(tx: Tx) -> Response:
        await schedules.send_now(tx, visit.actor, schedule_id)
        said = ("On its way. The send log follows it.", "보내는 중입니다. 발송 로그에서 따라갈 수 있습니다.")
        return visit.go(back or f"{LIST}/{schedule_id}", said=said)

    return await _once(visit, once, f"send {schedule_id}", act, back or f"{LIST}/{schedule_id}")


@router.post("/{schedule_id}/bulks/{bulk_id}/send-missing")
async def send_missing(
    visit: Visitor, schedule_id: RowId, bulk_id: RowId, resend_unknown: Annotated[bool, Form()] = False
) -> Response:
    async with visit.change() as tx:
        done = await bulks.send_missing(tx, visit.actor, bulk_id, resend_unknown=resend_unknown)
    said = ("On its way to {n} rooms.", "톡방 {n}곳에 보내는 중입니다.")
    return visit.go(f"{LIST}/{schedule_id}", said=said, n=done.count(DeliveryState.OPEN))


@router.get("/{schedule_id}/test")
async def choose_test_room(visit: Visitor, schedule_id: RowId) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        schedule = await get_schedule(tx, visit.scope, schedule_id)
        rooms = (await list_rooms(tx, visit.scope, RoomFilter(type=RoomType.TEST), limit=MOST_CHOICES)).items
    nonce = secrets.token_urlsafe(12)
    return await visit.show("messaging/test_send.html", schedule=schedule, rooms=rooms, nonce=nonce)


@router.post("/{schedule_id}/test")
async def send_test(
    visit: Visitor, schedule_id: RowId, room_id: Annotated[int, Form(ge=0, le=2**63 - 1)], once: Nonce = ""
) -> Response:
    async def act(tx: Tx) -> Response:
        made = await deliveries.send_test(tx, visit.actor, schedule_id, room_id)
        said = ("On its way to “{room}”, as a test.", "‘{room}’(으)로 시험 발송합니다.")
        return visit.go(f"/messages/deliveries/{made.id}", said=said, room=made.room_name)

    return await _once(visit, once, f"test {schedule_id} {room_id}", act, f"{LIST}/{schedule_id}")


async def _once(visit: Visit, once: str, what: str, act: Act, back: str) -> Response:
    answer = await Once(visit, f"form:{once}" if once else None).run(act, fingerprint=what.encode())
    if REPLAYED not in answer.headers:
        return answer
    return visit.go(
        back, said=("It was sent already, and not a second time.", "이미 보냈습니다. 두 번 보내지 않았습니다.")
    )


async def _load_page(tx: Tx, visit: Visit, filters: Filters) -> tuple[Page[Schedule], Offer | None]:
    """With what may be done to many of them; those of today are no filter of the list."""
    states = _VIEWS.get(filters.view) or [one for one in filters.state.split(",") if one in _STATES]
    wanted = MessageScheduleFilter(
        state=tuple(ListedState(one) for one in states),
        type=tuple(ScheduleType(one) for one in filters.type.split(",") if one in set(ScheduleType)),
        room=read_number(filters.room),
        bot=read_number(filters.bot),
        q=filters.q or None,
        sort=ScheduleSort.NEWEST if filters.sort == "newest" else ScheduleSort.NEXT,
    )
    scope = await _read_scope(tx, visit, filters.unit)
    page = await read_page(lambda cursor: list_schedules(tx, scope, wanted, cursor=cursor), filters.cursor)
    if filters.view == "today":
        return _cut_today(page, midnight(visit, today(visit), days=1)), offer(visit, "messaging.schedules", None)
    total = None if page.cursor or filters.cursor else len(page.items)
    return page, offer(visit, "messaging.schedules", wanted, total=total, org=_narrowed(visit, scope))


def _narrowed(visit: Visit, scope: Scope) -> int | None:
    return scope.unit_id if scope.unit_id != visit.scope.unit_id else None


async def _read_scope(tx: Tx, visit: Visit, unit: str) -> Scope:
    """A unit that is not in sight filters nothing."""
    number = read_number(unit)
    if number is None or not visit.scope.holds(number):
        return visit.scope
    try:
        return await tenants.visible_to(tx, visit.actor, within=number)
    except UnitNotFound:
        return visit.scope


def _cut_today(page: Page[Schedule], until: datetime) -> Page[Schedule]:
    """The soonest come first, so those of today are the beginning of the list."""
    soon = [one for one in page.items if one.next_send_at is not None and one.next_send_at < until]
    return Page(soon, page.cursor if len(soon) == len(page.items) else None)


async def _count(tx: Tx, visit: Visit) -> Counts:
    states = await count_states(tx, visit.scope.listed)
    soon = await count_today(tx, visit.scope.listed, midnight(visit, today(visit), days=1))
    return Counts(
        sum(states.values()), soon, states.get(ScheduleState.ERROR, 0), states.get(ScheduleState.COMPLETED, 0)
    )


def _read_moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise NotAMoment(text[:40]) from error
    if moment.tzinfo is None or not 2000 <= moment.year <= 9000:
        raise NotAMoment(text[:40])
    return moment


def _in_both(visit: Visit, moment: datetime) -> Pair:
    return (
        show_moment(moment, visit.zone, "en", now=visit.now, seconds=moment.second > 0),
        show_moment(moment, visit.zone, "ko", now=visit.now, seconds=moment.second > 0),
    )


def _href(schedule: Schedule) -> str:
    return f"{LIST}/{schedule.id}"


RECENT = 10
_LOOKS = {"active": "good", "inactive": "end", "completed": "end", "error": "fail", "deleted": "end"}


@router.get("/{schedule_id}")
async def show(visit: Visitor, schedule_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        schedule = await get_schedule(tx, visit.scope, schedule_id)
        [row] = await make_rows(tx, visit, [schedule])
        checked = (await survey(tx, visit.actor, schedule.as_new(), schedule)).checked
        sends = await list_deliveries(tx, visit.scope, MessageDeliveryFilter(schedule=schedule_id), limit=RECENT)
        shown = await _show_bubbles(tx, schedule, checked)
        history = await _load_history(tx, visit, schedule)
        sent = await list_bulks(tx, visit.scope, BulkSendFilter(schedule=schedule_id), limit=RECENT)
        group = await find_group(tx, None if schedule.audience is None else schedule.audience.group_id)
    return await visit.show(
        "messaging/schedule.html",
        row=row,
        upcoming=checked.upcoming,
        warnings=[*checked.problems, *checked.warnings] if schedule.is_active else checked.problems,
        budget=checked.budget,
        bubbles=shown,
        pace=pace_of(schedule.content, visit.lang),
        lines=[show_line(visit, one) for one in sends.items],
        history=history,
        bulks=sent.items,
        group=group,
        rooms=checked.texts,
        estimate=checked.estimate,
        nonce=secrets.token_urlsafe(12),
        live_topics=TOPICS,
    )


async def _show_bubbles(tx: Tx, schedule: Schedule, checked: Checked) -> list[Bubble]:
    limits = await load_limits(tx)
    bot = await find_bot(tx, schedule.bot_id)
    pace = Pace(bot.image_mode if bot else ImageMode.SINGLE, limits.image_gap)
    at = next((one.moment for one in checked.upcoming if one.is_sent), tx.now)
    content = schedule.content
    if checked.texts:
        # of many rooms, as the first reads it
        content = replace(content, text=checked.texts[0].text)
    return show_bubbles(content, pace, schedule.bot_name, at, limits.fold)


async def _load_history(tx: Tx, visit: Visit, schedule: Schedule) -> list[dict[str, Any]]:
    wanted = WantedHistory(visit.scope.listed, SCHEDULE.name, subject=schedule.id)
    found = (await list_transitions(tx, wanted, limit=RECENT)).items
    names = await name_actors(tx, visit, {one.actor for one in found})
    return [
        {
            "at": visit.voice.when(one.at, "1", relative=False),
            "cls": _LOOKS.get(one.target, "wait"),
            "text": visit.voice.status_word("message_schedule", one.target),
            "fact": " · ".join(filter(None, (names[one.actor], one.reason))),
        }
        for one in found
    ]


_NOTES: dict[str, Pair] = {
    "waiting_for_bot": ("waits for the bot", "봇이 돌아오면 보냅니다"),
    "wrong_secret": ("the phone's secret is wrong", "전화기의 비밀값이 맞지 않습니다"),
    "deferred": ("put off by a limit of the room", "톡방 제한으로 미뤘습니다"),
    "held": ("held: the bot has another room of this name", "같은 이름의 톡방이 또 있어 보류 중입니다"),
    "retrying": ("failed, is tried again", "실패해 다시 시도합니다"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """`place` is where a send of it is right now, `path` its owner from the top one may see, `why` its engine id."""

    schedule: Schedule
    says: str
    path: list[str]
    bot_state: str
    why: str | None = None
    last: Last | None = None
    place: str | None = None
    note: Pair | None = None


async def make_rows(tx: Tx, visit: Visit, found: Sequence[Schedule]) -> list[Row]:
    bots = await show_bot_states(tx, sorted({one.bot_id for one in found}))
    units = await load_tree(tx, visit.scope)
    last = await list_last(tx, [one.id for one in found])
    under_way = {one.schedule_id: one for one in reversed(await list_open(tx, visit.scope.listed))}
    return [
        _row(visit, one, units.names(one.unit_id), bots[one.bot_id], last.get(one.id), under_way.get(one.id))
        for one in found
    ]


def _row(
    visit: Visit, one: Schedule, path: list[str], bot_state: str, last: Last | None, open_send: OpenSend | None
) -> Row:
    place = open_send.place if open_send and open_send.cause != "test" else None
    return Row(
        schedule=one,
        says=put(visit.lang, describe(one.as_new(), visit.now)),
        path=path,
        bot_state=bot_state,
        why=None if one.timetable_id is None else why.show_schedule(one.timetable_id),
        last=last,
        place=place,
        note=_NOTES.get(place or ""),
    )
