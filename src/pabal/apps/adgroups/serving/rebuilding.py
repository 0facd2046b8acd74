"""Writes everything ad servers read anew, without a moment in which a running ad group is missing."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pabal.apps.adgroups.serving import fencing, store
from pabal.apps.adgroups.serving.reconciling import AT_ONCE, SLICE, Comparison, Report
from pabal.base.database import Database
from pabal.base.telemetry import declare, emit

if TYPE_CHECKING:
    from pabal.apps.adgroups.serving.links import Link

declare("serving.rebuilt", "Times all of what ad servers read was written anew")


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """How many run and were written; how much was there that should not be."""

    written: int
    removed: int


async def rebuild(database: Database, link: "Link", *, report: Report | None = None) -> Rebuilt:
    """First all that runs, whatever is there; then what should not be there goes. Raises ServingAway."""
    written, after = 0, 0
    while True:
        async with database.transaction() as tx:
            ids = await store.list_running(tx, after=after, limit=SLICE)
        if not ids:
            break
        await fencing.put(database, link, ids)
        written, after = written + len(ids), ids[-1]
        if report is not None:
            await report({"written": written})
    sweep = Comparison(database, link, AT_ONCE)
    await sweep.follow_redis()
    async with database.transaction() as tx:
        await store.note_rebuilt(tx)
        at = tx.now
    await link.note_rebuilt(at)
    emit("serving.rebuilt", written=written, removed=sweep.mended)
    return Rebuilt(written, sweep.mended)
