"""An attempt that ends in the statement that moves what it was about: one round trip instead of a transaction's six.

Only where its end decides nothing else. Where it might, nothing comes of it, and its `record` is asked as ever.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

from pabal.base.database import Database
from pabal.base.sql import Statement, load
from pabal.base.telemetry import emit
from pabal.engine.kinds import Job
from pabal.engine.machine import Machine
from pabal.engine.transitions import Because, Picking, move_at_once

SQL = load(__file__)
_OWN = "owner_picks"


class Finish(NamedTuple):
    """What `record` would write for an attempt whose work is done: its subject moves by `move` (event, source, target).

    `picking.picked` picks nothing unless `held` has a row (`finishing.sql`). `then` is called once it is committed.
    """

    machine: Machine
    move: tuple[str, str, str]
    picking: Picking
    because: Because
    then: Callable[[], None]


@runtime_checkable
class Finishing(Protocol):
    """Steps that know such an end. None: this one has to be thought about."""

    def finish(self, prepared: Any, result: Any) -> Finish | None: ...


async def finish(database: Database, job: Job, finish: Finish) -> bool:
    """False: nothing was written, for the lease is not ours any more, or the subject is not where it was expected."""
    picking = finish.picking
    given = {**picking.given, "job": job.id, "token": job.token}
    picking = Picking(_ending(picking.picked), picking.columns, given)
    if not await move_at_once(database, finish.machine, finish.move, picking, finish.because):
        return False
    emit("claims.settled", kind=job.kind, result="done", count=1)
    finish.then()
    return True


def is_plain(job: Job) -> bool:
    """Nobody waits for its end, and nothing of it is left to be written or taken away."""
    is_alone = job.lane is None and job.route_epoch is None
    return is_alone and not job.records_end and not job.may_have_reported


@cache
def _ending(picked: Statement) -> Statement:
    return SQL.end_along.put(_OWN, picked)
