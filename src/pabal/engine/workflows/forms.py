"""A workflow's data form, as JSON and YAML have it, to the model and back. Reading finds every mistake of form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any, TypeVar

from pabal.engine import conditions
from pabal.engine.workflows.mistakes import Mistake, Path
from pabal.engine.workflows.model import (
    DEFAULT_LIMIT,
    DEFAULT_RETRY,
    EVENT,
    KIND,
    LONGEST,
    LONGEST_RETRY,
    MOST_ITEMS,
    MOST_RETRIES,
    MOST_STEPS,
    NAME,
    Compensation,
    FlowStep,
    InputField,
    OnError,
    SeenBy,
    StartOn,
    WaitFor,
    Workflow,
    read_duration,
    show_duration,
)
from pabal.engine.workflows.values import is_reference

E = TypeVar("E", bound=StrEnum)
TYPES = ("string", "integer", "number", "boolean", "list", "object")
_WORKFLOW = ("name", "title", "description", "seen_by", "start", "input", "output", "time_limit", "steps")
_STEP = (
    *("name", "kind", "wait", "title", "input", "needs", "when", "for_each"),
    *("retries", "retry_after", "time_limit", "on_error", "compensate"),
)
_START = ("event", "when", "input")
_WAIT = ("for", "until", "event", "key", "workflow")
_INPUT = ("type", "required", "default", "secret", "description")
_ZERO = timedelta(0)


def read(data: Any) -> tuple[Workflow | None, list[Mistake]]:
    """The workflow, or None where its form is too wrong to have one; and every mistake of form."""
    form = _Form()
    workflow = form.workflow(data)
    return (None if form.mistakes else workflow), form.mistakes


def as_data(workflow: Workflow) -> dict[str, Any]:
    """What `read` reads, with nothing in it that goes without saying."""
    data: dict[str, Any] = {"name": workflow.name}
    if workflow.title:
        data["title"] = workflow.title
    if workflow.description:
        data["description"] = workflow.description
    if workflow.seen_by is not SeenBy.VIEWER:
        data["seen_by"] = str(workflow.seen_by)
    if workflow.time_limit != DEFAULT_LIMIT:
        data["time_limit"] = show_duration(workflow.time_limit)
    if workflow.start is not None:
        data["start"] = _start_data(workflow.start)
    if workflow.input:
        data["input"] = {name: _input_data(one) for name, one in workflow.input.items()}
    before: tuple[str, ...] = ()
    data["steps"] = []
    for step in workflow.steps:
        data["steps"].append(_step_data(step, before))
        before = (step.name,)
    if workflow.output:
        data["output"] = dict(workflow.output)
    return data


def _start_data(start: StartOn) -> dict[str, Any]:
    data: dict[str, Any] = {"event": start.event}
    if start.when is not None:
        data["when"] = dict(start.when)
    if start.input:
        data["input"] = dict(start.input)
    return data


def _input_data(one: InputField) -> dict[str, Any]:
    plain = InputField()
    values = {name: getattr(one, name) for name in _INPUT}
    return {name: value for name, value in values.items() if name == "type" or value != getattr(plain, name)}


def _step_data(step: FlowStep, before: tuple[str, ...]) -> dict[str, Any]:
    data: dict[str, Any] = {"name": step.name}
    if step.kind:
        data["kind"] = step.kind
    if step.wait is not None:
        data["wait"] = _wait_data(step.wait)
    plain = FlowStep("")
    for name in ("title", "input", "when", "for_each", "retries"):
        value = getattr(step, name)
        if value != getattr(plain, name):
            data[name] = dict(value) if isinstance(value, Mapping) else value
    if step.needs != before:
        data["needs"] = list(step.needs)
    if step.retry_after != DEFAULT_RETRY:
        data["retry_after"] = show_duration(step.retry_after)
    if step.time_limit is not None:
        data["time_limit"] = show_duration(step.time_limit)
    if step.on_error is not OnError.FAIL:
        data["on_error"] = str(step.on_error)
    if step.compensate is not None:
        data["compensate"] = {"kind": step.compensate.kind}
        if step.compensate.input:
            data["compensate"]["input"] = dict(step.compensate.input)
    return data


def _wait_data(wait: WaitFor) -> dict[str, Any]:
    if wait.duration is not None:
        return {"for": show_duration(wait.duration)}
    if wait.event:
        return {"event": wait.event, **({} if wait.key is None else {"key": wait.key})}
    return {"workflow": wait.workflow} if wait.workflow else {"until": wait.until}


@dataclass
class _Form:
    mistakes: list[Mistake] = field(default_factory=list)

    def workflow(self, data: Any) -> Workflow | None:
        if not self._is_object(data, (), "A workflow", _WORKFLOW):
            return None
        inputs = self._inputs(data.get("input", {}))
        steps = self._steps(data)
        made: dict[str, Any] = {
            "name": self._name(data, ()),
            "title": self._text(data, "title", (), 200),
            "description": self._text(data, "description", (), 2000),
            "seen_by": self._choice(data, "seen_by", (), SeenBy, SeenBy.VIEWER),
            "output": self._object(data, "output", ()),
            "time_limit": self._duration(data, "time_limit", (), LONGEST) or DEFAULT_LIMIT,
            "start": self._start(data.get("start")),
        }
        if self.mistakes:
            return None
        return Workflow(steps=tuple(steps), input=inputs, **made)

    def _start(self, data: Any) -> StartOn | None:
        if data is None or not self._is_object(data, ("start",), "start", _START):
            return None
        event = data.get("event")
        if not isinstance(event, str) or len(event) > 200 or EVENT.fullmatch(event) is None:
            self._add("bad_event", ("start", "event") if "event" in data else ("start",), name=str(event or "")[:60])
        return StartOn(str(event), self._condition(data, ("start",)), self._object(data, "input", ("start",)))

    def _inputs(self, data: Any) -> dict[str, InputField]:
        if not self._is_object(data, ("input",), "input", None):
            return {}
        if len(data) > MOST_STEPS:
            self._add("too_many", ("input",), most=MOST_STEPS, what="inputs")
        return {str(name): self._input(str(name), one, ("input", name)) for name, one in data.items()}

    def _input(self, name: str, data: Any, at: Path) -> InputField:
        if NAME.fullmatch(name) is None:
            self._add("bad_name", at, name=name)
        # `order: string` says as much as `order: {type: string}`
        data = {"type": data} if isinstance(data, str) else data
        if not self._is_object(data, at, name, _INPUT):
            return InputField()
        kind = data.get("type", "string")
        if kind not in TYPES:
            self._add("bad_choice", (*at, "type"), field="type", choices=", ".join(TYPES))
        flags = {one: self._flag(data, one, at) for one in ("required", "secret")}
        return InputField(
            str(kind), default=data.get("default"), **flags, description=self._text(data, "description", at, 500)
        )

    def _steps(self, data: Mapping[str, Any]) -> list[FlowStep]:
        given = data.get("steps")
        if given is None or given == []:
            self._add("no_steps", ("steps",) if "steps" in data else ())
            return []
        if not isinstance(given, list):
            self._add("not_a_list", ("steps",), field="steps")
            return []
        if len(given) > MOST_STEPS:
            self._add("too_many", ("steps",), most=MOST_STEPS, what="steps")
        steps: list[FlowStep] = []
        before: tuple[str, ...] = ()
        for number, one in enumerate(given[:MOST_STEPS]):
            step = self._step(one, ("steps", number), before)
            if step is not None:
                steps.append(step)
                before = (step.name,)
        self._check_names(given, steps)
        return steps

    def _check_names(self, given: list[Any], steps: list[FlowStep]) -> None:
        names = [one.get("name") if isinstance(one, Mapping) else None for one in given]
        for number, name in enumerate(names):
            if name is not None and name in names[:number]:
                self._add("duplicate_name", ("steps", number, "name"), name=name)
        for number, one in enumerate(given):
            needs = one.get("needs", []) if isinstance(one, Mapping) else []
            for place, need in enumerate(needs if isinstance(needs, list) else []):
                if isinstance(need, str) and need not in names:
                    self._add("unknown_need", ("steps", number, "needs", place), name=need)
        if not self.mistakes and (around := find_cycle(steps)):
            self._add("cycle", ("steps",), names=", ".join(around))

    def _step(self, data: Any, at: Path, before: tuple[str, ...]) -> FlowStep | None:
        if not self._is_object(data, at, "A step", _STEP):
            return None
        kind, wait = data.get("kind"), data.get("wait")
        if (kind is None) == (wait is None):
            self._add("kind_or_wait", at)
        if kind is not None:
            self._check_kind(kind, (*at, "kind"))
        waits = None if wait is None else self._wait(wait, (*at, "wait"))
        compensate = self._compensation(data, at)
        if waits is not None and compensate is not None:
            self._add("wait_has_no_compensation", (*at, "compensate"))
        return FlowStep(
            name=self._name(data, at),
            kind=str(kind or ""),
            wait=waits,
            title=self._text(data, "title", at, 200),
            input=self._object(data, "input", at),
            needs=self._needs(data, at, before),
            when=self._condition(data, at),
            for_each=self._for_each(data, at),
            retries=self._retries(data, at),
            retry_after=self._duration(data, "retry_after", at, LONGEST_RETRY) or DEFAULT_RETRY,
            time_limit=self._duration(data, "time_limit", at, LONGEST),
            on_error=self._choice(data, "on_error", at, OnError, OnError.FAIL),
            compensate=compensate,
        )

    def _check_kind(self, kind: Any, at: Path) -> None:
        if not isinstance(kind, str) or KIND.fullmatch(kind) is None:
            self._add("bad_kind", at, kind=str(kind)[:60])

    def _compensation(self, data: Mapping[str, Any], at: Path) -> Compensation | None:
        given, at = data.get("compensate"), (*at, "compensate")
        if given is None or not self._is_object(given, at, "compensate", ("kind", "input")):
            return None
        if "kind" not in given:
            self._add("missing_field", at, field="kind")
            return None
        self._check_kind(given["kind"], (*at, "kind"))
        return Compensation(str(given["kind"]), self._object(given, "input", at))

    def _wait(self, data: Any, at: Path) -> WaitFor | None:
        if not self._is_object(data, at, "wait", _WAIT):
            return None
        chosen = [name for name in ("for", "until", "event", "workflow") if name in data]
        if len(chosen) != 1 or ("key" in data and chosen != ["event"]):
            self._add("bad_wait", at)
            return None
        for name in ("event", "workflow"):
            value = data.get(name, "x")
            if not isinstance(value, str) or not 0 < len(value) <= 100:
                self._add("bad_type", (*at, name), field=name, wanted="a name")
        if "until" in data and not (is_reference(data["until"]) or isinstance(data["until"], str)):
            self._add("bad_type", (*at, "until"), field="until", wanted="a moment, or where one is")
        return WaitFor(
            duration=self._duration(data, "for", at, LONGEST),
            until=data.get("until"),
            event=str(data.get("event", "")),
            key=data.get("key"),
            workflow=str(data.get("workflow", "")),
        )

    def _needs(self, data: Mapping[str, Any], at: Path, before: tuple[str, ...]) -> tuple[str, ...]:
        """What does not say what it needs comes after the step written before it."""
        if "needs" not in data:
            return before
        given = data["needs"]
        if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
            self._add("bad_type", (*at, "needs"), field="needs", wanted="a list of names of steps")
            return ()
        return tuple(dict.fromkeys(given))

    def _condition(self, data: Mapping[str, Any], at: Path) -> Mapping[str, Any] | None:
        given = data.get("when")
        if given is None:
            return None
        try:
            conditions.check(given)
        except conditions.BadCondition as error:
            self._add("bad_condition", (*at, "when"), reason=error.detail)
            return None
        return dict(given)

    def _for_each(self, data: Mapping[str, Any], at: Path) -> Any:
        given = data.get("for_each")
        if given is not None and not (isinstance(given, list) or is_reference(given)):
            self._add("bad_type", (*at, "for_each"), field="for_each", wanted="a list, or where one is")
        elif isinstance(given, list) and len(given) > MOST_ITEMS:
            self._add("too_many", (*at, "for_each"), most=MOST_ITEMS, what="items")
        return given

    def _retries(self, data: Mapping[str, Any], at: Path) -> int:
        given = data.get("retries", 0)
        if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given <= MOST_RETRIES:
            wanted = f"a whole number from 0 to {MOST_RETRIES}"
            self._add("bad_type", (*at, "retries"), field="retries", wanted=wanted)
            return 0
        return given

    def _name(self, data: Mapping[str, Any], at: Path) -> str:
        name = data.get("name")
        if name is None:
            self._add("missing_field", at, field="name")
        elif not isinstance(name, str) or NAME.fullmatch(name) is None:
            self._add("bad_name", (*at, "name"), name=str(name)[:60])
        return str(name)

    def _text(self, data: Mapping[str, Any], name: str, at: Path, most: int) -> str:
        value = data.get(name, "")
        if not isinstance(value, str) or len(value) > most or "\0" in value:
            self._add("bad_type", (*at, name), field=name, wanted=f"a text of at most {most} characters")
            return ""
        return value

    def _flag(self, data: Mapping[str, Any], name: str, at: Path) -> bool:
        value = data.get(name, False)
        if not isinstance(value, bool):
            self._add("bad_type", (*at, name), field=name, wanted="true or false")
        return value is True

    def _choice(self, data: Mapping[str, Any], name: str, at: Path, choices: type[E], default: E) -> E:
        value = data.get(name, default)
        if value not in list(choices):
            self._add("bad_choice", (*at, name), field=name, choices=", ".join(choices))
            return default
        return choices(value)

    def _duration(self, data: Mapping[str, Any], name: str, at: Path, most: timedelta) -> timedelta | None:
        if data.get(name) is None:
            return None
        found = read_duration(data[name])
        if found is None or not _ZERO < found <= most:
            self._add("bad_duration", (*at, name), field=name, most=show_duration(most))
            return None
        return found

    def _object(self, data: Mapping[str, Any], name: str, at: Path) -> dict[str, Any]:
        value = data.get(name, {})
        return dict(value) if self._is_object(value, (*at, name), name, None) else {}

    def _is_object(self, data: Any, at: Path, what: str, known: tuple[str, ...] | None) -> bool:
        if not isinstance(data, Mapping):
            self._add("not_an_object", at, field=what)
            return False
        for name in data:
            if known is not None and name not in known:
                self._add("unknown_field", (*at, name), field=name)
        return True

    def _add(self, code: str, at: Path, **values: Any) -> None:
        self.mistakes.append(Mistake(code, at, values))


def find_cycle(steps: list[FlowStep]) -> list[str]:
    """Some steps that wait for each other, or none."""
    needs = {step.name: set(step.needs) for step in steps}
    is_over: Callable[[str], bool] = lambda name: not needs[name] & needs.keys()  # noqa: E731 -- used once, below
    while over := [name for name in needs if is_over(name)]:
        for name in over:
            del needs[name]
    return list(needs)
