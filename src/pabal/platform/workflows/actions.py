"""People's verbs over workflows: each asks for the right, looks only in sight, and writes the audit."""

from collections.abc import Mapping
from typing import Any

from pabal.base.database import Tx
from pabal.engine.workflows import checking, definitions, listing, signals
from pabal.engine.workflows.definitions import StoredWorkflow, WorkflowNotFound
from pabal.engine.workflows.listing import RunRow
from pabal.engine.workflows.mistakes import Mistake
from pabal.engine.workflows.model import Workflow
from pabal.engine.workflows.outside import refuse_in_others
from pabal.engine.workflows.runs import RunNotFound, Runs
from pabal.engine.workflows.schema import HIDDEN
from pabal.engine.workflows.step_kinds import StepKinds
from pabal.platform import audit, tenants
from pabal.platform.actor import Actor, Right, Role, right_of
from pabal.platform.tenants import Scope
from pabal.platform.workflows.questions import AREA


def roles_below(actor: Actor) -> tuple[str, ...]:
    """What `seen_by` may say of a workflow for this actor to see it."""
    return tuple(role.value for role in Role if actor.may(right_of(role), AREA))


def _with_secrets(run: RunRow, given: Mapping[str, Any]) -> dict[str, Any]:
    kept = [name for name, one in run.workflow.input.items() if one.secret and given.get(name) == HIDDEN]
    return {**given, **{name: run.input[name] for name in kept if name in run.input}}


