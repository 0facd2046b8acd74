"""Workflows with every kind of step, run as a process that a kill point may end; run again, it must finish them all.

`python -m tests.support.flow_victim FOLDER` with PABAL_DATABASE_URL; exits 0 when every run is over.
"""

import asyncio
import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.engine import facts, housekeeping
from pabal.engine.kinds import Kinds
from pabal.engine.server import Options, Server
from pabal.engine.workflows import checking, definitions, signals
from pabal.engine.workflows.runs import Runs
from pabal.engine.workflows.step_kinds import AwaitSignal, StepCall, StepFailed, StepKind, StepKinds
from pabal.engine.workflows.strands import Strands

SQL = load(__file__)
INNER = """\
name: inner
steps:
  - {name: deep, kind: victim.write}
"""
OUTER = """\
name: outer
input: {fails: boolean}
steps:
  - {name: first, kind: victim.write, compensate: {kind: victim.write}}
  - {name: outside, kind: victim.do, needs: [first]}
  - {name: beside, kind: victim.write, needs: [first]}
  - {name: each, kind: victim.write, for_each: [a, b, c], needs: [outside, beside], compensate: {kind: victim.write}}
  - {name: pause, wait: {for: 1s}}
  - {name: ask, kind: victim.ask}
  - {name: other, wait: {workflow: inner}}
  - {name: breaks, kind: victim.break, input: {fails: {from: input.fails}}, on_error: compensate}
  - {name: last, kind: victim.write}
"""


async def write(tx: Tx, call: StepCall) -> dict[str, Any]:
    """Its fact is there once if, and only if, the step is done."""
    await facts.record(tx, "victim.written", f"run:{call.run_id}", {"key": call.key.rsplit("/", 1)[0]})
    return {}


async def do(call: StepCall) -> dict[str, Any]:
    return {"done": True}


async def ask(tx: Tx, call: StepCall) -> AwaitSignal:
    return AwaitSignal(f"ask:{call.run_id}")


async def fail(call: StepCall) -> dict[str, Any] | StepFailed:
    return StepFailed("as it should", is_final=True) if call.input["fails"] else {}


KINDS = StepKinds(
    [
        StepKind("victim.write", 1, act=write),
        StepKind("victim.do", 1, perform=do),
        StepKind("victim.ask", 1, act=ask),
        StepKind("victim.break", 1, perform=fail),
    ]
)


async def begin_story(database: Database) -> None:
    """Once: a second start finds the first one's runs and goes on with them."""
    async with database.transaction() as tx:
        if await tx.value(SQL.has_story):
            return
        for text in (INNER, OUTER):
            saved = await definitions.save_workflow(tx, checking.read_yaml(text, KINDS), unit_id=None, by="test")
        for fails in (False, True):
            await Runs(KINDS).start(tx, saved, {"fails": fails}, owner="test")


async def main(folder: Path) -> None:
    url = os.environ["PABAL_DATABASE_URL"]
    database, pulse = await Database.open(url, size=10), await Database.open(url, size=2)
    await housekeeping.make_partitions(pulse)
    await begin_story(database)
    options = Options(folder / "locks", grace=timedelta(0))
    server = Server(database, pulse, Strands(database, KINDS).add_to(Kinds()), options)
    await server.start()
    is_over = False
    while not is_over:
        await asyncio.sleep(0.02)
        async with database.transaction() as tx:
            for row in await tx.rows(SQL.list_asked):
                await signals.send(tx, row["signal"], {"yes": True})
            is_over = bool(await tx.value(SQL.is_over))
    await server.stop()
    await database.close()
    await pulse.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
