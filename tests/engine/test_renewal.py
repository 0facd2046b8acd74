"""Facts after a dump was restored into another cluster, whose transaction numbers are others."""

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine import facts
from pabal.engine.facts import Fact, Subscriber

SQL = load(__file__)


class Taker:
    def __init__(self) -> None:
        self.taken: list[str] = []
        self.subscriber = Subscriber("taker", ("tests.*",), self.take)

    async def take(self, tx: Tx, batch: list[Fact]) -> None:
        self.taken += [fact.subject for fact in batch]


async def record(db: Database, subject: str) -> None:
    async with db.transaction() as tx:
        await facts.record(tx, "tests.happened", subject, {})


async def deliver(db: Database, taker: Taker) -> list[str]:
    while await facts.deliver_once(db, taker.subscriber):
        pass
    taken, taker.taken = taker.taken, []
    return taken


async def test_what_was_seen_is_not_delivered_again_and_what_was_not_is(db: Database):
    taker = Taker()
    await deliver(db, taker)
    await record(db, "seen:1")
    assert await deliver(db, taker) == ["seen:1"]
    await record(db, "unseen:1")
    async with db.transaction() as tx:
        await tx.run(SQL.pretend_another_cluster)

    async with db.transaction() as tx:
        await facts.renew_cursors(tx)
    await record(db, "new:1")

    assert await deliver(db, taker) == ["unseen:1", "new:1"]
