"""What advancing a run has in hand: the run, its data, a step and how it ended, a step about to be opened."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from pabal.engine.workflows.machine import RunState
from pabal.engine.workflows.model import Workflow
from pabal.engine.workflows.signals import StepPlace
from pabal.engine.workflows.step_kinds import AwaitSignal, StepCall, StepFailed

ACTOR = "engine"
# the item of a step that is none
PLAIN = -1
# runs that open what comes next
PASSING = (RunState.RUNNING, RunState.PAUSED)


@dataclass(slots=True)
class LockedRun:
    """A run that this transaction holds: nobody else ends or opens a step of it."""

    id: int
    unit_id: int | None
    state: str
    definition_id: int
    owner: str
    depth: int
    parent_id: int | None
    ending: str | None
    compensates: bool
    opened: int
    ended: int
    bytes: int
    flow: Workflow = field(init=False)
    data: "RunData" = field(init=False)
    over: set[int] | None = field(default=None, init=False)


@dataclass(slots=True)
class RunData:
    """What references of a run look at. A step that was not loaded is not in `outputs`."""

    input: Any = None
    has_input: bool = False
    outputs: dict[int, Any] = field(default_factory=dict)

    def view(self, run: LockedRun, item: Any = None) -> dict[str, Any]:
        steps = run.flow.steps
        known = {steps[number].name: output for number, output in self.outputs.items()}
        return {"input": self.input, "steps": known, "run": {"id": run.id}, "item": item}


@dataclass(frozen=True, slots=True)
class OpenStep:
    """A step that a job has in hand: the row, and what its kind is called with."""

    place: StepPlace
    attempt: int
    failures: int
    input: Any
    due_at: datetime | None
    opened_at: datetime
    signal: str | None = None


class Finished(NamedTuple):
    """How an attempt ended. `job`: goes on with what this opens, if it can."""

    step: OpenStep
    outcome: Mapping[str, Any] | list[Any] | StepFailed | AwaitSignal | None
    job: int | None = None
    # stopped from outside: neither done nor failed
    is_cancelled: bool = False
    # a person skips it
    is_skipped: bool = False


class StepEnd(NamedTuple):
    place: StepPlace
    state: str
    output: Any
    error: dict[str, Any] | None
    number: int


@dataclass(slots=True)
class Opening:
    place: StepPlace
    state: str
    input: Any = None
    job: int | None = None
    signal: str | None = None
    due_at: datetime | None = None
    open_items: int | None = None
    # a job is made for it, at this moment where one is named
    needs_job: bool = False
    # of a fan-out over many: the last item of those that share its job
    upto: int | None = None
    run_at: datetime | None = None
    is_timer: bool = False


def call_of(run: LockedRun, step: OpenStep) -> StepCall:
    place = step.place
    name = run.flow.steps[place.step].name
    key = f"{run.id}/{name}/{place.item}{'/undo' if place.undo else ''}/{step.opened_at.timestamp():.6f}"
    item = None if place.item == PLAIN else place.item
    return StepCall(run.id, name, item, step.attempt, step.input or {}, run.owner, run.unit_id, key)


def place_columns(places: Sequence[StepPlace]) -> dict[str, list[Any]]:
    return {
        "runs": [one.run_id for one in places],
        "steps": [one.step for one in places],
        "items": [one.item for one in places],
        "undos": [one.undo for one in places],
    }


def end_columns(ended: Sequence[StepEnd]) -> dict[str, list[Any]]:
    return {
        "e_runs": [one.place.run_id for one in ended],
        "e_steps": [one.place.step for one in ended],
        "e_items": [one.place.item for one in ended],
        "e_undos": [one.place.undo for one in ended],
        "e_states": [one.state for one in ended],
        "e_outputs": [_written(one.output) for one in ended],
        "e_errors": [one.error for one in ended],
        "e_numbers": [one.number for one in ended],
    }


def opening_columns(opening: Sequence[Opening], over: Mapping[StepPlace, StepEnd]) -> dict[str, list[Any]]:
    """What is over in the commit that opens it is written once, as it ended."""
    ends = [over.get(one.place) for one in opening]
    return {
        "o_runs": [one.place.run_id for one in opening],
        "o_steps": [one.place.step for one in opening],
        "o_items": [one.place.item for one in opening],
        "o_undos": [one.place.undo for one in opening],
        "o_states": [one.state if end is None else end.state for one, end in zip(opening, ends, strict=True)],
        "o_jobs": [one.job for one in opening],
        "o_inputs": [one.input for one in opening],
        "o_signals": [one.signal for one in opening],
        "o_dues": [one.due_at for one in opening],
        "o_lefts": [one.open_items for one in opening],
        "o_outputs": [None if end is None else _written(end.output) for end in ends],
        "o_errors": [None if end is None else end.error for end in ends],
        "o_numbers": [None if end is None else end.number for end in ends],
    }


_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def _written(output: Any) -> str | None:
    return None if output is None else _dump(output)
