"""What may be done to a run: start it, pause and resume it, cancel it, retry from a step, skip a step, run it again."""

from collections.abc import Mapping
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Conflict, Invalid, NotFound
from pabal.base.sql import load
from pabal.engine import withdrawals
from pabal.engine.queue import enqueue_many
from pabal.engine.transitions import transition
from pabal.engine.workflows import advance
from pabal.engine.workflows.advance import Advance
from pabal.engine.workflows.definitions import Flows, StoredWorkflow, get_workflow
from pabal.engine.workflows.machine import OVER, WORKFLOW_RUN, RunEvent, RunState
from pabal.engine.workflows.records import PLAIN, Finished, LockedRun, OpenStep
from pabal.engine.workflows.signals import StepPlace, strand_job
from pabal.engine.workflows.step_kinds import StepKinds
from pabal.engine.workflows.writing import NewRun, note

SQL = load(__file__)


class RunNotFound(NotFound, code="workflow_run_not_found"):
    """There is no such run of a workflow, or it is not yours to see."""


class RunOver(Conflict, code="workflow_run_over"):
    """This run is over. Retry it from a step, or run it again."""


class RunGoesOn(Conflict, code="workflow_run_goes_on"):
    """This run has not failed and was not cancelled, so there is nothing to retry."""


class NoSuchStep(Invalid, code="workflow_step_unknown"):
    """The workflow of this run has no such step, or the run has not come to it."""


class StepOver(Conflict, code="workflow_step_over"):
    """This step is over: there is nothing to skip."""


class WorkflowArchived(Conflict, code="workflow_archived"):
    """This workflow was put away. Save it again to start it."""


