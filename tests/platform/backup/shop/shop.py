"""A program whose subscriber counts what its jobs sold."""

from pathlib import Path

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import facts
from pabal.engine.facts import Fact, Subscriber
from pabal.engine.kinds import Job, Kinds
from pabal.platform.slice import Slice

SQL = load(__file__)
kinds = Kinds()


@kinds.inside("shop.sell")
async def sell(tx: Tx, jobs: list[Job]) -> None:
    for job in jobs:
        await facts.record(tx, "shop.sold", f"job:{job.id}", {})


async def count(tx: Tx, sold: list[Fact]) -> None:
    await tx.run(SQL.add_sold, number=len(sold))


SLICE = Slice(
    "shop",
    kinds=kinds,
    subscribers=(Subscriber("shop.count", ("shop.sold",), count, from_start=True),),
    migrations=Path(__file__).parent / "migrations",
)
