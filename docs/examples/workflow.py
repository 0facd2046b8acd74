"""A workflow that pays out to three people, waits a moment, breaks, and takes everything back, last first."""

import asyncio
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from pabal.base import embedded
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.engine import housekeeping
from pabal.engine.kinds import Kinds
from pabal.engine.schema import MIGRATIONS
from pabal.engine.server import Options, Server
from pabal.engine.workflows import checking, definitions, listing
from pabal.engine.workflows.runs import Runs
from pabal.engine.workflows.step_kinds import StepCall, StepFailed, StepKind, StepKinds
from pabal.engine.workflows.strands import Strands

FLOW = """
name: payout
input: {people: list}
steps:
  - name: pay
    kind: shop.pay
    for_each: {from: input.people}
    input: {to: {from: item}}
    compensate: {kind: shop.pay_back, input: {to: {from: item}}}
  - name: a_moment
    wait: {for: 1s}
  - name: close
    kind: shop.close
    on_error: compensate
"""


async def pay(call: StepCall) -> dict[str, Any]:
    print("paid", call.input["to"])
    return {}


async def pay_back(call: StepCall) -> dict[str, Any]:
    print("took back from", call.input["to"])
    return {}


async def close(call: StepCall) -> StepFailed:
    return StepFailed("the bank is closed", is_final=True)


KINDS = StepKinds(
    [
        StepKind("shop.pay", 1, perform=pay),
        StepKind("shop.pay_back", 1, perform=pay_back),
        StepKind("shop.close", 1, perform=close),
    ]
)


async def show(database: Database, pulse: Database, folder: Path) -> None:
    """Starts a server, one run, and waits for its end."""
    options = Options(folder / "locks", grace=timedelta(0))
    server = Server(database, pulse, Strands(database, KINDS).add_to(Kinds()), options)
    await server.start()
    async with database.transaction() as tx:
        saved = await definitions.save_workflow(tx, checking.read_yaml(FLOW, KINDS), unit_id=None, by="me")
        run = await Runs(KINDS).start(tx, saved, {"people": ["kim", "lee", "park"]}, owner="me")
    found = None
    while found is None or found.ended_at is None:
        await asyncio.sleep(0.05)
        async with database.transaction() as tx:
            found = await listing.get_run(tx, run, units=None)
    print(found.state, "because", found.reason)
    await server.stop()


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        url = (await embedded.ensure(Path(folder) / "postgres")).url()
        database, pulse = await Database.open(url), await Database.open(url, size=2)
        await migrate(pulse, MIGRATIONS)
        await housekeeping.make_partitions(pulse)
        await show(database, pulse, Path(folder))
        await database.close()
        await pulse.close()
        await embedded.remove(Path(folder) / "postgres")


if __name__ == "__main__":
    asyncio.run(main())
