"""The transitions of a machine as a list shows them: newest first, of one subject or of all."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.engine.transitions import Transition

SQL = load(__file__)
_END = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Wanted:
    units: Sequence[int] | None
    machine: str
    subject: int | None = None
    event: str | None = None
    actor: str | None = None
    since: datetime | None = None
    until: datetime | None = None


async def list_transitions(tx: Tx, wanted: Wanted, *, limit: int = 50, cursor: str | None = None) -> Page[Transition]:
    at, subject, version = (_END, LAST, LAST) if cursor is None else read_cursor(cursor, datetime, int, int)
    window = {
        "machine": wanted.machine,
        "units": None if wanted.units is None else list(wanted.units),
        "since": wanted.since,
        "until": wanted.until,
        "at": at,
        "after_subject": subject,
        "version": version,
        "most": one_more(limit),
    }
    named = {"subject": wanted.subject, "event": wanted.event, "actor": wanted.actor}
    if wanted.units is not None and not any(value is not None for value in named.values()):
        found = await tx.all(Transition, SQL.list_of_units, **window)
    else:
        found = await tx.all(Transition, SQL.list_transitions, **named, **window)
    return cut(found, limit, lambda one: show_cursor(one.at, one.subject, one.version))
