"""Who must look now: hints inside the process at once, to other processes by NOTIFY. Polling stays the truth."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

from pabal.base.clock import elapsed
from pabal.base.database import Connection, ConnectionFailure, Database, DatabaseError, DatabaseUnavailable, Hints
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit

SQL = load(__file__)
CHANNEL = "pabal"
# A process notifies so often on average, and a few times more at once: each one costs every listener something.
PAUSE, AT_ONCE = 0.005, 10
# Facts come with most commits, and whoever waits for them rests in between: they go along with others, or wait so long.
UNHURRIED, LINGER = frozenset({"facts"}), 0.01
PAYLOAD_LIMIT = 7500
EVERYTHING = "*"

declare("wakeups.listening", "Listeners connected")
declare("wakeups.lost", "Listeners or notifiers that lost their connection", level=30)
declare("wakeups.deaf", "Databases on which NOTIFY does not arrive; Pabal polls instead", level=30)

Listener = Callable[[str, datetime | None], None]


class Notifier:
    """Tells other processes, on a connection of its own: NOTIFY in a user's transaction costs everybody a lock."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Connection | None = None
        self._pending: Hints = {}
        self._task: asyncio.Task[None] | None = None
        self._is_urgent = asyncio.Event()
        # when one more is paid for, if they had all come at their pace
        self._paid_at = 0.0

    @property
    def process(self) -> int | None:
        """The database's process behind its connection: whose notifications are its own."""
        connection = self._connection
        return None if connection is None or connection.is_closed() else connection.get_server_pid()

    async def announce(self, hints: Hints) -> None:
        """Those that come while others wait, or are being sent, go together."""
        for topic, at in hints.items():
            known = self._pending.get(topic, at)
            self._pending[topic] = None if known is None or at is None else min(known, at)
        if not {topic.partition(":")[0] for topic in hints} <= UNHURRIED:
            self._is_urgent.set()
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._flush())

    async def close(self) -> None:
        if self._task is not None and not self._task.done():
            await self._task
        if self._connection is not None:
            await self._connection.close()

    async def _flush(self) -> None:
        while self._pending:
            if not self._is_urgent.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(LINGER):
                        await self._is_urgent.wait()
            unpaid = self._paid_at - AT_ONCE * PAUSE - elapsed()
            if unpaid > 0:
                await asyncio.sleep(unpaid)
            self._paid_at = max(self._paid_at, elapsed()) + PAUSE
            hints, self._pending = self._pending, {}
            self._is_urgent.clear()
            await self._send(hints)

    async def _send(self, hints: Hints) -> None:
        payload = json.dumps({topic: None if at is None else at.isoformat() for topic, at in hints.items()})
        if len(payload.encode()) > PAYLOAD_LIMIT:
            payload = json.dumps({EVERYTHING: None})
        try:
            if self._connection is None or self._connection.is_closed():
                self._connection = await self._database.connect()
            await self._connection.execute(SQL.notify.text, CHANNEL, payload)
        except (DatabaseUnavailable, DatabaseError, *ConnectionFailure) as error:
            # Only a hint was lost: everybody polls.
            self._connection = None
            emit("wakeups.lost", side="notifier", error=repr(error))


class Wakeups:
    """Passes hints to those who listen in this process, whichever process they come from."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._notifier = Notifier(database)
        self._listeners: list[Listener] = []
        self._connection: Connection | None = None
        self.is_deaf = False

    def attach(self, *others: Database) -> None:
        """From now on the commits of this database's transactions, and of the others', are announced."""
        for each in (self._database, *others):
            each.announce = self._announce

    def on_hint(self, listener: Listener) -> None:
        self._listeners.append(listener)

    def wake_all(self) -> None:
        self._pass_on({EVERYTHING: None})

    async def listen_once(self) -> int:
        """The step of the listener's loop: connects when there is no connection, and wakes everybody after a gap."""
        if self._connection is not None and not self._connection.is_closed():
            await self._connection.execute(SQL.probe.text)
            return 0
        connection = await self._database.connect()
        await connection.add_listener(CHANNEL, self._heard)
        await self._check_hearing(connection)
        self._connection = connection
        emit("wakeups.listening")
        self.wake_all()
        return 1

    async def close(self) -> None:
        await self._notifier.close()
        if self._connection is not None:
            await self._connection.close()

    async def _announce(self, hints: Hints) -> None:
        self._pass_on(hints)
        await self._notifier.announce(hints)

    async def _check_hearing(self, connection: Connection) -> None:
        """A transaction pooler swallows LISTEN in silence; better to know it."""
        heard = asyncio.Event()
        await connection.add_listener("pabal_probe", lambda *_: heard.set())
        await connection.execute(SQL.notify.text, "pabal_probe", "")
        try:
            async with asyncio.timeout(2):
                await heard.wait()
            self.is_deaf = False
        except TimeoutError:
            self.is_deaf = True
            emit("wakeups.deaf")

    def _heard(self, _connection: object, process: int, _channel: str, payload: object) -> None:
        # What this process announced it has passed on already; again, it would look a second time for nothing.
        if process == self._notifier.process:
            return
        hints = json.loads(str(payload))
        self._pass_on({topic: None if at is None else datetime.fromisoformat(at) for topic, at in hints.items()})

    def _pass_on(self, hints: Hints) -> None:
        for topic, at in hints.items():
            for listener in self._listeners:
                listener(topic, at)
