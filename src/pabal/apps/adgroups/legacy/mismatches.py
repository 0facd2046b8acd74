"""Where both ways differ: listed, counted, and decided one by one."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from pabal.apps.adgroups.errors import MismatchNotFound
from pabal.apps.adgroups.legacy import flags
from pabal.apps.adgroups.legacy.model import Cause, FlagKind
from pabal.apps.adgroups.legacy.shadow import EXPECTED
from pabal.apps.adgroups.model.adgroups import Source, State
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import Scope, visible_to

SQL = load(__file__)
AREA = "adgroups"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """`source` is whose state is shown now; `decision` whom somebody told us to believe."""

    id: int
    unit_id: int
    ad_group_id: int
    name: str
    calculated: State
    stored: State
    source: Source
    cause: Cause
    since: datetime
    seen_at: datetime
    resolved_at: datetime | None
    decision: Source | None
    decided_by: str | None
    decided_at: datetime | None


@dataclass(frozen=True, slots=True)
class Wanted:
    cause: Cause | None = None
    is_open: bool | None = True
    is_decided: bool | None = None


async def list_mismatches(
    tx: Tx, scope: Scope, wanted: Wanted, cursor: str | None = None, limit: int = 50
) -> Page[Mismatch]:
    """The newest first."""
    rows = await tx.rows(
        SQL.list_mismatches,
        units=scope.listed,
        cause=wanted.cause,
        is_open=wanted.is_open,
        is_decided=wanted.is_decided,
        before_id=LAST if cursor is None else read_cursor(cursor, int)[0],
        most=one_more(limit),
    )
    return cut([_read(row) for row in rows], limit, lambda one: show_cursor(one.id))


async def get_mismatch(tx: Tx, scope: Scope, mismatch_id: int) -> Mismatch:
    rows = await tx.rows(SQL.find_mismatch, id=mismatch_id)
    if not rows or not scope.holds(rows[0]["unit_id"]):
        raise MismatchNotFound(str(mismatch_id))
    return _read(rows[0])


async def count_open(tx: Tx, scope: Scope) -> Mapping[Cause, int]:
    return {Cause(row["cause"]): row["count"] for row in await tx.rows(SQL.count_open, units=scope.listed)}


async def count_unsettled(tx: Tx) -> dict[int, int]:
    """By unit those nobody decided about, and which the calculator should have seen as the machine does."""
    rows = await tx.rows(SQL.count_unsettled, expected=list(EXPECTED))
    return {row["unit_id"]: row["count"] for row in rows}


async def decide(tx: Tx, actor: Actor, mismatch_id: int, believed: Source) -> Mismatch:
    """Trust the machine, or keep the calculator: that ad group's own flag says so from here on."""
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    found = await get_mismatch(tx, scope, mismatch_id)
    await flags.set_flag(tx, actor, FlagKind.ID, found.ad_group_id, is_on=believed is Source.MACHINE)
    await tx.run(SQL.decide, id=mismatch_id, decision=believed, decided_by=actor.name, now=tx.now)
    return await get_mismatch(tx, scope, mismatch_id)


def _read(row: Row) -> Mismatch:
    values = dict(row)
    values["calculated"], values["stored"] = State(values["calculated"]), State(values["stored"])
    values["source"], values["cause"] = Source(values["source"]), Cause(values["cause"])
    values["decision"] = values["decision"] and Source(values["decision"])
    return Mismatch(**values)
