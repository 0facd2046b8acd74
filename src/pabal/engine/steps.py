"""One attempt: a plain function, or prepare → perform → record with a fence at each transaction."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from pabal.base.database import Database
from pabal.base.killpoints import kill_point
from pabal.base.telemetry import declare, emit
from pabal.engine import claims
from pabal.engine.claims import LeaseLost, RouteLost
from pabal.engine.commits import OVER, Commits, DatabaseAway, Own, Shared, check
from pabal.engine.endings import Returned
from pabal.engine.kinds import Job, Kind, Kinds, Shape
from pabal.engine.outcome import DONE, Outcome, Retry

PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)
Ended = Outcome | Returned | None

declare("steps.raised", "Attempts whose handler raised", labels=("kind",), level=40)
declare("steps.lost", "Attempts that found their job no longer theirs", labels=("kind",), level=30)
declare("steps.repeated", "Results recorded again because the database did not answer", labels=("kind",), level=30)


class Attempts:
    """Runs attempts of every kind this process knows; those of one kind may share their commits."""

    def __init__(self, database: Database, kinds: Kinds) -> None:
        self._database = database
        self._kinds = kinds
        self._commits: dict[str, Commits] = {}

    async def perform(self, worker: int, job: Job) -> Ended:
        """Answers how the attempt ended, or None when that is already recorded, or is no longer ours to record."""
        kind = self._kinds[job.kind]
        run = _run_plain if kind.shape is Shape.PLAIN else self._run_steps
        try:
            if job.deadline is None:
                return await run(job, kind)
            return await _within_deadline(run, job, kind)
        except LeaseLost:
            emit("steps.lost", kind=job.kind, job=job.id)
            await self._note_lost(worker, job)
            return None
        except RouteLost:
            return Returned("route lost")
        except DatabaseAway:
            return Returned("the database went away")
        except Exception as error:  # noqa: BLE001 -- whatever an application's handler raises
            emit("steps.raised", kind=job.kind, job=job.id, attempt=job.attempt, error=repr(error))
            return Retry(f"{type(error).__name__}: {error}")

    async def _run_steps(self, job: Job, kind: Kind) -> None:
        commits = self._find_commits(kind)
        prepared = await commits.prepare(job)
        if prepared is OVER:
            return
        kill_point("steps.prepare_committed")
        result = await kind.handler.perform(job, prepared)
        kill_point("steps.performed")
        await _record(commits, job, prepared, result)
        kill_point("steps.record_committed")

    def _find_commits(self, kind: Kind) -> Commits:
        found = self._commits.get(kind.name)
        if found is None:
            make = Shared if kind.is_shared else Own
            found = self._commits[kind.name] = make(self._database, kind, self._kinds)
        return found

    async def _note_lost(self, worker: int, job: Job) -> None:
        async with self._database.transaction() as tx:
            await claims.note_lost(tx, worker, job)


async def _within_deadline(run: Callable[[Job, Kind], Awaitable[Ended]], job: Job, kind: Kind) -> Ended:
    seconds = job.deadline.total_seconds() if job.deadline else None
    try:
        async with asyncio.timeout(seconds) as limit:
            return await run(job, kind)
    except TimeoutError:
        if not limit.expired():
            raise
        return Retry(f"deadline of {seconds:g} s passed")


async def _run_plain(job: Job, kind: Kind) -> Outcome | None:
    answer = await kind.handler(job) if kind.is_async else await asyncio.to_thread(kind.handler, job)
    return DONE if answer is None else check(answer)


async def _record(commits: Commits, job: Job, prepared: Any, result: Any) -> None:
    """What was done outside cannot be undone, so a database that is away is asked again until the life lapses."""
    tries = 0
    while True:
        try:
            return await commits.record(job, prepared, result)
        except DatabaseAway as error:
            emit("steps.repeated", kind=job.kind, job=job.id, error=repr(error))
            await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1
