"""Facts: recorded in the commit that made them true; subscribers react once and in order, live readers look on."""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from pabal.base.database import Database, Tx
from pabal.base.errors import NotFound
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine.loop import Loop
from pabal.engine.reading import ALL, Cursor, Fact, Page, Wanted, read_page, start_cursor
from pabal.engine.suspects import Trial

__all__ = [
    "Aside",
    "Batch",
    "Fact",
    "NewFact",
    "Reader",
    "Subscriber",
    "deliver_once",
    "list_aside",
    "make_loop",
    "record",
    "record_many",
    "retry_aside",
    "topics",
]

SQL = load(__file__)
# Who waits for facts is woken by this; who waits for those of some areas, by it and the area (`facts:adgroup`).
TOPIC = "facts"
MAX_TRIES = 3
RETRY_AFTER = timedelta(seconds=1)

declare("facts.delivered", "Facts a subscriber took", labels=("subscriber",), amount="count", level=logging.DEBUG)
declare("facts.failed", "Tries to take a fact that failed", labels=("subscriber",), level=logging.WARNING)
declare("facts.put_aside", "Facts a subscriber could not take", labels=("subscriber",), level=logging.ERROR)


class NewFact(NamedTuple):
    """A fact about to be recorded. `subject` is whose it is, as `adgroup:7`: facts of one subject stay in order."""

    name: str
    subject: str
    data: dict[str, Any]
    unit_id: int | None = None


@dataclass(frozen=True)
class Subscriber:
    """Reacts to facts whose names match (`adgroup.*`), in the order of seq. `handle` writes rows only.

    It begins with what is committed after its first sight, or with the oldest fact there is (`from_start`).
    """

    name: str
    names: tuple[str, ...]
    handle: Callable[[Tx, list[Fact]], Awaitable[None]]
    batch: int = 500
    from_start: bool = False


@dataclass(frozen=True, slots=True)
class Aside:
    """A fact that a subscriber could not take."""

    seq: int
    name: str
    subject: str
    unit_id: int | None
    error: str
    at: datetime


class AsideNotFound(NotFound, code="aside_not_found"):
    """No such fact was put aside for this subscriber, or it was taken since, or it is past its retention."""


async def record(tx: Tx, name: str, subject: str, data: dict[str, Any], unit_id: int | None = None) -> None:
    await record_many(tx, [NewFact(name, subject, data, unit_id)])


async def record_many(tx: Tx, facts: Sequence[NewFact]) -> None:
    """In the order given. Readers are woken after the commit."""
    if not facts:
        return
    await tx.run(
        SQL.record_many,
        names=[fact.name for fact in facts],
        subjects=[fact.subject for fact in facts],
        units=[fact.unit_id for fact in facts],
        datas=[encode(fact.data) for fact in facts],
        at=tx.now,
    )
    for topic in topics(fact.name for fact in facts):
        tx.hint(topic)


def topics(names: Iterable[str]) -> list[str]:
    """Whom facts of these names wake: those who follow all facts, and those who follow some of their areas."""
    return [TOPIC, *sorted({_topic_of(name) for name in names})]


def _topic_of(name: str) -> str:
    area = name.partition(".")[0]
    return TOPIC if "*" in area else f"{TOPIC}:{area}"


def make_loop(database: Database, subscriber: Subscriber, *, idle: float, least: float = 0.0) -> Loop:
    """Delivers to one subscriber as long as the server runs."""

    async def deliver() -> int:
        return await deliver_once(database, subscriber, is_stopping=lambda: loop.is_stopping)

    # Most facts are none of its business. Its cursor passes those when it looks by itself.
    wake_on = sorted({_topic_of(name) for name in subscriber.names})
    loop = Loop(f"facts:{subscriber.name}", deliver, idle=idle, wake_on=wake_on, least=least, in_batches=True)
    return loop


