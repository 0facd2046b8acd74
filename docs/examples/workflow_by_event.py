"""A workflow that an event starts: orders of 10,000 won and more are told to the people of the house, each once."""

import asyncio
import tempfile
from pathlib import Path

from pabal.base import embedded
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.engine import housekeeping
from pabal.engine.kinds import Kinds
from pabal.engine.workflows import listing
from pabal.engine.workflows.listing import WantedRuns
from pabal.engine.workflows.strands import Strands
from pabal.platform import events, tenants
from pabal.platform.actor import ENGINE
from pabal.platform.events import NewEvent
from pabal.platform.platform_slice import make_step_kinds
from pabal.platform.schema import MIGRATIONS
from pabal.platform.workflows import STARTER, Workflows
from pabal.testing import Parts, drain

FLOW = """
name: large_order
start:
  event: order.paid
  when: {path: event.data.amount, op: ">=", value: 10000}
  input:
    order: {from: event.key}
    amount: {from: event.data.amount}
input: {order: string, amount: integer}
steps:
  - name: tell
    kind: platform.notify
    input: {title: {text: "Order {input.order}: {input.amount} won"}}
output: {order: {from: input.order}}
"""


async def show(database: Database) -> None:
    """Publishes three events, one of them twice; what `drain` does, a server does by itself."""
    flows = Workflows(make_step_kinds(()))
    async with database.transaction() as tx:
        await events.begin(tx, STARTER)
    async with database.transaction() as tx:
        house = await tenants.ensure_hq(tx)
        await flows.save(tx, ENGINE, FLOW)
        for key, won in (("a-1", 12000), ("a-2", 900), ("a-3", 25000), ("a-1", 12000)):
            paid = NewEvent("order.paid", {"amount": won}, id=key, key=key, unit_id=house.id)
            await events.append(tx, [paid])
    while await events.deliver_once(database, STARTER):
        pass
    await drain(Parts(database, Strands(database, flows.kinds).add_to(Kinds())))
    async with database.transaction() as tx:
        runs = (await listing.list_runs(tx, WantedRuns(None))).items
    for run in reversed(runs):
        print(run.output["order"], run.state, "because of", run.cause)


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = (await embedded.ensure(Path(folder) / "postgres")).url()
        database = await Database.open(url)
        await migrate(database, MIGRATIONS)
        await housekeeping.make_partitions(database)
        await show(database)
        await database.close()
        await embedded.remove(Path(folder) / "postgres")


if __name__ == "__main__":
    asyncio.run(main())
