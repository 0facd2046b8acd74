"""Another system at the same broker, with nothing of ours; and a handler whose effects can be counted."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

from redis.asyncio import Redis

from pabal.base.database import Database, Tx
from pabal.engine import facts
from pabal.engine.reading import Cursor, Fact, Wanted, read_page
from pabal.platform.actor import ENGINE, Actor
from pabal.platform.broker import Event, Kept, list_events
from pabal.platform.broker.line import GROUP, Wish

EVENTS, FACTS = "pabal.events", "pabal.facts"
AT_ONCE = timedelta(milliseconds=1)
WISH = Wish(EVENTS, "here", timedelta(minutes=1))
IMPATIENT = Wish(EVENTS, "there", AT_ONCE)


class OtherSide:
    def __init__(self, client: Redis) -> None:
        self.client = client

    async def say(self, body: Any, field: str = "__data__") -> None:
        await self.client.xadd(EVENTS, {field: body if isinstance(body, bytes | str) else json.dumps(body)})

    async def heard(self) -> list[dict[str, Any]]:
        return [json.loads(fields[b"__data__"]) for _, fields in await self.client.xrange(FACTS)]

    async def pending(self) -> int:
        return int((await self.client.xpending(EVENTS, GROUP))["pending"])


@asynccontextmanager
async def other_side(url: str) -> AsyncIterator[OtherSide]:
    async with Redis.from_url(url) as client:
        yield OtherSide(client)


def an_event(number: int = 1, name: str = "test.pour", **more: Any) -> dict[str, Any]:
    return {"id": f"evt-{number}", "name": name, "subject": "cup:1", "data": {"number": number}, **more}


async def pour(tx: Tx, actor: Actor, event: Event) -> None:
    await facts.record(tx, "test.poured", event.subject, {"id": event.id, "actor": actor.name})


HANDLERS = {"test.pour": pour}


async def poured(db: Database) -> list[str]:
    """The ids of events that had an effect, in order, as often as they had it."""
    return [fact.data["id"] for fact in await all_facts(db, "test.poured")]


async def all_facts(db: Database, *names: str) -> list[Fact]:
    async with db.transaction() as tx:
        return (await read_page(tx, Cursor("1:1:"), Wanted(names, batch=1000))).facts


async def kept(db: Database, **wanted: Any) -> list[Kept]:
    async with db.transaction() as tx:
        return (await list_events(tx, ENGINE, **wanted)).items


async def record(db: Database, *numbers: int, name: str = "adgroup.running") -> None:
    """One commit each."""
    for number in numbers:
        async with db.transaction() as tx:
            await facts.record(tx, name, f"adgroup:{number % 2}", {"number": number}, None)
