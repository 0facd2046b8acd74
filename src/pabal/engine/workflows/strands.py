"""A strand: one job that takes a run from step to step. Each step's end is committed before the next begins.

Strands that end their steps together share a commit. Whatever dies, the next attempt begins with the open step.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from pabal.base.clock import elapsed
from pabal.base.database import ConnectionFailure, Database, DatabaseUnavailable, Tx
from pabal.base.errors import PabalError, Unavailable
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import claims
from pabal.engine.batcher import Batcher
from pabal.engine.claims import LeaseLost
from pabal.engine.kinds import Job, Kinds
from pabal.engine.queue import enqueue
from pabal.engine.steps import DatabaseAway
from pabal.engine.workflows.advance import Advance, stop_run
from pabal.engine.workflows.definitions import Flows
from pabal.engine.workflows.machine import RunState
from pabal.engine.workflows.model import FlowStep
from pabal.engine.workflows.records import Finished, LockedRun, OpenStep, RunData, call_of, place_columns
from pabal.engine.workflows.signals import StepPlace
from pabal.engine.workflows.step_kinds import StepCall, StepFailed, StepKind, StepKinds
from pabal.engine.workflows.stopping import CONCLUDE, LOSE, STOP, STRAND, job_about

SQL = load(__file__)
AT_ONCE = 2
# how long ends of items may wait for each other
FLUSH = 0.02
PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)
T = TypeVar("T")

declare("workflows.step_raised", "Steps whose kind raised", labels=("kind",), level=30)
declare("workflows.apart", "Commits of several strands that one of them spoilt", level=30)


@dataclass(slots=True)
class _Strand:
    """What a job has in hand: a run, and the step it is at. `answer` is there if the step was answered already."""

    job: Job
    run: LockedRun
    step: OpenStep
    seconds: float | None = None
    answer: Any = None
    # items of a fan-out that this job also has
    more: tuple[OpenStep, ...] = ()

    @property
    def flow_step(self) -> FlowStep:
        return self.run.flow.steps[self.step.place.step]

    @property
    def call(self) -> StepCall:
        return call_of(self.run, self.step)


class _Ended(NamedTuple):
    """`goes_on`: the strand takes what this opens. Of several items the last one does."""

    strand: _Strand
    outcome: Any
    goes_on: bool = True


class Strands:
    """Runs the steps of workflows in this process."""

    def __init__(self, database: Database, kinds: StepKinds, flows: Flows | None = None) -> None:
        self._database = database
        self._kinds = kinds
        self._flows = flows or Flows()
        self._beginning = Batcher[Job, _Strand | None](
            "workflows begin", self._begin_all, at_once=AT_ONCE, waits_alone=False
        )
        self._ending = Batcher[list[_Ended], _Strand | None](
            "workflows end", self._end_all, at_once=AT_ONCE, waits_alone=False
        )

    def add_to(self, kinds: Kinds) -> Kinds:
        kinds.plain(STRAND, give_up=self.give_up)(self.run)
        kinds.plain(CONCLUDE)(self.conclude)
        kinds.plain(STOP)(self.stop)
        kinds.plain(LOSE)(self.lose)
        return kinds

    async def run(self, job: Job) -> None:
        """One step after the other, as long as one opens the next."""
        strand = await self._beginning.put(job)
        while strand is not None:
            strand = await self._go_on(strand)

    async def conclude(self, job: Job) -> None:
        """A run that was stopped, once what waited is over."""
        async with claims.fenced(self._database, job) as tx:
            advance = Advance(tx, self._flows, self._kinds)
            await advance.lock([job.args["run"]])
            for run in advance.runs.values():
                await advance.conclude(run)

    async def stop(self, job: Job) -> None:
        """A run that nobody waits for any more."""
        async with claims.fenced(self._database, job) as tx:
            advance = Advance(tx, self._flows, self._kinds)
            await advance.lock([job.args["run"]])
            for run in advance.runs.values():
                if run.state in (RunState.RUNNING, RunState.PAUSED):
                    reason = job.args["reason"]
                    await stop_run(tx, run.id, "cancelled", reason=reason, compensates=True, actor="engine")

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        """The job ended without an end of its step: it was cancelled, or took its servers with it.

        Locks no run: many jobs end in one commit, in an order of their own, and what raises here is not done again.
        """
        run = job.args["run"]
        if await tx.value(SQL.has_steps, job=job.id, run=run):
            await enqueue(tx, job_about(LOSE, run, unit_id=job.unit_id, strand=job.id, reason=reason[:2000]))

    async def lose(self, job: Job) -> None:
        """Ends the steps of a strand that is given up."""
        run_id = job.args["run"]
        async with claims.fenced(self._database, job) as tx:
            advance = Advance(tx, self._flows, self._kinds)
            await advance.lock([run_id])
            for row in await tx.rows(SQL.list_steps_of, job=job.args["strand"], run=run_id):
                if advance.runs[run_id].state in (RunState.RUNNING, RunState.PAUSED, RunState.COMPENSATING):
                    lost = StepFailed(job.args["reason"], "step_lost", is_final=True)
                    await advance.finish([Finished(_open_step(row), lost)])
                else:
                    await advance.finish([Finished(_open_step(row), None, is_cancelled=True)])

    # -- one step

    async def _go_on(self, strand: _Strand) -> _Strand | None:
        if strand.answer is not None:
            return await self._end(strand, strand.answer)
        step = strand.flow_step
        undo = strand.step.place.undo
        name = step.compensate.kind if undo and step.compensate is not None else step.kind
        kind = self._kinds.find(name)
        if kind is None:
            return await self._end(strand, StepFailed(f"there is no {name} here", "unknown_kind", is_final=True))
        if strand.more:
            return await self._run_items(strand, kind)
        if kind.perform is not None:
            return await self._end(strand, await self._try(strand, kind, kind.perform(strand.call)))
        return await self._act(strand, kind)

    async def _run_items(self, strand: _Strand, kind: StepKind) -> _Strand | None:
        """One after the other; their ends are written together, as often as anybody would notice."""
        assert kind.perform is not None  # noqa: S101 -- only such items share a job # nosec B101
        ended: list[_Ended] = []
        began = elapsed()
        last = strand.more[-1]
        after: _Strand | None = None
        for step in (strand.step, *strand.more):
            one = _Strand(strand.job, strand.run, step, strand.seconds)
            outcome = await self._try(one, kind, kind.perform(one.call))
            ended.append(_Ended(one, outcome, step is last))
            if step is last or elapsed() - began >= FLUSH:
                after = await self._end_together(ended)
                ended, began = [], elapsed()
        return after

    async def _act(self, strand: _Strand, kind: StepKind) -> _Strand | None:
        """What it writes and that it is done are one commit; what it raises undoes both, and is how it failed."""
        result: list[_Strand | None] = []

        async def act() -> None:
            async with claims.fenced(self._database, strand.job) as tx:
                advance = await self._lock_step(tx, strand)
                if advance is None:
                    result.append(None)
                    return
                assert kind.act is not None  # noqa: S101 -- a kind acts or performs # nosec B101
                said = await kind.act(tx, strand.call)
                if isinstance(said, StepFailed):
                    raise _Failed(said)
                await advance.finish([Finished(strand.step, said, strand.job.id)])
                result.append(self._next(advance, strand))
                kill_point("workflows.acted")

        failed = await self._try(strand, kind, act())
        kill_point("workflows.act_committed")
        return await self._end(strand, failed) if isinstance(failed, StepFailed) else result[-1]

    async def _lock_step(self, tx: Tx, strand: _Strand) -> Advance | None:
        """None: the run was stopped meanwhile, and the step with it."""
        place = strand.step.place
        advance = Advance(tx, self._flows, self._kinds)
        await advance.lock([place.run_id], {place.run_id: strand.run.data})
        run = advance.runs[place.run_id]
        is_going = run.state in (RunState.RUNNING, RunState.PAUSED) or place.undo
        is_own = bool(await self._find(tx, [(strand.job.id, place)]))
        if is_own and is_going:
            strand.run = run
            return advance
        if is_own:
            await advance.finish([Finished(strand.step, None, is_cancelled=True)])
        return None

    async def _try(self, strand: _Strand, kind: StepKind, doing: Awaitable[T]) -> T | StepFailed:
        try:
            async with asyncio.timeout(strand.seconds) if strand.seconds is not None else nullcontext():
                return await doing
        except TimeoutError:
            return StepFailed("its time is over", "time_limit", is_final=True)
        except _Failed as error:
            return error.failed
        except (LeaseLost, asyncio.CancelledError):
            raise
        except (DatabaseUnavailable, *ConnectionFailure) as error:
            if kind.act is not None:
                raise DatabaseAway(repr(error)) from error
            return StepFailed(f"{type(error).__name__}: {error}", "step_raised")
        except PabalError as error:
            return StepFailed(str(error), error.code, is_final=not isinstance(error, Unavailable))
        except Exception as error:  # noqa: BLE001 -- whatever a kind of step raises
            emit("workflows.step_raised", kind=kind.full_name, error=repr(error))
            return StepFailed(f"{type(error).__name__}: {error}", "step_raised")

    async def _end(self, strand: _Strand, outcome: Any) -> _Strand | None:
        return await self._end_together([_Ended(strand, outcome)])

    async def _end_together(self, ended: list[_Ended]) -> _Strand | None:
        """What was done outside cannot be undone, so a database that is away is asked until the life lapses."""
        tries = 0
        while True:
            try:
                return await self._ending.put(ended)
            except (DatabaseUnavailable, *ConnectionFailure):
                await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
                tries += 1

    # -- commits of many

    async def _begin_all(self, jobs: list[Job]) -> list[Any]:
        return await self._apart_if_spoilt(self._begin_once, jobs)

    async def _end_all(self, ended: list[list[_Ended]]) -> list[Any]:
        return await self._apart_if_spoilt(self._end_once, ended)

    async def _apart_if_spoilt(self, once: Callable[[list[T]], Awaitable[list[Any]]], batch: list[T]) -> list[Any]:
        try:
            return await once(batch)
        except (DatabaseUnavailable, *ConnectionFailure):
            raise
        except Exception as error:  # noqa: BLE001 -- alone, only the one that spoilt it hears of it
            if len(batch) == 1:
                return [error]
            emit("workflows.apart", count=len(batch), error=repr(error))
        return [answer for one in batch for answer in await self._apart_if_spoilt(once, [one])]

    async def _begin_once(self, jobs: list[Job]) -> list[Any]:
        """Marks each step as running, and reads what it is called with."""
        async with claims.holding(self._database, jobs) as (tx, held):
            mine = [job for job in jobs if held.get(job.key)]
            advance = Advance(tx, self._flows, self._kinds)
            await advance.lock(job.args["run"] for job in mine)
            found = await self._start(tx, mine)
            strands = {job.id: self._strand(tx, advance, job, found[job.id]) for job in mine if job.id in found}
            await self._hold_back([one for one in strands.values() if one.run.state == RunState.PAUSED], tx)
        lost = {job.id for job in jobs if not held.get(job.key)}
        return [_lost(job) if job.id in lost else _going(strands.get(job.id)) for job in jobs]

    async def _start(self, tx: Tx, jobs: list[Job]) -> dict[int, list[Any]]:
        """The open steps of each: those it was made for, or what a strand that died had come to since."""
        columns = {
            "jobs": [job.id for job in jobs],
            "runs": [job.args["run"] for job in jobs],
            "steps": [job.args["step"] for job in jobs],
            "items": [job.args["item"] for job in jobs],
            "uptos": [job.args.get("upto", job.args["item"]) for job in jobs],
            "undos": [job.args["undo"] for job in jobs],
        }
        rows = list(await tx.rows(SQL.start_steps, **columns)) if jobs else []
        known = {row["job"] for row in rows}
        moved = [job for job in jobs if job.id not in known]
        if moved:
            given = {"jobs": [job.id for job in moved], "runs": [job.args["run"] for job in moved]}
            rows += await tx.rows(SQL.start_moved, **given)
        found: dict[int, list[Any]] = {}
        for row in sorted(rows, key=lambda row: (row["step"], row["item"])):
            found.setdefault(row["job"], []).append(row)
        return found

    def _strand(self, tx: Tx, advance: Advance, job: Job, rows: list[Any]) -> _Strand:
        run = advance.runs[rows[0]["run_id"]]
        step, *more = map(_open_step, rows)
        seconds = None if step.due_at is None else max((step.due_at - tx.now).total_seconds(), 0.0)
        return _Strand(job, run, step, seconds, self._answer(run, step, job), tuple(more))

    def _answer(self, run: LockedRun, step: OpenStep, job: Job) -> Any:
        """Of a step that waited: what the signal brought, or that its moment has come."""
        if not _is_made_for(job, step):
            return None
        flow_step = run.flow.steps[step.place.step]
        if "signal" in job.args:
            return self._read_signal(run, flow_step, step, job.args["signal"])
        if not job.args.get("due"):
            return None
        if flow_step.wait is not None and not flow_step.wait.event and not flow_step.wait.workflow:
            return {"at": step.due_at.isoformat() if step.due_at is not None else None}
        return StepFailed("nothing came in time", "time_limit", is_final=True)

    def _read_signal(self, run: LockedRun, step: FlowStep, open_step: OpenStep, data: dict[str, Any]) -> Any:
        if step.wait is not None and step.wait.workflow:
            if data["state"] == RunState.DONE:
                return data["output"] or {}
            return StepFailed(f"{step.wait.workflow} ended as {data['state']}", "workflow_failed", is_final=True)
        undo = open_step.place.undo and step.compensate is not None
        kind = self._kinds.find(step.compensate.kind if undo and step.compensate else step.kind) if step.kind else None
        if kind is None or kind.on_signal is None:
            return data
        try:
            return kind.on_signal(call_of(run, open_step), data)
        except Exception as error:  # noqa: BLE001 -- whatever a kind of step raises
            return StepFailed(f"{type(error).__name__}: {error}", "bad_signal", is_final=True)

    async def _hold_back(self, paused: list[_Strand], tx: Tx) -> None:
        """A step of a paused run goes on when the run does; one that waited has its answer and ends all the same."""
        held = [step for one in paused if one.answer is None for step in (one.step, *one.more)]
        for step in held:
            await tx.run(SQL.hold_back, **step.place._asdict())

    async def _end_once(self, groups: list[list[_Ended]]) -> list[Any]:
        """One commit: the results, what they open, and who goes on with it. A group is what one strand ended."""
        last = [group[-1] for group in groups]
        jobs = [one.strand.job for one in last]
        async with claims.holding(self._database, jobs) as (tx, held):
            mine = [one for group in groups for one in group if held.get(one.strand.job.key)]
            advance = Advance(tx, self._flows, self._kinds)
            known: dict[int, RunData] = {one.strand.run.id: one.strand.run.data for one in mine}
            await advance.lock({one.strand.run.id for one in mine}, known)
            # who waits is locked before the step, as a sender of signals does
            await self._let_go(tx, mine)
            finished = await self._still_open(tx, mine)
            await advance.finish(finished)
            ended = {one.step.place for one in finished}
            late = [one.strand.job for one in last if one.goes_on and one.strand.step.place not in ended]
            moved = await self._find_moved(tx, advance, [job for job in late if held.get(job.key)])
            kill_point("workflows.ended")
        kill_point("workflows.end_committed")
        strands = [one.strand for one in last]
        return [
            (moved.get(one.job.id) or self._next(advance, one)) if held.get(one.job.key) else _lost(one.job)
            for one in strands
        ]

    async def _find_moved(self, tx: Tx, advance: Advance, jobs: list[Job]) -> dict[int, _Strand]:
        """Where the answer to a commit was lost, it had ended the step, and opened what this strand must go on with."""
        found = await self._start(tx, jobs) if jobs else {}
        return {job.id: self._strand(tx, advance, job, found[job.id]) for job in jobs if job.id in found}

    async def _still_open(self, tx: Tx, mine: list[_Ended]) -> list[Finished]:
        """Those whose step is still theirs: a person may have skipped it while it ran."""
        own = await self._find(tx, [(one.strand.job.id, one.strand.step.place) for one in mine])
        return [
            Finished(one.strand.step, one.outcome, one.strand.job.id if one.goes_on else None)
            for one in mine
            if one.strand.step.place in own
        ]

    @staticmethod
    async def _find(tx: Tx, wanted: list[tuple[int, StepPlace]]) -> set[StepPlace]:
        """Of these the steps that are open, and this job's."""
        places = [place for _, place in wanted]
        rows = await tx.rows(SQL.find_steps, jobs=[job for job, _ in wanted], **place_columns(places)) if wanted else []
        return {StepPlace(row["run_id"], row["step"], row["item"], row["undo"]) for row in rows}

    async def _let_go(self, tx: Tx, mine: list[_Ended]) -> None:
        """A wait whose time is over leaves nothing asked for."""
        for one in mine:
            step = one.strand.step
            if isinstance(one.outcome, StepFailed) and step.signal is not None and _is_due(one.strand.job, step):
                await tx.run(SQL.forget_wait, **step.place._asdict())
                kind = self._kinds.find(one.strand.flow_step.kind) if one.strand.flow_step.kind else None
                if kind is not None and kind.release is not None:
                    await kind.release(tx, one.strand.call)

    def _next(self, advance: Advance, strand: _Strand) -> _Strand | None:
        step = advance.taken.get(strand.job.id)
        if step is None:
            return None
        run = advance.runs[strand.run.id]
        seconds = None if step.due_at is None else max((step.due_at - step.opened_at).total_seconds(), 0.0)
        return _Strand(strand.job, run, step, seconds)


class _Failed(Exception):
    """Undoes what an act wrote before it said that it failed."""

    def __init__(self, failed: StepFailed) -> None:
        self.failed = failed
        super().__init__(failed.reason)


def _going(strand: _Strand | None) -> _Strand | None:
    """What was held back is nobody's until the run goes on."""
    return None if strand is None or (strand.run.state == RunState.PAUSED and strand.answer is None) else strand


def _is_made_for(job: Job, step: OpenStep) -> bool:
    """Not so of a strand that died after its first step: what its job brought was that step's."""
    place = step.place
    return (place.step, place.item, place.undo) == (job.args["step"], job.args["item"], job.args["undo"])


def _is_due(job: Job, step: OpenStep) -> bool:
    return bool(job.args.get("due")) and _is_made_for(job, step)


def _lost(job: Job) -> LeaseLost:
    return LeaseLost(f"job {job.id} token {job.token}")


def _open_step(row: Any) -> OpenStep:
    return OpenStep(
        StepPlace(row["run_id"], row["step"], row["item"], row["undo"]),
        row["attempt"],
        row["failures"],
        row["input"],
        row["due_at"],
        row["opened_at"],
        row["signal"],
    )
