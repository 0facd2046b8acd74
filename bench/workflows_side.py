"""Our side of the figures about workflows: `python -m bench.workflows_side WORD URL …`."""

import asyncio
import contextlib
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import uvloop

from bench.ground import install
from bench.peers.words import main
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.base.telemetry import start_logging
from pabal.engine.kinds import Job, Kinds
from pabal.engine.queue import NewJob, enqueue_many
from pabal.engine.server import Options, Server
from pabal.engine.workflows import checking, definitions
from pabal.engine.workflows.definitions import StoredWorkflow
from pabal.engine.workflows.runs import Runs
from pabal.engine.workflows.step_kinds import StepCall, StepKind, StepKinds
from pabal.engine.workflows.strands import Strands

SQL = load(__file__)
NOOP = "bench.noop"
# what a server that runs mostly workflows is given: a strand waits for its commits most of the time
CONCURRENCY = 200
STARTING = 8
EVERY = 97


class Bench:
    """A server, its kinds of steps, and a second connection that looks whether a step is committed."""

    def __init__(self) -> None:
        self.second: Database | None = None
        self.unseen = self.sampled = self.count = 0
        self.expected = 0
        self.all_done = asyncio.Event()
        self.kinds = StepKinds([StepKind(NOOP, 1, perform=self._noop)])
        self.runs = Runs(self.kinds)

    async def _noop(self, call: StepCall) -> dict[str, Any]:
        if self.second is not None and call.run_id % EVERY == 0 and call.item is None and call.input.get("n"):
            self.sampled += 1
            number = int(call.input["n"]) - 1
            async with self.second.transaction() as tx:
                self.unseen += await tx.value(SQL.find_state, run=call.run_id, step=number) != "done"
        self.count += 1
        if self.count == self.expected:
            self.all_done.set()
        return {}

    @contextlib.asynccontextmanager
    async def serving(self, url: str, more: Kinds | None = None) -> AsyncIterator[tuple[Server, Database]]:
        database, pulse = await Database.open(url, size=20), await Database.open(url, size=2)
        self.second = await Database.open(url, size=4)
        kinds = Strands(database, self.kinds).add_to(more or Kinds())
        with tempfile.TemporaryDirectory() as locks:
            server = Server(database, pulse, kinds, Options(locks=Path(locks), concurrency=CONCURRENCY))
            await server.start()
            try:
                yield server, database
            finally:
                await server.stop()
                for one in (database, pulse, self.second):
                    await one.close()

    async def save(self, database: Database, text: str) -> StoredWorkflow:
        async with database.transaction() as tx:
            workflow = checking.read_yaml(text, self.kinds)
            return await definitions.save_workflow(tx, workflow, unit_id=None, by="bench")

    async def start(self, database: Database, workflow: StoredWorkflow, **given: Any) -> int:
        async with database.transaction() as tx:
            return await self.runs.start(tx, workflow, given, owner="bench")


def chain(steps: int) -> str:
    lines = [f"  - {{name: s{n}, kind: {NOOP}, input: {{n: {n}}}}}" for n in range(steps)]
    return "name: chain\nsteps:\n" + "\n".join(lines)


async def install_here(url: str) -> dict[str, Any]:
    await install(url)
    return {}


async def runs(url: str, count: float, steps: float, singles: float) -> dict[str, Any]:
    """First single runs on an idle server, then all of them; the time of a run ends when its end is committed."""
    bench = Bench()
    async with bench.serving(url) as (_, database):
        workflow = await bench.save(database, chain(int(steps)))
        await _until_open(database, bench, workflow, 1)
        single_ms = []
        for _ in range(int(singles)):
            began = time.perf_counter()
            await _until_open(database, bench, workflow, 1)
            single_ms.append((time.perf_counter() - began) * 1000)
        began = time.perf_counter()
        await _until_open(database, bench, workflow, int(count))
        seconds = time.perf_counter() - began
        taken = int(count) * int(steps)
    return {
        "steps": taken,
        "seconds": seconds,
        "single_ms": single_ms,
        "unseen": bench.unseen,
        "sampled": bench.sampled,
    }


async def fanout(url: str, items: float) -> dict[str, Any]:
    """A run over so many items and back in, and so many plain jobs, each from its start to its last commit."""
    bench = Bench()
    plain = Kinds()
    handled = 0

    @plain.plain("bench.job")
    async def job(job: Job) -> None:
        nonlocal handled
        handled += 1

    text = (
        "name: fan\ninput: {all: list}\nsteps:\n"
        f"  - {{name: each, kind: {NOOP}, for_each: {{from: input.all}}, input: {{of: {{from: item}}}}}}\n"
        f"  - {{name: end, kind: {NOOP}}}\n"
    )
    async with bench.serving(url, plain) as (_, database):
        workflow = await bench.save(database, text)
        began = time.perf_counter()
        async with database.transaction() as tx:
            await enqueue_many(tx, [NewJob("bench.job", {"of": n}) for n in range(int(items))])
        while handled < items or not await _is_empty(database):
            await asyncio.sleep(0.005)
        plain_seconds = time.perf_counter() - began
        began = time.perf_counter()
        await bench.start(database, workflow, all=list(range(int(items))))
        while not await _are_over(database):
            await asyncio.sleep(0.005)
        seconds = time.perf_counter() - began
    assert bench.count == int(items) + 1, bench.count
    return {"plain_seconds": plain_seconds, "seconds": seconds}


async def _until_open(database: Database, bench: Bench, workflow: StoredWorkflow, count: int) -> None:
    """Starts so many, a few at a time, and waits until all are over."""
    bench.count, bench.expected = 0, count * len(workflow.definition["steps"])
    bench.all_done.clear()
    left = iter(range(count))

    async def start_some() -> None:
        for _ in left:
            await bench.start(database, workflow)

    await asyncio.gather(*(start_some() for _ in range(min(STARTING, count))))
    await bench.all_done.wait()
    while not await _are_over(database):
        await asyncio.sleep(0.001)


async def _are_over(database: Database) -> bool:
    async with database.transaction() as tx:
        return bool(await tx.value(SQL.are_over))


async def _is_empty(database: Database) -> bool:
    async with database.transaction() as tx:
        return bool(await tx.value(SQL.is_empty))


if __name__ == "__main__":
    start_logging(level="warning")
    main({"install": install_here, "runs": runs, "fanout": fanout}, uvloop.run)
