"""The kinds of steps of a run. Attempts are noted by their own process; what acts leaves a row in its commit."""

import asyncio
import random
import uuid
from collections.abc import Mapping
from typing import Any

from chaos.history import History
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.workflows.step_kinds import AwaitSignal, StepCall, StepFailed, StepKind, StepKinds

SQL = load(__file__)
LONGEST = 0.03
ASK = "ask:"


class Steps:
    """`n` is a new name in every attempt: what is recorded must be what one of them gave."""

    def __init__(self, history: History | None = None) -> None:
        """Without a history they are only declared: nothing runs them."""
        self._history = history
        self.kinds = StepKinds(
            [
                StepKind("chaos.do", 1, perform=self._do),
                StepKind("chaos.flaky", 1, perform=self._flaky),
                StepKind("chaos.break", 1, perform=self._break),
                StepKind("chaos.write", 1, act=self._write),
                StepKind("chaos.ask", 1, act=self._ask, on_signal=self._hear, release=self._release),
            ]
        )

    async def _do(self, call: StepCall) -> Mapping[str, Any]:
        self._note("step began", call)
        await asyncio.sleep(random.uniform(0, LONGEST))
        name = uuid.uuid4().hex
        self._note("step ended", call, n=name)
        return {"n": name}

    async def _flaky(self, call: StepCall) -> Mapping[str, Any] | StepFailed:
        """Attempts that were lost count, so it fails no more often than it says."""
        if call.attempt <= call.input.get("fails", 0):
            self._note("step began", call)
            return StepFailed("not yet")
        return await self._do(call)

    async def _break(self, call: StepCall) -> StepFailed:
        self._note("step began", call)
        return StepFailed("as it should", is_final=True)

    async def _write(self, tx: Tx, call: StepCall) -> Mapping[str, Any]:
        name = uuid.uuid4().hex
        await tx.run(SQL.insert_effect, key=call.key, what="written", n=name)
        return {"n": name}

    async def _ask(self, tx: Tx, call: StepCall) -> AwaitSignal:
        await tx.run(SQL.insert_effect, key=call.key, what="asked", n="")
        return AwaitSignal(f"{ASK}{call.key}")

    def _hear(self, call: StepCall, data: Mapping[str, Any]) -> Mapping[str, Any] | StepFailed:
        return StepFailed("no", "refused", is_final=True) if data.get("no") else dict(data)

    async def _release(self, tx: Tx, call: StepCall) -> None:
        await tx.run(SQL.insert_effect, key=call.key, what="released", n="")

    def _note(self, what: str, call: StepCall, **more: Any) -> None:
        if self._history is not None:
            self._history.write(what, key=call.key, attempt=call.attempt, **more)
