"""A job that begins in the commit that enqueues it: its server has a slot free, and is the one that was asked.

Enqueued, claimed and prepared at once, it saves two commits and a wake-up between the asking and the doing. Where that
cannot be, it is enqueued like any other, and whoever comes first claims it.
"""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from pabal.base.database import Tx
from pabal.base.killpoints import kill_point
from pabal.base.sql import Statement, load
from pabal.base.telemetry import emit
from pabal.engine import claims, queue
from pabal.engine.kinds import Job, Kind, Kinds, Shape
from pabal.engine.outcome import OUTCOMES
from pabal.engine.queue import Enqueued, NewJob

if TYPE_CHECKING:
    from pabal.engine.runner import Runner

SQL = load(__file__)
_OWN = "asker_own"


class NotBegun(Exception):
    """Its prepare raised, in a transaction that does more than that: without a head start, only the attempt fails."""


class HeadStart:
    """Of this process. Where nothing is run, nothing begins."""

    def __init__(self) -> None:
        self.runner: Runner | None = None

    @asynccontextmanager
    async def open(self) -> AsyncIterator["Beginning"]:
        """Around one transaction: what it began is performed once it has committed."""
        beginning = Beginning(self.runner)
        try:
            yield beginning
        except BaseException:
            beginning.drop()
            raise
        beginning.run()


class Prepared(NamedTuple):
    """What a job's prepare would have answered, and what it would have written: `headstart.sql`, insert_begun."""

    value: Any
    along: Statement
    given: Mapping[str, Any]


class Beginning:
    """What one transaction begins."""

    def __init__(self, runner: "Runner | None") -> None:
        self._runner = runner
        self._begun: list[tuple[Runner, Job]] = []
        self._worker = 0

    async def enqueue(self, tx: Tx, job: NewJob) -> Enqueued:
        """Raises NotBegun when its prepare raised; what else this transaction did is then undone with it."""
        begun = await self._start(tx, job, None)
        return await queue.enqueue(tx, job) if begun is None else Enqueued(begun.id, is_new=True)

    async def enqueue_prepared(self, tx: Tx, job: NewJob, prepared: Prepared) -> Enqueued | None:
        """One whose asker knows all that its prepare would, and writes it in the statement that enqueues it.

        None: it cannot begin here, and nothing was written.
        """
        begun = await self._start(tx, job, prepared)
        return None if begun is None else Enqueued(begun.id, is_new=True)

    def run(self) -> None:
        """Committed. A life that lapsed meanwhile is rescued with what it took."""
        for runner, job in self._begun:
            runner.release(job)
            if self._worker == runner.life.worker:
                runner.run_begun(job)

    def drop(self) -> None:
        """Rolled back; or nobody knows, and then what is in our name is handed back."""
        for runner, job in self._begun:
            runner.release(job)
            runner.reconcile_soon()

    async def _start(self, tx: Tx, new: NewJob, prepared: Prepared | None) -> Job | None:
        """None: nobody here can."""
        runner = self._runner
        if runner is None or not is_plain(new) or not runner.reserve(new.kind):
            return None
        try:
            begun = await self._begin(tx, runner, new, prepared)
        except BaseException:
            runner.release()
            raise
        if begun is None or begun.begun is None:
            # there is no such life any more, or it is over already: nothing is left to perform
            runner.release()
        else:
            runner.note_begun(begun)
            self._begun.append((runner, begun))
        return begun

    async def _begin(self, tx: Tx, runner: "Runner", new: NewJob, given: Prepared | None) -> Job | None:
        """None: this life is over, or drains."""
        queue.check_job(new)
        self._worker = runner.life.worker
        along, more = (None, {}) if given is None else (given.along, given.given)
        rows = await tx.rows(_inserting(along), worker=self._worker, **_columns(new), **more)
        if not rows:
            return None
        emit("queue.enqueued", count=1)
        kill_point("enqueue.written")
        emit("claims.claimed", kind=new.kind, count=1)
        job = _first_attempt(rows[0]["id"], new)
        prepared = await _prepare(tx, runner.kinds, job, given)
        if isinstance(prepared, OUTCOMES):
            await claims.settle(tx, None, [(job, prepared)], runner.kinds, is_fenced=True)
        else:
            job.begun = (prepared,)
        return job


def is_plain(job: NewJob) -> bool:
    """Nothing but room is needed for it to begin."""
    return not (job.key or job.lane or job.route or job.label or job.delay or job.run_at or job.expires_at)


def may_begin(kind: Kind | None) -> bool:
    """Steps that prepare by themselves, on any server, in as many slots as there are."""
    if kind is None or kind.shape is not Shape.STEPS:
        return False
    return not kind.is_shared and not kind.needs and kind.slots is None


@cache
def _inserting(along: Statement | None) -> Statement:
    plain = SQL.insert_begun
    if along is None:
        return replace(plain, text=plain.text.replace(_OWN, ""))
    return plain.put(_OWN, replace(along, text=f",\n{along.text}"))


async def _prepare(tx: Tx, kinds: Kinds, job: Job, given: Prepared | None) -> Any:
    try:
        prepared = given.value if given is not None else await kinds[job.kind].handler.prepare(tx, job)
    except Exception as error:
        if tx.is_lost_by(error):
            raise
        raise NotBegun(job.kind) from error
    kill_point("steps.prepared")
    return prepared


def _columns(new: NewJob) -> dict[str, Any]:
    return {
        "kind": new.kind,
        "queue": new.queue,
        "priority": new.priority,
        "unit": new.unit_id,
        "about": new.about,
        "cause": new.cause,
        "args": new.args,
        "failures": new.max_failures,
        "recoveries": new.max_recoveries,
        "deadline": new.deadline,
        "records": new.records_end or None,
    }


def _first_attempt(job_id: int, new: NewJob) -> Job:
    return Job(
        id=job_id,
        token=1,
        kind=new.kind,
        args=new.args,
        queue=new.queue,
        lane=None,
        about=new.about,
        unit_id=new.unit_id,
        failures=0,
        recoveries=0,
        snoozes=0,
        max_failures=new.max_failures,
        max_recoveries=new.max_recoveries,
        deadline=new.deadline,
        route_epoch=None,
        records_end=new.records_end,
        priority=new.priority,
    )
