"""Sends that wait for a bot that is away, in rooms where another may take over."""

from dataclasses import dataclass
from datetime import datetime

from pabal.apps.messaging.model.deliveries import SEND
from pabal.base.database import Tx
from pabal.base.sql import load

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class WaitingSend:
    """A delivery, or an occurrence that has none yet."""

    job_id: int
    delivery_id: int | None
    schedule_id: int | None
    fire_at: datetime | None
    room_id: int
    bot_id: int


async def list_waiting(tx: Tx, *, before: datetime, most: int) -> list[WaitingSend]:
    """Due before then, and not begun."""
    return await tx.all(WaitingSend, SQL.list_waiting, kind=SEND, before=before, most=most)


async def set_bot(tx: Tx, delivery_id: int, bot_id: int) -> None:
    await tx.run(SQL.set_bot, id=delivery_id, bot_id=bot_id)
