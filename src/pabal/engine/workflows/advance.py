"""Advances runs: what ended, what that opens, what the run comes to; for many steps of many runs, in one commit."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pabal.base.database import Row, Tx
from pabal.engine.transitions import transition, transition_many
from pabal.engine.workflows import signals, values, writing
from pabal.engine.workflows.definitions import Flows
from pabal.engine.workflows.machine import WORKFLOW_RUN, RunEvent, RunState
from pabal.engine.workflows.model import (
    LARGEST_OUTPUT,
    LARGEST_RUN,
    LONGEST_RETRY,
    FlowStep,
)
from pabal.engine.workflows.openings import Openings
from pabal.engine.workflows.records import (
    ACTOR,
    PASSING,
    PLAIN,
    Finished,
    LockedRun,
    Opening,
    OpenStep,
    RunData,
    call_of,
)
from pabal.engine.workflows.signals import StepPlace
from pabal.engine.workflows.step_kinds import AwaitSignal, StepFailed, StepKinds
from pabal.engine.workflows.stopping import CHILD
from pabal.engine.workflows.writing import NewRun, insert_run

# a compensation is tried at least so often again
UNDO_RETRIES = 3


class Advance(Openings):
    """For one transaction. What it opens is taken by strands whose steps ended here, or gets a job of its own."""

    async def finish(self, finished: Sequence[Finished]) -> None:
        """Ends these steps, opens what comes after them, and ends the runs that are over by it."""
        over: list[tuple[LockedRun, int]] = []
        items: Counter[tuple[int, int]] = Counter()
        for one in finished:
            run = self.runs[one.step.place.run_id]
            if one.job is not None and run.state in (RunState.RUNNING, RunState.COMPENSATING):
                self._continuing.setdefault(run.id, []).append(one.job)
            ended = self._end(run, one)
            if ended and one.step.place.item >= 0 and not one.step.place.undo:
                items[run.id, one.step.place.step] += 1
            elif ended and not one.step.place.undo:
                over.append((run, one.step.place.step))
        if items:
            await self._write()
            over += await self._close_items(items)
        await self._open_after(over)
        await self._write()
        await self._conclude()

    async def conclude(self, run: LockedRun) -> None:
        """A run that stops, once nothing of it runs."""
        await self.release(run, await self._tx.rows(writing.SQL.take_unreleased, run=run.id))
        await self._conclude()

    async def release(self, run: LockedRun, asked: Sequence[Row]) -> None:
        """What kinds asked for and nobody waits for any more."""
        for row in asked:
            step = run.flow.steps[row["step"]]
            kind = self._kinds.find(step.kind) if step.kind else None
            if kind is not None and kind.release is not None:
                place = StepPlace(run.id, row["step"], row["item"], row["undo"])
                await kind.release(self._tx, call_of(run, OpenStep(place, 1, 0, row["input"], None, row["opened_at"])))

    def _end(self, run: LockedRun, one: Finished) -> bool:
        """False: it is not over: it is tried again, or it waits."""
        place, outcome = one.step.place, one.outcome
        step = run.flow.steps[place.step]
        if one.is_cancelled:
            self._note_end(run, place, "cancelled", None, None)
            return False
        if isinstance(outcome, AwaitSignal):
            if run.state in PASSING or place.undo:
                self._waiting.append((one.step, outcome))
            else:
                self._note_end(run, place, "cancelled", None, None)
            return False
        if not isinstance(outcome, StepFailed):
            outcome = self._checked_size(run, outcome)
        if not isinstance(outcome, StepFailed):
            self._note_end(run, place, "skipped" if one.is_skipped else "done", outcome, None)
            if place.item == PLAIN and not place.undo:
                run.data.outputs[place.step] = outcome
            return True
        return self._fail(run, step, one.step, outcome)

    def _fail(self, run: LockedRun, step: FlowStep, open_step: OpenStep, failed: StepFailed) -> bool:
        place = open_step.place
        again_at = self._next_try(run, step, open_step, failed)
        if again_at is not None:
            self._retrying.append((open_step, failed, again_at))
            return False
        error = {"code": failed.code, "reason": failed.reason[:2000].replace("\0", "")}
        if place.undo:
            # the others are undone all the same; the run says at its end that this one was not
            self._note_end(run, place, "failed", None, error)
            return True
        return self._give_up(run, step, place, error)

    def _next_try(self, run: LockedRun, step: FlowStep, one: OpenStep, failed: StepFailed) -> datetime | None:
        most = max(step.retries, UNDO_RETRIES) if one.place.undo else step.retries
        is_going = run.state in PASSING or (one.place.undo and run.state == RunState.COMPENSATING)
        if failed.is_final or one.failures >= most or not is_going:
            return None
        wait = min(step.retry_after * 2 ** min(one.failures, 20), LONGEST_RETRY)
        moment = self._tx.now + wait
        return None if one.due_at is not None and moment >= one.due_at else moment

    def _checked_size(self, run: LockedRun, output: Any) -> Any:
        size = len(json.dumps(output, ensure_ascii=False, default=str).encode()) if output is not None else 0
        if size > LARGEST_OUTPUT:
            return StepFailed(f"it gave {size} bytes, more than {LARGEST_OUTPUT}", "output_too_large", is_final=True)
        if run.bytes + self._grown[run.id] + size > LARGEST_RUN:
            return StepFailed(f"the run gave more than {LARGEST_RUN} bytes", "run_too_large", is_final=True)
        self._grown[run.id] += size
        return output

    async def _close_items(self, items: Counter[tuple[int, int]]) -> list[tuple[LockedRun, int]]:
        """A fan-out whose last item is over gives the list of what they gave."""
        going = {key: count for key, count in items.items() if self.runs[key[0]].state in PASSING}
        going = {key: count for key, count in going.items() if key[0] not in self._failed}
        if not going:
            return []
        rows = await self._tx.rows(
            writing.SQL.close_items,
            runs=[run for run, _ in going],
            steps=[step for _, step in going],
            counts=list(going.values()),
        )
        closed = [(self.runs[row["run_id"]], row["step"]) for row in rows if row["open_items"] == 0]
        if not closed:
            return []
        gathered = await self._tx.rows(
            writing.SQL.gather, runs=[run.id for run, _ in closed], steps=[step for _, step in closed]
        )
        for row in gathered:
            run = self.runs[row["run_id"]]
            run.data.outputs[row["step"]] = row["output"]
            self._note_end(run, StepPlace(run.id, row["step"], PLAIN, False), "done", row["output"], None)
        return closed

    async def _conclude(self) -> None:
        for run_id, (reason, compensates) in sorted(self._failed.items()):
            await stop_run(self._tx, run_id, "failed", reason=reason, compensates=compensates, actor=ACTOR)
            self.runs[run_id].state = RunState.STOPPING
        stopped = set(self._failed)
        self._failed = {}
        idle = [run for run in self.runs.values() if run.opened == run.ended and run.id not in stopped]
        finished = [run for run in idle if run.state == RunState.RUNNING]
        if finished:
            await self._finish_runs(finished)
        for run in idle:
            if run.state in (RunState.STOPPING, RunState.COMPENSATING):
                await self._wind_up(run)

    async def _finish_runs(self, runs: list[LockedRun]) -> None:
        wanted, inputs = set[tuple[int, int]](), set[int]()
        for run in runs:
            named = {one.step for one in values.references(dict(run.flow.output)) if one.step}
            wanted |= {(run.id, number) for number in (run.flow.numbers[name] for name in named)}
            if run.flow.output and not run.data.has_input:
                inputs.add(run.id)
        await self.load_data(inputs, {one for one in wanted if one[1] not in self.runs[one[0]].data.outputs})
        outputs = [values.resolve_each(run.flow.output, run.data.view(run)) for run in runs]
        await transition_many(self._tx, WORKFLOW_RUN, [run.id for run in runs], RunEvent.FINISH, actor=ACTOR)
        for run in runs:
            run.state = RunState.DONE
        await end_runs(self._tx, runs, outputs)

    async def _wind_up(self, run: LockedRun) -> None:
        """Takes back the next step, the last that was done first; or, when none is left, ends the run."""
        undone = await self._next_undo(run) if run.compensates else None
        if undone is not None:
            if run.state == RunState.STOPPING:
                await transition(self._tx, WORKFLOW_RUN, run.id, RunEvent.COMPENSATE, actor=ACTOR)
                run.state = RunState.COMPENSATING
            self._opening.append(undone)
            await self._write()
            return
        event, state = (
            (RunEvent.CANCEL, RunState.CANCELLED) if run.ending == "cancelled" else (RunEvent.FAIL, RunState.FAILED)
        )
        await transition(self._tx, WORKFLOW_RUN, run.id, event, actor=ACTOR)
        run.state = state
        await end_runs(self._tx, [run], [None])

    async def _next_undo(self, run: LockedRun) -> Opening | None:
        able = [number for number, step in enumerate(run.flow.steps) if step.compensate is not None]
        fans = [number for number in able if run.flow.steps[number].for_each is not None]
        rows = await self._tx.rows(writing.SQL.find_undoable, run=run.id, steps=able, fans=fans)
        if not rows:
            return None
        row = rows[0]
        step = run.flow.steps[row["step"]]
        assert step.compensate is not None  # noqa: S101 -- asked for above # nosec B101
        wanted = {run.flow.numbers[one.step] for one in values.references(dict(step.compensate.input)) if one.step}
        await self.load_data(
            set() if run.data.has_input else {run.id},
            {(run.id, one) for one in wanted if one not in run.data.outputs and one != row["step"]},
        )
        data = run.data.view(run)
        data["steps"][step.name] = row["output"]
        if row["item"] >= 0:
            named = {(run.id, run.flow.numbers[one.step]) for one in values.references(step.for_each) if one.step}
            await self.load_data(set(), {one for one in named if one[1] not in run.data.outputs})
            items = values.resolve(step.for_each, run.data.view(run))
            data["item"] = items[row["item"]] if isinstance(items, list) and row["item"] < len(items) else None
        place = StepPlace(run.id, row["step"], row["item"], True)
        run.opened += 1
        due_at = None if step.time_limit is None else self._tx.now + step.time_limit
        return self._ready(run, step, place, values.resolve_each(step.compensate.input, data), due_at)


async def begin_run(tx: Tx, new: NewRun, flows: Flows, kinds: StepKinds) -> int:
    """The run and its first steps, in the caller's commit."""
    made, given = await insert_run(tx, new)
    advance = Advance(tx, flows, kinds)
    await advance.lock([made], {made: RunData(given, has_input=True)})
    await advance.begin(advance.runs[made])
    return made


async def stop_run(tx: Tx, run_id: int, ending: str, *, reason: str, compensates: bool, actor: str) -> None:
    """Nothing new begins; what waits ends; once nothing runs, it is compensated or over."""
    await tx.run(writing.SQL.mark_ending, id=run_id, ending=ending, compensates=compensates, reason=reason[:2000])
    await transition(tx, WORKFLOW_RUN, run_id, RunEvent.STOP, actor=actor, reason=reason[:500])


async def end_runs(tx: Tx, runs: Sequence[LockedRun], outputs: Sequence[Any]) -> None:
    """After the move to their last state, in its commit: whoever waits for one of them goes on."""
    await tx.run(writing.SQL.end_runs, ids=[run.id for run in runs], outputs=list(outputs))
    for run, output in zip(runs, outputs, strict=True):
        if run.parent_id is not None:
            # Kept for it: one that is over as soon as it begins ends before its parent waits.
            said = {"run": run.id, "state": str(run.state), "output": output}
            await signals.send_to_run(tx, run.parent_id, f"{CHILD}{run.id}", said)
