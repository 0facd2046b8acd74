"""Events, consumers and dead letters as their descriptions ask for them: listed in pages, found, and acted on."""

from collections.abc import Mapping
from typing import Any

from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.listing import Page
from pabal.platform import events
from pabal.platform.actor import Actor
from pabal.platform.events import ConsumerNotFound, ConsumerSeen, DeadLetter, NewEvent, PublishedEvent
from pabal.platform.resources import Filter
from pabal.platform.tenants import HeadOfficeOnly, Scope
from pabal.resources.events import DeadLetterFilter, EventFilter


async def list_events(
    tx: Tx, scope: Scope, wanted: EventFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[PublishedEvent]:
    asked = events.Wanted(scope.listed, wanted.name, wanted.key, wanted.event_id)
    return await events.list_events(tx, asked, cursor=cursor, limit=limit)


async def find_event(tx: Tx, scope: Scope, text: str) -> PublishedEvent:
    return await events.get_event(tx, scope, ids.read("evt", text))


async def publish(  # long: what an event is
    tx: Tx,
    actor: Actor,
    *,
    name: str,
    data: Mapping[str, Any] | None = None,
    event_id: str = "",
    key: str = "",
    unit_id: int | None = None,
) -> PublishedEvent:
    return await events.publish(tx, actor, NewEvent(name, data or {}, event_id, key, unit_id))


async def list_consumers(tx: Tx, scope: Scope, _wanted: Filter) -> list[ConsumerSeen]:
    if not scope.holds(None):
        raise HeadOfficeOnly(events.AREA)
    return await events.all_consumers(tx)


async def get_consumer(tx: Tx, scope: Scope, name: str) -> ConsumerSeen:
    if not scope.holds(None):
        raise ConsumerNotFound(name[:100])
    return await events.get_consumer(tx, name)


async def list_dead(
    tx: Tx, scope: Scope, wanted: DeadLetterFilter, *, cursor: str | None = None, limit: int = 50
) -> Page[DeadLetter]:
    return await events.list_dead(tx, scope, consumer=wanted.consumer, cursor=cursor, limit=limit)


async def find_dead(tx: Tx, scope: Scope, text: str) -> DeadLetter:
    return await events.get_dead(tx, scope, ids.read("dle", text))
