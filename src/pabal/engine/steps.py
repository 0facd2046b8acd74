"""One attempt: a plain function, or prepare → perform → record with a fence at each transaction."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, NamedTuple, Protocol, TypeVar

from pabal.base.database import ConnectionFailure, Database, DatabaseUnavailable, Tx
from pabal.base.errors import Unavailable
from pabal.base.killpoints import kill_point
from pabal.base.telemetry import declare, emit
from pabal.engine import claims, finishing
from pabal.engine.batcher import Batcher
from pabal.engine.claims import LeaseLost, RouteLost, Settled
from pabal.engine.endings import Lost, Returned
from pabal.engine.finishing import Finishing
from pabal.engine.kinds import Job, Kind, Kinds, Shape
from pabal.engine.outcome import OUTCOMES, Retry, check
from pabal.engine.performing import Ended, meant, run_plain, run_within
from pabal.engine.suspects import Witness

T = TypeVar("T")
# While one commit waits for the disk, the next one works.
AT_ONCE = 2

declare("commits.apart", "Shared commits that one attempt spoilt, done again one by one", labels=("kind",), level=30)


class DatabaseAway(Unavailable, code="database_away"):
    """The database went away in the middle of an attempt; that is no failure of its handler."""


class ConnectionCut(Exception):
    """The transaction lost its connection while the database was there: that is the attempt's own doing."""


class NothingClaimed(Exception):
    """What was to be claimed in the commit of an end could not be."""


class Over:
    """Instead of what was prepared: the attempt ended there, and that is recorded."""


OVER = Over()


class Commits(Protocol):
    async def prepare(self, job: Job) -> Any: ...
    async def record(self, job: Job, prepared: Any, result: Any) -> None: ...


class _Watch:
    """Tells a connection that an attempt loses by its own doing from a database that went away.

    That takes a witness beside it, so the first loss of a kind counts nothing; from then on one stands by.
    """

    def __init__(self, witness: Witness) -> None:
        self._witness = witness
        self._is_needed = False

    @asynccontextmanager
    async def over(self) -> AsyncIterator[None]:
        is_watched = self._is_needed and await self._witness.stand()
        try:
            yield
        except DatabaseAway as error:
            self._is_needed = True
            if is_watched and await self._witness.answers():
                raise ConnectionCut(f"its connection was lost: {error.detail}") from error
            raise


class Own:
    def __init__(self, database: Database, kind: Kind, kinds: Kinds, witness: Witness) -> None:
        self._database = database
        self._handler = kind.handler
        # asked once: it takes longer than a statement takes to be sent
        self._finishing = kind.handler if isinstance(kind.handler, Finishing) else None
        self._kinds = kinds
        self._watch = _Watch(witness)

    async def prepare(self, job: Job) -> Any:
        async with self._watch.over(), _named(claims.fenced(self._database, job), lambda tx: tx) as tx:
            prepared = await self._handler.prepare(tx, job)
            kill_point("steps.prepared")
            return prepared if await self._settle(tx, job, prepared) == 0 else OVER

    async def record(self, job: Job, prepared: Any, result: Any) -> None:
        if await self._finish(job, prepared, result):
            return
        async with self._watch.over(), _named(claims.fenced(self._database, job), lambda tx: tx) as tx:
            await self._settle(tx, job, check(await self._handler.record(tx, prepared, result)))
            kill_point("steps.recorded")

    async def _finish(self, job: Job, prepared: Any, result: Any) -> bool:
        """Whether it ended in one statement."""
        if self._finishing is None or not finishing.is_plain(job):
            return False
        known = self._finishing.finish(prepared, result)
        if known is None:
            return False
        async with self._watch.over(), _reaching():
            return await finishing.finish(self._database, job, known)

    async def _settle(self, tx: Tx, job: Job, said: Any) -> int:
        return (await _settle(tx, [(job, said)], self._kinds)).count


# Around a commit that ends these attempts; what it gives claims in it what their lanes let go, named by its queues.
ClaimNext = Callable[[Tx, Sequence[str]], Awaitable[None]]
Follow = Callable[[Sequence[Job]], AbstractAsyncContextManager[ClaimNext]]


async def claim_nothing(_tx: Tx, _let_go: Sequence[str]) -> None:
    """What was let go is announced, and whoever comes first claims it."""


@asynccontextmanager
async def nobody_follows(_jobs: Sequence[Job]) -> AsyncIterator[ClaimNext]:
    yield claim_nothing


class _Performed(NamedTuple):
    job: Job
    prepared: Any
    result: Any


