"""The only code that touches the tables of heartbeats."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from pabal.apps.rules.heartbeats.errors import HeartbeatNotFound
from pabal.apps.rules.heartbeats.model import Heartbeat, HeartbeatPlan, KeptReport, Report
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)
MOST_REPORTS = 100
# of one look at what is down
MOST_DOWN = 200


@dataclass(frozen=True, slots=True)
class DownHeartbeat:
    id: int
    unit_id: int
    name: str


async def insert_heartbeat(tx: Tx, unit_id: int, name: str, plan: HeartbeatPlan) -> int:
    made: int = await tx.value(SQL.insert_heartbeat, unit_id=unit_id, name=name, **_columns(plan))
    return made


async def update_heartbeat(
    tx: Tx, heartbeat_id: int, *, name: str, plan: HeartbeatPlan, due_at: datetime | None
) -> None:
    await tx.run(SQL.update_heartbeat, id=heartbeat_id, name=name, due_at=due_at, **_columns(plan))


async def delete_heartbeat(tx: Tx, heartbeat_id: int) -> None:
    await tx.run(SQL.delete_heartbeat, id=heartbeat_id)


async def replace_key(tx: Tx, heartbeat_id: int) -> None:
    await tx.run(SQL.replace_key, id=heartbeat_id)


async def get_heartbeat(tx: Tx, scope: Scope, heartbeat_id: int) -> Heartbeat:
    found = await load_heartbeats(tx, [heartbeat_id])
    if not found or not scope.holds(found[0].unit_id):
        raise HeartbeatNotFound(str(heartbeat_id))
    return found[0]


async def hold_heartbeat(tx: Tx, heartbeat_id: int) -> Heartbeat | None:
    return await tx.one(Heartbeat, SQL.hold_heartbeat, id=heartbeat_id)


async def hold_by_key(tx: Tx, key: UUID) -> Heartbeat | None:
    """Whoever asks: the key is all that a reporter shows."""
    return await tx.one(Heartbeat, SQL.hold_by_key, key=key)


async def load_heartbeats(tx: Tx, ids: list[int]) -> list[Heartbeat]:
    return await tx.all(Heartbeat, SQL.load_heartbeats, ids=ids)


async def find_named(tx: Tx, scope: Scope, name: str) -> list[int]:
    """Whose name is exactly this; a few are enough to see that it is not one."""
    rows = await tx.rows(SQL.find_named, name=name, units=scope.listed, most=5)
    return [row["id"] for row in rows]


async def list_heartbeats(
    tx: Tx,
    scope: Scope,
    *,
    states: Sequence[str] = (),
    q: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> Page[Heartbeat]:
    """The newest first."""
    found = await tx.all(
        Heartbeat,
        SQL.list_heartbeats,
        units=scope.listed,
        states=list(states) or None,
        q=q or None,
        before=paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0],
        most=paging.one_more(limit),
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))


async def count_states(tx: Tx, scope: Scope) -> Mapping[str, int]:
    rows = await tx.rows(SQL.count_states, units=scope.listed)
    return {row["state"]: row["number"] for row in rows}


async def list_down(tx: Tx) -> list[DownHeartbeat]:
    """Whoever's: for the alerts."""
    return await tx.all(DownHeartbeat, SQL.list_down, most=MOST_DOWN)


async def note_report(tx: Tx, heartbeat_id: int, *, reported_at: datetime | None, due_at: datetime | None) -> None:
    """It ended, well or not: what began is over."""
    await tx.run(SQL.note_report, id=heartbeat_id, reported_at=reported_at, due_at=due_at)


async def note_start(tx: Tx, heartbeat_id: int, started_at: datetime) -> None:
    await tx.run(SQL.note_start, id=heartbeat_id, started_at=started_at)


async def keep_report(tx: Tx, heartbeat_id: int, report: Report, *, at: datetime, took: timedelta | None) -> None:
    await tx.run(
        SQL.keep_report,
        heartbeat_id=heartbeat_id,
        kind=report.kind,
        at=at,
        took=took,
        exit_code=report.exit_code,
        origin=report.origin,
        body=report.body,
        most=MOST_REPORTS,
    )


async def list_reports(tx: Tx, heartbeat_id: int, limit: int = MOST_REPORTS) -> list[KeptReport]:
    """The newest first."""
    return await tx.all(KeptReport, SQL.list_reports, heartbeat_id=heartbeat_id, most=limit)


async def list_of_units(tx: Tx, units: Sequence[int]) -> list[int]:
    """For the demo, which takes out what it brought."""
    return [row["id"] for row in await tx.rows(SQL.list_of_units, units=list(units))]


def _columns(plan: HeartbeatPlan) -> dict[str, object]:
    every = None if plan.every is None else int(plan.every.total_seconds())
    grace = int(plan.grace.total_seconds())
    return {"cron": plan.cron, "every_seconds": every, "zone": plan.zone, "grace_seconds": grace}
