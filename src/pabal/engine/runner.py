"""Runs handlers side by side. Stops gracefully, and at once when the life lapses."""

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from pabal.base.clock import elapsed
from pabal.base.database import ConnectionFailure, Database, DatabaseError, DatabaseUnavailable
from pabal.base.telemetry import declare, emit
from pabal.engine import claims
from pabal.engine.claims import Attempted, Returned
from pabal.engine.exchange import Capacity, Exchange
from pabal.engine.kinds import Job, Kinds
from pabal.engine.life import Life
from pabal.engine.outcome import Cancel
from pabal.engine.steps import Attempts
from pabal.engine.workers import Signal

BATCH = 500
FLUSH = 0.005
SLOW = 0.1
# How long a handler that was told to stop may take to clean up.
STUBBORN = 5.0
# How long handlers that never await may hold up the heartbeat and the answers of the database.
TURN = 0.0002

declare("runner.failed", "Attempts whose end could not be kept; their jobs are rescued", labels=("kind",), level=40)
declare("runner.dropped", "Attempts dropped because their job is no longer ours", labels=("kind",), level=30)


@dataclass(slots=True)
class _Running:
    job: Job
    task: asyncio.Task[None]
    stop: Cancel | Returned | None = None
    is_lost: bool = False


class _Pool:
    """Slots, and the jobs that wait for one. Routed work has its own: waking its slots for every other batch costs."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.waiting: deque[Job] = deque()
        self.filled = asyncio.Event()

    def put(self, jobs: list[Job]) -> None:
        if jobs:
            self.waiting.extend(jobs)
            self.filled.set()

    async def take(self) -> Job:
        while not self.waiting:
            self.filled.clear()
            await self.filled.wait()
        return self.waiting.popleft()


class Runner:
    """Slots run handlers side by side; what they end is settled in the commit that claims more."""

    def __init__(self, database: Database, kinds: Kinds, life: Life, *, concurrency: int, routed: int = 0) -> None:
        self._database = database
        self._kinds = kinds
        self._life = life
        self._attempts = Attempts(database, kinds)
        self._exchange = Exchange(database, kinds)
        self._plain, self._routed = _Pool(concurrency), _Pool(routed)
        self._routed_running = 0
        self._ended: list[Attempted] = []
        self._ended_at = 0.0
        self._running: dict[tuple[int, int], _Running] = {}
        self._seconds: dict[str, float] = {}
        self._reports: dict[tuple[int, int], tuple[Job, dict[str, Any]]] = {}
        self._is_stopping = False
        self._must_reconcile = False
        self._turn: asyncio.Future[None] | None = None
        self._turn_ends = 0.0
        self._slots: list[asyncio.Task[None]] = []
        self.wake: Callable[[], None] = lambda: None
        life.on_lapse.append(self.drop_all)
        life.on_signals = self.obey
        life.on_drain.append(lambda _is_draining: self.wake())

    def start(self) -> None:
        self._slots = [
            asyncio.create_task(self._slot(pool), name=f"slot:{n}")
            for pool in (self._plain, self._routed)
            for n in range(pool.size)
        ]

    def hear(self, topic: str, at: Any) -> None:
        if self._exchange.hear(topic, at):
            self.wake()

    async def exchange_once(self) -> int:
        """The step of the claims loop: one commit settles what ended and claims what there is room for."""
        worker, room = self._life.worker, self._room()
        is_due = len(self._ended) >= BATCH or not self._is_busy or elapsed() - self._ended_at >= FLUSH
        wants = not room.is_full and self._exchange.has_hints
        if worker == 0 or not (wants or (self._ended and is_due)):
            return 0
        if self._must_reconcile:
            await self._reconcile()
        ended, self._ended = self._ended, []
        try:
            settled, jobs = await self._exchange.run(worker, ended, room)
        except BaseException:
            # Settling is fenced, so saying it again is safe; a claim whose answer was lost is looked for.
            self._ended = ended + self._ended
            self._must_reconcile = True
            raise
        if worker != self._life.worker:
            # The life lapsed meanwhile: what it claimed is rescued with it and must not run here.
            return settled.count
        self._ended = settled.busy + self._ended
        self._take(jobs)
        return settled.count + len(jobs)

    async def report(self, job: Job, progress: dict[str, Any]) -> None:
        self._reports[job.id, job.token] = (job, progress)

    async def write_reports_once(self) -> int:
        """Progress is written together, a few times a second; an attempt that is no longer ours is stopped."""
        reports, self._reports = list(self._reports.values()), {}
        current = [(job, progress) for job, progress in reports if (job.id, job.token) in self._running]
        if current:
            async with self._database.transaction() as tx:
                kept = await claims.write_progress(tx, self._life.worker, current)
            for job, _ in current:
                if job.id not in kept:
                    # The lease may still be ours, only the route is not: unless it is handed back, nobody ever does it.
                    self._stop_attempt(job.id, job.token, Returned("no longer ours"))
        return 0

    def obey(self, signals: list[Signal]) -> None:
        """Cancelled by somebody, or the route moved: the handler gets a cancellation at its next await."""
        for signal in signals:
            stop = Cancel("asked while it ran") if signal.is_cancelled else Returned("route lost")
            self._stop_attempt(signal.id, signal.token, stop)

    def drop_all(self) -> None:
        """The life lapsed: others may run our jobs already. Nothing of ours may go on."""
        self._drop_waiting()
        self._ended.clear()
        for running in list(self._running.values()):
            self._lose(running.job.id, running.job.token)

    async def stop(self, grace: float) -> None:
        """Claims nothing more, lets handlers finish for a while, then hands the rest back; burns no attempt."""
        self._is_stopping = True
        self._ended += [(job, Returned("shutdown")) for job in self._waiting]
        self._drop_waiting()
        await self._wait_until_idle(grace)
        for entry in list(self._running.values()):
            self._stop_attempt(entry.job.id, entry.job.token, Returned("shutdown"))
        await self._wait_until_idle(STUBBORN)
        for slot in self._slots:
            slot.cancel()
        await asyncio.wait(self._slots, timeout=STUBBORN) if self._slots else None
        while self._ended and self._life.worker and await self._flushed():
            pass

    @property
    def _is_busy(self) -> bool:
        return bool(self._running or self._plain.waiting or self._routed.waiting)

    @property
    def _waiting(self) -> list[Job]:
        return [*self._plain.waiting, *self._routed.waiting]

    def _drop_waiting(self) -> None:
        self._plain.waiting.clear()
        self._routed.waiting.clear()

    def _room(self) -> Capacity:
        """Quick handlers are fetched ahead; slow ones only when a slot is free, for another server may be idle."""
        if self._is_stopping or self._life.is_draining:
            return Capacity(0, 0, self._is_quick, 0)
        # Two batches: one is run while the next is fetched.
        ahead = min(2 * BATCH - len(self._plain.waiting), BATCH)
        free = self._plain.size - (len(self._running) - self._routed_running) - len(self._plain.waiting)
        routed = self._routed.size - self._routed_running - len(self._routed.waiting)
        return Capacity(ahead if ahead >= BATCH // 2 else 0, max(free, 0), self._is_quick, max(routed, 0))

    def _is_quick(self, kind: str) -> bool:
        return self._seconds.get(kind, SLOW) < SLOW

    def _take(self, jobs: list[Job]) -> None:
        routed = [job for job in jobs if job.route_epoch is not None]
        self._routed.put(routed)
        self._plain.put([job for job in jobs if job.route_epoch is None] if routed else jobs)

    async def _slot(self, pool: _Pool) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        while True:
            job = await pool.take()
            try:
                await self._run(job, task)
            except Exception as error:  # noqa: BLE001 -- a slot must outlive whatever an attempt does
                emit("runner.failed", kind=job.kind, job=job.id, error=repr(error))
                self._must_reconcile = True
            if elapsed() >= self._turn_ends:
                await self._next_turn()

    async def _next_turn(self) -> None:
        """All slots share a turn: each with one of its own, they would hold up the loop many times as long."""
        if self._turn is None:
            self._turn = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(self._begin_turn)
        # Shielded: one slot that is cancelled must not take the turn from the others.
        await asyncio.shield(self._turn)

    def _begin_turn(self) -> None:
        self._turn_ends = elapsed() + TURN
        turn, self._turn = self._turn, None
        if turn is not None:
            turn.set_result(None)

    async def _run(self, job: Job, task: asyncio.Task[None]) -> None:
        entry = self._running[job.id, job.token] = _Running(job, task)
        job.reporter = self
        self._routed_running += job.route_epoch is not None
        began = elapsed()
        try:
            ending = await self._attempts.perform(self._life.worker, job)
        except asyncio.CancelledError:
            if entry.stop is None and not entry.is_lost:
                raise
            task.uncancel()
            ending = None if entry.is_lost else entry.stop
        finally:
            self._running.pop((job.id, job.token), None)
            self._routed_running -= job.route_epoch is not None
        self._measure(job.kind, elapsed() - began)
        if ending is not None:
            self._end(job, ending)
        elif entry.is_lost:
            emit("runner.dropped", kind=job.kind, job=job.id)

    def _end(self, job: Job, ending: Any) -> None:
        if not self._ended:
            self._ended_at = elapsed()
            asyncio.get_running_loop().call_later(FLUSH, self.wake)
        self._ended.append((job, ending))
        if len(self._ended) >= BATCH or not self._is_busy:
            self.wake()

    def _measure(self, kind: str, seconds: float) -> None:
        known = self._seconds.get(kind)
        self._seconds[kind] = seconds if known is None else known * 0.9 + seconds * 0.1
        held = len(self._running) + len(self._plain.waiting) + len(self._routed.waiting)
        if held < self._plain.size + self._routed.size and self._exchange.has_hints:
            self.wake()

    def _stop_attempt(self, job_id: int, token: int, stop: Cancel | Returned) -> None:
        for pool in (self._plain, self._routed):
            for job in [one for one in pool.waiting if one.key == (job_id, token)]:
                pool.waiting.remove(job)
                self._end(job, stop)
        entry = self._running.get((job_id, token))
        if entry is not None and entry.stop is None:
            entry.stop = stop
            entry.task.cancel()

    def _lose(self, job_id: int, token: int) -> None:
        entry = self._running.get((job_id, token))
        if entry is not None:
            entry.is_lost = True
            entry.task.cancel()

    async def _wait_until_idle(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while self._running:
                    await self._flushed()
                    await asyncio.sleep(0.01)
        except TimeoutError:
            return

    async def _flushed(self) -> bool:
        """False when the database is away: then what is left is rescued by others."""
        try:
            await self.exchange_once()
        except (DatabaseUnavailable, DatabaseError, *ConnectionFailure) as error:
            emit("runner.failed", kind="", job=0, error=repr(error))
            await asyncio.sleep(0.1)
            return False
        return True

    async def _reconcile(self) -> None:
        known = {job.key for job in self._waiting}
        known |= set(self._running)
        known |= {(job.id, job.token) for job, _ in self._ended}
        async with self._database.transaction() as tx:
            await claims.return_unknown(tx, self._life.worker, known)
        self._must_reconcile = False
