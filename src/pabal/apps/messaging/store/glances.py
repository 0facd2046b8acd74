"""What the list of schedules shows beside each row: its bot, how its last send ended, and how many come today."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.apps.messaging.model.bots import route_of
from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Last:
    schedule_id: int
    id: int
    state: str
    scheduled_at: datetime
    reason: str | None


async def list_last(tx: Tx, schedules: Sequence[int]) -> dict[int, Last]:
    """By schedule. One that never sent anything is not there."""
    found = await tx.all(Last, SQL.list_last, schedules=list(schedules))
    return {one.schedule_id: one for one in found}


async def count_today(tx: Tx, units: Sequence[int] | None, until: datetime) -> int:
    found: int = await tx.value(SQL.count_today, units=None if units is None else list(units), until=until)
    return found


async def show_bot_states(tx: Tx, bots: Sequence[int]) -> dict[int, str]:
    """online, offline or excluded, as a bot says of itself, for many at once."""
    rows = await tx.rows(SQL.list_bots, bots=list(bots))
    routes = {row["id"]: route_of(row["name"]) for row in rows}
    held = {row["route"] for row in await tx.rows(SQL.list_held, routes=list(routes.values()))}
    return {
        row["id"]: "excluded" if row["is_excluded"] else "online" if routes[row["id"]] in held else "offline"
        for row in rows
    }
