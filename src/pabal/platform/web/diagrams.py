"""Machines as pictures and words: each state in the visitor's language, and what one subject or many say about it."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from markupsafe import Markup

from pabal.engine import listing
from pabal.engine.machine import Choice, Explained, Machine, Move, Refusal
from pabal.engine.transitions import Transition
from pabal.platform.language.status import find_status
from pabal.platform.web.drawing import Marks, StateText, draw
from pabal.platform.web.lists import words
from pabal.platform.web.visit import Visit


@dataclass(frozen=True, slots=True)
class Target:
    """Where a move leads; `when` names what decides, if something does."""

    state: str
    when: str
    holds: bool = True


@dataclass(frozen=True, slots=True)
class MoveRow:
    """A declared move as a table shows it; `timed` are the sources whose timers say it."""

    event: str
    sources: tuple[str, ...]
    targets: tuple[Target, ...]
    guard: str
    timed: tuple[str, ...]


def name_machine(visit: Visit, machine: Machine) -> str:
    """As its app or the menu of its app calls it, otherwise by its own name."""
    own = [one for one in visit.site.slices if machine in one.machines]
    for names in (one.names for one in own if machine.name in one.names):
        return visit.voice.say_pair(names[machine.name])
    for item in (item for one in own for item in one.nav):
        if item.href.rpartition("/")[2] in (machine.name, f"{machine.name}s"):
            return visit.voice.say_pair(item.label)
    return machine.name.replace("_", " ")


def draw_many(visit: Visit, machine: Machine, counts: Mapping[str, int], made: Iterable[Transition]) -> Markup:
    """How many are where; dark is where somebody is, and which ways were taken lately."""
    marks = Marks(
        seen_states=frozenset(state for state, count in counts.items() if count), seen_moves=_find_taken(made)
    )
    states = {str(state): _tell_state(visit, machine, str(state), counts[str(state)]) for state in machine.states}
    return draw(machine, _title(visit, machine), states, marks)


def draw_one(
    visit: Visit,
    machine: Machine,
    state: str,
    explained: Iterable[Explained],
    made: Iterable[Transition],
    tell: Callable[[Visit, Refusal], str] | None = None,
) -> Markup:
    """Where it is, where it has been, where it may go. `tell` has better words for why not than the guard's own."""
    taken = _find_taken(made)
    possible = [one for one in explained if machine.find_move(state, one.event) is not None]
    marks = Marks(
        now=state,
        flag=visit.say("now", "지금"),
        look="attn" if find_status(visit.site.words, machine.name, state).look == "attn" else "",
        seen_states=frozenset(place for source, _, target in taken for place in (source, target)),
        seen_moves=taken,
        can={one.event: one.target for one in possible if one.target is not None},
        refused={one.event: (tell or tell_refusal)(visit, one.refusal) for one in possible if one.refusal is not None},
    )
    states = {str(one): _tell_state(visit, machine, str(one), None) for one in machine.states}
    return draw(machine, _title(visit, machine), states, marks)


def tell_refusal(visit: Visit, refusal: Refusal) -> str:
    """What the guard said, with the values it compared."""
    said = refusal.reason.replace("_", " ")
    values = ", ".join(f"{name} {show_value(visit, value)}" for name, value in refusal.values.items())
    return f"{said} ({values})" if values else said


def show_value(visit: Visit, value: Any) -> str:
    if isinstance(value, datetime) and value.tzinfo is not None:
        return visit.voice.moment(value, seconds=True)
    return visit.voice.span(value) if isinstance(value, timedelta) else str(value)


def list_moves(machine: Machine) -> list[MoveRow]:
    return [
        MoveRow(move.event, move.sources, _targets(move), name_guard(move), _timed_sources(machine, move))
        for move in machine.moves
    ]


def name_guard(move: Move | None) -> str:
    return "" if move is None or move.guard is None else _name(move.guard)


def _targets(move: Move) -> tuple[Target, ...]:
    return tuple(_branches(move.target))


def _branches(target: str | Choice, when: str = "", *, holds: bool = True) -> Iterator[Target]:
    """Each target with the question that led to it, and its answer."""
    if not isinstance(target, Choice):
        yield Target(target, when, holds=holds)
        return
    asked = _name(target.predicate)
    yield Target(target.then, asked)
    yield from _branches(target.otherwise, asked, holds=False)


def _timed_sources(machine: Machine, move: Move) -> tuple[str, ...]:
    return tuple(one for one in move.sources if one in machine.timers and move.event in machine.timers[one].events)


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _find_taken(made: Iterable[Transition]) -> frozenset[tuple[str, str, str]]:
    return frozenset((one.source, one.event, one.target) for one in made if one.source is not None)


def _title(visit: Visit, machine: Machine) -> str:
    return visit.say("State diagram of {name}", "{name} 상태도", name=name_machine(visit, machine))


def _tell_state(visit: Visit, machine: Machine, state: str, count: int | None) -> StateText:
    """With how many, it leads to the list of them."""
    word = visit.voice.status_word(machine.name, state)
    note = state if count is None else f"{state} · {words(count, listing.CAP)}"
    # what is seen comes first and unchanged: one may say it to a screen that is spoken to
    said = f"{word} {note}" + (visit.say(", an end", ", 끝 상태") if state in machine.final else "")
    ways = [
        f"{move.event} → {visit.voice.status_word(machine.name, target)}"
        for move in machine.moves
        if state in move.sources
        for target in move.targets
    ]
    href = "" if count is None else f"/machines/{machine.name}?state={state}#subjects"
    return StateText(word, note, f"{said}. {'; '.join(ways)}" if ways else said, href)