class Workflows:
    """Of this process: the kinds of steps its slices brought, and what people may do."""

    def __init__(self, kinds: StepKinds) -> None:
        self.kinds = kinds
        self.runs = Runs(kinds)

    def check(self, text: str) -> list[Mistake]:
        """Every mistake of a workflow somebody writes."""
        return checking.find_mistakes(text, self.kinds)

    async def save(self, tx: Tx, actor: Actor, text: str, *, unit_id: int | None = None) -> StoredWorkflow:
        """From YAML, in the actor's own unit or in one below. Raises WorkflowRefused with every mistake."""
        # whoever may save nothing is told so, and not what is wrong with what they wrote
        actor.require(Right.WRITE, AREA)
        return await self.save_workflow(tx, actor, checking.read_yaml(text, self.kinds), unit_id=unit_id)

    async def save_workflow(
        self, tx: Tx, actor: Actor, workflow: Workflow, *, unit_id: int | None = None
    ) -> StoredWorkflow:
        actor.require(Right.WRITE, AREA)
        unit = (await tenants.visible_to(tx, actor, within=unit_id)).unit_id
        await refuse_in_others(tx, workflow, self.kinds, unit)
        decisive = checking.list_destinations(workflow, self.kinds)
        saved = await definitions.save_workflow(tx, workflow, unit_id=unit, by=actor.name, destinations=decisive)
        after = {"name": saved.name, "version": saved.number}
        await self._audit(tx, actor, "save", f"workflow:{saved.id}", saved.unit_id, after)
        return saved

    async def archive(self, tx: Tx, actor: Actor, workflow_id: int) -> None:
        actor.require(Right.WRITE, AREA)
        found = await self.get(tx, actor, workflow_id)
        await definitions.archive_workflow(tx, workflow_id)
        await self._audit(tx, actor, "archive", f"workflow:{workflow_id}", found.unit_id, {"name": found.name})

    async def start(
        self, tx: Tx, actor: Actor, workflow_id: int, given: Mapping[str, Any], *, cause: str | None = None
    ) -> int:
        """In the actor's name: their rights are asked for when each step runs."""
        actor.require(Right.WRITE, AREA)
        found = await self.get(tx, actor, workflow_id)
        run = await self.runs.start(tx, found, given, owner=actor.name, cause=cause)
        after = {"workflow": found.name, "version": found.number}
        await self._audit(tx, actor, "start", f"workflow_run:{run}", found.unit_id, after)
        return run

    async def pause(self, tx: Tx, actor: Actor, run_id: int, reason: str | None = None) -> None:
        run = await self._hold(tx, actor, run_id)
        await self.runs.pause(tx, run_id, actor=actor.name, reason=reason)
        await self._audit(tx, actor, "pause", f"workflow_run:{run_id}", run.unit_id, {"reason": reason})

    async def resume(self, tx: Tx, actor: Actor, run_id: int) -> None:
        run = await self._hold(tx, actor, run_id)
        await self.runs.resume(tx, run_id, actor=actor.name)
        await self._audit(tx, actor, "resume", f"workflow_run:{run_id}", run.unit_id, {})

    async def cancel(self, tx: Tx, actor: Actor, run_id: int, reason: str, *, compensates: bool = True) -> None:
        run = await self._hold(tx, actor, run_id)
        await self.runs.cancel(tx, run_id, actor=actor.name, reason=reason, compensates=compensates)
        after = {"reason": reason, "compensates": compensates}
        await self._audit(tx, actor, "cancel", f"workflow_run:{run_id}", run.unit_id, after)

    async def retry_from(self, tx: Tx, actor: Actor, run_id: int, step: str) -> None:
        run = await self._hold(tx, actor, run_id)
        await self.runs.retry_from(tx, run_id, step, actor=actor.name)
        await self._audit(tx, actor, "retry", f"workflow_run:{run_id}", run.unit_id, {"step": step})

    async def skip_step(self, tx: Tx, actor: Actor, run_id: int, step: str, reason: str) -> None:
        run = await self._hold(tx, actor, run_id)
        await self.runs.skip_step(tx, run_id, step, actor=actor.name, reason=reason)
        after = {"step": step, "reason": reason}
        await self._audit(tx, actor, "skip", f"workflow_run:{run_id}", run.unit_id, after)

    async def again(self, tx: Tx, actor: Actor, run_id: int, given: Mapping[str, Any] | None = None) -> int:
        """A new run in this actor's name. A secret that was not changed, and so not seen, stays as it was."""
        run = await self._hold(tx, actor, run_id)
        made = await self.runs.again(tx, run_id, given and _with_secrets(run, given), owner=actor.name)
        await self._audit(tx, actor, "again", f"workflow_run:{made}", run.unit_id, {"of": run_id})
        return made

    async def signal(self, tx: Tx, actor: Actor, run_id: int, event: str, data: Mapping[str, Any]) -> None:
        """To this run alone, as if the event had come; kept for it until it waits."""
        run = await self._hold(tx, actor, run_id)
        await signals.send_to_run(tx, run_id, signals.event_signal(event, unit_id=run.unit_id), data)
        await self._audit(tx, actor, "signal", f"workflow_run:{run_id}", run.unit_id, {"event": event})

    async def get(self, tx: Tx, actor: Actor, workflow_id: int, number: int | None = None) -> StoredWorkflow:
        """Raises WorkflowNotFound for what is not in sight."""
        actor.require(Right.READ, AREA)
        scope = await tenants.visible_to(tx, actor)
        found = await definitions.find_workflow(tx, workflow_id, number)
        if found is None or not scope.holds(found.unit_id) or found.seen_by not in roles_below(actor):
            raise WorkflowNotFound(str(workflow_id))
        return found

    async def get_run(self, tx: Tx, actor: Actor, run_id: int, scope: Scope | None = None) -> RunRow:
        """Raises RunNotFound for what is not in sight."""
        actor.require(Right.READ, AREA)
        units = (scope or await tenants.visible_to(tx, actor)).listed
        found = await listing.get_run(tx, run_id, units=units)
        if found.seen_by not in roles_below(actor):
            raise RunNotFound(str(run_id))
        return found

    async def _hold(self, tx: Tx, actor: Actor, run_id: int) -> RunRow:
        actor.require(Right.WRITE, AREA)
        return await self.get_run(tx, actor, run_id)

    @staticmethod
    async def _audit(tx: Tx, actor: Actor, verb: str, about: str, unit_id: int | None, after: dict[str, Any]) -> None:
        await audit.record(tx, actor, f"workflows.{verb}", about, unit_id=unit_id, after=after)
