"""What is wrong with a declared machine, found when it is imported."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING

from pabal.base.errors import Invalid

if TYPE_CHECKING:
    from pabal.engine.machine import Machine

# The table's name is put into statements, so nothing but a plain, perhaps qualified, lower-case name may pass.
_TABLE = re.compile(r"[a-z_][a-z0-9_]{0,62}(\.[a-z_][a-z0-9_]{0,62})?")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
# Facts are named machine.state; this one is the engine's own.
RESERVED_STATES = frozenset({"timer_refused"})


class MachineMistaken(Invalid):
    """A machine is declared in a way that cannot be meant. Mend the declaration; nothing has run yet."""


def check(machine: "Machine") -> None:
    mistakes = list(
        chain(_names(machine), _states(machine), _moves(machine), _ends(machine), _timers(machine), _effects(machine))
    )
    mistakes = mistakes or list(_unreachable(machine))
    if mistakes:
        raise MachineMistaken(f"{machine.name}: {'; '.join(mistakes)}")


def _names(machine: "Machine") -> Iterator[str]:
    if not _WORD.fullmatch(machine.name):
        yield f"the name {machine.name!r} is not a lower-case word"
    if not _TABLE.fullmatch(machine.table):
        yield f"the table {machine.table!r} is not a plain name or schema.name"
    for word in chain(machine.states, machine.events):
        if not _WORD.fullmatch(word):
            yield f"{str(word)!r} is not a lower-case word"
    for state in sorted(RESERVED_STATES & set(machine.states)):
        yield f"the state {state} would name the engine's own fact"


def _states(machine: "Machine") -> Iterator[str]:
    known = set(machine.states)
    if machine.initial not in known:
        yield f"the initial state {machine.initial!r} is unknown"
    for state in machine.final:
        if state not in known:
            yield f"the final state {state!r} is unknown"


def _moves(machine: "Machine") -> Iterator[str]:
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


def _ends(machine: "Machine") -> Iterator[str]:
    left = {source for move in machine.moves for source in move.sources}
    for state in machine.states:
        if state in machine.final and state in left:
            yield f"a move leads out of the final state {state}"
        if state not in machine.final and state not in left:
            yield f"nothing leads out of {state}, which is not declared final"


def _timers(machine: "Machine") -> Iterator[str]:
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


def _effects(machine: "Machine") -> Iterator[str]:
    yield from (
        f"an effect for the unknown state {state!r}" for state in machine.effects if state not in set(machine.states)
    )


def _unreachable(machine: "Machine") -> Iterator[str]:
    reached, fresh = set[str](), {str(machine.initial)}
    while fresh:
        reached |= fresh
        fresh = {t for move in machine.moves if reached & set(move.sources) for t in move.targets} - reached
    yield from (f"nothing leads to {state}" for state in machine.states if state not in reached)
