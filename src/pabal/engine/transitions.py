"""transition(): swaps state, appends history, records the fact, replaces timers, runs effects, in one commit."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from pabal.base.database import Database, Hint, Hints, Row, Tx
from pabal.base.errors import Conflict, Invalid
from pabal.base.sql import Statement, load
from pabal.engine.facts import encode, topics
from pabal.engine.machine import Explained, Machine, Refusal
from pabal.engine.subjects import (
    Armed,
    SubjectNotFound,
    VersionChanged,
    load_subjects,
    lock_and_load,
    of,
    replace_timers,
)

SQL = load(__file__)
BEGIN = "begin"


@dataclass(frozen=True, slots=True)
class Transition:
    """A move that happened: one row of history. The first has no source and version 1."""

    machine: str
    subject: int
    version: int
    event: str
    source: str | None
    target: str
    unit_id: int | None
    actor: str
    reason: str | None
    cause: str | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Moved:
    """How a bulk transition ended: who moved, and who did not and why."""

    transitions: list[Transition]
    refused: dict[int, Refusal]


class MoveNotAllowed(Conflict, code="move_not_allowed"):
    """The machine has no move for this event in the state the subject is in."""


class GuardRefused(Conflict, code="guard_refused"):
    """A condition of this move is not met."""

    def __init__(self, detail: str, refusal: Refusal) -> None:
        super().__init__(detail)
        self.refusal = refusal


class AlreadyBegun(Conflict, code="already_begun"):
    """A life begins once: in the state it is meant to begin in, with version 1 and no history."""


class HistoryBroken(Invalid, code="history_broken"):
    """This history has a gap: some transition in it does not begin where the one before it ended."""


class Because(NamedTuple):
    """Who moved it, why, and what led to it (a job, a fact)."""

    actor: str
    reason: str | None = None
    cause: str | None = None


class Step(NamedTuple):
    """A decided move of one loaded subject, with the timers of the state it enters."""

    subject: Any
    event: str
    target: str
    due: list[tuple[str, datetime]]


async def transition(  # long: the vocabulary of a transition
    tx: Tx,
    machine: Machine,
    subject_id: int,
    event: str,
    *,
    actor: str,
    reason: str | None = None,
    cause: str | None = None,
    expect_version: int | None = None,
) -> Transition:
    """Moves one subject, or raises SubjectNotFound, VersionChanged, MoveNotAllowed or GuardRefused."""
    found = await lock_and_load(tx, machine, [subject_id])
    if not found:
        raise SubjectNotFound(f"{machine.name} {subject_id}")
    [subject] = found
    if expect_version is not None and subject.version != expect_version:
        raise VersionChanged(f"{machine.name} {subject_id} is at {subject.version}, not {expect_version}")
    return await transition_loaded(tx, machine, subject, event, Because(actor, reason, cause))


async def transition_loaded(tx: Tx, machine: Machine, subject: Any, event: str, because: Because) -> Transition:
    """The same for whoever has the subject in hand, locked by this transaction."""
    [made] = await apply(tx, machine, [_plan(machine, subject, event, tx.now)], because)
    return made


async def transition_all(  # long: the vocabulary of a transition
    tx: Tx,
    machine: Machine,
    subject_ids: Iterable[int],
    event: str,
    *,
    actor: str,
    reason: str | None = None,
    noting: "Noting | None" = None,
) -> list[Transition]:
    """Moves every one of them, or raises as `transition` would for the first that cannot.

    `noting` counts them in the order of their ids.
    """
    ids = set(subject_ids)
    found = await lock_and_load(tx, machine, ids)
    if len(found) != len(ids):
        raise SubjectNotFound(f"{machine.name} {sorted(ids - {subject.id for subject in found})}")
    steps = [_plan(machine, subject, event, tx.now) for subject in found]
    return await apply(tx, machine, steps, Because(actor, reason), noting)


async def transition_many(
    tx: Tx,
    machine: Machine,
    subject_ids: Iterable[int],
    event: str,
    *,
    actor: str,
    reason: str | None = None,
    cause: str | None = None,
) -> Moved:
    """Moves all it can, one statement each for state, history, facts and timers; answers who was refused and why."""
    ids = set(subject_ids)
    found = await lock_and_load(tx, machine, ids)
    planned = [(subject.id, plan(machine, subject, event, tx.now)) for subject in found]
    refused = {subject_id: step for subject_id, step in planned if isinstance(step, Refusal)}
    refused |= {missing: Refusal("not_found") for missing in ids - {subject.id for subject in found}}
    steps = [step for _, step in planned if isinstance(step, Step)]
    return Moved(await apply(tx, machine, steps, Because(actor, reason, cause)), refused)


async def begin(
    tx: Tx,
    machine: Machine,
    subject_ids: Iterable[int],
    *,
    actor: str,
    reason: str | None = None,
    cause: str | None = None,
) -> list[Transition]:
    """For subjects just inserted, in the same commit: their first history row, fact, timers and effects."""
    initial = str(machine.initial)
    return await begin_in(tx, machine, dict.fromkeys(subject_ids, initial), Because(actor, reason, cause))


async def begin_in(tx: Tx, machine: Machine, states: Mapping[int, str], because: Because) -> list[Transition]:
    """The same for those that lived elsewhere before: each begins in the state it was inserted with."""
    if not states:
        return []
    # Not locked: what this commit inserted nobody else can see.
    found = await load_subjects(tx, machine, sorted(states))
    return await begin_loaded(tx, machine, found, states, because)


async def begin_loaded(
    tx: Tx, machine: Machine, found: Sequence[Any], states: Mapping[int, str], because: Because
) -> list[Transition]:
    """The same for whoever inserted the subjects a moment ago and has them in hand."""
    if len(found) != len(states):
        raise SubjectNotFound(f"{machine.name} {sorted(set(states) - {subject.id for subject in found})}")
    for subject in found:
        if subject.state != states[subject.id] or subject.version != 1:
            raise AlreadyBegun(f"{machine.name} {subject.id} is {subject.state}, version {subject.version}")
    steps = [Step(one, BEGIN, str(one.state), machine.due(one.state, one, tx.now)) for one in found]
    made = [_made(machine, step, because, tx.now, None, 1) for step in steps]
    await _append(tx, SQL.append, machine, made)
    await _follow(tx, machine, steps)
    return made


async def begin_inserted(
    tx: Tx, machine: Machine, inserting: Statement, given: Mapping[str, Any], because: Because
) -> int | None:
    """Inserts one subject in its initial state and begins it, in one statement. Its id; None where nothing came of it.

    `inserting` is a part of a statement: a common table `begun` that answers id and unit_id, and what goes along.
    """
    own = _beginning(machine, because)
    rows = await tx.rows(of(machine, SQL.begin_inserted, inserting), at=tx.now, **own, **given)
    if not rows:
        return None
    _wake(tx, machine)
    made: int = rows[0]["id"]
    if machine.timers or machine.effects:
        state = str(machine.initial)
        found = await load_subjects(tx, machine, [made])
        await _follow(tx, machine, [Step(one, BEGIN, state, machine.due(state, one, tx.now)) for one in found])
    return made


async def begin_at_once(
    database: Database, machine: Machine, inserting: Statement, given: Mapping[str, Any], because: Because, hint: Hint
) -> Row | None:
    """`begin_inserted` as a transaction of its own: one round trip. Answers `begun`; `hint` says whom it wakes."""
    _check_plain(machine)
    own = _beginning(machine, because)
    statement = of(machine, SQL.begin_inserted, inserting)
    rows = await database.rows(statement, lambda row: {**_woken(machine), **hint(row)}, at=None, **own, **given)
    return rows[0] if rows else None


def _beginning(machine: Machine, because: Because) -> dict[str, Any]:
    state = str(machine.initial)
    data = _tell(BEGIN, None, state, 1, because)
    return {"machine": machine.name, "event": BEGIN, "target": state, "data": encode(data), **because._asdict()}


def plan(machine: Machine, subject: Any, event: str, now: datetime) -> Step | Refusal:
    """Decides one move and the timers after it. Pure."""
    target = machine.decide(subject, event, now)
    return (
        target if isinstance(target, Refusal) else Step(subject, str(event), target, machine.due(target, subject, now))
    )


class Noting(NamedTuple):
    """Columns that the owner of the table sets in the update that moves its rows: `transitions.sql`, move_noting."""

    columns: Statement
    given: Mapping[str, Any]


async def apply(
    tx: Tx, machine: Machine, steps: Sequence[Step], because: Because, noting: Noting | None = None
) -> list[Transition]:
    """Writes decided moves of locked subjects."""
    if not steps:
        return []
    made = [_made(machine, step, because, tx.now, step.subject.state, step.subject.version + 1) for step in steps]
    if noting is None:
        await _append(tx, of(machine, SQL.move), machine, made)
    else:
        await _append(tx, of(machine, SQL.move_noting, noting.columns), machine, made, noting.given)
    await _follow(tx, machine, steps)
    return made


class Picking(NamedTuple):
    """Which rows the table's owner picks and locks, and the columns it sets: `transitions.sql`, move_picked."""

    picked: Statement
    columns: Statement
    given: Mapping[str, Any]


