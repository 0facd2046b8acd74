"""One attempt: a plain function, or prepare → perform → record with a fence at each transaction."""

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Any

from pabal.base.database import ConnectionFailure, Database, DatabaseUnavailable
from pabal.base.telemetry import declare, emit
from pabal.engine import claims
from pabal.engine.claims import LeaseLost, Returned, RouteLost
from pabal.engine.kinds import Job, Kind, Kinds, Shape
from pabal.engine.outcome import Cancel, Done, Limited, Outcome, Retry, Snooze

OUTCOMES = (Done, Retry, Snooze, Limited, Cancel)
DONE = Done()
RECORD_PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)

declare("steps.raised", "Attempts whose handler raised", labels=("kind",), level=40)
declare("steps.lost", "Attempts that found their job no longer theirs", labels=("kind",), level=30)
declare(
    "steps.record_repeated", "Results recorded again because the database did not answer", labels=("kind",), level=30
)


class BadOutcome(TypeError):
    """A handler must say Done, Retry, Snooze, Limited or Cancel; a plain function may also say nothing."""


async def perform(database: Database, worker: int, job: Job, kind: Kind, kinds: Kinds) -> Outcome | Returned | None:
    """Answers how the attempt ended, or None when that is already recorded, or is no longer ours to record."""
    run = _run_plain if kind.shape is Shape.PLAIN else functools.partial(_run_steps, database, worker, kinds)
    try:
        if job.deadline is None:
            return await run(job, kind)
        return await _within_deadline(run, job, kind)
    except LeaseLost:
        emit("steps.lost", kind=job.kind, job=job.id)
        return None
    except RouteLost:
        return Returned("route lost")
    except Exception as error:  # noqa: BLE001 -- whatever an application's handler raises
        emit("steps.raised", kind=job.kind, job=job.id, attempt=job.attempt, error=repr(error))
        return Retry(f"{type(error).__name__}: {error}")


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
    async with database.transaction() as tx:
        await claims.fence(tx, job)
        prepared = await handler.prepare(tx, job)
        if isinstance(prepared, OUTCOMES):
            await claims.settle(tx, worker, [(job, prepared)], kinds)
            return
    result = await handler.perform(job, prepared)
    await _record(database, worker, kinds, job, kind, prepared, result)


async def _record(
    database: Database, worker: int, kinds: Kinds, job: Job, kind: Kind, prepared: Any, result: Any
) -> None:  # long: an attempt is all of these
    """What was done outside cannot be undone, so a database that does not answer is asked again; the fence is safe."""
    for pause in (*RECORD_PAUSES, None):
        try:
            async with database.transaction() as tx:
                await claims.fence(tx, job)
                outcome = _checked(await kind.handler.record(tx, prepared, result))
                await claims.settle(tx, worker, [(job, outcome)], kinds)
            return
        except (DatabaseUnavailable, *ConnectionFailure) as error:
            if pause is None:
                raise
            emit("steps.record_repeated", kind=job.kind, job=job.id, error=repr(error))
            await asyncio.sleep(pause)


def _checked(answer: Any) -> Outcome:
    if not isinstance(answer, OUTCOMES):
        raise BadOutcome(f"{BadOutcome.__doc__} (got {answer!r})")
    return answer