async def deliver_once(
    database: Database, subscriber: Subscriber, *, is_stopping: Callable[[], bool] = lambda: False
) -> int:
    """Hands over one batch; answers how many facts are behind it now, taken or put aside. Every server may call it.

    A delivery that is cancelled was stalled, unless its server stops.
    """
    trial = Trial(database, f"facts:{subscriber.name}", doubts=subscriber.batch, most=MAX_TRIES)
    async with trial.watching(is_stopping):
        delivered = await _deliver_batch(database, subscriber, trial)
    if delivered:
        kill_point("facts.committed")
    return delivered


async def _deliver_batch(database: Database, subscriber: Subscriber, trial: Trial) -> int:
    async with database.transaction() as tx:
        if not await tx.value(SQL.lock_subscription, name=subscriber.name):
            return 0
        known = await tx.one(_Subscription, SQL.find_subscription, name=subscriber.name)
        if known is not None:
            if known.is_suspect:
                await trial.begin(tx)
            delivered = await _deliver(tx, subscriber, known, trial)
            if delivered:
                kill_point("facts.delivered")
            return delivered
        await tx.run(SQL.insert_subscription, name=subscriber.name, from_start=subscriber.from_start)
    return await _deliver_batch(database, subscriber, trial)


async def lock_cursor(tx: Tx, name: str) -> bool:
    """Until the end of the transaction, which has changed nothing yet; False: somebody else has it."""
    return bool(await tx.value(SQL.lock_subscription, name=name))


async def find_cursor(tx: Tx, name: str) -> Cursor | None:
    known = await tx.one(_Subscription, SQL.find_subscription, name=name)
    return None if known is None else Cursor(known.seen, known.upto, known.seq)


async def open_cursor(tx: Tx, name: str) -> None:
    """For who hands facts on by itself: from now on they are kept until this cursor has passed them."""
    await tx.run(SQL.insert_subscription, name=name, from_start=False)


async def move_cursor(tx: Tx, name: str, to: Cursor, *, tries: int = 0, retry_at: datetime | None = None) -> None:
    place = {"seen": to.seen, "upto": to.upto, "seq": to.seq}
    await tx.run(SQL.update_subscription, name=name, **place, tries=tries, retry_at=retry_at)


async def close_cursor(tx: Tx, name: str) -> None:
    """A cursor that nobody moves would keep every fact for ever."""
    await tx.run(SQL.delete_subscription, name=name)


async def renew_cursors(tx: Tx) -> None:
    """After a restore: cursors and facts hold transaction numbers of the cluster they came from.

    What some subscriber had not seen is delivered again to all; nothing is lost. First in its transaction, please.
    """
    seen = await tx.value(SQL.read_snapshot)
    await tx.run(SQL.renumber_facts)
    await tx.run(SQL.renew_subscriptions, seen=seen)


async def list_aside(tx: Tx, subscriber_name: str) -> list[Aside]:
    return await tx.all(Aside, SQL.list_aside, subscriber=subscriber_name)


async def retry_aside(tx: Tx, subscriber: Subscriber, seq: int) -> None:
    """Hands over once more what was put aside, in the caller's transaction. What came after it went before it."""
    fact = await tx.one(Fact, SQL.take_aside, name=subscriber.name, seq=seq)
    if fact is None:
        raise AsideNotFound(f"{subscriber.name} {seq}")
    await subscriber.handle(tx, [fact])


class Batch(NamedTuple):
    """Facts for a live page. `token` is the cursor before them: resuming with it gives them again, and what follows."""

    token: str
    facts: list[Fact]


class Reader:
    """Follows facts for a live page: doubles are possible after a resume, gaps are not.

    `wait` returns when there may be something new; a server gives its own wake-up, otherwise it looks every second.
    """

    def __init__(
        self,
        database: Database,
        *,
        names: Sequence[str] = ALL,
        units: Sequence[int] | None = None,
        resume: str | None = None,
        wait: Callable[[], Awaitable[None]] | None = None,
        batch: int = 500,
    ) -> None:
        self._database = database
        self._wanted = Wanted(names, units, batch)
        self._cursor = None if resume is None else Cursor.parse(resume)
        self._wait = wait or _wait_a_second

    async def read_once(self) -> Batch:
        """What is new since the last one, perhaps nothing. The first without a token only marks where to begin."""
        async with self._database.transaction() as tx:
            before = self._cursor or await start_cursor(tx)
            page = await read_page(tx, before, self._wanted)
        self._cursor = page.then
        return Batch(before.token, page.facts)

    def __aiter__(self) -> "Reader":
        return self

    async def __anext__(self) -> Batch:
        batch = await self.read_once()
        while not batch.facts:
            await self._wait()
            batch = await self.read_once()
        return batch


