"""A subscriber that writes down what it is handed, so that tests can see what came, in which order and how often."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine.facts import Fact, Subscriber, deliver_once, record

SQL = load(__file__)


@dataclass(frozen=True)
class Seen:
    seq: int
    name: str
    subject: str
    data: dict[str, Any]


async def create_seen(db: Database) -> None:
    async with db.transaction() as tx:
        await tx.script(SQL.create_seen.text)


def notebook(
    name: str = "notebook",
    *names: str,
    batch: int = 500,
    from_start: bool = False,
    fails_at: Callable[[Fact], bool] = lambda fact: False,
) -> Subscriber:
    async def write_down(tx: Tx, facts: list[Fact]) -> None:
        await tx.run(
            SQL.insert_seen,
            subscriber=name,
            seqs=[fact.seq for fact in facts],
            names=[fact.name for fact in facts],
            subjects=[fact.subject for fact in facts],
            datas=[json.dumps(fact.data) for fact in facts],
        )
        if any(fails_at(fact) for fact in facts):
            await tx.run(SQL.fail)

    return Subscriber(name, names or ("*",), write_down, batch=batch, from_start=from_start)


async def seen_by(db: Database, subscriber: str = "notebook") -> list[Seen]:
    async with db.transaction() as tx:
        return await tx.all(Seen, SQL.list_seen, subscriber=subscriber)


async def numbers_seen(db: Database, subscriber: str = "notebook") -> list[int]:
    return [seen.data["n"] for seen in await seen_by(db, subscriber)]


async def tell(db: Database, *numbers: int, name: str = "thing.happened", subject: str = "thing:1") -> None:
    """Each in a commit of its own."""
    for number in numbers:
        async with db.transaction() as tx:
            await record(tx, name, subject, {"n": number})


async def deliver_all(db: Database, subscriber: Subscriber) -> list[int]:
    counts = [await deliver_once(db, subscriber)]
    while counts[-1]:
        counts.append(await deliver_once(db, subscriber))
    return counts[:-1]
