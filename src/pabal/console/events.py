"""Events: the log, consumers with their lag, and what could not be taken; publish, replay, try again, discard."""

import json
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.errors import Invalid
from pabal.engine import ids
from pabal.platform import events
from pabal.platform.actor import Right
from pabal.platform.events import AREA, BadEventData, ConsumerSeen, NewEvent, Wanted
from pabal.platform.language.stories import explain_reason
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, turn
from pabal.platform.web.visit import Visit

router = APIRouter()
TOPICS = "events.*"
Text = Annotated[str, Form(max_length=200)]


class Filters(BaseModel):
    name: Word = ""
    key: Word = ""
    cursor: str = ""

    @property
    def is_any(self) -> bool:
        return bool(self.name or self.key)


class BadMoment(Invalid, code="bad_replay_moment"):
    """Write the moment to go back to as a date and a time: 2026-07-03T09:00."""


@router.get("/events")
async def show(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    wanted = Wanted(visit.scope.listed, filters.name or None, filters.key or None)
    async with visit.read() as tx:
        page = await read_page(lambda cursor: events.list_events(tx, wanted, cursor=cursor), filters.cursor)
        dead = await events.list_dead(tx, visit.scope, limit=20)
        count = await events.count_dead_in(tx, visit.scope)
        consumers = await events.all_consumers(tx) if visit.scope.holds(None) else None
    return await visit.show(
        "events.html",
        events=page.items,
        dead=dead.items,
        dead_count=count,
        consumers=consumers,
        behind=_behind(consumers or []),
        filters=filters,
        dump=_dump,
        why=lambda reason: explain_reason(reason, visit.lang),
        show_id=lambda number: ids.show("evt", number),
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


@router.get("/events/{seq}")
async def event(visit: Visitor, seq: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        found = await events.get_event(tx, visit.scope, seq)
    return await visit.show("event.html", event=found, dump=_dump, show_id=lambda number: ids.show("evt", number))


@router.post("/events/publish")
async def publish(
    visit: Visitor, name: Text, key: Text = "", event_id: Text = "", data: Annotated[str, Form(max_length=70_000)] = ""
) -> Response:
    said = NewEvent(name.strip(), _read_data(data), event_id.strip(), key.strip())
    async with visit.change() as tx:
        await events.publish(tx, visit.actor, said)
    return visit.go("/events", said=("The event is published.", "이벤트를 발행했습니다."))


@router.post("/events/consumers/{name}/replay")
async def replay(visit: Visitor, name: str, since: Text, again: Text = "") -> Response:
    async with visit.change() as tx:
        await events.replay(tx, visit.actor, name, since=_read_moment(visit, since), again=bool(again))
    return visit.go("/events", said=("The consumer goes back to then.", "소비자를 그 시각으로 되돌렸습니다."))


@router.post("/events/consumers/{name}/pause")
async def pause(visit: Visitor, name: str) -> Response:
    async with visit.change() as tx:
        await events.pause(tx, visit.actor, name)
    return visit.go(
        "/events", said=("The consumer is paused. Events wait.", "소비자를 멈췄습니다. 이벤트는 기다립니다.")
    )


@router.post("/events/consumers/{name}/resume")
async def resume(visit: Visitor, name: str) -> Response:
    async with visit.change() as tx:
        await events.resume(tx, visit.actor, name)
    return visit.go("/events", said=("The consumer goes on.", "소비자를 다시 시작했습니다."))


@router.post("/events/dead/{letter_id}/retry")
async def retry(visit: Visitor, letter_id: RowId) -> Response:
    async with visit.change() as tx:
        await events.retry(tx, visit.actor, letter_id)
    return visit.go("/events", said=("It is tried again soon.", "곧 다시 시도합니다."))


@router.post("/events/dead/{letter_id}/discard")
async def discard(visit: Visitor, letter_id: RowId, reason: Text = "") -> Response:
    async with visit.change() as tx:
        await events.discard(tx, visit.actor, letter_id, reason=reason)
    return visit.go("/events", said=("It is discarded. The event stays in the log.", "버렸습니다. 기록에는 남습니다."))


def _behind(consumers: list[ConsumerSeen]) -> float:
    return max((one.lag_seconds for one in consumers if not one.is_paused), default=0.0)


def _read_data(text: str) -> Any:
    try:
        return json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        raise BadEventData(str(error)[:200]) from error


def _read_moment(visit: Visit, text: str) -> datetime:
    """As a browser's field gives it: in the visitor's zone, without one."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise BadMoment(text[:100]) from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=visit.zone)


def _dump(said: Any, indent: int | None = None) -> str:
    """In its own letters: Korean stays readable."""
    return json.dumps(said, ensure_ascii=False, indent=indent)
