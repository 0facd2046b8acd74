"""A workflow as data: steps, what each needs, when it runs, what it waits for, and what happens when it fails."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Any

NAME = re.compile(r"[a-z][a-z0-9_]{0,59}")
EVENT = re.compile(r"[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*")
KIND = re.compile(r"([a-z][a-z0-9_]*(?:\.[a-z0-9_]+)+)(?:@([1-9][0-9]{0,3}))?")
_DURATION = re.compile(r"(\d{1,9})(s|m|h|d)")
_SECONDS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}

MOST_STEPS = 100
MOST_ITEMS = 10_000
# steps that one run may open, items of a fan-out and compensations among them
MOST_OPENED = 25_000
MOST_RETRIES = 20
# a workflow that starts a workflow that starts a workflow
DEEPEST = 5
LARGEST_INPUT = 65_536
LARGEST_OUTPUT = 262_144
# all that the steps of one run gave
LARGEST_RUN = 8_388_608
LONGEST = timedelta(days=365)
DEFAULT_LIMIT = timedelta(days=30)
DEFAULT_RETRY = timedelta(seconds=10)
LONGEST_RETRY = timedelta(hours=1)


class OnError(StrEnum):
    """What a step's failure means for its run."""

    FAIL = "fail"
    SKIP = "skip"
    COMPENSATE = "compensate"


class SeenBy(StrEnum):
    """Whoever has at least this role in the workflow's unit, or above it."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class InputField:
    """One value that a run is started with. A secret one is never shown."""

    type: str = "string"
    required: bool = False
    default: Any = None
    secret: bool = False
    description: str = ""


@dataclass(frozen=True, slots=True)
class StartOn:
    """An event that starts a run, if `when` is met. `input` is what the run is given, and may name what the event says.

    `event.name`, `event.key`, `event.id`, `event.data.…`
    """

    event: str
    when: Mapping[str, Any] | None = None
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WaitFor:
    """Exactly one of: a duration, a moment, an event of some key, another workflow with its input."""

    duration: timedelta | None = None
    until: Any = None
    event: str = ""
    key: Any = None
    workflow: str = ""


@dataclass(frozen=True, slots=True)
class Compensation:
    """What undoes a finished step. Its input may also name what the step itself gave."""

    kind: str
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FlowStep:
    """It runs a kind or waits. `needs` are steps that must be over before; `when` skips it unless it is met.

    `for_each` is a list, or where one is: the step runs once for each of its items, and gives the list of what they
    gave.
    """

    name: str
    kind: str = ""
    wait: WaitFor | None = None
    title: str = ""
    input: Mapping[str, Any] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    when: Mapping[str, Any] | None = None
    for_each: Any = None
    retries: int = 0
    retry_after: timedelta = DEFAULT_RETRY
    time_limit: timedelta | None = None
    on_error: OnError = OnError.FAIL
    compensate: Compensation | None = None


@dataclass(frozen=True)
class Workflow:
    name: str
    steps: tuple[FlowStep, ...]
    title: str = ""
    description: str = ""
    seen_by: SeenBy = SeenBy.VIEWER
    input: Mapping[str, InputField] = field(default_factory=dict)
    output: Mapping[str, Any] = field(default_factory=dict)
    time_limit: timedelta = DEFAULT_LIMIT
    start: StartOn | None = None

    def __post_init__(self) -> None:
        numbers = {step.name: number for number, step in enumerate(self.steps)}
        object.__setattr__(self, "numbers", numbers)
        after: list[list[int]] = [[] for _ in self.steps]
        for number, step in enumerate(self.steps):
            for need in step.needs:
                after[numbers[need]].append(number)
        object.__setattr__(self, "successors", tuple(map(tuple, after)))
        object.__setattr__(self, "needed", tuple(tuple(numbers[need] for need in step.needs) for step in self.steps))

    # by a step's place in `steps`; what runs is planned with these
    numbers: Mapping[str, int] = field(init=False, repr=False, compare=False)
    successors: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)
    needed: tuple[tuple[int, ...], ...] = field(init=False, repr=False, compare=False)

    def upstream(self, number: int) -> frozenset[int]:
        """Every step that is over before this one begins."""
        found: set[int] = set()
        left = list(self.needed[number])
        while left:
            one = left.pop()
            if one not in found:
                found.add(one)
                left += self.needed[one]
        return frozenset(found)

    def downstream(self, number: int) -> frozenset[int]:
        """Every step that waits for this one, in the end."""
        found: set[int] = set()
        left = list(self.successors[number])
        while left:
            one = left.pop()
            if one not in found:
                found.add(one)
                left += self.successors[one]
        return frozenset(found)


def read_duration(text: Any) -> timedelta | None:
    """`90s`, `10m`, `2h`, `3d`. None where it is none of these."""
    found = _DURATION.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    seconds = int(found[1]) * _SECONDS[found[2]]
    return timedelta(seconds=seconds) if seconds <= LONGEST.total_seconds() * 10 else None


def show_duration(duration: timedelta) -> str:
    seconds = int(duration.total_seconds())
    unit = next(unit for unit, size in _SECONDS.items() if seconds % size == 0)
    return f"{seconds // _SECONDS[unit]}{unit}"


def split_kind(kind: str) -> tuple[str, int | None]:
    """`messaging.send@1`: its name and its version, where one is named."""
    found = KIND.fullmatch(kind)
    if found is None:
        return kind, None
    return found[1], None if found[2] is None else int(found[2])
