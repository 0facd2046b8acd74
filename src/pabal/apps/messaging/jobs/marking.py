"""Marks of all sends of this process, gathered for a few milliseconds and committed together, each fenced by itself."""

from collections.abc import Sequence
from typing import NamedTuple

from pabal.apps.messaging.model.deliveries import PartState
from pabal.apps.messaging.store import counts, marks
from pabal.apps.messaging.store.marks import Mark
from pabal.base.database import ConnectionFailure, Database, DatabaseError, DatabaseUnavailable, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import leases
from pabal.engine.claims import LeaseLost, RouteLost
from pabal.engine.gathering import Gathering
from pabal.engine.kinds import Job

AT_ONCE = 2
# the class of SQLSTATE for transactions that were undone through no fault of theirs
ROLLED_BACK = "40"

declare("marks.kept", "Marks of parts committed, and how many at once", amount="count", level=10)
declare("marks.refused", "Marks of attempts that had lost their job or their bot", labels=("why",), level=30)
declare("marks.repeated", "Marks written again because the database did not answer", level=30)


class _Asked(NamedTuple):
    job: Job
    mark: Mark


class Marks:
    """Few transactions, each with all that asked while those before it were written."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._gathering = Gathering[_Asked, None](
            "messaging.marks", self._commit, at_once=AT_ONCE, may_repeat=_may_repeat
        )

    async def put(self, job: Job, mark: Mark) -> None:
        """Returns once it is committed. Raises LeaseLost or RouteLost when this attempt may write nothing any more.

        While the database is away it is tried again, until whoever waits here is cancelled because the life lapsed.
        """
        await self._gathering.put(_Asked(job, mark))

    async def _commit(self, batch: Sequence[_Asked]) -> list[Exception | None]:
        async with leases.holding(self._database, [one.job for one in batch]) as (tx, held):
            lost = await _write(tx, batch, held)
        emit("marks.kept", count=sum(error is None for error in lost))
        return lost


async def _write(tx: Tx, batch: Sequence[_Asked], held: dict[tuple[int, int], bool]) -> list[Exception | None]:
    lost = [_fence(one, held) for one in batch]
    sound = [one.mark for one, error in zip(batch, lost, strict=True) if error is None]
    stand = await marks.mark_parts(tx, sound) if sound else set()
    lost = [
        LeaseLost(f"part {one.mark.no} of delivery {one.mark.delivery_id} is another attempt's")
        if error is None and (one.mark.delivery_id, one.mark.no) not in stand
        else error
        for one, error in zip(batch, lost, strict=True)
    ]
    await _count(tx, batch, lost)
    return lost


def _fence(one: _Asked, held: dict[tuple[int, int], bool]) -> Exception | None:
    """That nothing was begun may be said without the route: whoever comes next must know it."""
    if one.job.key not in held:
        return LeaseLost(f"job {one.job.id} token {one.job.token}")
    if not held[one.job.key] and one.mark.state is not PartState.PLANNED:
        return RouteLost(f"job {one.job.id} route {one.job.queue}")
    return None


async def _count(tx: Tx, batch: Sequence[_Asked], lost: Sequence[Exception | None]) -> None:
    """Each part that would have gone out from here too, and did not."""
    for why, kind in (("lease_lost", LeaseLost), ("route_lost", RouteLost)):
        refused = [one for one, error in zip(batch, lost, strict=True) if isinstance(error, kind)]
        prevented = sum(one.mark.state is PartState.WRITING for one in refused)
        for one in refused:
            emit("marks.refused", why=why, job=one.job.id, delivery=one.mark.delivery_id, part=one.mark.no)
        if prevented:
            await counts.count(tx, "duplicates_prevented", why, prevented)


def _may_repeat(error: Exception, count: int) -> bool:
    """The database is away, or took the whole transaction back: a deadlock, say. What is marked twice stands once."""
    is_away = isinstance(error, (DatabaseUnavailable, *ConnectionFailure))
    is_undone = isinstance(error, DatabaseError) and str(error.sqlstate).startswith(ROLLED_BACK)
    if is_away or is_undone:
        emit("marks.repeated", error=repr(error), count=count)
    return is_away or is_undone
