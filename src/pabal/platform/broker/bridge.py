"""The bridge on one server: two lines to the broker, the loops that use them, and how they stand."""

import logging
import os
import socket
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pabal.base.clock import elapsed
from pabal.base.database import ConnectionFailure, Database, DatabaseError, DatabaseUnavailable
from pabal.base.telemetry import declare, emit
from pabal.engine.loop import Loop
from pabal.platform import settings
from pabal.platform.broker import incoming, outgoing, store
from pabal.platform.broker.line import Line, Wish, open_line
from pabal.platform.broker.model import BrokerAway, EventHandler
from pabal.platform.broker.settings import EVENTS_STREAM, RECLAIM_AFTER

if TYPE_CHECKING:
    from pabal.engine.life import Life
    from pabal.platform.events import Consumer
    from pabal.platform.services import Services
    from pabal.platform.slice import Slice

NOTE_SECONDS = 10.0
LONGEST_REST = 5.0
REST = 0.1
TIDY = 600.0

declare("broker.away", "Times the broker was lost", labels=("side",), level=logging.WARNING)
declare("broker.goodbye_failed", "Servers that stopped without telling so", level=logging.WARNING)
declare("broker.back", "Times the broker was found", labels=("side",))


def open_bridges(services: "Services", _life: "Life", *, apps: "Sequence[Slice]") -> "list[Bridge]":
    """None where no address is set. What is not installed is said now, not when the first event comes."""
    url = services.settings.broker_url
    if not url:
        return []
    handlers = {name.lower(): handler for one in apps for name, handler in one.events.items()}
    consumers = [consumer for one in apps for consumer in one.consumers]
    return [Bridge(services.database, lambda: open_line(url), handlers, consumers=consumers)]


class Bridge:
    """A gateway. A line for each direction: a failure of one closes nothing of the other."""

    def __init__(
        self,
        database: Database,
        make_line: Callable[[], Line],
        handlers: Mapping[str, EventHandler],
        *,
        server: str | None = None,
        host: str | None = None,
        consumers: "Sequence[Consumer]" = (),
    ) -> None:  # long: what a test gives besides
        self.server = server or f"{socket.gethostname()}:{os.getpid()}"
        self._consumer = host or socket.gethostname()
        self._database = database
        self._out, self._in = make_line(), make_line()
        self._intake = incoming.Intake(database, self._in, handlers, consumers)
        self._notes = {side: _Noted(database, self.server, side) for side in ("out", "in")}
        self._wish: Wish | None = None
        self._is_refusing = False
        self.loops = [
            Loop("broker out", self.publish_once, idle=partial(self._rest, "out", 5.0), wake_on=["facts"], least=REST),
            Loop("broker in", self.take_once, idle=partial(self._rest, "in", 0.01)),
            Loop("broker events", partial(store.forget_once, database), idle=TIDY),
        ]

    async def start(self) -> None:
        """Nothing: a server starts also while its broker is away."""

    def refuse_new(self) -> None:
        self._is_refusing = True

    async def close(self) -> None:
        await self._out.close()
        await self._in.close()
        try:
            async with self._database.transaction() as tx:
                await outgoing.leave_turn(tx, self.server)
                await store.forget_line(tx, self.server)
        except (DatabaseUnavailable, DatabaseError, *ConnectionFailure) as error:
            # the turn ends by itself, and who is silent for a minute counts as gone
            emit("broker.goodbye_failed", error=repr(error))

    async def publish_once(self) -> int:
        step = partial(outgoing.publish_once, self._database, self._out, server=self.server)
        return await self._notes["out"].keep(step)

    async def take_once(self) -> int:
        if self._is_refusing:
            return 0
        return await self._notes["in"].keep(self._take, self._count_pending)

    def _rest(self, side: str, usual: float) -> float:
        return self._notes[side].rest_seconds or usual

    async def _take(self) -> int:
        return await self._intake.take_once(await self._wished())

    async def _count_pending(self) -> int | None:
        return await self._in.count_pending(await self._wished())

    async def _wished(self) -> Wish:
        if self._wish is None:
            async with self._database.transaction() as tx:
                stream, after = await settings.value(tx, EVENTS_STREAM), await settings.value(tx, RECLAIM_AFTER)
            self._wish = Wish(stream, self._consumer, after)
        return self._wish


class _Noted:
    """Writes how a line stands: at once when that changes, otherwise every ten seconds.

    A broker that is away is no failure of the step: a server without its broker is ready for everything else.
    """

    def __init__(self, database: Database, server: str, side: str) -> None:
        self._database = database
        self._server = server
        self._side = side
        self._is_away: bool | None = None
        self._note_at = 0.0
        self._failures = 0
        self._try_at = 0.0

    @property
    def rest_seconds(self) -> float:
        """Until it is worth trying again; 0 while the broker answers."""
        return max(self._try_at - elapsed(), 0.001) if self._failures else 0.0

    async def keep(
        self, step: Callable[[], Awaitable[int]], count: Callable[[], Awaitable[int | None]] | None = None
    ) -> int:
        if elapsed() < self._try_at:
            return 0
        try:
            found = await step()
            is_time = self._is_away is not False or elapsed() >= self._note_at
            pending = await count() if is_time and count is not None else None
        except BrokerAway as error:
            self._failures += 1
            self._try_at = elapsed() + min(0.1 * 2.0 ** min(self._failures, 6), LONGEST_REST)
            await self._note(error.detail or str(error), None)
            return 0
        self._failures, self._try_at = 0, 0.0
        if is_time:
            await self._note(None, pending)
        return found

    async def _note(self, error: str | None, pending: int | None) -> None:
        if self._is_away is not (error is not None):
            emit("broker.back" if error is None else "broker.away", side=self._side, error=error)
        self._is_away = error is not None
        self._note_at = elapsed() + NOTE_SECONDS
        async with self._database.transaction() as tx:
            await store.note_line(tx, self._server, self._side, error=error, pending=pending)
