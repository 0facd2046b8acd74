"""Hands events to consumers: a batch, what remembers it and the consumer's new place are one commit."""

import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from pabal.base.database import Database, Tx
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import facts
from pabal.engine.loop import Loop
from pabal.engine.suspects import Trial
from pabal.platform.events import places
from pabal.platform.events.consumers import Consumer
from pabal.platform.events.model import TOPIC, PublishedEvent
from pabal.platform.events.places import Place
from pabal.platform.events.reading import Page, read_page

SQL = load(__file__)
IDLE = 5.0
# After the n-th failure it rests so many seconds, or as long as after the last of these.
PAUSES = (1, 5, 30, 120)

declare("events.taken", "Events a consumer took", labels=("consumer",), amount="count", level=logging.DEBUG)
declare("events.failed", "Tries to take an event that failed", labels=("consumer",), level=logging.WARNING)
declare("events.dead", "Events a consumer could not take", labels=("consumer",), level=logging.ERROR)


class _Failed(NamedTuple):
    event: PublishedEvent
    error: str


class _NotTaken(Exception):
    """The handler failed, and with it the transaction."""


_Take = Callable[[Tx, Consumer, Page, Place], Awaitable[int]]


def make_loops(database: Database, consumer: Consumer) -> list[Loop]:
    """One for each share: whoever comes first works for it, the others look again."""
    begun: list[int] = []

    def make(share: int) -> Loop:
        async def deliver() -> int:
            if not begun:
                async with database.transaction() as tx:
                    await places.begin(tx, consumer)
                begun.append(share)
            return await deliver_once(database, consumer, share, is_stopping=lambda: loop.is_stopping)

        loop = Loop(_name(consumer, share), deliver, idle=IDLE, wake_on=[TOPIC], in_batches=True)
        return loop

    return [make(share) for share in range(consumer.shares)]


async def deliver_once(
    database: Database, consumer: Consumer, share: int = 0, *, is_stopping: Callable[[], bool] = lambda: False
) -> int:
    """One batch; answers how many events are behind it now. Every server may call it, one of them works.

    At first without savepoints, which cost as much as the rest; after a failure once more, looking for the bad one.
    What is lost without a word puts its share in doubt (engine/suspects.py): one by one then, each behind a marker.
    """
    for take in (_take_all, _take_carefully):
        trial = Trial(database, _name(consumer, share), doubts=consumer.batch, most=consumer.tries)
        try:
            async with trial.watching(is_stopping):
                return await _deliver_once(database, consumer, share, trial=trial, take=take)
        except _NotTaken:
            continue
    return 0


def _name(consumer: Consumer, share: int) -> str:
    return f"events:{consumer.group}:{share}"


async def _deliver_once(database: Database, consumer: Consumer, share: int, *, trial: Trial, take: _Take) -> int:
    async with database.transaction(places.SQL.try_lock, consumer=consumer.group, share=share) as tx:
        if not tx.opened["is_ours"]:
            return 0
        place = await places.find(tx, consumer.group, share)
        if place is None:
            await places.begin(tx, consumer)
            return 0
        if place.is_suspect:
            await trial.begin(tx)
        moved = 0 if place.is_paused else await _deliver(tx, consumer, place, trial=trial, take=take)
        if moved:
            kill_point("events.taken")
    if moved:
        kill_point("events.take_committed")
    return moved


async def _deliver(tx: Tx, consumer: Consumer, place: Place, *, trial: Trial, take: _Take) -> int:
    if place.has_asked and await _take_asked(tx, consumer, trial):
        return 1
    if place.retry_at is not None and place.retry_at > tx.now:
        return 0
    # one that failed before stands first and is handed over alone
    is_alone = place.tries > 0 or trial.suspect is not None
    page = await read_page(tx, place, consumer.likes, batch=1 if is_alone else consumer.batch)
    trial.tx = tx if page.events else None
    if not page.events:
        await trial.end(tx, went_well=True, is_last=True)
        if page.then != place.cursor:
            await places.move(tx, place, page.then)
        return 0
    if trial.suspect is None:
        taken = await take(tx, consumer, page, place)
    else:
        taken = await _take_doubted(tx, consumer, page, place, trial=trial)
    if taken:
        emit("events.taken", consumer=consumer.group, count=taken)
    return taken


async def _take_all(tx: Tx, consumer: Consumer, page: Page, place: Place) -> int:
    """What remembers them and the new place first, in one statement: all of it is one commit anyway."""
    noted = await places.move_and_note(tx, place, page.then, [event.seq for event in page.events])
    new = page.events if len(noted) == len(page.events) else [event for event in page.events if event.seq in noted]
    try:
        if new:
            await consumer.handle(tx, new)
    except Exception as error:
        if tx.is_lost_by(error):
            raise
        raise _NotTaken from error
    return len(page.events)


async def _take_carefully(tx: Tx, consumer: Consumer, page: Page, place: Place) -> int:
    taken, failed = await _hand_over(tx, consumer, page.events)
    if failed is not None:
        return taken + await _count_failure(tx, consumer, failed, page=page, place=place)
    await places.move(tx, place, page.then)
    return taken


