"""Timers: events armed for a moment by the state a subject is in, fired inside a transaction, in batches."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from pabal.base.database import ConnectionFailure, Database, Tx
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine.facts import NewFact, record_many
from pabal.engine.listing.paging import Page, cut, one_more, read_cursor, show_cursor
from pabal.engine.machine import Machine, Refusal
from pabal.engine.subjects import Armed, add_timers, load_subjects, lock_and_load, of, replace_timers
from pabal.engine.transitions import Because, Step, apply, plan, subject_name

SQL = load(__file__)
BATCH = 1000
MAX_TRIES = 3
ACTOR = "engine"
_BEGINNING = datetime(1, 1, 1, tzinfo=UTC)
# as far as a cursor is concerned: what is in quarantine comes after everything
_NEVER = datetime(9999, 1, 1, tzinfo=UTC)

declare("timers.fired", "Timers that moved their subject", labels=("machine",), amount="count", level=logging.DEBUG)
declare("timers.refused", "Timers whose guard refused", labels=("machine",), amount="count")
declare("timers.put_off", "Timers put off after an error", labels=("machine",), level=logging.WARNING)
declare("timers.quarantined", "Timers that failed three times", labels=("machine",), level=logging.ERROR)


@dataclass(frozen=True, slots=True)
class Timer:
    """`due_at` is None for one in quarantine: it failed three times and waits for an edit or a transition."""

    event: str
    due_at: datetime | None
    tries: int
    error: str | None


@dataclass(frozen=True, slots=True)
class ArmedTimer:
    """A timer with whose it is, and the state that armed it."""

    subject: int
    event: str
    due_at: datetime | None
    tries: int
    error: str | None
    unit_id: int | None
    state: str
    version: int


@dataclass(frozen=True, slots=True)
class WantedTimers:
    """Which timers of a machine. `late_at`: only what was due before it or is in quarantine; `subjects`: of these."""

    units: Sequence[int] | None
    events: Sequence[str] = ()
    late_at: datetime | None = None
    subjects: Sequence[int] | None = None


@dataclass(frozen=True, slots=True)
class LateTimers:
    unit_id: int | None
    late: int
    stuck: int


class _Due(NamedTuple):
    subject: int
    event: str
    due_at: datetime
    tries: int


async def fire_once(database: Database, machines: Iterable[Machine]) -> int:
    """Fires up to 1,000 due timers of each machine; answers how many were taken. Every server may do it at once."""
    taken = 0
    for machine in machines:
        async with database.transaction() as tx:
            fired = await _fire_batch(tx, machine)
            if fired:
                kill_point("timers.moved")
        if fired:
            kill_point("timers.committed")
        taken += fired
    return taken


async def next_due(tx: Tx, machines: Iterable[Machine]) -> datetime | None:
    moment: datetime | None = await tx.value(SQL.next_due, machines=[machine.name for machine in machines])
    return moment


async def rearm(tx: Tx, machine: Machine, subject_ids: Iterable[int]) -> None:
    """After an edit of what timers depend on, in the commit of the edit."""
    found = await lock_and_load(tx, machine, subject_ids)
    armed = [Armed(one.id, event, due_at) for one in found for event, due_at in machine.due(one.state, one, tx.now)]
    await replace_timers(tx, machine, [subject.id for subject in found], armed)


async def list_timers(tx: Tx, machine: Machine, subject_id: int) -> list[Timer]:
    return await tx.all(Timer, SQL.list_timers, machine=machine.name, subject=subject_id)


async def list_armed(
    tx: Tx, machine: Machine, wanted: WantedTimers, cursor: str | None = None, limit: int = 50
) -> Page[ArmedTimer]:
    """Of all its subjects, the next one due first."""
    due_at, subject, event = (_BEGINNING, 0, "") if cursor is None else read_cursor(cursor, datetime, int, str)
    found = await tx.all(
        ArmedTimer,
        of(machine, SQL.list_armed),
        machine=machine.name,
        units=None if wanted.units is None else list(wanted.units),
        events=[str(one) for one in wanted.events] or None,
        late_at=wanted.late_at,
        subjects=None if wanted.subjects is None else list(wanted.subjects),
        due_at=due_at,
        after_subject=subject,
        after_event=event,
        most=one_more(limit),
    )
    return cut(found, limit, lambda one: show_cursor(one.due_at or _NEVER, one.subject, one.event))


async def count_late(tx: Tx, machine: Machine, before: datetime) -> list[LateTimers]:
    """For each unit what was due before this moment, and what stands in quarantine and will not fire by itself."""
    return await tx.all(LateTimers, of(machine, SQL.count_late), machine=machine.name, before=before)


async def _fire_batch(tx: Tx, machine: Machine) -> int:
    seen = [_Due(*row) for row in await tx.rows(of(machine, SQL.lock_due), machine=machine.name, batch=BATCH)]
    if not seen:
        await tx.run(of(machine, SQL.drop_orphans), machine=machine.name)
        return 0
    chosen = _one_per_subject(machine, seen)
    subjects, events, due_ats, _ = (list(column) for column in zip(*chosen, strict=True))
    rows = await tx.rows(SQL.take_due, machine=machine.name, subjects=subjects, events=events, due_ats=due_ats)
    await _fire(tx, machine, [_Due(*row) for row in rows])
    return len(rows)


def _one_per_subject(machine: Machine, seen: Sequence[_Due]) -> list[_Due]:
    """The earliest; of two for one moment the one whose move is declared first. The next pass sees what is left."""
    order = {event: number for number, event in enumerate(machine.events)}
    chosen: dict[int, _Due] = {}
    for due in seen:
        known = chosen.get(due.subject)
        if known is None or (known.due_at == due.due_at and order.get(due.event, 0) < order.get(known.event, 0)):
            chosen[due.subject] = due
    return list(chosen.values())


async def _fire(tx: Tx, machine: Machine, taken: list[_Due]) -> None:
    """All at once; if the database or an effect objects, halves, until the one it objects to is alone and put off."""
    if not taken:
        return
    try:
        async with tx.savepoint():
            broken = await _move(tx, machine, taken)
    except ConnectionFailure:
        raise
    except Exception as error:  # noqa: BLE001 -- whatever one subject causes must not stop the timers of the others
        if len(taken) == 1:
            await _put_off(tx, machine, taken[0], error)
            return
    else:
        for due, reason in broken:
            await _put_off(tx, machine, due, reason)
        return
    half = len(taken) // 2
    await _fire(tx, machine, taken[:half])
    await _fire(tx, machine, taken[half:])


async def _move(tx: Tx, machine: Machine, taken: list[_Due]) -> list[tuple[_Due, Exception]]:
    """Answers those whose guard, choice or timers threw; all others moved or were refused."""
    subjects = {subject.id: subject for subject in await load_subjects(tx, machine, [due.subject for due in taken])}
    steps: list[Step] = []
    refused: list[tuple[Any, str, Refusal]] = []
    broken: list[tuple[_Due, Exception]] = []
    for due in taken:
        subject = subjects[due.subject]
        try:
            answer = plan(machine, subject, due.event, tx.now)
        except Exception as error:  # noqa: BLE001 -- a guard may fail in any way; only its own subject is put off
            broken.append((due, error))
            continue
        if isinstance(answer, Refusal):
            refused.append((subject, due.event, answer))
        else:
            steps.append(answer)
    await apply(tx, machine, steps, Because(ACTOR, reason="timer"))
    await _refuse(tx, machine, refused)
    if steps:
        emit("timers.fired", machine=machine.name, count=len(steps))
    return broken


async def _refuse(tx: Tx, machine: Machine, refused: Sequence[tuple[Any, str, Refusal]]) -> None:
    """A refused timer is used up and its guard's report kept as a fact; a later moment its state declares is armed."""
    if not refused:
        return
    await record_many(tx, [_report(machine, *one) for one in refused])
    await add_timers(tx, machine, [timer for one, event, _ in refused for timer in _later(machine, one, event, tx.now)])
    emit("timers.refused", machine=machine.name, count=len(refused), reason=refused[0][2].reason)


