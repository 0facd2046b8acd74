"""How much of a room's limits is used, which of them binds, and when the next send may begin."""

from pabal.apps.messaging.model.limits import SETTINGS, Budget, BudgetRow, limit_name, resolve, to_engine
from pabal.apps.messaging.model.rooms import Room
from pabal.apps.messaging.store.counts import list_uses
from pabal.base.database import Tx
from pabal.platform import settings

__all__ = ["Budget", "BudgetRow", "read_budget"]


async def read_budget(tx: Tx, room: Room, *, components: int = 1) -> Budget:
    """For a send of so many messages; of more than ever fit, as many as fit are asked for."""
    own = resolve(room.limits, await settings.values(tx, SETTINGS))
    fitting = [one for one in (own.messages_per_minute, own.messages_per_hour, own.messages_per_day) if one]
    asked = to_engine(room.id, own, max(1, min([components, *fitting])), is_resumed=False)
    rows = tuple(
        BudgetRow(limit_name(f"{key} {window.name}"), use.used, window.most, window.span, use.free_at)
        for key, window, use in await list_uses(tx, asked)
    )
    last = max(rows, key=lambda row: row.next_allowed_at or tx.now, default=None)
    if last is None or last.next_allowed_at is None:
        return Budget(rows, None, None)
    return Budget(rows, last.name, last.next_allowed_at)
