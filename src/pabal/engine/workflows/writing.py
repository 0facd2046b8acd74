"""Writes what a commit does to runs: ends, openings and counters in one statement, with the jobs they need."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.engine import facts, transitions
from pabal.engine.facts import NewFact
from pabal.engine.queue import NewJob, enqueue_many
from pabal.engine.workflows import checking, schema, signals
from pabal.engine.workflows.definitions import Flows
from pabal.engine.workflows.machine import WORKFLOW_RUN, RunState
from pabal.engine.workflows.model import LARGEST_INPUT, Workflow
from pabal.engine.workflows.records import (
    ACTOR,
    LockedRun,
    Opening,
    OpenStep,
    RunData,
    StepEnd,
    end_columns,
    opening_columns,
    place_columns,
)
from pabal.engine.workflows.signals import StepPlace, strand_job
from pabal.engine.workflows.step_kinds import AwaitSignal, StepFailed, StepKinds

SQL = load(__file__)


class BadRunInput(Invalid, code="bad_run_input"):
    """The workflow cannot be started with this input."""


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run about to begin. `again_of`: the run it repeats; `cause`: what led to it (a rule, an event)."""

    workflow_id: int
    definition_id: int
    flow: Workflow
    input: Mapping[str, Any]
    unit_id: int | None
    owner: str
    parent_id: int | None = None
    depth: int = 0
    again_of: int | None = None
    cause: str | None = None


class Writing:
    """For one transaction: the runs it holds, and what is to be written of them."""

    def __init__(self, tx: Tx, flows: Flows, kinds: StepKinds) -> None:
        self._tx = tx
        self._flows = flows
        self._kinds = kinds
        self.runs: dict[int, LockedRun] = {}
        self.taken: dict[int, OpenStep] = {}
        self._continuing: dict[int, list[int]] = {}
        self._ended: list[StepEnd] = []
        self._opening: list[Opening] = []
        self._retrying: list[tuple[OpenStep, StepFailed, datetime]] = []
        self._waiting: list[tuple[OpenStep, AwaitSignal]] = []
        self._failed: dict[int, tuple[str, bool]] = {}
        self._grown: Counter[int] = Counter()
        self._facts: list[NewFact] = []
        self._first_of: dict[tuple[int, int, int | None], int] = {}

    async def lock(self, run_ids: Iterable[int], known: Mapping[int, RunData] | None = None) -> None:
        """In the order of ids, so that two who want the same ones cannot deadlock."""
        wanted = sorted(set(run_ids) - self.runs.keys())
        found = await self._tx.all(LockedRun, SQL.lock_runs, ids=wanted) if wanted else []
        flows = await self._flows.load(self._tx, {run.definition_id for run in found})
        for run in found:
            run.flow = flows[run.definition_id]
            run.data = (known or {}).get(run.id) or RunData()
            self.runs[run.id] = run

    async def load_data(self, inputs: set[int], wanted: set[tuple[int, int]]) -> None:
        if inputs:
            for row in await self._tx.rows(SQL.load_inputs, ids=sorted(inputs)):
                data = self.runs[row["id"]].data
                data.input, data.has_input = row["input"], True
        if wanted:
            rows = await self._tx.rows(
                SQL.load_outputs, runs=[run for run, _ in wanted], steps=[step for _, step in wanted]
            )
            for row in rows:
                self.runs[row["run_id"]].data.outputs[row["step"]] = row["output"]

    def _note_end(
        self, run: LockedRun, place: StepPlace, state: str, output: Any, error: dict[str, Any] | None
    ) -> None:
        run.ended += 1
        self._ended.append(StepEnd(place, state, output, error, run.ended))
        if state == "failed":
            self._tell(run, place, state, error)

    def _tell(self, run: LockedRun, place: StepPlace, state: str, data: dict[str, Any] | None) -> None:
        said = {"step": run.flow.steps[place.step].name, "item": place.item, "undo": place.undo, **(data or {})}
        self._facts.append(NewFact(f"workflow_step.{state}", f"workflow_run:{run.id}", said, run.unit_id))

    async def _write(self) -> None:
        """Ends, openings and counters in one statement; jobs before it, so that each row names its own."""
        if not (self._ended or self._opening or self._retrying or self._waiting):
            return
        await self._make_jobs()
        touched = {end.place.run_id for end in self._ended} | {one.place.run_id for one in self._opening}
        new = {one.place for one in self._opening}
        later = [end for end in self._ended if end.place in new]
        ended = [end for end in self._ended if end.place not in new] if later else self._ended
        over = {end.place: end for end in later}
        opening = opening_columns(self._opening, over)
        await self._tx.rows(SQL.apply, **end_columns(ended), **opening, **self._counts(touched), at=self._tx.now)
        await self._write_waits()
        await self._write_retries()
        await facts.record_many(self._tx, self._facts)
        self._ended, self._opening, self._facts = [], [], []
        self._grown.clear()
        kill_point("workflows.advanced")

    def _counts(self, touched: set[int]) -> dict[str, list[int]]:
        runs = [self.runs[run_id] for run_id in sorted(touched)]
        for run in runs:
            run.bytes += self._grown[run.id]
        return {
            "runs": [run.id for run in runs],
            "opened": [run.opened for run in runs],
            "ended": [run.ended for run in runs],
            "bytes": [run.bytes for run in runs],
        }

    async def _make_jobs(self) -> None:
        wanted = [one for one in self._opening if one.needs_job and not self._shares(one)]
        jobs: list[NewJob] = [self._job(one) for one in wanted]
        for step, _, moment in self._retrying:
            jobs.append(_at(strand_job(step.place, self.runs[step.place.run_id].unit_id), moment))
        answers = await enqueue_many(self._tx, jobs)
        for one, answer in zip(wanted, answers, strict=False):
            one.job = answer.id
        shared = {(one.place.run_id, one.place.step, one.upto): one.job for one in wanted if one.upto is not None}
        for one in self._opening:
            if one.upto is not None and one.job is None:
                one.job = shared[one.place.run_id, one.place.step, one.upto]
        self._retry_jobs = [answer.id for answer in answers[len(wanted) :]]

    def _shares(self, one: Opening) -> bool:
        """It has the job of an item before it."""
        before = self._first_of.setdefault((one.place.run_id, one.place.step, one.upto), one.place.item)
        return one.upto is not None and before != one.place.item

    def _job(self, one: Opening) -> NewJob:
        more: dict[str, Any] = {"due": True} if one.is_timer else {}
        if one.upto is not None:
            more["upto"] = one.upto
        return _at(strand_job(one.place, self.runs[one.place.run_id].unit_id, **more), one.run_at)

    async def _write_waits(self) -> None:
        """Steps that wait for a signal: those opened so, and those whose kind asked for one just now."""
        opened = [(one.place, one.signal) for one in self._opening if one.signal is not None]
        kept: list[tuple[StepPlace, str]] = [(place, str(signal)) for place, signal in opened]
        for step, asked in self._waiting:
            run = self.runs[step.place.run_id]
            due_at = min((moment for moment in (asked.until, step.due_at) if moment is not None), default=None)
            timer = None
            if due_at is not None:
                job = _at(strand_job(step.place, run.unit_id, due=True), due_at)
                [made] = await enqueue_many(self._tx, [job])
                timer = made.id
            await self._tx.run(SQL.wait_step, **step.place._asdict(), signal=asked.signal, job=timer, due_at=due_at)
            self._tell(run, step.place, "waiting", {"signal": asked.signal})
            kept.append((step.place, asked.signal))
        self._waiting = []
        if kept:
            await self._tx.run(
                SQL.insert_waits,
                signals=[signal for _, signal in kept],
                **place_columns([place for place, _ in kept]),
            )
            await self._take_kept(kept)

    async def _take_kept(self, waits: list[tuple[StepPlace, str]]) -> None:
        """A signal to this run that came before it waited."""
        for run_id in sorted({place.run_id for place, _ in waits}):
            for row in await self._tx.rows(SQL.take_kept, run=run_id):
                await signals.send_to_run(self._tx, run_id, row["signal"], row["data"])

    async def _write_retries(self) -> None:
        for (step, failed, moment), job in zip(self._retrying, self._retry_jobs, strict=True):
            error = {"code": failed.code, "reason": failed.reason[:2000].replace("\0", "")}
            await self._tx.run(SQL.retry_step, **step.place._asdict(), job=job, error=error)
            said = {**error, "attempt": step.attempt, "again_at": moment.isoformat()}
            await note(self._tx, step.place, "attempt_failed", ACTOR, said)
        self._retrying = []


