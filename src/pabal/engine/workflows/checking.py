"""What a workflow of right form may still say wrong, seen against the kinds of steps this server knows."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from pabal.engine.workflows import forms, schema, values, yaml_form
from pabal.engine.workflows.mistakes import Mistake, Path, WorkflowRefused
from pabal.engine.workflows.model import Compensation, FlowStep, OnError, Workflow, split_kind
from pabal.engine.workflows.schema import DESTINATION, Schema
from pabal.engine.workflows.step_kinds import StepKind, StepKinds
from pabal.engine.workflows.values import Reference

_TYPES = {"list": "array"}
# Known once the step runs, and of any form: what an event, a person or another workflow answers.
_ANSWERED: Schema = {}
_MOMENT: Schema = {"type": "object", "properties": {"at": {"type": "string"}}, "additionalProperties": False}


def read_yaml(text: str, kinds: StepKinds) -> Workflow:
    """A workflow that can be saved, its kinds with their versions. Raises WorkflowRefused with every mistake."""
    workflow, written, mistakes = yaml_form.read_workflow(text)
    if workflow is not None and not mistakes:
        mistakes = written.at_lines(list(check(workflow, kinds)))
    return _right(workflow, mistakes, kinds)


def read_data(data: Any, kinds: StepKinds) -> Workflow:
    """The same for one that comes as JSON, where nothing has a line."""
    workflow, mistakes = forms.read(data)
    return _right(workflow, mistakes or list(check(workflow, kinds)) if workflow else mistakes, kinds)


def find_mistakes(text: str, kinds: StepKinds) -> list[Mistake]:
    try:
        read_yaml(text, kinds)
    except WorkflowRefused as error:
        return list(error.mistakes)
    return []


def check(workflow: Workflow, kinds: StepKinds) -> Iterator[Mistake]:
    """Every mistake of meaning."""
    check = _Check(workflow, kinds, _given_by_event(workflow))
    for name, one in workflow.input.items():
        if one.secret and one.default is not None:
            yield Mistake("secret_default", ("input", name, "default"), {"name": name})
    yield from check.start()
    for number, step in enumerate(workflow.steps):
        yield from check.step(number, step)
    yield from check.references(values.references(workflow.output, ("output",)), None)
    compensates = any(step.compensate is not None for step in workflow.steps)
    for number, step in enumerate(workflow.steps):
        if step.on_error is OnError.COMPENSATE and not compensates:
            yield Mistake("nothing_to_compensate", ("steps", number, "on_error"))


def list_destinations(workflow: Workflow, kinds: StepKinds) -> list[str]:
    """The inputs that decide where something goes: whoever starts a run must not take them from outside."""

    def decides(name: str) -> bool:
        check = _Check(workflow, kinds, frozenset({name}))
        found = (one for number, step in enumerate(workflow.steps) for one in check.step(number, step))
        return any(one.code == "destination_from_outside" for one in found)

    return [name for name in workflow.input if decides(name)]


def list_from_outside(
    workflow: Workflow, kinds: StepKinds, number: int, outside_inputs: frozenset[str] | None = None
) -> dict[str, str]:
    """What this step is given that was written outside, and where each comes from. `outside_inputs`: which of the
    workflow's own inputs are; those of an event, unless it is said."""
    given_by_event = _given_by_event(workflow)
    check = _Check(workflow, kinds, given_by_event if outside_inputs is None else outside_inputs)
    found = values.references(dict(workflow.steps[number].input))
    sources = [(str(one.at[0]), check.source(one, number)) for one in found]
    return {name: source for name, source in sources if source is not None}


def list_kinds(workflow: Workflow) -> set[str]:
    """All that it runs, with their versions once it was read."""
    found = {step.kind for step in workflow.steps if step.kind}
    return found | {step.compensate.kind for step in workflow.steps if step.compensate is not None}


def list_workflows(workflow: Workflow) -> dict[str, Path]:
    """The workflows it starts and waits for, and where it says so."""
    return {
        step.wait.workflow: ("steps", number, "wait", "workflow")
        for number, step in enumerate(workflow.steps)
        if step.wait is not None and step.wait.workflow
    }


def input_schema(workflow: Workflow) -> Schema:
    """What a run of it is started with."""
    known = {
        name: {
            "type": _TYPES.get(one.type, one.type),
            **({"default": one.default} if one.default is not None else {}),
            **({"description": one.description} if one.description else {}),
            **({schema.SECRET: True} if one.secret else {}),
        }
        for name, one in workflow.input.items()
    }
    needed = [name for name, one in workflow.input.items() if one.required and one.default is None]
    return {"type": "object", "properties": known, "required": needed, "additionalProperties": False}


