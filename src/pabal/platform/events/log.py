"""The log of events: published in the caller's transaction, each id once in its unit, kept in order."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from pabal.base.database import Tx
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.events.model import (
    AREA,
    MOST_AT_ONCE,
    MOST_BYTES,
    TOPIC,
    BadEventData,
    EventIdTaken,
    NewEvent,
    PublishedEvent,
    PublishedEventNotFound,
    TooManyEvents,
    as_like,
    check_name,
    check_word,
)
from pabal.platform.tenants import Scope, UnitNotFound, visible_to

SQL = load(__file__)

declare("events.published", "Events published", amount="count", level=logging.DEBUG)


@dataclass(frozen=True, slots=True)
class Wanted:
    """`units` None: of any unit. Names may end in a star."""

    units: list[int] | None = None
    name: str | None = None
    key: str | None = None
    event_id: str | None = None


async def publish(tx: Tx, actor: Actor, event: NewEvent, *, source: str | None = None) -> PublishedEvent:
    """In the caller's transaction, for somebody who may. The same id again answers the first one.

    `source`: what of theirs published it, if not they themselves.
    """
    [made] = await publish_many(tx, actor, [event], source=source)
    return made


async def publish_many(
    tx: Tx, actor: Actor, events: Sequence[NewEvent], *, source: str | None = None
) -> list[PublishedEvent]:
    """In the order given."""
    actor.require(Right.WRITE, AREA)
    if len(events) > MOST_AT_ONCE:
        raise TooManyEvents(str(len(events)))
    scope = await visible_to(tx, actor)
    owned = [_own(scope, event) for event in events]
    await append(tx, owned, source=source or actor.name)
    return [await _find_same(tx, event) for event in owned]


async def append(tx: Tx, events: Sequence[NewEvent], *, source: str = ENGINE.name) -> int:
    """For code: checks and writes, asks nobody. Each event names its unit. How many were new."""
    texts = [_encode(event) for event in events]
    rows = await tx.rows(
        SQL.insert_events,
        ids=[event.id or str(uuid4()) for event in events],
        names=[event.name for event in events],
        keys=[event.key for event in events],
        units=[event.unit_id for event in events],
        datas=texts,
        source=source,
        at=tx.now,
    )
    if rows:
        tx.hint(TOPIC)
        emit("events.published", count=len(rows))
        kill_point("events.published")
    return len(rows)


async def list_events(tx: Tx, wanted: Wanted, *, cursor: str | None = None, limit: int = 50) -> Page[PublishedEvent]:
    """The newest first."""
    before = LAST if cursor is None else read_cursor(cursor, int)[0]
    found = await tx.all(
        PublishedEvent,
        SQL.list_events,
        units=wanted.units,
        pattern=None if wanted.name is None else as_like(wanted.name),
        key=wanted.key,
        event_id=wanted.event_id,
        before=before,
        most=one_more(limit),
    )
    return cut(found, limit, lambda one: show_cursor(one.seq))


async def list_after(tx: Tx, units: list[int] | None, pattern: str, *, after: int, most: int) -> list[PublishedEvent]:
    """In order; for those who follow by seq and do not mind what a late commit puts before it."""
    return await tx.all(PublishedEvent, SQL.list_after, units=units, pattern=as_like(pattern), after=after, most=most)


async def get_event(tx: Tx, scope: Scope, seq: int) -> PublishedEvent:
    found = await tx.one(PublishedEvent, SQL.find_event, seq=seq)
    if found is None or not scope.holds(found.unit_id):
        raise PublishedEventNotFound(str(seq))
    return found


def _own(scope: Scope, event: NewEvent) -> NewEvent:
    unit_id = scope.unit_id if event.unit_id is None else event.unit_id
    if unit_id is None or not scope.holds(unit_id):
        raise UnitNotFound(str(unit_id))
    return event._replace(unit_id=unit_id, id=event.id or str(uuid4()))


async def _find_same(tx: Tx, event: NewEvent) -> PublishedEvent:
    found = await tx.one(PublishedEvent, SQL.find_by_id, unit_id=event.unit_id, id=event.id)
    if found is None or (found.name, found.key, found.data) != (event.name, event.key, _as_kept(event.data)):
        raise EventIdTaken(event.id)
    return found


def _as_kept(data: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(json.dumps(dict(data)))
    return kept


def _encode(event: NewEvent) -> str:
    check_name(event.name)
    check_word(event.id)
    check_word(event.key)
    if not isinstance(event.data, Mapping):
        raise BadEventData(type(event.data).__name__)
    try:
        text = _JSON.encode(dict(event.data))
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise BadEventData(str(error)[:200]) from error
    if size > MOST_BYTES or "\\u0000" in text:
        raise BadEventData(f"{size} bytes")
    return text


# One encoder for all: json.dumps makes a new one for every event.
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
