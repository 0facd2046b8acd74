"""Moves the priority of a job that nobody runs yet, wherever it waits."""

from pabal.base.database import Tx
from pabal.base.errors import Conflict
from pabal.base.sql import load
from pabal.engine import ids, lanes, queue
from pabal.engine.queue import Priority

SQL = load(__file__)


class JobNotWaiting(Conflict, code="job_not_waiting"):
    """This job runs or has ended: only one that waits can be given another priority."""


async def move(tx: Tx, job_id: int, priority: Priority) -> None:
    """In a shared lane it changes its turn; in an ordered one it counts only when its turn has come."""
    while not (rows := await tx.rows(SQL.move, id=job_id, priority=priority)):
        # In no place and not over: it was moving between two statements. Look again.
        place = await queue.get_place(tx, job_id)
        if place.place in ("lease", "ended"):
            raise JobNotWaiting(ids.show("job", job_id))
    [(queue_name, ready_at, lane)] = rows
    if queue_name is not None:
        tx.hint(f"queue:{queue_name}", ready_at)
    if lane is not None:
        # Whoever advanced the lane meanwhile passed it over.
        tx.after_commit(lambda database: lanes.promote_lanes(database, [lane]))
