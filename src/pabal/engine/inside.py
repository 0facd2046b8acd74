"""Inside work: handlers that only write rows run in the transaction that takes their jobs, in batches, exactly once."""

from datetime import datetime

from pabal.base.database import Database, Tx
from pabal.base.killpoints import kill_point
from pabal.base.telemetry import declare, emit
from pabal.engine import claims
from pabal.engine.kinds import Job, Kind, Kinds, Shape
from pabal.engine.outcome import Retry

PRIORITIES = (0, 1, 2, 3)

declare("inside.ended", "Inside jobs done", labels=("kind",), amount="count", level=10)
declare("inside.halved", "Batches of inside work that failed and were halved", labels=("kind",), level=30)


class InsideWork:
    """On an error the batch is halved, until the one that fails is alone and is retried on its own."""

    def __init__(self, database: Database, kinds: Kinds) -> None:
        self._database = database
        self._kinds = kinds
        self._names = kinds.names(Shape.INSIDE)
        self._batch = {name: kinds[name].batch for name in self._names}

    def concerns(self, topic: str, _at: datetime | None) -> bool:
        return topic == "*" or topic.removeprefix("queue:") in self._batch

    async def run_once(self) -> int:
        return sum([await self._run_kind(name) for name in self._names])

    async def _run_kind(self, name: str) -> int:
        kind = self._kinds[name]
        jobs: list[Job] = []
        tx: Tx | None = None
        try:
            async with self._database.transaction() as tx:
                jobs = await self._take(tx, name)
                if jobs:
                    await kind.handler(tx, jobs)
                    await claims.end_inside(tx, None, jobs)
                    kill_point("inside.handled")
        except Exception as error:
            # A database that went away is no failure of the jobs.
            if not jobs or tx is None or tx.is_lost:
                raise
            await self._narrow(name, kind, jobs, error)
            return len(jobs)
        self._batch[name] = min(self._batch[name] * 2, kind.batch)
        if jobs:
            kill_point("inside.committed")
            emit("inside.ended", kind=name, count=len(jobs))
        return len(jobs)

    async def _take(self, tx: Tx, name: str) -> list[Job]:
        for priority in PRIORITIES:
            jobs = await claims.take_inside(tx, name, priority, limit=self._batch[name])
            if jobs:
                return jobs
        return []

    async def _narrow(self, name: str, kind: Kind, jobs: list[Job], error: Exception) -> None:
        emit("inside.halved", kind=name, count=len(jobs), error=repr(error))
        if len(jobs) > 1:
            self._batch[name] = len(jobs) // 2
            return
        async with self._database.transaction() as tx:
            await claims.fail_inside(tx, jobs[0], Retry(f"{type(error).__name__}: {error}"), self._kinds)
        self._batch[name] = kind.batch
