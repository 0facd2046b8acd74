"""Those who start runs, answer what waits, pause, cancel, skip and retry, and move the clock; the seed decides."""

import random
from datetime import timedelta

from chaos.worker import AWAY
from chaos.workflows.flows import EVENT
from chaos.workflows.flows import Kinds as FlowKinds
from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.base.errors import PabalError
from pabal.base.sql import load
from pabal.engine.workflows import definitions, signals
from pabal.engine.workflows.definitions import StoredWorkflow
from pabal.engine.workflows.model import Workflow
from pabal.engine.workflows.runs import Runs

SQL = load(__file__)
ACTOR = "user:1"


class People:
    def __init__(self, database: Database, number: int) -> None:
        self._database = database
        self._chance = random.Random(f"people {number}")
        self._runs = Runs(FlowKinds().kinds)
        self._flows: list[StoredWorkflow] = []
        self.started = 0

    async def save(self, flows: list[Workflow]) -> None:
        for flow in flows:
            async with self._database.transaction() as tx:
                self._flows.append(await definitions.save_workflow(tx, flow, unit_id=None, by=ACTOR))

    async def act_once(self) -> None:
        """One of many things; what a fault or a rule of the house prevents is left."""
        acts = (self._start, self._start, self._start, self._answer, self._answer, self._meddle)
        try:
            async with self._database.transaction() as tx:
                await self._chance.choice(acts)(tx)
            if self._chance.random() < 0.05:
                await clock.advance(self._database, timedelta(seconds=self._chance.randint(1, 30)))
        except (PabalError, *AWAY):
            return

    async def finish_once(self) -> int | None:
        """Everything goes on: who is paused is resumed, what waits is answered, the hour comes. How many are left."""
        try:
            async with self._database.transaction() as tx:
                for row in await tx.rows(SQL.list_in, state="paused"):
                    await self._runs.resume(tx, row["id"], actor=ACTOR)
            async with self._database.transaction() as tx:
                for row in await tx.rows(SQL.list_waits):
                    await signals.send(tx, row["signal"], {"yes": True})
            await clock.advance(self._database, timedelta(seconds=20))
            async with self._database.transaction() as tx:
                left: int = await tx.value(SQL.count_open)
        except (PabalError, *AWAY):
            return None
        return left

    async def _start(self, tx: Tx) -> None:
        flow = self._chance.choice(self._flows)
        given = {"n": self._chance.randint(0, 4)} if flow.name != "inner" else {}
        await self._runs.start(tx, flow, given, owner=ACTOR)
        self.started += 1

    async def _answer(self, tx: Tx) -> None:
        if self._chance.random() < 0.3:
            await signals.send(tx, signals.event_signal(EVENT), {"yes": True})
            return
        for row in await tx.rows(SQL.list_waits):
            if row["signal"].startswith("ask:") and self._chance.random() < 0.5:
                await signals.send(tx, row["signal"], {"yes": self._chance.random() < 0.7})

    async def _meddle(self, tx: Tx) -> None:
        verb = self._chance.choice(["pause", "resume", "cancel", "retry", "skip"])
        state = {"resume": "paused", "retry": "failed"}.get(verb, "running")
        found = [row["id"] for row in await tx.rows(SQL.list_in, state=state)]
        if not found:
            return
        run = self._chance.choice(found)
        match verb:
            case "pause":
                await self._runs.pause(tx, run, actor=ACTOR)
            case "resume":
                await self._runs.resume(tx, run, actor=ACTOR)
            case "cancel":
                compensates = self._chance.random() < 0.7
                await self._runs.cancel(tx, run, actor=ACTOR, reason="chaos", compensates=compensates)
            case _:
                await self._at_step(tx, run, verb)

    async def _at_step(self, tx: Tx, run: int, verb: str) -> None:
        wanted = ["failed"] if verb == "retry" else ["waiting", "running", "retrying"]
        rows = await tx.rows(SQL.list_steps, run=run, states=wanted)
        if not rows:
            return
        name = self._chance.choice(rows)["name"]
        if verb == "retry":
            await self._runs.retry_from(tx, run, name, actor=ACTOR)
        else:
            await self._runs.skip_step(tx, run, name, actor=ACTOR, reason="chaos")