async def move_at_once(
    database: Database, machine: Machine, move: tuple[str, str, str], picking: Picking, because: Because
) -> list[Row]:
    """Moves what its owner picks by one event from one state to another, as a transaction of its own: one round trip.

    For moves without a guard, of machines without timers or effects. Answers what `picked` had of those that moved.
    """
    event, source, target = map(str, move)
    _check_plain(machine)
    found = machine.find_move(source, event)
    if found is None or found.guard is not None or found.target != target:
        raise TypeError(f"{machine.name}: {event} in {source} does not lead to {target} without a question")
    own = {"machine": machine.name, "event": event, "source": source, "target": target, **because._asdict()}
    data = encode(_tell(event, source, target, 0, because))
    statement = of(machine, SQL.move_picked, picking.columns, picking.picked)
    return await database.rows(statement, lambda _: _woken(machine), data=data, **own, **picking.given)


def _check_plain(machine: Machine) -> None:
    if machine.timers or machine.effects:
        raise TypeError(f"{machine.name} has timers or effects, which need a transaction")


async def explain(tx: Tx, machine: Machine, subject_id: int) -> list[Explained]:
    """For every event of the machine: where it would lead now, or why not, with the values compared. Locks nothing."""
    found = await load_subjects(tx, machine, [subject_id])
    if not found:
        raise SubjectNotFound(f"{machine.name} {subject_id}")
    return machine.explain(found[0], tx.now)


