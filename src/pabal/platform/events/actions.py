"""What people do with consumers and dead letters: replay, pause, forget; retry, discard. One function each."""

from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import facts
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.events import places
from pabal.platform.events.model import (
    AREA,
    TOPIC,
    ConsumerNotFound,
    ConsumerNotPaused,
    ConsumerSeen,
    DeadLetter,
    DeadLetterNotFound,
)
from pabal.platform.tenants import Scope, visible_to

SQL = load(__file__)


async def get_consumer(tx: Tx, name: str) -> ConsumerSeen:
    found = await places.list_consumers(tx, name)
    if not found:
        raise ConsumerNotFound(name[:100])
    return found[0]


async def replay(tx: Tx, actor: Actor, name: str, *, since: datetime, again: bool = False) -> ConsumerSeen:
    """Sets a consumer back to a moment. What it has done stays done, unless it shall do it `again`.

    It never goes ahead: an event that it has not taken is not stepped over.
    """
    await _of_house(tx, actor, Right.MANAGE, name)
    await hold_consumer(tx, name)
    await places.lock_all(tx, name)
    first = await places.find_first(tx, name, since)
    forgotten = await tx.run(SQL.forget_done, consumer=name, first=first) if again and first is not None else 0
    await places.set_back(tx, name, first)
    after = {"since": since.isoformat(), "again": again, "first": first, "forgotten": forgotten}
    await audit.record(tx, actor, "events.replay", f"consumer:{name}", after=after)
    await facts.record(tx, "events.replayed", f"consumer:{name}", after)
    tx.hint(TOPIC)
    return await get_consumer(tx, name)


async def pause(tx: Tx, actor: Actor, name: str) -> ConsumerSeen:
    """Events wait; nothing is lost."""
    return await _switch(tx, actor, name, is_paused=True)


async def resume(tx: Tx, actor: Actor, name: str) -> ConsumerSeen:
    return await _switch(tx, actor, name, is_paused=False)


async def forget(tx: Tx, actor: Actor, name: str) -> ConsumerSeen:
    """For one whose code is gone: nothing is kept for it any more, its dead letters go with it. As it was."""
    await _of_house(tx, actor, Right.MANAGE, name)
    await hold_consumer(tx, name)
    was = await get_consumer(tx, name)
    if not was.is_paused:
        raise ConsumerNotPaused(name)
    await tx.run(SQL.forget_dead, consumer=name)
    await tx.run(SQL.forget_done, consumer=name, first=0)
    await tx.run(SQL.delete_consumer, consumer=name)
    before = {"patterns": was.patterns, "backlog": was.backlog, "dead": was.dead}
    await audit.record(tx, actor, "events.forget_consumer", f"consumer:{name}", before=before)
    return was


async def hold_consumer(tx: Tx, name: str) -> None:
    """Locked until the commit."""
    if await tx.value(SQL.hold_consumer, consumer=name) is None:
        raise ConsumerNotFound(name[:100])


async def list_dead(
    tx: Tx, scope: Scope, *, consumer: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[DeadLetter]:
    """The newest first."""
    before = LAST if cursor is None else read_cursor(cursor, int)[0]
    given = {"units": scope.listed, "consumer": consumer, "before": before, "most": one_more(limit)}
    found = await tx.all(DeadLetter, SQL.list_dead, **given)
    return cut(found, limit, lambda one: show_cursor(one.id))


async def count_dead_in(tx: Tx, scope: Scope) -> int:
    count: int = await tx.value(SQL.count_dead_in, units=scope.listed)
    return count


async def get_dead(tx: Tx, scope: Scope, letter_id: int) -> DeadLetter:
    found = await tx.one(DeadLetter, SQL.find_dead, id=letter_id)
    if found is None or not scope.holds(found.unit_id):
        raise DeadLetterNotFound(str(letter_id))
    return found


async def hold_dead(tx: Tx, letter_id: int) -> None:
    """Locked until the commit; waits for a server that just tries it."""
    await tx.run(SQL.hold_dead, id=letter_id)


async def retry(tx: Tx, actor: Actor, letter_id: int) -> DeadLetter:
    """A server that has the consumer's code tries it soon. What came after it went before it."""
    letter = await _mine(tx, actor, letter_id)
    await tx.run(SQL.ask_again, id=letter_id, now=tx.now)
    after = {"consumer": letter.consumer, "event": letter.name, "id": letter.event_id}
    await audit.record(tx, actor, "events.retry", f"dead_letter:{letter_id}", unit_id=letter.unit_id, after=after)
    await facts.record(tx, "events.asked_again", f"event:{letter.event_seq}", after, letter.unit_id)
    tx.hint(TOPIC)
    return await get_dead(tx, await visible_to(tx, actor), letter_id)


async def discard(tx: Tx, actor: Actor, letter_id: int, *, reason: str = "") -> DeadLetter:
    """It is never taken, unless the consumer is set back to before it. The event itself stays in the log."""
    letter = await _mine(tx, actor, letter_id)
    await tx.run(SQL.delete_letter, id=letter_id)
    before = {"consumer": letter.consumer, "event": letter.name, "id": letter.event_id, "error": letter.error}
    after = {"reason": reason} if reason else None
    about = f"dead_letter:{letter_id}"
    await audit.record(tx, actor, "events.discard", about, unit_id=letter.unit_id, before={**before, **(after or {})})
    await facts.record(tx, "events.discarded", f"event:{letter.event_seq}", before, letter.unit_id)
    return letter


async def _mine(tx: Tx, actor: Actor, letter_id: int) -> DeadLetter:
    actor.require(Right.WRITE, AREA)
    await hold_dead(tx, letter_id)
    return await get_dead(tx, await visible_to(tx, actor), letter_id)


async def _of_house(tx: Tx, actor: Actor, right: Right, name: str) -> None:
    """Who sees a part of the house sees no consumer: it takes everybody's events."""
    actor.require(right, AREA)
    if not (await visible_to(tx, actor)).holds(None):
        raise ConsumerNotFound(name[:100])


async def _switch(tx: Tx, actor: Actor, name: str, *, is_paused: bool) -> ConsumerSeen:
    await _of_house(tx, actor, Right.WRITE, name)
    await hold_consumer(tx, name)
    await tx.run(SQL.switch, consumer=name, is_paused=is_paused)
    action = "events.pause" if is_paused else "events.resume"
    await audit.record(tx, actor, action, f"consumer:{name}")
    await facts.record(tx, "events.paused" if is_paused else "events.resumed", f"consumer:{name}", {})
    tx.hint(TOPIC)
    return await get_consumer(tx, name)
