"""How many of a shared lane may be ready or running at once: declared by the code, changed while servers run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pabal.base.database import Database, Tx
from pabal.base.errors import Conflict, Invalid
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import lanes
from pabal.engine.kinds import WIDEST

SQL = load(__file__)
SLICE = 5000

declare("widths.changed", "Shared lanes made wider or narrower", labels=("lane",))


class BadWidth(Invalid, code="bad_width"):
    """A shared lane lets 0 to 1,000 go at once; 0 lets nobody go."""


class LaneIsOrdered(Conflict, code="lane_is_ordered"):
    """This lane runs one at a time, in order, which is a promise: only shared lanes can be made wider or narrower."""


@dataclass(frozen=True, slots=True)
class Width:
    """`name` is a lane, or what stands before the colon in the names of many. `chosen` beats `declared`."""

    name: str
    declared: int | None
    chosen: int | None
    width: int


async def find(tx: Tx, name: str) -> Width | None:
    return await tx.one(Width, SQL.find_width, name=name)


async def hold(tx: Tx, _name: str) -> None:
    """One change at a time, of whichever lane."""
    await tx.value(SQL.lock_widths)


async def declare_all(database: Database, widths: Mapping[str, int]) -> None:
    """What the code of this server says; the last to start is right."""
    declared = {"names": list(widths), "widths": list(widths.values())}
    async with database.transaction() as tx:
        # Mostly nothing is new: then one that starts waits for nobody, not even for one that sleeps in a promotion.
        if await tx.value(SQL.is_declared, **declared):
            return
        await hold(tx, "")
        rows = await tx.rows(SQL.declare_widths, **declared)
        await _resize(tx, [row["name"] for row in rows])


async def choose(tx: Tx, name: str, width: int | None) -> None:
    """For one shared lane, or for all of a name; None goes back to what is declared. In a short transaction, please.

    Narrower: what runs goes on, what has not begun waits again, and nobody more goes before there is room.
    """
    if width is not None and not 0 <= width <= WIDEST:
        raise BadWidth(str(width))
    await hold(tx, name)
    if await find(tx, name.partition(":")[0]) is None:
        raise LaneIsOrdered(name)
    if width is None:
        await tx.run(SQL.forget_width, name=name)
    else:
        await tx.run(SQL.choose_width, name=name, width=width)
    await _resize(tx, [name])


async def _resize(tx: Tx, names: Sequence[str]) -> None:
    """Under the lock on widths. Nobody who saw the width before this commit can let more go after it."""
    for name in names:
        held = [row["lane"] for row in await tx.rows(SQL.lock_lanes, name=name)]
        await lanes.take_back(tx, held)
        emit("widths.changed", lane=name)
    if names:
        tx.after_commit(lambda database: _promote(database, names))


async def _promote(database: Database, names: Sequence[str]) -> None:
    """Where there is more room now, who waits becomes ready; a crash before this leaves it to the sweep."""
    for name in names:
        after = ""
        while True:
            async with database.transaction() as tx:
                rows = await tx.rows(SQL.list_waiting_lanes, name=name, after=after, slice=SLICE)
            if not rows:
                break
            found = [row["lane"] for row in rows]
            await lanes.promote_lanes(database, found)
            after = found[-1]
