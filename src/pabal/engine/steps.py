"""One attempt: a plain function, or prepare → perform → record with a fence at each transaction."""

import asyncio
import functools
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from pabal.base.database import ConnectionFailure, Database, DatabaseUnavailable, Tx
from pabal.base.errors import Unavailable
from pabal.base.killpoints import kill_point
from pabal.base.telemetry import declare, emit
from pabal.engine import claims
from pabal.engine.claims import LeaseLost, RouteLost
from pabal.engine.endings import Returned
from pabal.engine.kinds import Job, Kind, Kinds, Shape
from pabal.engine.outcome import DONE, Cancel, Done, Fail, Limited, Miss, Outcome, Retry, Snooze

OUTCOMES = (Done, Retry, Snooze, Limited, Cancel, Fail, Miss)
PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)

declare("steps.raised", "Attempts whose handler raised", labels=("kind",), level=40)
declare("steps.lost", "Attempts that found their job no longer theirs", labels=("kind",), level=30)
declare("steps.repeated", "Results recorded again because the database did not answer", labels=("kind",), level=30)


class BadOutcome(TypeError):
    """A handler must say Done, Retry, Snooze, Limited, Cancel, Fail or Miss; a plain function may say nothing."""


class DatabaseAway(Unavailable):
    """The database went away in the middle of an attempt; that is no failure of its handler."""


async def perform(database: Database, worker: int, job: Job, kind: Kind, kinds: Kinds) -> Outcome | Returned | None:
    """Answers how the attempt ended, or None when that is already recorded, or is no longer ours to record."""
    run = _run_plain if kind.shape is Shape.PLAIN else functools.partial(_run_steps, database, worker, kinds)
    try:
        if job.deadline is None:
            return await run(job, kind)
        return await _within_deadline(run, job, kind)
    except LeaseLost:
        emit("steps.lost", kind=job.kind, job=job.id)
        await _note_lost(database, worker, job)
        return None
    except RouteLost:
        return Returned("route lost")
    except DatabaseAway:
        return Returned("the database went away")
    except Exception as error:  # noqa: BLE001 -- whatever an application's handler raises
        emit("steps.raised", kind=job.kind, job=job.id, attempt=job.attempt, error=repr(error))
        return Retry(f"{type(error).__name__}: {error}")


async def _note_lost(database: Database, worker: int, job: Job) -> None:
    async with database.transaction() as tx:
        await claims.note_lost(tx, worker, job)


async def _within_deadline(
    run: Callable[[Job, Kind], Awaitable[Outcome | Returned | None]], job: Job, kind: Kind
) -> Outcome | Returned | None:
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
    return DONE if answer is None else _checked(answer)


async def _run_steps(database: Database, worker: int, kinds: Kinds, job: Job, kind: Kind) -> None:
    handler = kind.handler
    async with _fenced(database, job) as tx:
        prepared = await handler.prepare(tx, job)
        kill_point("steps.prepared")
        if isinstance(prepared, OUTCOMES):
            await claims.settle(tx, worker, [(job, prepared)], kinds)
            return

    async def record(tx: Tx, result: Any) -> None:
        outcome = _checked(await handler.record(tx, prepared, result))
        await claims.settle(tx, worker, [(job, outcome)], kinds)
        kill_point("steps.recorded")

    kill_point("steps.prepare_committed")
    result = await handler.perform(job, prepared)
    kill_point("steps.performed")
    await _record(database, job, functools.partial(record, result=result))
    kill_point("steps.record_committed")


async def _record(database: Database, job: Job, record: Callable[[Tx], Awaitable[None]]) -> None:
    """What was done outside cannot be undone, so a database that is away is asked again until the life lapses."""
    tries = 0
    while True:
        try:
            async with _fenced(database, job) as tx:
                return await record(tx)
        except DatabaseAway as error:
            emit("steps.repeated", kind=job.kind, job=job.id, error=repr(error))
            await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1


@asynccontextmanager
async def _fenced(database: Database, job: Job) -> AsyncIterator[Tx]:
    """A transaction in which the job is this attempt's. What the handler raises is told from a lost connection."""
    raised: Exception | None = None
    try:
        async with claims.fenced(database, job) as tx:
            try:
                yield tx
            except Exception as error:
                raised = None if tx.is_lost else error
                raise
    except (DatabaseUnavailable, *ConnectionFailure) as error:
        if error is raised:
            raise
        raise DatabaseAway(repr(error)) from error


def _checked(answer: Any) -> Outcome:
    if not isinstance(answer, OUTCOMES):
        raise BadOutcome(f"{BadOutcome.__doc__} (got {answer!r})")
    return answer