class Runs:
    """The verbs. Each is part of the caller's commit; `actor` is for the history."""

    def __init__(self, kinds: StepKinds, flows: Flows | None = None) -> None:
        self._kinds = kinds
        self._flows = flows or Flows()

    async def start(
        self,
        tx: Tx,
        workflow: StoredWorkflow,
        given: Mapping[str, Any],
        *,
        owner: str,
        cause: str | None = None,
        again_of: int | None = None,
        depth: int = 0,
    ) -> int:  # long: what a start is
        """A run of this version, in the unit of its workflow. Raises BadRunInput."""
        if workflow.archived_at is not None:
            raise WorkflowArchived(workflow.name)
        new = NewRun(
            workflow.id,
            workflow.definition_id,
            workflow.workflow,
            given,
            workflow.unit_id,
            owner,
            depth=depth,
            again_of=again_of,
            cause=cause,
        )
        return await advance.begin_run(tx, new, self._flows, self._kinds)

    async def pause(self, tx: Tx, run_id: int, *, actor: str, reason: str | None = None) -> None:
        """What runs comes to its end; nothing new begins."""
        await self._lock(tx, run_id)
        await transition(tx, WORKFLOW_RUN, run_id, RunEvent.PAUSE, actor=actor, reason=reason)

    async def resume(self, tx: Tx, run_id: int, *, actor: str) -> None:
        """What was held back begins."""
        held = await self._lock(tx, run_id)
        run = held.runs[run_id]
        await transition(tx, WORKFLOW_RUN, run_id, RunEvent.RESUME, actor=actor)
        rows = await tx.rows(SQL.list_held, run=run_id)
        places = [StepPlace(run_id, row["step"], row["item"], row["undo"]) for row in rows]
        answers = await enqueue_many(tx, [strand_job(place, run.unit_id) for place in places])
        for place, answer in zip(places, answers, strict=True):
            await tx.run(SQL.give_job, **place._asdict(), job=answer.id)
        run.state = RunState.RUNNING
        # all that was left may have ended while it was paused
        await held.finish([])

    async def cancel(self, tx: Tx, run_id: int, *, actor: str, reason: str, compensates: bool = True) -> None:
        """What waits ends now, what runs is told; then what was done is taken back, unless one says otherwise."""
        held = await self._lock(tx, run_id)
        if held.runs[run_id].state in OVER:
            raise RunOver(str(run_id))
        await advance.stop_run(tx, run_id, "cancelled", reason=reason, compensates=compensates, actor=actor)

    async def retry_from(self, tx: Tx, run_id: int, step: str, *, actor: str) -> None:
        """A failed or cancelled run goes on from this step: it, all that comes after it, and what was taken back are
        done again."""
        held = await self._lock(tx, run_id)
        run = held.runs[run_id]
        if run.state not in (RunState.FAILED, RunState.CANCELLED):
            raise RunGoesOn(str(run_id))
        number = self._number(run, step)
        again = {number, *run.flow.downstream(number)}
        known = {row["step"]: row["state"] for row in await tx.rows(SQL.list_states, run=run_id)}
        if any(known.get(one) not in ("done", "skipped") for one in run.flow.upstream(number)):
            raise NoSuchStep(step)
        # what was stopped or taken back elsewhere is opened again, too, where nothing before it is
        stopped = {one for one, state in known.items() if state in ("failed", "cancelled")}
        stopped |= {row["step"] for row in await tx.rows(SQL.list_undone, run=run_id)}
        again |= stopped | {after for one in stopped for after in run.flow.downstream(one)}
        await tx.run(SQL.put_away, run=run_id, steps=sorted(again), actor=actor)
        await tx.run(SQL.reset_run, id=run_id, limit=run.flow.time_limit)
        await transition(tx, WORKFLOW_RUN, run_id, RunEvent.RETRY, actor=actor, reason=f"from {step}")
        fresh = await self._lock(tx, run_id)
        over = {one for one, state in known.items() if state in ("done", "skipped") and one not in again}
        for one in sorted(again):
            if over.issuperset(run.flow.needed[one]):
                await fresh.open_ready([(fresh.runs[run_id], one)])

    async def skip_step(self, tx: Tx, run_id: int, step: str, *, actor: str, reason: str) -> None:
        """An open step counts as skipped, and what comes after it goes on. What runs is stopped, and gives nothing."""
        held = await self._lock(tx, run_id)
        run = held.runs[run_id]
        number = self._number(run, step)
        rows = await tx.rows(SQL.take_open, run=run_id, step=number)
        if not rows or run.state not in (RunState.RUNNING, RunState.PAUSED):
            raise StepOver(step)
        await withdrawals.ask(tx, [row["job"] for row in rows if row["job"] is not None], reason=reason[:200])
        await held.release(run, [row for row in rows if row["has_asked"]])
        place = StepPlace(run_id, number, PLAIN, undo=False)
        await note(tx, place, "skipped", actor, {"reason": reason[:500]})
        # its items end with it
        items = [row for row in rows if row["item"] != PLAIN]
        run.ended += len(items)
        await tx.run(SQL.count_ended, id=run_id, ended=run.ended)
        open_step = OpenStep(place, 0, 0, None, None, tx.now)
        await held.finish([Finished(open_step, None, is_skipped=True)])

    async def again(self, tx: Tx, run_id: int, given: Mapping[str, Any] | None, *, owner: str) -> int:
        """A new run of the same version, with another input where one is given."""
        row = await self._row(tx, run_id)
        workflow = await get_workflow(tx, row["workflow_id"], row["number"])
        wanted = row["input"] if given is None else given
        return await self.start(tx, workflow, wanted, owner=owner, again_of=run_id)

    async def _lock(self, tx: Tx, run_id: int) -> Advance:
        held = Advance(tx, self._flows, self._kinds)
        await held.lock([run_id])
        if run_id not in held.runs:
            raise RunNotFound(str(run_id))
        return held

    async def _row(self, tx: Tx, run_id: int) -> Any:
        rows = await tx.rows(SQL.find_run_version, id=run_id)
        if not rows:
            raise RunNotFound(str(run_id))
        return rows[0]

    @staticmethod
    def _number(run: LockedRun, step: str) -> int:
        if step not in run.flow.numbers:
            raise NoSuchStep(step)
        return run.flow.numbers[step]
