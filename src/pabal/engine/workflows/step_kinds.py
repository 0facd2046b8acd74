"""The kinds of steps a process knows: by name and version, with the schemas of what they take and give."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.engine.workflows.model import KIND, split_kind
from pabal.engine.workflows.schema import ANYTHING, Schema


class BadStepKind(Invalid, code="bad_step_kind"):
    """A kind of step is named area.name in small letters, once for each version, and either acts or performs."""


class Effect(StrEnum):
    """What a step does besides giving a value, for those who approve workflows."""

    NETWORK = "network"
    FILES = "files"
    MONEY = "money"
    MESSAGES = "messages"
    # What it gives was written by somebody outside; it must not decide where anything goes.
    READS_OUTSIDE = "reads_outside"


@dataclass(frozen=True, slots=True)
class StepCall:
    """One attempt at a step, as its kind sees it. `key` is the same in every attempt: for what must not be done twice.

    `owner` is in whose name the run goes; the engine only hands it on.
    """

    run_id: int
    step: str
    item: int | None
    attempt: int
    input: Mapping[str, Any]
    owner: str
    unit_id: int | None
    key: str


@dataclass(frozen=True, slots=True)
class StepFailed:
    """It did not work. `is_final`: trying again could not help."""

    reason: str
    code: str = "step_failed"
    is_final: bool = False


@dataclass(frozen=True, slots=True)
class AwaitSignal:
    """The step is over when this signal comes; it was asked for in the commit that begins to wait."""

    signal: str
    until: datetime | None = None


Output = Mapping[str, Any]
Act = Callable[[Tx, StepCall], Awaitable[Output | AwaitSignal | StepFailed]]
Perform = Callable[[StepCall], Awaitable[Output | StepFailed]]
OnSignal = Callable[[StepCall, Mapping[str, Any]], Output | StepFailed]
Release = Callable[[Tx, StepCall], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class StepKind:
    """`act` writes rows in the commit that records the step, so its effect happens exactly once. `perform` talks to the
    world with no transaction open, at least once. `on_signal` reads what a signal brought; `release` takes back what
    `act` asked for when nobody waits for the answer any more. `right` is what its owner must be allowed, as
    `area:right`; the engine only hands it on.
    """

    name: str
    version: int
    input: Schema = field(default_factory=lambda: ANYTHING)
    output: Schema = field(default_factory=lambda: ANYTHING)
    effects: frozenset[Effect] = frozenset()
    act: Act | None = None
    perform: Perform | None = None
    on_signal: OnSignal | None = None
    release: Release | None = None
    title: tuple[str, str] = ("", "")
    right: str = ""

    def __post_init__(self) -> None:
        found = KIND.fullmatch(self.name)
        if found is None or found[2] is not None or not 1 <= self.version <= 9999:
            raise BadStepKind(f"{self.name} {self.version}")
        if (self.act is None) == (self.perform is None):
            raise BadStepKind(f"{self.full_name} acts or performs, one of them")

    @property
    def full_name(self) -> str:
        return f"{self.name}@{self.version}"

    @property
    def reads_outside(self) -> bool:
        return Effect.READS_OUTSIDE in self.effects


class StepKinds:
    """What this process can do as a step."""

    def __init__(self, kinds: Iterable[StepKind] = ()) -> None:
        self._by_name: dict[str, dict[int, StepKind]] = {}
        for kind in kinds:
            self.add(kind)

    def add(self, kind: StepKind) -> None:
        versions = self._by_name.setdefault(kind.name, {})
        if kind.version in versions:
            raise BadStepKind(f"{kind.full_name} is there twice")
        versions[kind.version] = kind

    def find(self, full_name: str) -> StepKind | None:
        """`messaging.send@1`; without a version the newest."""
        name, version = split_kind(full_name)
        versions = self._by_name.get(name)
        if not versions:
            return None
        return versions.get(max(versions) if version is None else version)

    def versions(self, name: str) -> list[int]:
        return sorted(self._by_name.get(name, ()))

    def __iter__(self) -> Iterator[StepKind]:
        for name in sorted(self._by_name):
            yield from (kind for _, kind in sorted(self._by_name[name].items()))
