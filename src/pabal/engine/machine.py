"""Declares states, events, guards and timers, decides the next state, draws itself. Pure: it touches no database."""

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from itertools import chain
from typing import Any, Protocol

from pabal.base.database import Tx
from pabal.base.errors import Invalid


class Subject(Protocol):
    """What every subject has; a machine's loader brings more, for its guards and timers."""

    @property
    def id(self) -> int: ...
    @property
    def unit_id(self) -> int | None: ...
    @property
    def state(self) -> str: ...
    @property
    def version(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why not, with the values that were compared."""

    reason: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return ", ".join([self.reason, *(f"{name} {value}" for name, value in self.values.items())])


# The subject is Any here because each machine has its own type of it, known to its own guards and loader only.
Guard = Callable[[Any, datetime], Refusal | None]
Predicate = Callable[[Any, datetime], bool]
Moments = Mapping[str, datetime | None]
Loader = Callable[[Tx, list[int]], Awaitable[Sequence[Any]]]
Effect = Callable[[Tx, list[Any]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Choice:
    """One predicate after the other: the first that holds says the target."""

    predicate: Predicate
    then: str
    otherwise: "str | Choice"

    def decide(self, subject: Any, now: datetime) -> str:
        if self.predicate(subject, now):
            return self.then
        return self.otherwise.decide(subject, now) if isinstance(self.otherwise, Choice) else self.otherwise

    @property
    def targets(self) -> tuple[str, ...]:
        return (self.then, *(self.otherwise.targets if isinstance(self.otherwise, Choice) else (self.otherwise,)))


@dataclass(frozen=True, slots=True)
class Move:
    event: str
    sources: tuple[str, ...]
    target: str | Choice
    guard: Guard | None

    @property
    def targets(self) -> tuple[str, ...]:
        return self.target.targets if isinstance(self.target, Choice) else (self.target,)


@dataclass(frozen=True, slots=True)
class Timers:
    """A function of one subject and the moment that answers when each of its events is due."""

    events: tuple[str, ...]
    function: Callable[[Any, datetime], Moments]


@dataclass(frozen=True, slots=True)
class Explained:
    """What one event would do now: lead to `target`, or be refused."""

    event: str
    target: str | None
    refusal: Refusal | None

    @property
    def allowed(self) -> bool:
        return self.refusal is None


class TimerNotDeclared(Invalid, code="timer_not_declared"):
    """A timer function answered with an event that `@arms` does not name, or with a moment without a zone."""


def move(event: str, sources: str | Iterable[str], target: str | Choice, *, guard: Guard | None = None) -> Move:
    """A declared possibility: in one of the sources, unless the guard refuses, `event` leads to the target."""
    several = (sources,) if isinstance(sources, str) else tuple(sources)
    to = target if isinstance(target, Choice) else str(target)
    return Move(str(event), tuple(str(source) for source in several), to, guard)


def choose(predicate: Predicate, then: str, otherwise: str | Choice) -> Choice:
    """A target decided when the move happens: `then` if the predicate holds, or else what another choice says."""
    return Choice(predicate, str(then), otherwise if isinstance(otherwise, Choice) else str(otherwise))


def arms(*events: str) -> Callable[[Callable[[Any, datetime], Moments]], Timers]:
    """Says which events a timer function may answer with, so that they are checked at import and drawn."""
    return lambda function: Timers(tuple(str(event) for event in events), function)


@dataclass(frozen=True, slots=True)
class Arrow:
    source: str
    target: str
    event: str
    guard: str | None
    timed: bool
    when: str | None = None

    def __str__(self) -> str:
        guard = f"[{self.guard}]" if self.guard else None
        label = " ".join(part for part in ("⏰" if self.timed else None, self.event, guard, self.when) if part)
        return f"{self.source} --> {self.target} : {label}"


@dataclass(frozen=True, eq=False)
class Machine:
    """A machine is data. What it says wrong, it says when it is imported: `MachineMistaken` lists every mistake."""

    name: str
    table: str
    states: type[StrEnum]
    initial: str
    final: tuple[str, ...]
    moves: tuple[Move, ...]
    # None: its guards and timers need no more than a subject's own columns
    loader: Loader | None = None
    timers: Mapping[str, Timers] = field(default_factory=dict)
    effects: Mapping[str, Effect] = field(default_factory=dict)
    _found: dict[tuple[str, str], Move] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        check(self)
        self._found.update({(source, move.event): move for move in self.moves for source in move.sources})

    @property
    def events(self) -> tuple[str, ...]:
        """Every event, in the order of declaration."""
        return tuple(dict.fromkeys(move.event for move in self.moves))

    def find_move(self, state: str, event: str) -> Move | None:
        return self._found.get((state, event))

    def decide(self, subject: Subject, event: str, now: datetime) -> str | Refusal:
        """The state this event leads to, or why it does not. A guard that throws is a mistake and passes through."""
        found = self._found.get((subject.state, event))
        if found is None:
            return Refusal("move_not_allowed", {"event": str(event), "state": str(subject.state)})
        refusal = found.guard(subject, now) if found.guard is not None else None
        if refusal is not None:
            return refusal
        return found.target.decide(subject, now) if isinstance(found.target, Choice) else found.target

    def due(self, state: str, subject: Subject, now: datetime) -> list[tuple[str, datetime]]:
        """The timers of a subject that is in this state."""
        timers = self.timers.get(state)
        if timers is None:
            return []
        answered = timers.function(subject, now)
        armed = [(str(event), moment) for event, moment in answered.items() if moment is not None]
        for event, moment in armed:
            if event not in timers.events or moment.tzinfo is None:
                raise TimerNotDeclared(f"{self.name} {subject.id} in {state}: {event} at {moment}")
        return armed

    def explain(self, subject: Subject, now: datetime) -> list[Explained]:
        """For every event: where it would lead from here, or why not."""
        decided = [(event, self.decide(subject, event, now)) for event in self.events]
        return [
            Explained(event, None, answer) if isinstance(answer, Refusal) else Explained(event, answer, None)
            for event, answer in decided
        ]

    def diagram(self, current: str | None = None) -> str:
        """The machine as Mermaid text: guards in brackets, what a timer says marked, `current` highlighted."""
        arrows = [arrow for move in self.moves for source in move.sources for arrow in self._arrows(move, source)]
        return draw(arrows, initial=str(self.initial), final=[str(state) for state in self.final], current=current)

    def _arrows(self, move: Move, source: str) -> list[Arrow]:
        timed = source in self.timers and move.event in self.timers[source].events
        guard = None if move.guard is None else _name(move.guard)
        if not isinstance(move.target, Choice):
            return [Arrow(source, move.target, move.event, guard, timed)]
        return [Arrow(source, target, move.event, guard, timed, when) for target, when in _branches(move.target)]


def _branches(choice: Choice, before: str = "") -> list[tuple[str, str]]:
    """Each target, and when it is chosen: `if a`, `unless a, if b`, `unless a, b`."""
    when = _name(choice.predicate)
    then = (choice.then, f"{before}, if {when}" if before else f"if {when}")
    passed = f"{before}, {when}" if before else f"unless {when}"
    if isinstance(choice.otherwise, Choice):
        return [then, *_branches(choice.otherwise, passed)]
    return [then, (choice.otherwise, passed)]


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


# The table's name is put into statements, so nothing but a plain, perhaps qualified, lower-case name may pass.
_TABLE = re.compile(r"[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
# Facts are named machine.state; this one is the engine's own.
RESERVED_STATES = frozenset({"timer_refused"})


class MachineMistaken(Invalid, code="machine_mistaken"):
    """A machine is declared in a way that cannot be meant. Mend the declaration; nothing has run yet."""


def check(machine: Machine) -> None:
    mistakes = list(
        chain(_names(machine), _states(machine), _moves(machine), _ends(machine), _timers(machine), _effects(machine))
    )
    mistakes = mistakes or list(_unreachable(machine))
    if mistakes:
        raise MachineMistaken(f"{machine.name}: {'; '.join(mistakes)}")


def _names(machine: Machine) -> Iterator[str]:
    if not _WORD.fullmatch(machine.name):
        yield f"the name {machine.name!r} is not a lower-case word"
    if not _TABLE.fullmatch(machine.table):
        yield f"the table {machine.table!r} is not a plain name or schema.name"
    for word in chain(machine.states, machine.events):
        if not _WORD.fullmatch(word):
            yield f"{str(word)!r} is not a lower-case word"
    for state in sorted(RESERVED_STATES & set(machine.states)):
        yield f"the state {state} would name the engine's own fact"


def _states(machine: Machine) -> Iterator[str]:
    known = set(machine.states)
    if machine.initial not in known:
        yield f"the initial state {machine.initial!r} is unknown"
    for state in machine.final:
        if state not in known:
            yield f"the final state {state!r} is unknown"


def _moves(machine: Machine) -> Iterator[str]:
    known = set(machine.states)
    seen: set[tuple[str, str]] = set()
    for move in machine.moves:
        if not move.sources:
            yield f"{move.event} has no source"
        for state in chain(move.sources, move.targets):
            if state not in known:
                yield f"{move.event} names the unknown state {state!r}"
        for source in move.sources:
            if (source, move.event) in seen:
                yield f"two moves for {move.event} in {source}"
            seen.add((source, move.event))


def _ends(machine: Machine) -> Iterator[str]:
    left = {source for move in machine.moves for source in move.sources}
    for state in machine.states:
        if state in machine.final and state in left:
            yield f"a move leads out of the final state {state}"
        if state not in machine.final and state not in left:
            yield f"nothing leads out of {state}, which is not declared final"


def _timers(machine: Machine) -> Iterator[str]:
    known = set(machine.states)
    possible = {(source, move.event) for move in machine.moves for source in move.sources}
    for state, timers in machine.timers.items():
        events = getattr(timers, "events", None)
        if state not in known:
            yield f"timers for the unknown state {state!r}"
        elif state in machine.final:
            yield f"timers for the final state {state}"
        elif events is None:
            yield f"the timers of {state} do not say which events they arm: put @arms(...) before the function"
        else:
            yield from (
                f"the timers of {state} arm {e}, which it has no move for" for e in events if (state, e) not in possible
            )


def _effects(machine: Machine) -> Iterator[str]:
    yield from (
        f"an effect for the unknown state {state!r}" for state in machine.effects if state not in set(machine.states)
    )


def _unreachable(machine: Machine) -> Iterator[str]:
    reached, fresh = set[str](), {str(machine.initial)}
    while fresh:
        reached |= fresh
        fresh = {t for move in machine.moves if reached & set(move.sources) for t in move.targets} - reached
    yield from (f"nothing leads to {state}" for state in machine.states if state not in reached)


def draw(arrows: Iterable[Arrow], *, initial: str, final: Iterable[str], current: str | None) -> str:
    lines = [f"[*] --> {initial}", *map(str, arrows), *(f"{state} --> [*]" for state in final)]
    if current is not None:
        lines += ["classDef current font-weight:bold,stroke-width:3px", f"class {current} current"]
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in lines)]) + "\n"