def _report(machine: Machine, subject: Any, event: str, refusal: Refusal) -> NewFact:
    data = {"event": event, "state": str(subject.state), "reason": refusal.reason, "values": dict(refusal.values)}
    return NewFact(f"{machine.name}.timer_refused", subject_name(machine, subject.id), data, subject.unit_id)


def _later(machine: Machine, subject: Any, event: str, now: datetime) -> list[Armed]:
    due = machine.due(subject.state, subject, now)
    return [Armed(subject.id, armed, moment) for armed, moment in due if armed == event and moment > now]


async def _put_off(tx: Tx, machine: Machine, due: _Due, error: Exception) -> None:
    tries = due.tries + 1
    text = f"{type(error).__name__}: {error}".replace("\0", "")  # PostgreSQL stores no NUL
    quarantined = tries >= MAX_TRIES
    await tx.run(
        SQL.put_off,
        machine=machine.name,
        subject=due.subject,
        event=due.event,
        tries=tries,
        error=text,
        quarantined=quarantined,
    )
    if not quarantined:
        tx.hint("timers", tx.now + timedelta(minutes=tries))
    name = "timers.quarantined" if quarantined else "timers.put_off"
    emit(name, machine=machine.name, subject=due.subject, event_name=due.event, tries=tries, error=text)
