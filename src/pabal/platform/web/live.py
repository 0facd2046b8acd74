"""Facts as they happen, as server-sent events: what a visitor may see, from where they left off, over durable facts."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

from pabal.base.clock import elapsed
from pabal.base.database import ConnectionFailure, DatabaseError
from pabal.base.errors import Forbidden, NotFound, Unavailable
from pabal.engine.reading import Cursor, Fact, Page, TokenUnreadable, Wanted, read_page, start_cursor
from pabal.engine.wakeups import EVERYTHING, Wakeups
from pabal.platform.actor import Right
from pabal.platform.web.identify import reopen_visit, site_of
from pabal.platform.web.site import Site
from pabal.platform.web.turns import turn_of
from pabal.platform.web.visit import Visit

TOPIC = "facts"
AREA = "facts"
BATCH = 100


class TooManyStreams(Unavailable, code="too_many_streams"):
    """This server follows the facts for as many as it can. Try again in a moment, or ask another server."""

    retry_after = 5


def live_of(request: Request) -> "Live":
    """This server's streams, made at the first one."""
    state = request.app.state
    if not hasattr(state, "live"):
        state.live = Live(site_of(request).wakeups)
    found: Live = state.live
    return found


def close_streams(app: FastAPI) -> None:
    """When the server stops: before it waits for its connections."""
    site: Site | None = getattr(app.state, "site", None)
    if site is not None:
        site.stopping.say()


@dataclass(frozen=True)
class Pace:
    """Seconds: how often somebody silent is looked after, how close two looks may be, how many look at once."""

    heartbeat: float = 15.0
    poll: float = 5.0
    check: float = 5.0
    gap: float = 0.5
    looks: int = 4
    streams: int = 500


@dataclass(eq=False)
class Seat:
    """One listener: woken by hints, told to go by `close`."""

    awake: asyncio.Event = field(default_factory=asyncio.Event)


class Live:
    """All streams of one server. They share a few connections, and none is held while somebody slow reads."""

    def __init__(self, wakeups: Wakeups, pace: Pace | None = None) -> None:
        self.pace = pace or Pace()
        self._looking = asyncio.Semaphore(self.pace.looks)
        self._seats: set[Seat] = set()
        self._is_closed = False
        wakeups.on_hint(self._on_hint)

    @property
    def streams(self) -> int:
        return len(self._seats)

    def close(self) -> None:
        """Ends every stream soon: a server that stops must not wait for them."""
        self._is_closed = True
        self._wake()

    async def follow(self, visit: Visit, names: Sequence[str], resume: str | None) -> StreamingResponse:
        visit.actor.require(Right.READ, AREA)
        site_of(visit.request).stopping.add(self.close)
        if self._is_closed or self.streams >= self.pace.streams:
            raise TooManyStreams
        turn_of(visit.request).become_stream()
        async with visit.read() as tx:
            now = await start_cursor(tx)
        cursor = now if resume is None else _resumed(resume, now)
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(self._send(visit, names, cursor), media_type="text/event-stream", headers=headers)

    async def _send(self, visit: Visit, names: Sequence[str], cursor: Cursor) -> AsyncIterator[str]:
        seat = Seat()
        self._seats.add(seat)
        try:
            async with aclosing(_Stream(self, seat, visit, names, cursor).run()) as messages:
                async for message in messages:
                    yield message
        finally:
            self._seats.discard(seat)

    async def look(self, visit: Visit, cursor: Cursor, names: Sequence[str]) -> Page:
        async with self._looking, visit.read() as tx:
            return await read_page(tx, cursor, Wanted(names, visit.scope.listed, BATCH, visit.scope.veiled))

    async def check(self, request: Request) -> Visit:
        """The same visitor as things are now: signed out, revoked and moved are noticed here."""
        async with self._looking:
            visit = await reopen_visit(request)
        visit.actor.require(Right.READ, AREA)
        return visit

    @property
    def is_closed(self) -> bool:
        return self._is_closed

    def _on_hint(self, topic: str, _at: datetime | None) -> None:
        if topic in (TOPIC, EVERYTHING):
            self._wake()

    def _wake(self) -> None:
        for seat in self._seats:
            seat.awake.set()


class _Stream:
    """One listener's stream, from its first heartbeat to its goodbye."""

    def __init__(self, live: Live, seat: Seat, visit: Visit, names: Sequence[str], cursor: Cursor) -> None:
        self._live, self._seat, self._visit, self._names, self._cursor = live, seat, visit, names, cursor
        # the server's time: the database's when the visit began, counted on by this machine's steady clock
        self._began, self._now = elapsed(), visit.now
        self._beat_at = self._checked_at = self._looked_at = elapsed()

    async def run(self) -> AsyncGenerator[str, None]:
        yield f"retry: 3000\n{self._heartbeat()}"
        while not self._live.is_closed:
            try:
                await self._check()
                page = await self._look()
            except (Forbidden, NotFound) as error:
                yield _message("closed", {"reason": error.code})
                return
            except (Unavailable, DatabaseError, *ConnectionFailure):
                # it resumes elsewhere, or here when the database is back; nothing is lost
                yield _message("closed", {"reason": "unavailable"})
                return
            for number, fact in enumerate(page.facts, start=1):
                yield _message(fact.name, _shown(fact), page.stopped_after(number).token)
            self._cursor = page.then
            if elapsed() - self._beat_at >= self._live.pace.heartbeat:
                yield self._heartbeat()
            if not page.facts:
                await self._rest()
        yield _message("closed", {"reason": "stopping"})

    async def _check(self) -> None:
        if elapsed() - self._checked_at >= self._live.pace.check:
            self._visit = await self._live.check(self._visit.request)
            self._checked_at = elapsed()

    async def _look(self) -> Page:
        wait = self._looked_at + self._live.pace.gap - elapsed()
        if wait > 0:
            await asyncio.sleep(wait)
        self._seat.awake.clear()
        self._looked_at = elapsed()
        return await self._live.look(self._visit, self._cursor, self._names)

    async def _rest(self) -> None:
        """Until somebody says that there is something, or it is time to look anyway."""
        until_beat = self._beat_at + self._live.pace.heartbeat - elapsed()
        try:
            async with asyncio.timeout(max(0.0, min(self._live.pace.poll, until_beat))):
                await self._seat.awake.wait()
        except TimeoutError:
            return

    def _heartbeat(self) -> str:
        self._beat_at = elapsed()
        now = self._now + timedelta(seconds=self._beat_at - self._began)
        return _message(
            "heartbeat", {"now": now.astimezone(UTC).isoformat().replace("+00:00", "Z")}, self._cursor.token
        )


def _resumed(token: str, now: Cursor) -> Cursor:
    """A token of another database, or of this one before it was restored, would wait for ever in silence."""
    cursor = Cursor.parse(token)
    if _end(cursor.upto or cursor.seen) > _end(now.seen):
        raise TokenUnreadable(token[:80])
    return cursor


def _end(snapshot: str) -> int:
    return int(snapshot.split(":")[1])


def _shown(fact: Fact) -> dict[str, object]:
    return {
        "seq": fact.seq,
        "id": str(fact.id),
        "name": fact.name,
        "subject": fact.subject,
        "unit_id": fact.unit_id,
        "at": fact.at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
        "data": fact.data,
    }


def _message(event: str, data: dict[str, object], token: str | None = None) -> str:
    """JSON has no line breaks, and names of facts have none either: one line each."""
    number = "" if token is None else f"id: {token}\n"
    name = event.replace("\r", " ").replace("\n", " ")
    return f"{number}event: {name}\ndata: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"
