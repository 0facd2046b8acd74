"""Those who start runs, answer what they wait for, and meddle with them: pause, resume, cancel, skip, retry."""

import random
import uuid
from collections.abc import Awaitable, Callable
from typing import Any

from chaos.history import History
from chaos.worker import AWAY
from chaos.workflows.flows import INNER
from chaos.workflows.kinds import Steps
from pabal.base.database import Database, Tx
from pabal.base.errors import Conflict, Invalid, NotFound
from pabal.base.sql import load
from pabal.engine.workflows import definitions, signals
from pabal.engine.workflows.runs import Runs

SQL = load(__file__)
ACTOR = "user:1"
# more open runs than this start no other
MOST_OPEN = 80
# of what waits, so many are answered at a time (some wait too long), and so many of those with no
ANSWERED, REFUSED = 0.05, 0.15
# of the ticks
MEDDLES = 0.25
EARLY = 0.15


class People:
    def __init__(self, database: Database, history: History, seed: int) -> None:
        self._database, self._history = database, history
        self._chance = random.Random(f"people {seed}")
        self._runs = Runs(Steps().kinds)
        self._count = 0
        # the faults are over: everything is answered, and nothing new begins
        self.is_over = False

    async def act_once(self) -> None:
        """A database that is away is asked again next time."""
        try:
            if not self.is_over:
                await self._start()
                if self._chance.random() < MEDDLES:
                    await self._meddle()
            else:
                await self._resume_all()
            await self._answer()
        except AWAY:
            self._history.write("away")

    async def _start(self) -> None:
        async with self._database.transaction() as tx:
            if await tx.value(SQL.count_open) >= MOST_OPEN:
                return
            names = [row["id"] for row in await tx.rows(SQL.list_workflows, but=INNER)]
            workflow = await definitions.get_workflow(tx, self._chance.choice(names))
            self._count += 1
            given = {"odd": self._chance.random() < 0.5, "order": f"o{self._count}"}
            run = await self._runs.start(tx, workflow, given, owner=ACTOR)
            if self._chance.random() < EARLY:
                await self._send_early(tx, run, workflow, given["order"])
        self._history.write("run started", run=run)

    async def _send_early(self, tx: Tx, run: int, workflow: definitions.StoredWorkflow, order: Any) -> None:
        """Before the run waits for it: kept until it does, or until the run is over."""
        events = [step.wait.event for step in workflow.workflow.steps if step.wait is not None and step.wait.event]
        if events:
            signal = signals.event_signal(self._chance.choice(events), order)
            await signals.send_to_run(tx, run, signal, self._answer_to(signal))

    async def _answer(self) -> None:
        async with self._database.transaction() as tx:
            waiting = [row["signal"] for row in await tx.rows(SQL.list_waits)]
        for signal in waiting:
            if self.is_over or self._chance.random() < ANSWERED:
                async with self._database.transaction() as tx:
                    await signals.send(tx, signal, self._answer_to(signal))

    def _answer_to(self, signal: str) -> dict[str, Any]:
        """On disk before it is sent: whether the commit arrived may stay unknown."""
        name = uuid.uuid4().hex
        self._history.write("sending", signal=signal, n=name)
        return {"n": name, "no": self._chance.random() < REFUSED}

    async def _meddle(self) -> None:
        verbs: dict[str, Callable[[Tx, Any], Awaitable[None]]] = {
            "pause": self._pause,
            "resume": self._resume,
            "cancel": self._cancel,
            "skip": self._skip,
            "retry": self._retry,
        }
        verb = self._chance.choice(list(verbs))
        try:
            async with self._database.transaction() as tx:
                found = await tx.rows(SQL.list_meddled)
                able = [row for row in found if verb in row["verbs"]]
                if not able:
                    return
                await verbs[verb](tx, self._chance.choice(able))
        except (Conflict, NotFound, Invalid):
            # it went on meanwhile
            return
        self._history.write("verb", verb=verb)

    async def _pause(self, tx: Tx, row: Any) -> None:
        await self._runs.pause(tx, row["id"], actor=ACTOR)

    async def _resume(self, tx: Tx, row: Any) -> None:
        await self._runs.resume(tx, row["id"], actor=ACTOR)

    async def _cancel(self, tx: Tx, row: Any) -> None:
        compensates = self._chance.random() < 0.7
        await self._runs.cancel(tx, row["id"], actor=ACTOR, reason="enough", compensates=compensates)

    async def _skip(self, tx: Tx, row: Any) -> None:
        step = definitions.read_stored(row["definition"]).steps[row["waits"]].name
        await self._runs.skip_step(tx, row["id"], step, actor=ACTOR, reason="never mind")

    async def _retry(self, tx: Tx, row: Any) -> None:
        flow = definitions.read_stored(row["definition"])
        await self._runs.retry_from(tx, row["id"], flow.steps[row["failed"]].name, actor=ACTOR)

    async def _resume_all(self) -> None:
        async with self._database.transaction() as tx:
            for row in await tx.rows(SQL.list_paused):
                await self._runs.resume(tx, row["id"], actor=ACTOR)