async def history(tx: Tx, machine: Machine, subject_id: int) -> list[Transition]:
    """From its beginning to now."""
    return await tx.all(Transition, SQL.history, machine=machine.name, subject=subject_id)


async def state_at(tx: Tx, machine: Machine, subject_id: int, moment: datetime) -> str | None:
    """None before its beginning."""
    state: str | None = await tx.value(SQL.state_at, machine=machine.name, subject=subject_id, moment=moment)
    return state


def replay(made: Sequence[Transition]) -> str | None:
    """The state a history leads to. Raises HistoryBroken when a transition is missing or does not fit."""
    state: str | None = None
    for number, step in enumerate(made, start=1):
        if step.version != number or step.source != state:
            raise HistoryBroken(
                f"{step.machine} {step.subject}: version {step.version} from {step.source} after {state}"
            )
        state = step.target
    return state


def subject_name(machine: Machine, subject_id: int) -> str:
    """How facts and jobs name a subject: `adgroup:7`."""
    return f"{machine.name}:{subject_id}"


def refused(machine: Machine, subject: Any, event: str, refusal: Refusal) -> Conflict:
    """The error that says why this event does not move this subject."""
    detail = f"{machine.name} {subject.id}, {event} in {subject.state}"
    if machine.find_move(subject.state, event) is None:
        return MoveNotAllowed(detail)
    return GuardRefused(f"{detail}: {refusal}", refusal)


def _plan(machine: Machine, subject: Any, event: str, now: datetime) -> Step:
    step = plan(machine, subject, event, now)
    if isinstance(step, Refusal):
        raise refused(machine, subject, event, step)
    return step


def _made(machine: Machine, step: Step, because: Because, at: datetime, source: str | None, version: int) -> Transition:
    subject = step.subject
    return Transition(machine.name, subject.id, version, step.event, source, step.target, subject.unit_id, *because, at)


async def _follow(tx: Tx, machine: Machine, steps: Sequence[Step]) -> None:
    """Timers and effects."""
    armed = [Armed(step.subject.id, event, due_at) for step in steps for event, due_at in step.due]
    if machine.timers:
        await replace_timers(tx, machine, [step.subject.id for step in steps], armed)
    # Last, so that an effect that edits what timers depend on, or moves the subject on, has the last word.
    for state, effect in machine.effects.items():
        entered = [step.subject for step in steps if step.target == state]
        if entered:
            await effect(tx, entered)


async def _append(
    tx: Tx, statement: Statement, machine: Machine, made: Sequence[Transition], given: Mapping[str, Any] | None = None
) -> None:
    """History and facts; with `move` also the states, each of which must still have the version it was loaded with."""
    first = made[0]
    [(moved, appended)] = await tx.rows(
        statement,
        machine=machine.name,
        subjects=[one.subject for one in made],
        versions=[one.version for one in made],
        events=[one.event for one in made],
        sources=[one.source for one in made],
        targets=[one.target for one in made],
        units=[one.unit_id for one in made],
        actor=first.actor,
        reason=first.reason,
        cause=first.cause,
        at=tx.now,
        datas=[encode(_told(one)) for one in made],
        **(given or {}),
    )
    if moved is not None and moved != len(made):
        raise VersionChanged(f"{machine.name}: {len(made) - moved} of {len(made)}")
    if appended != len(made):
        raise AlreadyBegun(f"{machine.name}: {len(made) - appended} of {len(made)} have this version in their history")
    _wake(tx, machine)


def _wake(tx: Tx, machine: Machine) -> None:
    for topic in topics([machine.name]):
        tx.hint(topic)


def _woken(machine: Machine) -> Hints:
    return dict.fromkeys(topics([machine.name]))


def _told(made: Transition) -> dict[str, Any]:
    because = Because(made.actor, made.reason, made.cause)
    return _tell(made.event, made.source, made.target, made.version, because)


def _tell(event: str, source: str | None, target: str, version: int, because: Because) -> dict[str, Any]:
    """What the fact `machine.state` says."""
    return {"event": event, "source": source, "target": target, "version": version, **because._asdict()}