class Shared:
    """Attempts that begin or end within a few milliseconds do so in one commit, each fenced by itself."""

    def __init__(self, database: Database, kind: Kind, kinds: Kinds, witness: Witness, follow: "Follow") -> None:
        self._database = database
        self._kind = kind
        self._kinds = kinds
        self._watch = _Watch(witness)
        self._follow = follow
        self._preparing = Batcher[Job, Any](f"{kind.name} prepare", self._prepare_all, at_once=AT_ONCE)
        self._recording = Batcher[_Performed, Any](f"{kind.name} record", self._record_all, at_once=AT_ONCE)

    async def prepare(self, job: Job) -> Any:
        return await self._preparing.put(job)

    async def record(self, job: Job, prepared: Any, result: Any) -> None:
        await self._recording.put(_Performed(job, prepared, result))

    async def _prepare_all(self, jobs: list[Job]) -> list[Any]:
        return await self._apart_if_spoilt(self._prepare_once, jobs)

    async def _record_all(self, performed: list[_Performed]) -> list[Any]:
        return await self._apart_if_spoilt(self._record_and_claim, performed)

    async def _apart_if_spoilt(self, once: Callable[[list[T]], Awaitable[list[Any]]], batch: list[T]) -> list[Any]:
        """Whatever one of them raises undoes the commit of all; alone, only that one hears of it.

        So does a connection that one of them loses, if the database is there.
        """
        try:
            async with self._watch.over():
                return await once(batch)
        except (DatabaseAway, ConnectionCut) as error:
            if len(batch) == 1 or not await self._is_database_there():
                raise
            emit("commits.apart", kind=self._kind.name, error=repr(error), count=len(batch))
        except Exception as error:  # noqa: BLE001 -- whatever an application's handler raises
            if len(batch) == 1:
                return [error]
            emit("commits.apart", kind=self._kind.name, error=repr(error), count=len(batch))
        return [answer for one in batch for answer in await _heard(self._apart_if_spoilt(once, [one]))]

    async def _is_database_there(self) -> bool:
        try:
            await self._database.ping()
        except (DatabaseUnavailable, *ConnectionFailure):
            return False
        return True

    async def _prepare_once(self, jobs: list[Job]) -> list[Any]:
        async with self._held(jobs) as (tx, lost):
            mine = [job for job in jobs if job.key not in lost]
            said = await self._kind.handler.prepare_all(tx, mine) if mine else []
            prepared = dict(zip((job.key for job in mine), said, strict=True))
            kill_point("steps.prepared")
            await _settle(tx, [(job, prepared[job.key]) for job in mine], self._kinds)
        answers = {**lost, **{key: OVER if isinstance(one, OUTCOMES) else one for key, one in prepared.items()}}
        return [answers[job.key] for job in jobs]

    async def _record_and_claim(self, performed: list[_Performed]) -> list[Any]:
        """In one commit with whom their lanes let go; what cannot be claimed so is no fault of theirs."""
        try:
            async with self._follow([one.job for one in performed]) as claim_next:
                return await self._record_once(performed, claim_next)
        except NothingClaimed as error:
            emit("commits.apart", kind=self._kind.name, error=repr(error.__cause__), count=len(performed))
            return await self._record_once(performed, claim_nothing)

    async def _record_once(self, performed: list[_Performed], claim_next: ClaimNext) -> list[Any]:
        async with self._held([one.job for one in performed]) as (tx, lost):
            mine = [one for one in performed if one.job.key not in lost]
            said = await self._kind.handler.record_all(tx, [one[1:] for one in mine]) if mine else []
            ended = [(one.job, check(outcome)) for one, outcome in zip(mine, said, strict=True)]
            settled = await _settle(tx, ended, self._kinds)
            await _claim(tx, settled.let_go, claim_next)
            kill_point("steps.recorded")
        return [lost.get(one.job.key) for one in performed]

    @asynccontextmanager
    async def _held(self, jobs: Sequence[Job]) -> AsyncIterator[tuple[Tx, dict[tuple[int, int], Exception]]]:
        """With those that are no longer these attempts', and what they have lost."""
        async with _named(claims.holding(self._database, jobs), lambda opened: opened[0]) as (tx, held):
            lost: dict[tuple[int, int], Exception] = {}
            for job in jobs:
                if job.key not in held:
                    lost[job.key] = LeaseLost(f"job {job.id} token {job.token}")
                elif not held[job.key]:
                    lost[job.key] = RouteLost(f"job {job.id} route {job.queue}")
            yield tx, lost


async def _settle(tx: Tx, said: Sequence[tuple[Job, Any]], kinds: Kinds) -> Settled:
    """Ends those who said so; this transaction holds them all."""
    ended = [(job, one) for job, one in said if isinstance(one, OUTCOMES)]
    return await claims.settle(tx, None, ended, kinds, is_fenced=True)


