"""The subjects of a machine as a list shows them, and how many are in each state.

Their tables are the apps': one with many rows has indexes on (state, id) and on (unit_id, id).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.engine.machine import Machine
from pabal.engine.subjects import of

SQL = load(__file__)


class BadSubjectState(Invalid, code="bad_subject_state"):
    """The machine has no such state."""


@dataclass(frozen=True, slots=True)
class SubjectLine:
    """`since`, `event`, `actor` and `reason` are of the last transition; `next_event` is its soonest timer's."""

    id: int
    unit_id: int | None
    state: str
    version: int
    since: datetime | None
    event: str | None
    actor: str | None
    reason: str | None
    next_event: str | None
    next_at: datetime | None


async def list_subjects(  # long: the page of a machine, within a scope
    tx: Tx,
    machine: Machine,
    units: Sequence[int] | None,
    *,
    states: Sequence[str] = (),
    limit: int = 50,
    cursor: str | None = None,
) -> Page[SubjectLine]:
    """Newest first. Where rows belong to nobody, only those who see everything see them."""
    most = one_more(limit)
    unknown = [state for state in states if state not in list(machine.states)]
    if unknown:
        raise BadSubjectState(f"{machine.name}: {', '.join(unknown)}")
    before = LAST if cursor is None else read_cursor(cursor, int)[0]
    page = {"machine": machine.name, "states": list(states) or None, "before": before, "most": most}
    if await _has_unit(tx, machine):
        given = None if units is None else list(units)
        found = await tx.all(SubjectLine, of(machine, SQL.list_subjects), units=given, **page)
    else:
        found = [] if units is not None else await tx.all(SubjectLine, of(machine, SQL.list_unowned), **page)
    return cut(found, limit, lambda one: show_cursor(one.id))


async def count_states(tx: Tx, machine: Machine, units: Sequence[int] | None) -> dict[str, int]:
    """Every state it declares, with how many are in it: up to 10,001, which means more than 10,000."""
    states = [str(state) for state in machine.states]
    if await _has_unit(tx, machine):
        given = None if units is None else list(units)
        rows = await tx.rows(of(machine, SQL.count_states), units=given, states=states)
    elif units is None:
        rows = await tx.rows(of(machine, SQL.count_unowned_states), states=states)
    else:
        return dict.fromkeys(states, 0)
    return {row["state"]: row["count"] for row in rows}


async def _has_unit(tx: Tx, machine: Machine) -> bool:
    return bool(await tx.value(SQL.has_unit, subjects=machine.table))
