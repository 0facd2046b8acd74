"""Workflows for tests: kinds of steps that note what they do, a server that runs them, and what became of a run."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from pabal.base.database import Database, Tx
from pabal.engine import facts, timers
from pabal.engine.kinds import Kinds
from pabal.engine.loop import Loop
from pabal.engine.server import Server
from pabal.engine.workflows import checking, definitions, listing
from pabal.engine.workflows.machine import OVER, WORKFLOW_RUN
from pabal.engine.workflows.runs import Runs
from pabal.engine.workflows.step_kinds import AwaitSignal, StepCall, StepFailed, StepKind, StepKinds
from pabal.engine.workflows.strands import Strands
from tests.support.servers import serving, until

OWNER = "user:1"
Answer = Callable[[StepCall], Any]


class Works:
    """Kinds `test.do` (outside), `test.write` (inside, leaves a fact), `test.ask` (waits for the signal `ask:…`)."""

    def __init__(self) -> None:
        self.done: list[tuple[str, int | None]] = []
        self.calls: list[StepCall] = []
        self.answers: dict[str, Answer] = {}
        self.released: list[str] = []
        self.gates: dict[str, asyncio.Event] = {}
        self.kinds = StepKinds(
            [
                StepKind("test.do", 1, perform=self._perform),
                StepKind("test.write", 1, act=self._act),
                StepKind("test.ask", 1, act=self._ask, on_signal=self._hear, release=self._release),
            ]
        )
        self.runs = Runs(self.kinds)

    def hold(self, step: str) -> asyncio.Event:
        self.gates[step] = asyncio.Event()
        return self.gates[step]

    def names(self) -> list[str]:
        return [name for name, _ in self.done]

    async def _perform(self, call: StepCall) -> Mapping[str, Any] | StepFailed:
        self.calls.append(call)
        if call.step in self.gates:
            await self.gates[call.step].wait()
        return self._answer(call)

    async def _act(self, tx: Tx, call: StepCall) -> Mapping[str, Any] | StepFailed:
        self.calls.append(call)
        await facts.record(tx, "test.written", f"run:{call.run_id}", {"step": call.step, "item": call.item})
        return self._answer(call)

    async def _ask(self, tx: Tx, call: StepCall) -> AwaitSignal:
        self.calls.append(call)
        return AwaitSignal(f"ask:{call.run_id}:{call.step}:{call.item}")

    def _hear(self, call: StepCall, data: Mapping[str, Any]) -> Mapping[str, Any] | StepFailed:
        return StepFailed("no", "refused", is_final=True) if data.get("no") else dict(data)

    async def _release(self, tx: Tx, call: StepCall) -> None:
        self.released.append(call.step)

    def _answer(self, call: StepCall) -> Mapping[str, Any] | StepFailed:
        said = self.answers.get(call.step, lambda call: {"got": dict(call.input)})(call)
        if isinstance(said, Exception):
            raise said
        if not isinstance(said, StepFailed):
            self.done.append((call.step, call.item))
        return said  # type: ignore[no-any-return]  # what a test gives


class House:
    def __init__(self, db: Database, works: Works) -> None:
        self.db, self.works, self.runs = db, works, works.runs

    async def save(self, text: str, unit_id: int | None = None) -> definitions.StoredWorkflow:
        async with self.db.transaction() as tx:
            workflow = checking.read_yaml(text, self.works.kinds)
            return await definitions.save_workflow(tx, workflow, unit_id=unit_id, by=OWNER)

    async def start(self, text: str, /, **given: Any) -> int:
        saved = await self.save(text)
        async with self.db.transaction() as tx:
            return await self.runs.start(tx, saved, given, owner=OWNER)

    async def do(self, verb: Callable[..., Awaitable[Any]], *given: Any, **named: Any) -> Any:
        async with self.db.transaction() as tx:
            return await verb(tx, *given, **named)

    async def run(self, run_id: int) -> listing.RunRow:
        async with self.db.transaction() as tx:
            return await listing.get_run(tx, run_id, units=None)

    async def steps(self, run_id: int) -> dict[str, str]:
        """The state of each step, items as `name[0]`, compensations as `undo name`."""
        async with self.db.transaction() as tx:
            found = await listing.list_steps(tx, run_id)
        return {one.label: one.state for one in found}

    async def until_over(self, run_id: int) -> listing.RunRow:
        await self.until_state(run_id, *OVER)
        return await self.run(run_id)

    async def until_state(self, run_id: int, *states: str) -> None:
        async def is_so() -> bool:
            return (await self.run(run_id)).state in states

        await until(is_so)

    async def until_step(self, run_id: int, step: str, state: str) -> None:
        async def is_so() -> bool:
            return (await self.steps(run_id)).get(step) == state

        await until(is_so)


@asynccontextmanager
async def flowing(db: Database, works: Works, locks: Path, **options: Any) -> AsyncIterator[tuple[House, Server]]:
    async with serving(db, Strands(db, works.kinds).add_to(Kinds()), locks, **options) as server:
        server.add_loops([])
        # steps commit through this one: it tells the server's loops as the server's own does
        db.announce = server.database.announce
        yield House(server.database, works), server
        db.announce = None


def timer_loop(db: Database) -> Loop:
    async def fire() -> int:
        return await timers.fire_once(db, [WORKFLOW_RUN])

    return Loop("timers", fire, idle=0.05)