async def _claim(tx: Tx, let_go: Sequence[str], claim_next: ClaimNext) -> None:
    try:
        await claim_next(tx, let_go)
    except Exception as error:
        raise NothingClaimed from error


async def _heard(answers: Awaitable[list[Any]]) -> list[Any]:
    """One by one, the database may go away in the middle: those before were answered, and stay so."""
    try:
        return await answers
    except (DatabaseAway, ConnectionCut) as error:
        return [error]


@asynccontextmanager
async def _named(opening: AbstractAsyncContextManager[T], tx_of: Callable[[T], Tx]) -> AsyncIterator[T]:
    """A lost connection is told from what the handler raises."""
    raised: Exception | None = None
    try:
        async with opening as opened:
            try:
                yield opened
            except Exception as error:
                raised = None if tx_of(opened).is_lost_by(error) else error
                raise
    except (DatabaseUnavailable, *ConnectionFailure) as error:
        if error is raised:
            raise
        raise DatabaseAway(repr(error)) from error


@asynccontextmanager
async def _reaching() -> AsyncIterator[None]:
    """The same for one statement."""
    try:
        yield
    except (DatabaseUnavailable, *ConnectionFailure) as error:
        raise DatabaseAway(repr(error)) from error


PAUSES = (0.05, 0.1, 0.2, 0.5, 1.0)

declare("steps.raised", "Attempts whose handler raised", labels=("kind",), level=40)
declare("steps.lost", "Attempts that found their job no longer theirs", labels=("kind",), level=30)
declare("steps.cut", "Attempts that lost their connection while the database was there", labels=("kind",), level=30)
declare("steps.repeated", "Results recorded again because the database did not answer", labels=("kind",), level=30)


class Attempts:
    """Runs attempts of every kind this process knows; those of one kind may share their commits."""

    def __init__(self, database: Database, kinds: Kinds, follow: Follow = nobody_follows) -> None:
        self._database = database
        self._kinds = kinds
        self._follow = follow
        self._commits: dict[str, Commits] = {}
        self._witness = Witness(database)

    async def perform(self, worker: int, job: Job) -> Ended:
        """Answers how the attempt ended, or None when that is already recorded, or is no longer ours to record."""
        kind = self._kinds[job.kind]
        run = run_plain if kind.shape is Shape.PLAIN else self._run_steps
        try:
            if job.deadline is None and kind.stall is None:
                return meant(await run(job, kind), job, kind)
            return await run_within(run, job, kind)
        except LeaseLost:
            emit("steps.lost", kind=job.kind, job=job.id)
            await self._note_lost(worker, job)
            return None
        except RouteLost:
            return Returned("route lost")
        except DatabaseAway:
            return Returned("the database went away")
        except ConnectionCut as error:
            emit("steps.cut", kind=job.kind, job=job.id, error=str(error))
            return Lost(str(error))
        except Exception as error:  # noqa: BLE001 -- whatever an application's handler raises
            emit("steps.raised", kind=job.kind, job=job.id, attempt=job.attempt, error=repr(error))
            return Retry(f"{type(error).__name__}: {error}")

    def close(self) -> None:
        self._witness.close()

    async def _run_steps(self, job: Job, kind: Kind) -> None:
        commits = self._find_commits(kind)
        prepared = await commits.prepare(job) if job.begun is None else job.begun[0]
        if prepared is OVER:
            return
        kill_point("steps.prepare_committed")
        result = await kind.handler.perform(job, prepared)
        kill_point("steps.performed")
        job.is_performed = True
        await _record(commits, job, prepared, result)
        kill_point("steps.record_committed")

    def _find_commits(self, kind: Kind) -> Commits:
        found = self._commits.get(kind.name)
        if found is None:
            common = self._database, kind, self._kinds, self._witness
            found = self._commits[kind.name] = Shared(*common, self._follow) if kind.is_shared else Own(*common)
        return found

    async def _note_lost(self, worker: int, job: Job) -> None:
        async with self._database.transaction() as tx:
            await claims.note_lost(tx, worker, job)


async def _record(commits: Commits, job: Job, prepared: Any, result: Any) -> None:
    """What was done outside cannot be undone, so a database that is away is asked again until the life lapses.

    Where it is there, and the connection is lost each time, it is asked as often as a job may be lost, and no more.
    """
    tries = 0
    while True:
        try:
            return await commits.record(job, prepared, result)
        except (DatabaseAway, ConnectionCut) as error:
            job.recoveries += isinstance(error, ConnectionCut)
            if job.recoveries > job.max_recoveries:
                raise
            emit("steps.repeated", kind=job.kind, job=job.id, error=repr(error))
            await asyncio.sleep(PAUSES[min(tries, len(PAUSES) - 1)])
            tries += 1
