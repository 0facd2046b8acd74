"""Opens what comes next in a run: a step, a fan-out over a list, a wait, another workflow."""

import json
from datetime import datetime
from typing import Any

from pabal.engine import conditions
from pabal.engine.workflows import checking, signals, values, writing
from pabal.engine.workflows.definitions import find_named
from pabal.engine.workflows.machine import RunState
from pabal.engine.workflows.model import (
    DEEPEST,
    LARGEST_INPUT,
    MOST_ITEMS,
    MOST_OPENED,
    FlowStep,
    OnError,
    WaitFor,
)
from pabal.engine.workflows.outside import list_decided
from pabal.engine.workflows.records import PASSING, PLAIN, LockedRun, Opening, OpenStep, RunData
from pabal.engine.workflows.signals import StepPlace
from pabal.engine.workflows.step_kinds import StepFailed
from pabal.engine.workflows.stopping import CHILD
from pabal.engine.workflows.writing import BadRunInput, NewRun, Writing, insert_run

# of one fan-out
MOST_JOBS = 200


class Openings(Writing):
    """What opens runs' steps; the ends that lead to it are advance.py's."""

    async def begin(self, run: LockedRun) -> None:
        """Opens the steps of a new run that need nothing."""
        first = [(run, number) for number, needs in enumerate(run.flow.needed) if not needs]
        await self.open_ready(first)

    async def open_ready(self, ready: list[tuple[LockedRun, int]]) -> None:
        """Opens these, and what comes after those that are over at once."""
        await self._open_after(await self._open_each(ready))
        await self._write()
        await self._conclude()

    async def _conclude(self) -> None:
        """Ends the runs that are over: advance.py."""
        raise NotImplementedError

    async def _open_after(self, over: list[tuple[LockedRun, int]]) -> None:
        while over:
            over = [(run, number) for run, number in over if run.state in PASSING and run.id not in self._failed]
            follow = {(run.id, after) for run, number in over for after in run.flow.successors[number]}
            await self._load_over(over, follow)
            ready = [
                (self.runs[run_id], after)
                for run_id, after in sorted(follow)
                if self._is_ready(self.runs[run_id], after)
            ]
            over = await self._open_each(ready)

    async def _open_each(self, ready: list[tuple[LockedRun, int]]) -> list[tuple[LockedRun, int]]:
        """Answers those that are over at once: skipped, or a fan-out over nothing."""
        await self._load_data(ready)
        over: list[tuple[LockedRun, int]] = []
        for run, number in ready:
            if run.id not in self._failed and await self._open(run, number):
                over.append((run, number))
        return over

    async def _load_over(self, over: list[tuple[LockedRun, int]], follow: set[tuple[int, int]]) -> None:
        """Only a step with several needs has to look at the others."""
        joins = {run_id for run_id, after in follow if len(self.runs[run_id].flow.needed[after]) > 1}
        unknown = [run_id for run_id in joins if self.runs[run_id].over is None]
        if unknown:
            for run_id in unknown:
                self.runs[run_id].over = set()
            for row in await self._tx.rows(writing.SQL.list_over, runs=unknown):
                known = self.runs[row["run_id"]].over
                assert known is not None  # noqa: S101 -- set above # nosec B101
                known.add(row["step"])
        for run, number in over:
            if run.over is not None:
                run.over.add(number)
        for end in self._ended:
            run = self.runs[end.place.run_id]
            if run.over is not None and end.place.item == PLAIN and end.state in ("done", "skipped"):
                run.over.add(end.place.step)

    @staticmethod
    def _is_ready(run: LockedRun, number: int) -> bool:
        needs = run.flow.needed[number]
        return len(needs) <= 1 or (run.over is not None and run.over.issuperset(needs))

    async def _load_data(self, ready: list[tuple[LockedRun, int]]) -> None:
        wanted: set[tuple[int, int]] = set()
        inputs: set[int] = set()
        for run, number in ready:
            if not run.data.has_input:
                inputs.add(run.id)
            named = {run.flow.numbers[name] for name in _named(run.flow.steps[number])}
            wanted |= {(run.id, one) for one in named if one not in run.data.outputs}
        await self.load_data(inputs, wanted)

    async def _open(self, run: LockedRun, number: int) -> bool:
        """Opens one step. True: it is over already."""
        step = run.flow.steps[number]
        place = StepPlace(run.id, number, PLAIN, False)
        data = run.data.view(run)
        if step.when is not None and not conditions.judge(step.when, data, data).met:
            return self._open_ended(run, place, "skipped", None)
        if step.for_each is not None:
            return self._fan_out(run, step, place, values.resolve(step.for_each, data), data)
        return await self._open_one(run, step, place, data)

    def _open_ended(self, run: LockedRun, place: StepPlace, state: str, output: Any) -> bool:
        run.opened += 1
        run.data.outputs[place.step] = output
        self._opening.append(Opening(place, "running"))
        self._note_end(run, place, state, output, None)
        return True

    def _fan_out(self, run: LockedRun, step: FlowStep, place: StepPlace, items: Any, data: dict[str, Any]) -> bool:
        if not isinstance(items, list):
            return self._open_failed(run, step, place, "not_a_list", "for_each found no list")
        if len(items) > MOST_ITEMS or run.opened + len(items) >= MOST_OPENED:
            return self._open_failed(run, step, place, "too_many_items", f"{len(items)} items are too many")
        if not items:
            return self._open_ended(run, place, "done", [])
        due_at = None if step.time_limit is None else self._tx.now + step.time_limit
        run.opened += 1 + len(items)
        self._opening.append(Opening(place, "running", open_items=len(items), due_at=due_at))
        share = self._share(step, len(items))
        for number, item in enumerate(items):
            data["item"] = item
            at = StepPlace(run.id, place.step, number, False)
            opening = self._ready(run, step, at, values.resolve_each(step.input, data), due_at)
            if opening.needs_job and share > 1:
                opening.upto = min(number - number % share + share, len(items)) - 1
            self._opening.append(opening)
        return False

    def _share(self, step: FlowStep, items: int) -> int:
        """How many items share a job. Only of many, so that every slot has work, and only where their ends may wait for
        each other for a moment: what acts has a commit of its own anyway."""
        kind = self._kinds.find(step.kind)
        return -(-items // MOST_JOBS) if kind is not None and kind.perform is not None else 1

    def _open_failed(self, run: LockedRun, step: FlowStep, place: StepPlace, code: str, reason: str) -> bool:
        run.opened += 1
        self._opening.append(Opening(place, "running"))
        return self._give_up(run, step, place, {"code": code, "reason": reason})

    async def _open_one(self, run: LockedRun, step: FlowStep, place: StepPlace, data: dict[str, Any]) -> bool:
        if run.opened >= MOST_OPENED:
            return self._open_failed(run, step, place, "too_many_steps", f"a run opens {MOST_OPENED} steps at most")
        given = values.resolve_each(step.input, data)
        if len(json.dumps(given, default=str)) > LARGEST_INPUT * 4:
            return self._open_failed(run, step, place, "input_too_large", "what the step is given is too large")
        due_at = None if step.time_limit is None else self._tx.now + step.time_limit
        if step.wait is not None:
            return await self._open_wait(run, step, step.wait, place, data, given, due_at)
        run.opened += 1
        self._opening.append(self._ready(run, step, place, given, due_at))
        return False

    def _ready(self, run: LockedRun, step: FlowStep, place: StepPlace, given: Any, due_at: datetime | None) -> Opening:
        """For a strand that just ended a step of this run, or for a job of its own; of a paused run for nobody yet."""
        strands = self._continuing.get(run.id)
        if run.state == RunState.PAUSED:
            return Opening(place, "ready", given, due_at=due_at)
        if strands:
            job = strands.pop()
            self.taken[job] = OpenStep(place, 1, 0, given, due_at, self._tx.now)
            return Opening(place, "running", given, job=job, due_at=due_at)
        return Opening(place, "ready", given, due_at=due_at, needs_job=True)

    async def _open_wait(
        self,
        run: LockedRun,
        step: FlowStep,
        wait: WaitFor,
        place: StepPlace,
        data: dict[str, Any],
        given: Any,
        due_at: datetime | None,
    ) -> bool:  # long: what a wait is
        if wait.duration is not None or (not wait.event and not wait.workflow):
            moment = self._tx.now + wait.duration if wait.duration is not None else None
            moment = moment or checking.read_moment(values.resolve(wait.until, data))
            if moment is None:
                return self._open_failed(run, step, place, "not_a_moment", "until found no moment with its zone")
            run.opened += 1
            self._opening.append(Opening(place, "waiting", due_at=moment, needs_job=True, run_at=moment, is_timer=True))
            return False
        if wait.event:
            key = None if wait.key is None else str(values.resolve(wait.key, data))
            signal = signals.event_signal(wait.event, key, run.unit_id)
        else:
            child = await self._start_child(run, place.step, wait.workflow, given)
            if isinstance(child, StepFailed):
                return self._open_failed(run, step, place, child.code, child.reason)
            signal = f"{CHILD}{child}"
        run.opened += 1
        timed: dict[str, Any] = {"needs_job": True, "run_at": due_at, "is_timer": True} if due_at is not None else {}
        self._opening.append(Opening(place, "waiting", given, signal=signal, due_at=due_at, **timed))
        return False

    async def _start_child(self, run: LockedRun, number: int, name: str, given: Any) -> int | StepFailed:
        if run.depth + 1 > DEEPEST:
            return StepFailed(f"workflows start each other {DEEPEST} deep at most", "too_deep", is_final=True)
        found = await find_named(self._tx, name, run.unit_id)
        if found is None:
            return StepFailed(f"there is no workflow named {name}", "unknown_workflow", is_final=True)
        decided = await list_decided(self._tx, found, checking.list_from_outside(run.flow, self._kinds, number))
        if decided:
            reason = f"{', '.join(decided)} of {name} says where something goes, and was read outside"
            return StepFailed(reason, "destination_from_outside", is_final=True)
        flow, depth = found.workflow, run.depth + 1
        new = NewRun(found.id, found.definition_id, flow, given, run.unit_id, run.owner, run.id, depth)
        try:
            made, whole = await insert_run(self._tx, new)
        except BadRunInput as error:
            return StepFailed(str(error), error.code, is_final=True)
        child = type(self)(self._tx, self._flows, self._kinds)
        await child.lock([made], {made: RunData(whole, has_input=True)})
        await child.begin(child.runs[made])
        return made

    def _give_up(self, run: LockedRun, step: FlowStep, place: StepPlace, error: dict[str, Any]) -> bool:
        """What a failure for good means for the run. True: what comes after goes on."""
        if step.on_error is OnError.SKIP:
            self._note_end(run, place, "skipped", None, error)
            if place.item == PLAIN:
                run.data.outputs[place.step] = None
            return True
        self._note_end(run, place, "failed", None, error)
        if run.state in PASSING:
            where = step.name if place.item == PLAIN else f"{step.name}[{place.item}]"
            why = f"{where}: {error['reason']}"
            self._failed.setdefault(run.id, (why, step.on_error is OnError.COMPENSATE))
        return False


def _named(step: FlowStep) -> set[str]:
    """The steps that opening this one looks at."""
    wait = {} if step.wait is None else {"until": step.wait.until, "key": step.wait.key}
    looked = [*values.references([dict(step.input), step.for_each, wait])]
    if step.when is not None:
        looked += values.of_condition(step.when)
    return {one.step for one in looked if one.step}
