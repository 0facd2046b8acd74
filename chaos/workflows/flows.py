"""Random workflows, and the kinds of steps they are made of. The seed decides them; Hypothesis makes them."""

import asyncio
import hashlib
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from chaos.history import History
from pabal.base.database import Tx
from pabal.engine import facts
from pabal.engine.workflows import checking
from pabal.engine.workflows.model import Workflow
from pabal.engine.workflows.step_kinds import AwaitSignal, StepCall, StepFailed, StepKind, StepKinds

DO, WRITE, ASK = "chaos.do", "chaos.write", "chaos.ask"
EFFECT = "chaos.effect"
EVENT = "chaos.paid"
INNER = {"name": "inner", "steps": [{"name": "deep", "kind": WRITE}, {"name": "deeper", "kind": DO}]}


class Kinds:
    """What steps do is written down by themselves: in a file of their process, or in the commit of their end."""

    def __init__(self, history: History | None = None) -> None:
        self._history = history
        self.kinds = StepKinds(
            [
                StepKind(DO, 1, perform=self._do),
                StepKind(WRITE, 1, act=self._write),
                StepKind(ASK, 1, act=self._ask, on_signal=self._hear),
            ]
        )

    async def _do(self, call: StepCall) -> dict[str, Any] | StepFailed:
        self._note("doing", call)
        await asyncio.sleep(_chance(call.key) * 0.1)
        if (failed := _fails(call)) is not None:
            return failed
        self._note("did", call)
        return {"key": call.key}

    async def _write(self, tx: Tx, call: StepCall) -> dict[str, Any] | StepFailed:
        if (failed := _fails(call)) is not None:
            return failed
        await facts.record(tx, EFFECT, f"run:{call.run_id}", {"key": call.key})
        return {"key": call.key}

    async def _ask(self, tx: Tx, call: StepCall) -> AwaitSignal:
        return AwaitSignal(f"ask:{call.key}")

    def _hear(self, call: StepCall, data: Any) -> dict[str, Any] | StepFailed:
        return dict(data) if data.get("yes") else StepFailed("no", "refused", is_final=True)

    def _note(self, what: str, call: StepCall) -> None:
        if self._history is not None:
            self._history.write(what, key=call.key, attempt=call.attempt)


def _fails(call: StepCall) -> StepFailed | None:
    """Flaky ones come right when they are tried again; a compensation always does."""
    if call.input.get("breaks") and "/undo/" not in call.key:
        return StepFailed("broken", is_final=True)
    if call.input.get("flaky") and call.attempt == 1:
        return StepFailed("flaky")
    return None


def _chance(key: str) -> float:
    return hashlib.sha256(key.encode()).digest()[0] / 256


def make_flows(number: int, count: int) -> list[Workflow]:
    """The same for the same seed. The first is the one that others start and wait for."""
    kinds = Kinds().kinds
    found: list[Workflow] = [checking.read_data(INNER, kinds)]

    @seed(number)
    @settings(max_examples=count, database=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck))
    @given(st.lists(STEPS, min_size=1, max_size=7))
    def collect(steps: list[dict[str, Any]]) -> None:
        found.append(checking.read_data(_joined(steps, len(found)), kinds))

    collect()
    return found


_WORK = st.sampled_from([DO, WRITE])
_FLAGS = st.fixed_dictionaries({}, optional={"flaky": st.just(True), "breaks": st.just(True)})
_CONDITION = st.builds(lambda n: {"path": "input.n", "op": ">=", "value": n}, st.integers(0, 4))
_DOES = st.fixed_dictionaries(
    {"kind": _WORK, "input": _FLAGS},
    optional={
        "retries": st.integers(1, 3),
        "retry_after": st.just("1s"),
        "compensate": st.builds(lambda kind: {"kind": kind}, _WORK),
        "for_each": st.lists(st.integers(0, 9), max_size=4),
        "on_error": st.sampled_from(["skip", "compensate", "fail"]),
        "when": _CONDITION,
    },
)
_WAITS = st.fixed_dictionaries(
    {
        "wait": st.one_of(
            st.builds(lambda n: {"for": f"{n}s"}, st.integers(1, 60)),
            st.just({"event": EVENT}),
            st.just({"workflow": "inner"}),
        )
    },
    optional={"time_limit": st.sampled_from(["20s", "5m"]), "on_error": st.just("skip")},
)
_ASKS = st.fixed_dictionaries({"kind": st.just(ASK)}, optional={"on_error": st.sampled_from(["skip", "compensate"])})
STEPS = st.tuples(st.one_of(_DOES, _DOES, _WAITS, _ASKS), st.sets(st.integers(0, 6), max_size=2)).map(
    lambda made: {**made[0], "_needs": sorted(made[1])}
)


def _joined(steps: list[dict[str, Any]], number: int) -> dict[str, Any]:
    """Each needs some of those before it."""
    made = []
    for place, step in enumerate(steps):
        needs = [f"s{one}" for one in step["_needs"] if one < place]
        made.append({"name": f"s{place}", "needs": needs, **{k: v for k, v in step.items() if k != "_needs"}})
    if not any("compensate" in step for step in made):
        made = [{**step, "on_error": "fail"} if step.get("on_error") == "compensate" else step for step in made]
    return {"name": f"flow{number}", "time_limit": "1h", "input": {"n": "integer"}, "steps": made}