async def _take_doubted(tx: Tx, consumer: Consumer, page: Page, place: Place, *, trial: Trial) -> int:
    """The only event of its page, behind a marker: whoever was lost with it so often is not handed it again."""
    [event] = page.events
    lost = await trial.mark(event.seq)
    if trial.suspect is not None and lost >= consumer.tries:
        await trial.end(tx, went_well=False, is_last=False)
        return await _give_up(tx, consumer, _Failed(event, trial.suspect.reason), page=page, place=place, tries=lost)
    taken, failed = await _hand_over(tx, consumer, page.events)
    await trial.end(tx, went_well=failed is None, is_last=False)
    if failed is not None:
        return await _count_failure(tx, consumer, failed, page=page, place=place)
    await places.move(tx, place, page.then)
    return taken


async def _hand_over(tx: Tx, consumer: Consumer, events: list[PublishedEvent]) -> tuple[int, _Failed | None]:
    """How many are done from the front, and the one that stopped it: halved until that one is alone."""
    if not events:
        return 0, None
    try:
        async with tx.savepoint():
            new = await _note_done(tx, consumer, events)
            if new:
                await consumer.handle(tx, new)
    except Exception as error:
        if tx.is_lost_by(error):
            raise
        if len(events) == 1:
            return 0, _Failed(events[0], f"{type(error).__name__}: {error}".replace("\0", "")[:2000])
    else:
        return len(events), None
    half = len(events) // 2
    taken, failed = await _hand_over(tx, consumer, events[:half])
    if failed is not None:
        return taken, failed
    more, failed = await _hand_over(tx, consumer, events[half:])
    return taken + more, failed


async def _note_done(tx: Tx, consumer: Consumer, events: list[PublishedEvent]) -> list[PublishedEvent]:
    """Those it had not done before. Whoever is just at the same event is waited for."""
    noted = await tx.rows(SQL.note_done, consumer=consumer.group, seqs=[event.seq for event in events])
    if len(noted) == len(events):
        return events
    new = {row[0] for row in noted}
    return [event for event in events if event.seq in new]


async def _count_failure(tx: Tx, consumer: Consumer, failed: _Failed, *, page: Page, place: Place) -> int:
    """How many are behind it: none before its last try, then it is a dead letter."""
    event, position = failed.event, page.events.index(failed.event)
    # what stands before it in this batch was done: then this is its first failure
    tries = place.tries + 1 if position == 0 else 1
    if tries >= consumer.tries:
        return await _give_up(tx, consumer, failed, page=page, place=place, tries=tries)
    emit("events.failed", consumer=consumer.group, said=event.name, id=event.id, error=failed.error, tries=tries)
    rest = places.after(tx.now, PAUSES[min(tries, len(PAUSES)) - 1])
    await places.move(tx, place, page.stopped_after(position), tries=tries, retry_at=rest)
    return 0


async def _give_up(tx: Tx, consumer: Consumer, failed: _Failed, *, page: Page, place: Place, tries: int) -> int:
    event = failed.event
    emit("events.dead", consumer=consumer.group, said=event.name, id=event.id, error=failed.error)
    await bury(tx, consumer.group, event, failed.error, tries=tries)
    await places.move(tx, place, page.stopped_after(page.events.index(event) + 1))
    return 1


async def bury(tx: Tx, group: str, event: PublishedEvent, error: str, *, tries: int) -> None:
    given = {"consumer": group, "event_seq": event.seq, "unit_id": event.unit_id}
    await tx.run(SQL.insert_dead, **given, error=error, tries=tries, now=tx.now)
    data = {"consumer": group, "event": event.name, "id": event.id, "error": error[:200]}
    await facts.record(tx, "events.dead_lettered", f"event:{event.seq}", data, event.unit_id)


async def _take_asked(tx: Tx, consumer: Consumer, trial: Trial) -> bool:
    """A dead letter that somebody wants tried again; False: another server has it. Who asks once, gets one try that
    counts: what was lost with it alone waits for the next who asks."""
    found = await tx.rows(SQL.take_asked, consumer=consumer.group)
    if not found:
        return False
    letter, event = found[0][0], PublishedEvent(*tuple(found[0])[1:])
    trial.tx = tx
    is_lost = trial.suspect is not None and await trial.mark(event.seq, token=letter) > 0
    if trial.suspect is not None and is_lost:
        failed: _Failed | None = _Failed(event, trial.suspect.reason)
    else:
        _, failed = await _hand_over(tx, consumer, [event])
    await trial.end(tx, went_well=failed is None, is_last=False)
    if failed is None:
        await tx.run(SQL.delete_dead, id=letter)
        await facts.record(tx, "events.revived", f"event:{event.seq}", {"consumer": consumer.group}, event.unit_id)
    else:
        emit("events.failed", consumer=consumer.group, said=event.name, id=event.id, error=failed.error)
        await tx.run(SQL.fail_again, id=letter, error=failed.error, now=tx.now)
    return True
