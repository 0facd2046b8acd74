"""Who must look now: hints in the process at once, from other processes by NOTIFY, and polling when it is silent."""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from pabal.base.database import Connection, ConnectionFailure, Database, DatabaseError, DatabaseUnavailable
from pabal.engine.wakeups import EVERYTHING, PAYLOAD_LIMIT, Wakeups
from tests.support.servers import ROOT, SQL, until
from tests.support.work import undone

NOON = datetime(2025, 3, 1, 12, tzinfo=UTC)
_TELL = """
import asyncio, sys
from pabal.base.database import Database
from pabal.engine.queue import NewJob, enqueue
from pabal.engine.wakeups import Wakeups

async def tell():
    database = await Database.open(sys.argv[1], size=2)
    wakeups = Wakeups(database)
    wakeups.attach()
    async with database.transaction() as tx:
        await enqueue(tx, NewJob("test.plain"))
    await wakeups.close()
    await database.close()

asyncio.run(tell())
"""


class Ears:
    """Somebody who listens, with connections of their own as in a process of their own."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.wakeups = Wakeups(database)
        self.heard: list[tuple[str, datetime | None]] = []
        self.wakeups.attach()
        self.wakeups.on_hint(lambda topic, at: self.heard.append((topic, at)))


@asynccontextmanager
async def ears(db: Database, kind: type[Database] = Database) -> AsyncIterator[Ears]:
    database = await kind.open(db.url, size=2)
    listening = Ears(database)
    try:
        yield listening
    finally:
        await listening.wakeups.close()
        await database.close()


async def hint(database: Database, topic: str, at: datetime | None = None) -> None:
    async with database.transaction() as tx:
        tx.hint(topic, at)


async def test_a_commit_is_heard_in_its_own_process_at_once(db: Database):
    async with ears(db) as here:
        await hint(here.database, "delayed", NOON)
        heard = list(here.heard)

    assert heard == [("delayed", NOON)]


async def test_a_rollback_wakes_nobody(db: Database):
    async with ears(db) as here, undone(here.database) as tx:
        tx.hint("delayed")

    assert here.heard == []


async def test_a_commit_is_heard_by_those_who_listen_elsewhere_with_its_moment(db: Database):
    async with ears(db) as here, ears(db) as there:
        await there.wakeups.listen_once()
        await hint(here.database, "queue:test.plain", NOON)
        await until(lambda: ("queue:test.plain", NOON) in there.heard)


async def test_what_was_announced_here_is_not_heard_here_a_second_time(db: Database):
    async with ears(db) as here, ears(db) as there:
        await here.wakeups.listen_once()
        await there.wakeups.listen_once()
        await hint(here.database, "delayed", NOON)
        await until(lambda: ("delayed", NOON) in there.heard)
        # notifications come in order: what follows comes after the own one
        await hint(there.database, "last")
        await until(lambda: ("last", None) in here.heard)

    assert here.heard.count(("delayed", NOON)) == 1


async def test_work_of_another_process_is_heard(db: Database):
    async with ears(db) as here:
        await here.wakeups.listen_once()
        command = [sys.executable, "-c", _TELL, db.url]
        other = subprocess.Popen(command, cwd=ROOT, env={"PYTHONPATH": ":".join(sys.path)})
        await until(lambda: "queue:test.plain" in [topic for topic, _ in here.heard])
        other.wait(30)


async def test_hints_that_follow_quickly_are_sent_together_with_the_earliest_moment(db: Database):
    async with ears(db) as here, ears(db) as there:
        await there.wakeups.listen_once()
        there.heard.clear()
        announce = here.database.announce
        assert announce is not None
        # one commit after the other takes as long as the machine is busy
        for minute in (30, 20, 10, 40):
            await announce({"delayed": NOON.replace(minute=minute)})
        await until(lambda: there.heard)
        await hint(here.database, "last")
        await until(lambda: ("last", None) in there.heard)

    assert there.heard == [("delayed", NOON.replace(minute=10)), ("last", None)]


async def test_more_topics_than_a_notification_holds_become_one_for_everybody(db: Database):
    async with ears(db) as here, ears(db) as there:
        await there.wakeups.listen_once()
        there.heard.clear()
        async with here.database.transaction() as tx:
            for number in range(PAYLOAD_LIMIT // 10):
                tx.hint(f"queue:test.kind_{number}")
        await until(lambda: (EVERYTHING, None) in there.heard)


async def test_whoever_begins_to_listen_is_woken_once(db: Database):
    async with ears(db) as here:
        await here.wakeups.listen_once()
        await here.wakeups.listen_once()

    assert here.heard == [(EVERYTHING, None)]


async def test_a_listener_that_lost_its_connection_connects_again_and_wakes_everybody(db: Database):
    async with ears(db) as here, ears(db) as there:
        await there.wakeups.listen_once()
        await _terminate_listener(db)
        there.heard.clear()

        async def listens_again() -> bool:
            try:
                return await there.wakeups.listen_once() == 1
            except (DatabaseUnavailable, DatabaseError, *ConnectionFailure):
                return False

        await until(listens_again)
        await hint(here.database, "delayed", NOON)
        await until(lambda: ("delayed", NOON) in there.heard)

    assert there.heard[0] == (EVERYTHING, None)


async def test_a_notifier_that_lost_its_connection_sends_the_next_hint(db: Database):
    async with ears(db) as here, ears(db) as there:
        # Twice, so that the last it ran is not the notification of its own probe, by which notifiers are found.
        await there.wakeups.listen_once()
        await there.wakeups.listen_once()
        await hint(here.database, "delayed", NOON)
        await until(lambda: ("delayed", NOON) in there.heard)
        async with db.transaction() as tx:
            await tx.rows(SQL.terminate_notifiers)

        async def is_heard() -> bool:
            await hint(here.database, "signals")
            return ("signals", None) in there.heard

        await until(is_heard)


class Swallowing:
    """A connection through a transaction pooler: LISTEN is accepted and nothing ever arrives."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    async def add_listener(self, *_: Any) -> None:
        return None


class Pooled(Database):
    async def connect(self) -> Connection:
        return cast(Connection, Swallowing(await super().connect()))


@pytest.mark.beside
async def test_a_database_on_which_nothing_arrives_is_noticed_and_polled(db: Database):
    async with ears(db, Pooled) as here:
        await here.wakeups.listen_once()

    assert here.wakeups.is_deaf
    assert here.heard == [(EVERYTHING, None)]


async def _terminate_listener(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.rows(SQL.terminate_listeners)
