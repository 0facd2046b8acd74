"""Who may go: as many of a lane are ready or running as its width allows, one by default; the rest wait behind them."""

from collections.abc import Sequence

from pabal.base.database import Database, Tx
from pabal.base.killpoints import kill_point
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit

SQL = load(__file__)
SLICE = 5000

declare("lanes.mended", "Lanes whose head a crash had left waiting", amount="count", level=30)


async def promote_lanes(database: Database, names: Sequence[str]) -> None:
    """Called after the commit that put jobs into `waiting`, so that a long transaction of a user blocks no lane."""
    kill_point("enqueue.committed")
    async with database.transaction() as tx:
        await tx.run(SQL.open_lanes, lanes=list(names))
        await advance_lanes(tx, names)


async def release_lanes(tx: Tx, held: Sequence[tuple[str, int]], *, back: Sequence[str] = ()) -> list[str]:
    """The holders ended, or let go: the next in each lane become ready, in the same commit; answers in which queues.

    `back`: lanes of which a holder is ready again. If its lane became narrower while it ran, it waits for its turn.
    """
    if back:
        # All that this transaction needs at once: others lock the lanes they share with us in the same order.
        locked = await tx.rows(SQL.lock_shared, lanes=[lane for lane, _ in held], back=list(back))
        await take_back(tx, [row["lane"] for row in locked if row["is_back"]])
    if held:
        names, holders = [lane for lane, _ in held], [holder for _, holder in held]
        freed = await tx.rows(SQL.free_lanes, lanes=names, holders=holders)
        if freed:
            return await advance_lanes(tx, [row["lane"] for row in freed])
    return []


async def advance_lanes(tx: Tx, names: Sequence[str]) -> list[str]:
    """Only lanes that this transaction has locked, in a statement before."""
    queues = [row["queue"] for row in await tx.rows(SQL.advance_lanes, lanes=list(names))]
    for queue in queues:
        tx.hint(f"queue:{queue}", tx.now)
    return queues


async def take_back(tx: Tx, names: Sequence[str]) -> None:
    """Only of lanes that this transaction has locked: what is ready and more than the width allows waits again."""
    if names:
        await tx.run(SQL.take_back, lanes=list(names))
        await tx.run(SQL.close_lanes, lanes=list(names))


class LaneSweep:
    """Mends what a crash between an enqueue's commit and its promotion left behind, a slice of lanes at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._after = ""

    async def run_once(self) -> int:
        async with self._database.transaction() as tx:
            rows = await tx.rows(SQL.list_lanes_with_room, after=self._after, slice=SLICE)
        self._after = rows[-1]["lane"] if len(rows) == SLICE else ""
        stuck = [row["lane"] for row in rows if row["has_room"]]
        if stuck:
            await promote_lanes(self._database, stuck)
            emit("lanes.mended", count=len(stuck))
        return len(stuck)
