"""Marks of all sends of this process, gathered for a few milliseconds and committed together, each fenced by itself."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from pabal.apps.messaging.model.deliveries import PartState
from pabal.apps.messaging.store import counts, marks
from pabal.apps.messaging.store.marks import Mark
from pabal.base.database import ConnectionFailure, Database, DatabaseError, DatabaseUnavailable, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import leases
from pabal.engine.claims import LeaseLost, RouteLost
from pabal.engine.kinds import Job

GATHER = 0.002
PAUSE = 0.2
# the class of SQLSTATE for transactions that were undone through no fault of theirs
ROLLED_BACK = "40"

declare("marks.kept", "Marks of parts committed, and how many at once", amount="count", level=10)
declare("marks.refused", "Marks of attempts that had lost their job or their bot", labels=("why",), level=30)
declare("marks.repeated", "Marks written again because the database did not answer", level=30)


@dataclass(frozen=True, slots=True)
class _Asked:
    job: Job
    mark: Mark
    kept: asyncio.Future[None]


class Marks:
    """One transaction after the other; who asks meanwhile is in the next."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._asked: list[_Asked] = []
        self._working: asyncio.Task[None] | None = None

    async def put(self, job: Job, mark: Mark) -> None:
        """Returns once it is committed. Raises LeaseLost or RouteLost when this attempt may write nothing any more.

        While the database is away it is tried again, until whoever waits here is cancelled because the life lapsed.
        """
        asked = _Asked(job, mark, asyncio.get_running_loop().create_future())
        self._asked.append(asked)
        if self._working is None or self._working.done():
            self._working = asyncio.create_task(self._work_off(), name="messaging.marks")
        await asked.kept

    async def _work_off(self) -> None:
        while self._asked:
            await asyncio.sleep(GATHER)
            batch, self._asked = [one for one in self._asked if not one.kept.done()], []
            try:
                if batch:
                    await self._commit(batch)
            except Exception as error:  # noqa: BLE001 -- those who wait must hear of it, whatever it is
                if not _may_repeat(error):
                    for one in batch:
                        _answer(one, error)
                    continue
                emit("marks.repeated", error=repr(error), count=len(batch))
                self._asked[:0] = batch
                await asyncio.sleep(PAUSE)

    async def _commit(self, batch: Sequence[_Asked]) -> None:
        async with self._database.transaction() as tx:
            lost = await _write(tx, batch)
        for one, error in zip(batch, lost, strict=True):
            _answer(one, error)
        emit("marks.kept", count=sum(error is None for error in lost))


async def _write(tx: Tx, batch: Sequence[_Asked]) -> list[Exception | None]:
    held = await leases.hold(tx, [one.job for one in batch])
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


def _fence(one: _Asked, held: dict[int, bool]) -> Exception | None:
    """That nothing was begun may be said without the route: whoever comes next must know it."""
    if one.job.id not in held:
        return LeaseLost(f"job {one.job.id} token {one.job.token}")
    if not held[one.job.id] and one.mark.state is not PartState.PLANNED:
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


def _may_repeat(error: Exception) -> bool:
    """The database is away, or took the whole transaction back: a deadlock, say. What is marked twice stands once."""
    if isinstance(error, (DatabaseUnavailable, *ConnectionFailure)):
        return True
    return isinstance(error, DatabaseError) and str(error.sqlstate).startswith(ROLLED_BACK)


def _answer(one: _Asked, error: Exception | None) -> None:
    if one.kept.done():
        return
    if error is None:
        one.kept.set_result(None)
    else:
        one.kept.set_exception(error)
