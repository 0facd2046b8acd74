"""A small shop: orders are published, and consumers write down what they took, once for each effect."""

from collections.abc import Sequence
from typing import Any

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.platform import events
from pabal.platform.actor import ENGINE, Actor
from pabal.platform.events import Consumer, DeadLetter, NewEvent, PublishedEvent, Wanted
from pabal.platform.tenants import visible_to

SQL = load(__file__)


def consumer(group: str = "billing", *patterns: str, **more: Any) -> Consumer:
    """Writes a row for each event; one whose data says `bad` fails."""

    async def take(tx: Tx, found: list[PublishedEvent]) -> None:
        await tx.run(SQL.take, consumer=group, ids=[event.id for event in found])
        if any(event.data.get("bad") for event in found):
            raise ValueError("no such order")

    return Consumer(group, patterns or ("orders.*",), take, **more)


def order(number: int, name: str = "orders.paid", **data: Any) -> NewEvent:
    return NewEvent(name, {"number": number, **data}, f"o-{number}", f"order:{number}")


async def publish(db: Database, *given: NewEvent, actor: Actor = ENGINE) -> list[PublishedEvent]:
    """One commit."""
    async with db.transaction() as tx:
        return await events.publish_many(tx, actor, given)


async def begin(db: Database, *consumers: Consumer) -> None:
    for one in consumers:
        async with db.transaction() as tx:
            await events.begin(tx, one)


async def drain(db: Database, one: Consumer, shares: Sequence[int] | None = None) -> int:
    """Until nothing is left for it, or it rests."""
    total = 0
    while count := sum([await events.deliver_once(db, one, share) for share in shares or range(one.shares)]):
        total += count
    return total


async def taken(db: Database, group: str = "billing") -> list[str]:
    """Ids in the order of their effects, as often as they had one."""
    async with db.transaction() as tx:
        return [row[0] for row in await tx.rows(SQL.list_taken, consumer=group)]


async def dead(db: Database, actor: Actor = ENGINE) -> list[DeadLetter]:
    async with db.transaction() as tx:
        return (await events.list_dead(tx, await visible_to(tx, actor))).items


async def logged(db: Database, actor: Actor = ENGINE) -> list[str]:
    async with db.transaction() as tx:
        scope = await visible_to(tx, actor)
        found = await events.list_events(tx, Wanted(scope.listed))
    return [event.id for event in reversed(found.items)]
