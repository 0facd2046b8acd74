"""What happened, counted by the hour, so that it survives restarts; and what the engine counts for a room's limits."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.limits import Limit, Window

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class Use:
    """`free_at` None: the window has room now."""

    used: int
    free_at: datetime | None


async def count(tx: Tx, name: str, label: str = "", n: int = 1) -> None:
    await tx.run(SQL.add_count, name=name, label=label, n=n, now=tx.now)


async def list_uses(tx: Tx, asked: Sequence[Limit]) -> list[tuple[str, Window, Use]]:
    """For each window of each limit; a start of the limit's weight is what it must have room for."""
    pairs = [(limit, window) for limit in asked for window in limit.windows]
    uses = await tx.all(
        Use,
        SQL.list_uses,
        keys=[limit.key for limit, _ in pairs],
        maxima=[window.most for _, window in pairs],
        spans=[window.span for _, window in pairs],
        weights=[0 if window.counts_starts else limit.weight for limit, window in pairs],
        now=tx.now,
    )
    return [(limit.key, window, use) for (limit, window), use in zip(pairs, uses, strict=True)]
