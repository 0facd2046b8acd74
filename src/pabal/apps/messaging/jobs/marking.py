"""Marks of all sends of this process, gathered for a few milliseconds and committed together, each fenced by itself."""

from collections.abc import Sequence

from pabal.apps.messaging.model.deliveries import PartState
from pabal.apps.messaging.store import counts, marks
from pabal.apps.messaging.store.marks import Mark, Marked
from pabal.base.database import ConnectionFailure, Database, DatabaseError, DatabaseUnavailable
from pabal.base.telemetry import declare, emit
from pabal.engine.batcher import Batcher
from pabal.engine.claims import LeaseLost, RouteLost
from pabal.engine.kinds import Job

_Asked = tuple[Job, Mark]
AT_ONCE = 2
# the class of SQLSTATE for transactions that were undone through no fault of theirs
ROLLED_BACK = "40"

declare("marks.kept", "Marks of parts committed, and how many at once", amount="count", level=10)
declare("marks.refused", "Marks of attempts that had lost their job or their bot", labels=("why",), level=30)
declare("marks.repeated", "Marks written again because the database did not answer", level=30)


class Marks:
    """Few commits, each with all that asked while those before it were written."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._gathering = Batcher[_Asked, None](
            "messaging.marks", self._commit, at_once=AT_ONCE, may_repeat=_may_repeat
        )

    async def put(self, job: Job, mark: Mark) -> None:
        """Returns once it is committed. Raises LeaseLost or RouteLost when this attempt may write nothing any more.

        While the database is away it is tried again, until whoever waits here is cancelled because the life lapsed.
        """
        await self._gathering.put((job, mark))

    async def _commit(self, batch: Sequence[_Asked]) -> list[Exception | None]:
        answers = await marks.mark_parts(self._database, batch)
        lost = [_find_loss(*one, answer) for one, answer in zip(batch, answers, strict=True)]
        emit("marks.kept", count=sum(error is None for error in lost))
        await self._count(batch, lost)
        return lost

    async def _count(self, batch: Sequence[_Asked], lost: Sequence[Exception | None]) -> None:
        """Each part that would have gone out from here too, and did not."""
        for why, kind in (("lease_lost", LeaseLost), ("route_lost", RouteLost)):
            refused = [one for one, error in zip(batch, lost, strict=True) if isinstance(error, kind)]
            for job, mark in refused:
                emit("marks.refused", why=why, job=job.id, delivery=mark.delivery_id, part=mark.no)
            prevented = sum(mark.state is PartState.WRITING for _, mark in refused)
            if prevented:
                async with self._database.transaction() as tx:
                    await counts.count(tx, "duplicates_prevented", why, prevented)


def _find_loss(job: Job, mark: Mark, answer: Marked) -> Exception | None:
    if not answer.is_held:
        return LeaseLost(f"job {job.id} token {job.token}")
    if not answer.has_route and mark.state is not PartState.PLANNED:
        return RouteLost(f"job {job.id} route {job.queue}")
    if not answer.stands:
        return LeaseLost(f"part {mark.no} of delivery {mark.delivery_id} is another attempt's")
    return None


def _may_repeat(error: Exception, count: int) -> bool:
    """The database is away, or took the whole transaction back: a deadlock, say. What is marked twice stands once."""
    is_away = isinstance(error, (DatabaseUnavailable, *ConnectionFailure))
    is_undone = isinstance(error, DatabaseError) and str(error.sqlstate).startswith(ROLLED_BACK)
    if is_away or is_undone:
        emit("marks.repeated", error=repr(error), count=count)
    return is_away or is_undone
