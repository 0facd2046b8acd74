"""Events in: each is applied in one transaction with the row that remembers it, and acknowledged after that commit."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pabal.base.database import ConnectionFailure, Database, DatabaseUnavailable, Tx
from pabal.base.errors import PabalError, Unavailable
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.platform import events
from pabal.platform.actor import Actor
from pabal.platform.broker.line import Incoming, Line, Wish
from pabal.platform.broker.model import (
    BROKER,
    DUPLICATE,
    MAX_TRIES,
    MOST_BYTES,
    Event,
    EventHandler,
    EventNotApplied,
    EventUnknown,
    EventUnreadable,
    Result,
)
from pabal.platform.events import Consumer, NewEvent

SQL = load(__file__)

MOST_SIGNS = 200
SHOWN = 1000


def read_event(body: bytes) -> Event:
    """Raises EventUnreadable."""
    if len(body) > MOST_BYTES:
        raise EventUnreadable(f"{len(body)} bytes, at most {MOST_BYTES}")
    said = _parse(body)
    if not isinstance(said, dict):
        raise EventUnreadable("it is no JSON object")
    data = said.get("data")
    if not (data is None or isinstance(data, dict)):
        raise EventUnreadable("data is no object")
    subject = said.get("subject")
    return Event(
        _word(said, "id"), _word(said, "name"), "" if subject in (None, "") else _word(said, "subject"), data or {}
    )


def find_id(body: bytes) -> str | None:
    """The id of a message that is no event otherwise; None when it has none either."""
    if len(body) > MOST_BYTES:
        return None
    try:
        said = _parse(body)
        return _word(said, "id") if isinstance(said, dict) else None
    except EventUnreadable:
        return None


def show(body: bytes) -> str:
    """The beginning of it, as text."""
    return body[:SHOWN].decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def _parse(body: bytes) -> Any:
    try:
        text = body.decode()
        said = json.loads(text, parse_constant=_refuse)
        # once more: numbers beyond all bounds and halves of signs are read by Python and kept by no database
        json.dumps(said, allow_nan=False, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise EventUnreadable(f"it is no JSON: {str(error)[:200]}") from error
    if "\\u0000" in text:
        raise EventUnreadable("it holds a NUL character")
    return said


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")


def _word(said: dict[str, Any], name: str) -> str:
    value = said.get(name)
    if not isinstance(value, str) or not 1 <= len(value) <= MOST_SIGNS:
        raise EventUnreadable(f"{name} is a text of 1 to {MOST_SIGNS} signs")
    return value


WAIT = 0.5

declare("broker.received", "Events taken from the broker", labels=("result",), level=logging.DEBUG)
declare("broker.failed", "Tries to apply an event that failed in a way nobody foresaw", level=logging.ERROR)


@dataclass(frozen=True, slots=True)
class Takers:
    """Who takes what comes in: an app's own handler, named in small letters, or the consumers of published events."""

    handlers: Mapping[str, EventHandler]
    consumers: Sequence[Consumer] = ()

    def find(self, event: Event) -> EventHandler:
        found = self.handlers.get(event.name.lower())
        if found is None and events.find_takers(self.consumers, event.name):
            return publish
        if found is None:
            raise EventUnknown(event.name)
        return found


class Intake:
    def __init__(
        self,
        database: Database,
        line: Line,
        handlers: Mapping[str, EventHandler],
        consumers: Sequence[Consumer] = (),
    ) -> None:
        self._database = database
        self._line = line
        self._takers = Takers(handlers, consumers)
        self._held: Incoming | None = None

    async def take_once(self, wish: Wish, *, wait: float = WAIT) -> int:
        """One message, if there is one. While the database is away it is held, so that none overtakes it."""
        message = self._held = self._held or await self._line.take(wish, wait=wait)
        if message is None:
            return 0
        result = await _settle(self._database, self._takers, message)
        self._held = None
        emit("broker.received", result=result)
        if result == Result.RETRYING:
            await message.leave()
        else:
            await message.ack()
        return 1


async def _settle(database: Database, takers: Takers, message: Incoming) -> str:
    try:
        event = read_event(message.body)
    except EventUnreadable as error:
        return await _keep_unreadable(database, message, error)
    try:
        async with database.transaction() as tx:
            return await _apply(tx, takers, event)
    except (DatabaseUnavailable, *ConnectionFailure):
        # not the event's fault, and nobody knows whether it was committed: it is tried again
        raise
    except Exception as error:  # noqa: BLE001 -- a handler may fail in any way; it is counted, and after three tries kept as failed
        return await _count_failure(database, event, error)


async def _apply(tx: Tx, takers: Takers, event: Event) -> str:
    given = {"id": event.id, "name": event.name, "subject": event.subject, "data": event.data}
    is_new = await tx.value(SQL.insert_event, **given, now=tx.now) is not None
    if not is_new and await tx.value(SQL.lock_event, id=event.id) != Result.RETRYING:
        await tx.run(SQL.count_duplicate, id=event.id)
        return DUPLICATE
    try:
        async with tx.savepoint():
            await takers.find(event)(tx, BROKER, event)
    except Unavailable:
        raise
    except PabalError as error:
        await _end(tx, event, error)
        return Result.REFUSED
    if not is_new:
        await _end(tx, event, None)
    return Result.APPLIED


async def publish(tx: Tx, actor: Actor, event: Event) -> None:
    """Into the log, under the sender's id and for the head office: whoever subscribes takes it from there."""
    await events.publish(tx, actor, NewEvent(event.name, event.data, event.id, event.subject))


async def _end(tx: Tx, event: Event, error: PabalError | None) -> None:
    said: dict[str, Any] = {"result": Result.APPLIED, "code": None, "reason": None, "report": None}
    if error is not None:
        said |= {"result": Result.REFUSED, "code": error.code, "reason": _plain(str(error))}
    if isinstance(error, EventNotApplied):
        said |= {"code": error.why, "reason": _plain(error.detail), "report": dict(error.report)}
    await tx.run(SQL.end_event, id=event.id, **said, now=tx.now)


async def _keep_unreadable(database: Database, message: Incoming, error: EventUnreadable) -> str:
    """Under its own id if it has one, else under its place: kept once, however often it comes."""
    name = find_id(message.body) or f"unreadable:{message.place}"
    async with database.transaction() as tx:
        given = {"id": name, "raw": show(message.body), "code": error.code, "reason": _plain(str(error))}
        if await tx.value(SQL.insert_unreadable, **given, now=tx.now) is None:
            await tx.run(SQL.count_duplicate, id=name)
            return DUPLICATE
    return Result.REFUSED


async def _count_failure(database: Database, event: Event, error: Exception) -> str:
    reason = _plain(f"{type(error).__name__}: {error}")
    given = {"id": event.id, "name": event.name, "subject": event.subject, "data": event.data}
    async with database.transaction() as tx:
        result: str | None = await tx.value(SQL.count_failure, **given, most=MAX_TRIES, reason=reason, now=tx.now)
    emit("broker.failed", id=event.id, said=event.name, error=reason, result=result)
    return result or DUPLICATE


def _plain(text: str) -> str:
    """PostgreSQL stores no NUL."""
    return text.replace("\0", "")[:2000]
