"""A past to look at: deliveries as they stand once they ended, traffic of rooms, servers of bots. Inserted directly."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from pabal.base.database import Database
from pabal.base.sql import load
from pabal.engine import workers

SQL = load(__file__)
SECOND = timedelta(seconds=1)


def ended(
    state: str, at: datetime, *, late: timedelta = SECOND, took_ms: int | None = 1000, **more: Any
) -> dict[str, Any]:
    """One delivery due at a moment. What was missed never began."""
    began = None if state == "missed" else at + late
    end = None if state == "open" else (began or at) + timedelta(milliseconds=took_ms or 0)
    values = {
        "state": state,
        "scheduled_at": at,
        "cause": "schedule",
        "is_catch_up": False,
        "attempts": 1,
        "started_at": began,
        "ended_at": end,
        "duration_ms": None if began is None else took_ms,
        "reason": None,
        "detail": {},
        "deferred_by": None,
        "deferred_until": None,
        **more,
    }
    return {name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()}


async def add_deliveries(
    db: Database, schedule_id: int, rows: Sequence[dict[str, Any]], *, room_id: int | None = None
) -> list[int]:
    async with db.transaction() as tx:
        found = await tx.rows(SQL.insert_deliveries, schedule_id=schedule_id, room_id=room_id, rows=list(rows))
    return [row["id"] for row in found]


async def add_parts(db: Database, delivery_id: int, *states: str) -> None:
    """A text, then images of the first group, one part each."""
    async with db.transaction() as tx:
        await tx.run(SQL.insert_parts, delivery_id=delivery_id, states=list(states))


async def add_traffic(db: Database, room_id: int, minute: datetime, messages: int) -> None:
    async with db.transaction() as tx:
        await tx.run(SQL.insert_traffic, room_id=room_id, minute=minute, messages=messages)


async def use_template(db: Database, unit_id: int, name: str, schedule_id: int) -> None:
    async with db.transaction() as tx:
        made = await tx.value(SQL.insert_template, unit_id=unit_id, name=name)
        await tx.run(SQL.set_template, schedule_id=schedule_id, template_id=made)


async def stop_schedule(db: Database, schedule_id: int) -> None:
    """As if it had failed too often."""
    async with db.transaction() as tx:
        await tx.run(SQL.set_state, schedule_id=schedule_id, state="error")


async def add_server(db: Database, *, port: int = 1490, memory_mb: float = 100.0, cpu_percent: float = 5.0) -> int:
    """A live server of bots, and the worker it is."""
    async with db.transaction() as tx:
        worker = await workers.insert_worker(tx, host="gw-1", meta={"roles": ["worker"]})
        await tx.run(SQL.insert_server, worker=worker, port=port, memory_mb=memory_mb, cpu_percent=cpu_percent)
    return worker
