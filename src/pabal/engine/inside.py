"""Inside work: handlers that only write rows run in the transaction that takes their jobs, in batches, exactly once."""

import asyncio
from datetime import datetime

from pabal.base.database import Database, Tx
from pabal.base.killpoints import kill_point
from pabal.base.telemetry import declare, emit
from pabal.engine import claims, suspects
from pabal.engine.claims import PRIORITIES
from pabal.engine.endings import Lost
from pabal.engine.kinds import Job, Kind, Kinds, Shape
from pabal.engine.outcome import Retry
from pabal.engine.suspects import Suspect, Witness

declare("inside.ended", "Inside jobs done", labels=("kind",), amount="count", level=10)
declare("inside.halved", "Batches of inside work that failed and were halved", labels=("kind",), level=30)
declare("inside.lost", "Inside jobs that took their server or their connection with them", labels=("kind",), level=30)


class InsideWork:
    """On an error the batch is halved, until the one that fails is alone and is retried on its own.

    A batch that was lost without a word (its server died, its connection was lost, it stalled) puts its queue in doubt:
    then its jobs are done one by one, each behind a committed marker, and the one that is lost alone is counted.
    """

    def __init__(self, database: Database, kinds: Kinds) -> None:
        self._database = database
        self._kinds = kinds
        self._names = kinds.names(Shape.INSIDE)
        self._batch = {name: kinds[name].batch for name in self._names}
        self._in_doubt: set[str] = set()
        self._witness = Witness(database)
        # A step that is cancelled then was not stalled.
        self.is_stopping = False

    def concerns(self, topic: str, _at: datetime | None) -> bool:
        return topic == "*" or topic.removeprefix("queue:") in self._batch

    async def run_once(self) -> int:
        """A batch of each kind. What one of them loses, the others do not wait for."""
        found, errors = 0, []
        for name in self._names:
            try:
                found += await self._run_kind(name)
            except Exception as error:  # noqa: BLE001 -- raised below, when each had its turn
                errors.append(error)
        if errors:
            raise errors[0]
        return found

    async def _run_kind(self, name: str) -> int:
        if name in self._in_doubt:
            return await self._run_alone(name)
        kind = self._kinds[name]
        jobs: list[Job] = []
        tx: Tx | None = None
        try:
            async with self._database.transaction() as tx:
                jobs = await self._take(tx, name)
                await self._handle(tx, kind, jobs)
        except _InDoubt:
            self._in_doubt.add(name)
            return await self._run_alone(name)
        except asyncio.CancelledError:
            await self._doubt(name, jobs, "it stalled")
            raise
        except Exception as error:
            if not jobs or tx is None:
                raise
            if tx.is_lost_by(error):
                await self._doubt(name, jobs, repr(error))
                raise
            await self._narrow(name, kind, jobs, error)
            return len(jobs)
        self._batch[name] = min(self._batch[name] * 2, kind.batch)
        self._tell(name, jobs)
        return len(jobs)

    async def _take(self, tx: Tx, name: str, limit: int | None = None) -> list[Job]:
        for priority in PRIORITIES:
            jobs, is_suspect = await claims.take_inside(tx, name, priority, limit=limit or self._batch[name])
            if is_suspect and limit is None:
                raise _InDoubt
            if jobs:
                return jobs
        return []

    async def _handle(self, tx: Tx, kind: Kind, jobs: list[Job]) -> None:
        if jobs:
            await kind.handler(tx, jobs)
            await claims.end_inside(tx, None, jobs)
            kill_point("inside.handled")

    def _tell(self, name: str, jobs: list[Job]) -> None:
        if jobs:
            kill_point("inside.committed")
            emit("inside.ended", kind=name, count=len(jobs))

    async def _narrow(self, name: str, kind: Kind, jobs: list[Job], error: Exception) -> None:
        emit("inside.halved", kind=name, count=len(jobs), error=repr(error))
        if len(jobs) > 1:
            self._batch[name] = len(jobs) // 2
            return
        async with self._database.transaction() as tx:
            failure = Retry(f"{type(error).__name__}: {error}")
            await claims.fail_inside(tx, jobs[0].id, jobs[0].token, failure, self._kinds)
            await suspects.unmark(tx, f"inside:{name}")
        self._batch[name] = kind.batch

    async def _doubt(self, name: str, jobs: list[Job], reason: str) -> None:
        if jobs and not self.is_stopping:
            await suspects.suspect_if_there(self._database, f"inside:{name}", reason, doubts=len(jobs))

    async def _run_alone(self, name: str) -> int:
        """One job behind a marker, of which nobody else does any meanwhile."""
        about = f"inside:{name}"
        is_watched = await self._witness.stand()
        jobs: list[Job] = []
        tx: Tx | None = None
        try:
            async with self._database.transaction() as tx:
                if not await suspects.lock_alone(tx, about):
                    return 0
                suspect = await suspects.find_suspect(tx, about)
                if suspect is None:
                    return self._trust(name)
                await self._count_lost(name, suspect)
                jobs = await self._take(tx, name, limit=1)
                await self._try(tx, name, jobs)
        except asyncio.CancelledError:
            counts = not self.is_stopping and is_watched and await self._witness.answers()
            await self._leave(about, jobs, "it stalled", counts=counts)
            raise
        except Exception as error:
            if not jobs or tx is None:
                raise
            if tx.is_lost_by(error):
                counts = is_watched and await self._witness.answers()
                await self._leave(about, jobs, f"its connection was lost: {error!r}", counts=counts)
                raise
            await self._narrow(name, self._kinds[name], jobs, error)
            return len(jobs)
        self._tell(name, jobs)
        return len(jobs)

    async def _try(self, tx: Tx, name: str, jobs: list[Job]) -> None:
        """With nothing left to do there is nothing left to doubt."""
        about = f"inside:{name}"
        if not jobs:
            await suspects.clear(tx, about)
            return
        await suspects.mark(self._database, about, jobs[0].id, token=jobs[0].token)
        await self._handle(tx, self._kinds[name], jobs)
        await suspects.clear_one(tx, about)

    def _trust(self, name: str) -> int:
        """Nothing is in doubt any more: the loop looks again, for a batch."""
        self._in_doubt.discard(name)
        if not self._in_doubt:
            self._witness.close()
        return 1

    async def _count_lost(self, name: str, suspect: Suspect) -> None:
        """A marker that is found stands for a try that was lost; if its job is still where it was, that counts."""
        if suspect.tried is None or suspect.token is None:
            return
        async with self._database.transaction() as tx:
            if suspect.is_lost:
                lost = Lost(suspect.reason)
                if await claims.fail_inside(tx, suspect.tried, suspect.token, lost, self._kinds):
                    emit("inside.lost", kind=name, job=suspect.tried, reason=suspect.reason)
            await suspects.unmark(tx, f"inside:{name}")

    async def _leave(self, about: str, jobs: list[Job], reason: str, *, counts: bool) -> None:
        if jobs:
            await suspects.leave(self._database, about, jobs[0].id, reason, counts=counts)


class _InDoubt(Exception):
    """This queue is done one by one now; the batch that was taken is put back."""
