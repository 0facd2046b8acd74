"""The rows a machine moves, in a table that is not the engine's: locks and loads them, swaps states, arms timers."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

from pabal.base.database import Tx
from pabal.base.errors import Conflict, NotFound
from pabal.base.sql import Statement, load
from pabal.engine.machine import Machine

SQL = load(__file__)


class SubjectNotFound(NotFound, code="subject_not_found"):
    """The machine has no such subject."""


class VersionChanged(Conflict, code="version_changed"):
    """Somebody moved it since you looked. Look again, then decide."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A subject of a machine without a loader."""

    id: int
    unit_id: int | None
    state: str
    version: int


class Armed(NamedTuple):
    subject: int
    event: str
    due_at: datetime


@cache
def of(
    machine: Machine, statement: Statement, own: Statement | None = None, picked: Statement | None = None
) -> Statement:
    """A statement about this machine's own table; the name passed the check at import, so nothing else can get in.

    `own` is what the table's owner writes in the same statement, in place of `subject_own`; `picked` is which rows it
    is about, in place of `subject_picked`.
    """
    made = replace(statement, text=statement.text.replace("subject_table", machine.table))
    for word, part in (("subject_own", own), ("subject_picked", picked)):
        made = made if part is None else made.put(word, part)
    return made


async def lock_and_load(tx: Tx, machine: Machine, ids: Iterable[int]) -> list[Any]:
    """The subjects there are, locked in the order of ids so that two who want the same ones cannot deadlock."""
    wanted = list(set(ids))
    if machine.loader is None:
        return list(await tx.all(Plain, of(machine, SQL.lock_plain), ids=wanted))
    rows = await tx.rows(of(machine, SQL.lock_subjects), ids=wanted)
    return await load_subjects(tx, machine, [row["id"] for row in rows])


async def load_subjects(tx: Tx, machine: Machine, ids: list[int]) -> list[Any]:
    if machine.loader is None:
        return list(await tx.all(Plain, of(machine, SQL.load_plain), ids=ids))
    return list(await machine.loader(tx, ids)) if ids else []


async def replace_timers(tx: Tx, machine: Machine, subjects: list[int], armed: Sequence[Armed]) -> None:
    """All their timers are gone afterwards but these."""
    await tx.run(SQL.drop_timers, machine=machine.name, subjects=subjects)
    await add_timers(tx, machine, armed)


async def forget(tx: Tx, machine: Machine, subjects: list[int]) -> None:
    """For who deletes the rows in the same commit: as if they had never begun. The facts about them stay."""
    await tx.run(SQL.drop_timers, machine=machine.name, subjects=subjects)
    await tx.run(SQL.drop_history, machine=machine.name, subjects=subjects)


async def add_timers(tx: Tx, machine: Machine, armed: Sequence[Armed]) -> None:
    if not armed:
        return
    ids, events, due_ats = ([timer[column] for timer in armed] for column in range(3))
    await tx.run(SQL.insert_timers, machine=machine.name, subjects=ids, events=events, due_ats=due_ats)
    tx.hint("timers", min(timer.due_at for timer in armed))