async def insert_run(tx: Tx, new: NewRun) -> tuple[int, dict[str, Any]]:
    """A run in its first state, with its first history row and timer; nothing of it is open yet."""
    given = checked_input(new.flow, new.input)
    made: int = await tx.value(
        SQL.insert_run,
        unit_id=new.unit_id,
        workflow_id=new.workflow_id,
        definition_id=new.definition_id,
        state=str(RunState.RUNNING),
        owner=new.owner,
        input=given,
        parent_id=new.parent_id,
        depth=new.depth,
        again_of=new.again_of,
        cause=new.cause,
        limit=new.flow.time_limit,
    )
    await transitions.begin(tx, WORKFLOW_RUN, [made], actor=new.owner, cause=new.cause)
    return made, given


def checked_input(flow: Workflow, given: Mapping[str, Any]) -> dict[str, Any]:
    """With the defaults of what was not given. Raises BadRunInput."""
    whole = {name: one.default for name, one in flow.input.items() if one.default is not None} | dict(given)
    faults = schema.faults(checking.input_schema(flow), whole, is_data=True)
    if faults:
        said = [f"{fault.name}: {fault.wanted or fault.code.replace('_', ' ')}" for fault in faults]
        raise BadRunInput("; ".join(said[:5]))
    if len(json.dumps(whole, ensure_ascii=False).encode()) > LARGEST_INPUT:
        raise BadRunInput(f"more than {LARGEST_INPUT} bytes")
    return whole


async def note(tx: Tx, place: StepPlace, what: str, actor: str, data: dict[str, Any]) -> None:
    await tx.run(SQL.insert_note, **place._asdict(), what=what, actor=actor, data=data)


def _at(job: NewJob, moment: datetime | None) -> NewJob:
    if moment is None:
        return job
    return NewJob(job.kind, job.args, about=job.about, unit_id=job.unit_id, run_at=moment)