def _right(workflow: Workflow | None, mistakes: list[Mistake], kinds: StepKinds) -> Workflow:
    if workflow is None or mistakes:
        raise WorkflowRefused(mistakes)
    return replace(workflow, steps=tuple(_with_versions(step, kinds) for step in workflow.steps))


def _with_versions(step: FlowStep, kinds: StepKinds) -> FlowStep:
    """A run keeps what it began with, so what is saved names its versions."""
    undo = step.compensate
    return replace(
        step,
        kind=_full_name(step.kind, kinds),
        compensate=None if undo is None else Compensation(_full_name(undo.kind, kinds), undo.input),
    )


def _full_name(name: str, kinds: StepKinds) -> str:
    found = kinds.find(name) if name else None
    return name if found is None else found.full_name


@dataclass
class _Check:
    workflow: Workflow
    kinds: StepKinds
    # the inputs whose words are from outside
    outside_inputs: frozenset[str]

    def __post_init__(self) -> None:
        self._input = input_schema(self.workflow)
        # the steps whose output was written by somebody outside, and from which step that comes
        self._outside: dict[int, str] = {}
        for number in _in_order(self.workflow):
            source = self._find_outside(number, self.workflow.steps[number])
            if source is not None:
                self._outside[number] = source

    def start(self) -> Iterator[Mistake]:
        start, at = self.workflow.start, ("start", "input")
        if start is None:
            return
        for fault in schema.faults(self._input, dict(start.input), at):
            known = {"kind": self.workflow.name, "name": fault.name, "wanted": fault.wanted}
            yield Mistake(fault.code, fault.at, known)
        looked = [] if start.when is None else list(values.of_condition(start.when, ("start", "when")))
        for one in (*values.references(dict(start.input), at), *looked):
            if values.PATH.fullmatch(one.path) is None or one.parts[0] != "event":
                yield Mistake("only_event", one.at, {"path": one.path})

    def step(self, number: int, step: FlowStep) -> Iterator[Mistake]:
        at: Path = ("steps", number)
        yield from self._kind_of(step.kind, step.input, at, number)
        if step.wait is not None:
            yield from self._wait(step, at, number)
        if step.when is not None:
            yield from self.references(values.of_condition(step.when, (*at, "when")), number)
        yield from self.references(values.references(step.for_each, (*at, "for_each")), number, has_item=False)
        if step.compensate is not None:
            yield from self._kind_of(step.compensate.kind, step.compensate.input, (*at, "compensate"), number, own=True)

    def references(
        self, found: Iterable[Reference], number: int | None, *, has_item: bool = True, own: bool = False
    ) -> Iterator[Mistake]:
        """`number`: the step they stand in, None for the workflow's output; `own`: it may name what it gave itself."""
        for one in found:
            mistake = self._reference(one, number, has_item=has_item, own=own)
            if mistake is not None:
                yield mistake

    def _kind_of(
        self, name: str, given: Mapping[str, Any], at: Path, number: int, *, own: bool = False
    ) -> Iterator[Mistake]:
        if not name:
            return
        kind = self.kinds.find(name)
        if kind is None:
            yield self._unknown(name, (*at, "kind"))
        else:
            yield from self._fits(kind, given, (*at, "input"))
            yield from self._destinations(kind, given, (*at, "input"), number)
        yield from self.references(values.references(given, (*at, "input")), number, own=own)

    def _unknown(self, name: str, at: Path) -> Mistake:
        bare, version = split_kind(name)
        known = self.kinds.versions(bare)
        if not known:
            return Mistake("unknown_kind", at, {"kind": bare})
        return Mistake("unknown_version", at, {"kind": bare, "version": version, "known": ", ".join(map(str, known))})

    def _fits(self, kind: StepKind, given: Mapping[str, Any], at: Path) -> Iterator[Mistake]:
        for fault in schema.faults(kind.input, dict(given), at):
            known = {"kind": kind.name, "name": fault.name, "wanted": fault.wanted}
            yield Mistake(fault.code, fault.at, known)

    def _destinations(self, kind: StepKind, given: Mapping[str, Any], at: Path, number: int) -> Iterator[Mistake]:
        """What was written outside must not decide where something goes."""
        marks = set(schema.marked(kind.input, DESTINATION))
        for one in values.references(dict(given)):
            source = self.source(one, number)
            # the last part of a reference's place is its own word, `from` or `text`
            if source is not None and schema.has_mark(one.at[:-1], marks):
                name = ".".join(map(str, one.at[:-1]))
                yield Mistake("destination_from_outside", (*at, *one.at), {"name": name, "source": source})

    def _wait(self, step: FlowStep, at: Path, number: int) -> Iterator[Mistake]:
        wait = step.wait
        assert wait is not None  # noqa: S101 -- asked by the caller # nosec B101
        given = {"until": wait.until, "key": wait.key}
        yield from self.references(values.references(given, (*at, "wait")), number)
        yield from self.references(values.references(step.input, (*at, "input")), number)
        if isinstance(wait.until, str) and read_moment(wait.until) is None:
            wanted = "a moment with its zone, such as 2026-03-01T09:00:00+09:00"
            yield Mistake("bad_type", (*at, "wait", "until"), {"field": "until", "wanted": wanted})
        if step.input and not wait.workflow:
            yield Mistake("unknown_field", (*at, "input"), {"field": "input"})

    def _reference(self, one: Reference, number: int | None, *, has_item: bool, own: bool) -> Mistake | None:
        if values.PATH.fullmatch(one.path) is None:
            return Mistake("bad_reference", one.at, {"path": one.path})
        root, *rest = one.parts
        match root:
            case "item":
                in_loop = number is not None and self.workflow.steps[number].for_each is not None
                return None if in_loop and has_item else Mistake("item_outside", one.at)
            case "input":
                missing = rest and schema.find(self._input, rest) is None
                return Mistake("unknown_input", one.at, {"name": rest[0]}) if missing else None
            case "steps":
                return self._step_reference(one, rest, number, own=own)
            case "event":
                return Mistake("bad_reference", one.at, {"path": one.path})
            case _:
                return None if rest in ([], ["id"]) else Mistake("bad_reference", one.at, {"path": one.path})

    def _step_reference(self, one: Reference, rest: list[str], number: int | None, *, own: bool) -> Mistake | None:
        place = self.workflow.numbers.get(rest[0]) if rest else None
        if place is None:
            return Mistake("bad_reference", one.at, {"path": one.path})
        if number is not None and place not in self.workflow.upstream(number) and not (own and place == number):
            return Mistake("not_needed_before", one.at, {"name": rest[0]})
        step = self.workflow.steps[place]
        given = self._output(step)
        # what a fan-out gave is a list, unless its own compensation looks at one item
        is_list = step.for_each is not None and not (own and place == number)
        found = schema.find({"type": "array", "items": given} if is_list else given, rest[1:])
        return None if found else Mistake("unknown_output", one.at, {"step": rest[0], "name": ".".join(rest[1:])})

    def _output(self, step: FlowStep) -> Schema:
        if step.wait is not None:
            return _ANSWERED if step.wait.event or step.wait.workflow else _MOMENT
        kind = self.kinds.find(step.kind)
        return _ANSWERED if kind is None else kind.output

    def _find_outside(self, number: int, step: FlowStep) -> str | None:
        """Whose words this step's output may be: its own kind's, or those of one it was given."""
        kind = self.kinds.find(step.kind) if step.kind else None
        if (kind is not None and kind.reads_outside) or (step.wait and (step.wait.event or step.wait.workflow)):
            return step.name
        given = [*values.references(dict(step.input)), *values.references(step.for_each)]
        return next((source for one in given if (source := self.source(one, number)) is not None), None)

    def source(self, one: Reference, number: int) -> str | None:
        if one.path.split(".")[0] == "item":
            looked = values.references(self.workflow.steps[number].for_each)
            return next((source for inner in looked if (source := self.source(inner, number)) is not None), None)
        if one.parts[0] == "input":
            named = one.parts[1:2] or self.outside_inputs
            return next((f"input.{name}" for name in named if name in self.outside_inputs), None)
        place = self.workflow.numbers.get(one.step or "")
        return None if place is None else self._outside.get(place)


def read_moment(text: Any) -> datetime | None:
    """A moment with its zone; None where it is none."""
    try:
        found = datetime.fromisoformat(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None


def _given_by_event(workflow: Workflow) -> frozenset[str]:
    if workflow.start is None:
        return frozenset()
    return frozenset(name for name, value in workflow.start.input.items() if any(values.references(value)))


def _in_order(workflow: Workflow) -> list[int]:
    """Each step behind all it needs."""
    left, done, order = list(range(len(workflow.steps))), set[int](), list[int]()
    while left:
        ready = [number for number in left if done.issuperset(workflow.needed[number])]
        order += ready
        done.update(ready)
        left = [number for number in left if number not in done]
    return order