class _Subscription(NamedTuple):
    seen: str
    upto: str | None
    seq: int
    tries: int
    retry_at: datetime | None
    is_suspect: bool


class _Failed(NamedTuple):
    fact: Fact
    error: str


async def _deliver(tx: Tx, subscriber: Subscriber, known: _Subscription, trial: Trial) -> int:
    if known.retry_at is not None and known.retry_at > tx.now:
        return 0
    cursor = Cursor(known.seen, known.upto, known.seq)
    # One that failed before stands first and is handed over alone.
    is_alone = known.tries > 0 or trial.suspect is not None
    page = await read_page(tx, cursor, Wanted(subscriber.names, batch=1 if is_alone else subscriber.batch))
    trial.tx = tx if page.facts else None
    if trial.suspect is not None and page.facts and await trial.mark(page.facts[0].seq) >= MAX_TRIES:
        failed = _Failed(page.facts[0], trial.suspect.reason)
        await trial.end(tx, went_well=False, is_last=False)
        return await _count_failure(tx, subscriber, failed, page=page, tries=MAX_TRIES)
    taken, fault = await _hand_over(tx, subscriber, page.facts)
    if taken:
        emit("facts.delivered", subscriber=subscriber.name, count=taken)
    await trial.end(tx, went_well=fault is None, is_last=not page.facts)
    if fault is not None:
        return taken + await _count_failure(tx, subscriber, fault, page=page, tries=known.tries + 1)
    if page.then != cursor or known.tries:
        await move_cursor(tx, subscriber.name, page.then)
    return taken


async def _hand_over(tx: Tx, subscriber: Subscriber, facts: list[Fact]) -> tuple[int, _Failed | None]:
    """How many were taken from the front, and the one that stopped it: halved until that one is alone."""
    if not facts:
        return 0, None
    try:
        async with tx.savepoint():
            await subscriber.handle(tx, facts)
    except Exception as error:
        # A statement that took too long, or was cancelled, is a failure like any other; a lost connection is none yet.
        if tx.is_lost_by(error):
            raise
        if len(facts) == 1:
            return 0, _Failed(facts[0], f"{type(error).__name__}: {error}")
    else:
        return len(facts), None
    half = len(facts) // 2
    taken, failed = await _hand_over(tx, subscriber, facts[:half])
    if failed is not None:
        return taken, failed
    more, failed = await _hand_over(tx, subscriber, facts[half:])
    return taken + more, failed


async def _count_failure(tx: Tx, subscriber: Subscriber, failed: _Failed, *, page: Page, tries: int) -> int:
    """How many were put aside: none before the third failure."""
    fact = failed.fact
    error = failed.error.replace("\0", "")  # PostgreSQL stores no NUL
    position = page.facts.index(fact)
    if tries < MAX_TRIES:
        emit("facts.failed", subscriber=subscriber.name, seq=fact.seq, fact=fact.name, tries=tries, error=error)
        await move_cursor(
            tx, subscriber.name, page.stopped_after(position), tries=tries, retry_at=tx.now + RETRY_AFTER * tries
        )
        return 0
    emit("facts.put_aside", subscriber=subscriber.name, seq=fact.seq, fact=fact.name, error=error)
    await tx.run(SQL.insert_aside, name=subscriber.name, seq=fact.seq, error=error)
    await move_cursor(tx, subscriber.name, page.stopped_after(position + 1))
    return 1


async def _wait_a_second() -> None:
    await asyncio.sleep(1)


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a fact's data is JSON; {type(value).__name__} is not")


# One encoder for all: json.dumps makes a new one for every fact.
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_plain)


def encode(data: dict[str, Any]) -> str:
    """What a fact says, as it is stored."""
    return _JSON.encode(data)
