"""Runs handlers side by side. Stops gracefully, and at once when the life lapses."""
# long: slots, reports and stops all turn on the one table of what runs

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, cast

from pabal.base.clock import elapsed
from pabal.base.database import ConnectionFailure, Database, DatabaseError, DatabaseUnavailable
from pabal.base.telemetry import declare, emit
from pabal.engine import claims, reports
from pabal.engine.claims import LeaseLost
from pabal.engine.endings import Attempted, Returned
from pabal.engine.exchange import Capacity, Exchange, Following
from pabal.engine.headstart import may_begin
from pabal.engine.kinds import Job, Kind, Kinds, Report, Stop
from pabal.engine.life import Life
from pabal.engine.outcome import Cancel
from pabal.engine.slots import BATCH, SLOW, Slots
from pabal.engine.steps import Attempts, ClaimNext, claim_nothing
from pabal.engine.workers import Signal

FLUSH = 0.005
# Exchanges under way, each with its own endings and its own room: while one waits for the database, the next one works.
AT_ONCE = 2
# How long a handler that was told to stop may take to clean up.
STUBBORN = 5.0
# How long handlers that never await may hold up the heartbeat and the answers of the database.
TURN = 0.0002

declare("runner.failed", "Attempts whose end could not be kept; their jobs are rescued", labels=("kind",), level=40)
declare("runner.handed_back", "Jobs handed back because no slot could begin them", labels=("kind",), level=10)
declare("runner.dropped", "Attempts dropped because their job is no longer ours", labels=("kind",), level=30)


@dataclass(slots=True)
class _Running:
    job: Job
    task: asyncio.Task[None]
    began: float
    stop: Cancel | Returned | None = None
    is_lost: bool = False
    told_at: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Batch:
    """What an exchange under way settles, and the room it may fill."""

    ended: list[Attempted]
    room: Capacity


class Runner:
    """Slots run handlers side by side; what they end is settled in the commit that claims more."""

    def __init__(self, database: Database, kinds: Kinds, life: Life, *, concurrency: int, routed: int = 0) -> None:
        self._database = database
        self.kinds = self._kinds = kinds
        self.life = self._life = life
        self._attempts = Attempts(database, kinds, self._follow)
        self._exchange = Exchange(database, kinds, life.labels)
        self._no_room = Capacity(0, 0, self._is_quick)
        # Routed work has slots of its own: waking them for every other batch costs, and no other server could take it.
        self._plain, self._routed = Slots(concurrency, self._hand_back), Slots(routed)
        self._routed_running = 0
        # what begins outside of them (headstart.py): slots kept free for it, what may be committed already, what runs
        self._reserved = 0
        self._beginning: set[tuple[int, int]] = set()
        self._begun: set[asyncio.Task[None]] = set()
        self._ended: list[Attempted] = []
        # until when ends may wait for others, to share their commit
        self._due_at = 0.0
        self._under_way: list[_Batch] = []
        self._running: dict[tuple[int, int], _Running] = {}
        self._seconds: dict[str, float] = {}
        self._reports: dict[tuple[int, int], Job] = {}
        self._told: dict[tuple[int, int], tuple[Job, Stop]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.get_ident()
        self._is_stopping = False
        self._must_reconcile = False
        self._turn: asyncio.Future[None] | None = None
        self._turn_ends = 0.0
        self._slots: list[asyncio.Task[None]] = []
        # the claims loops
        self.wakes: list[Callable[[], None]] = []
        self.wake_reports: Callable[[], None] = lambda: None
        life.on_lapse.append(self.drop_all)
        life.on_signals = self.obey
        # Claims that heard of a drain before us came back empty: everything is looked at again.
        life.on_drain.append(lambda _is_draining: self.hear("*", None))

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._slots = [
            asyncio.create_task(self._slot(slots), name=f"slot:{n}")
            for slots in (self._plain, self._routed)
            for n in range(slots.size)
        ]

    def wake(self) -> None:
        for wake in self.wakes:
            wake()

    def hear(self, topic: str, at: Any) -> None:
        if self._exchange.hear(topic, at):
            self.wake()

    async def exchange_once(self) -> int:
        """The step of the claims loops: one commit settles what ended and claims what there is room for."""
        worker = self._life.worker
        room = self._room()
        if worker == 0 or not self._may_begin(room):
            return 0
        if self._must_reconcile:
            await self._reconcile()
            room = self._room()
        batch = _Batch(self._ended, self._room(self._ended) if self._ended else room)
        self._ended = []
        with self._beside(batch):
            try:
                settled, jobs = await self._exchange.run(worker, batch.ended, batch.room)
            except BaseException:
                # Settling is fenced, so saying it again is safe; a claim whose answer was lost is looked for.
                self._ended = batch.ended + self._ended
                self._must_reconcile = True
                raise
        if worker != self._life.worker:
            # The life lapsed meanwhile: what it claimed is rescued with it and must not run here.
            return settled.count
        self._ended = settled.busy + self._ended
        self._take(jobs)
        return settled.count + len(jobs)

    @asynccontextmanager
    async def _follow(self, jobs: Sequence[Job]) -> AsyncIterator[ClaimNext]:
        """Around a commit that ends these: what their lanes let go takes their slots."""
        worker = self._life.worker
        routed = [job for job in jobs if job.route_epoch is not None and job.lane is not None]
        if not routed or worker == 0 or self._is_stopping or self._life.is_draining:
            yield claim_nothing
            return
        following: Following | None = None
        try:
            async with self._exchange.follow(worker, len(routed), self._beginning) as following:
                yield following.claim
            if worker == self._life.worker:
                self._take(following.jobs)
        except BaseException:
            if following is not None and following.jobs:
                self.reconcile_soon()
            raise
        finally:
            if following is not None:
                self._beginning.difference_update(job.key for job in following.jobs)

    def reserve(self, kind: str) -> bool:
        """Keeps a slot free for one that begins in the commit that enqueues it; nothing that was here before waits."""
        is_up = self._slots and self._life.worker and not self._is_stopping and not self._life.is_draining
        if not is_up or self._plain.waiting or not may_begin(self._kinds.find(kind)):
            return False
        if len(self._running) - self._routed_running + self._reserved >= self._plain.size:
            return False
        self._reserved += 1
        return True

    def note_begun(self, job: Job) -> None:
        """From here on its lease may be committed, whether or not we have heard so."""
        self._beginning.add(job.key)

    def release(self, job: Job | None = None) -> None:
        self._reserved -= 1
        if job is not None:
            self._beginning.discard(job.key)

    def run_begun(self, job: Job) -> None:
        """Prepared already, so that it is not handed back: it begins at once, in the place that was kept for it."""
        task = asyncio.create_task(self._run_aside(job), name=f"begun:{job.id}")
        # before it begins to run, so that a stop or a lapse in between finds it
        self._running[job.key] = _Running(job, task, elapsed())
        self._begun.add(task)
        task.add_done_callback(lambda _task: self._forget_begun(job, task))

    def _forget_begun(self, job: Job, task: asyncio.Task[None]) -> None:
        self._begun.discard(task)
        if self._running.pop(job.key, None) is not None:
            # cancelled before it ran: nobody has said how it ended
            self.reconcile_soon()

    async def _run_aside(self, job: Job) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        try:
            await self._run(job, task)
        except Exception as error:  # noqa: BLE001 -- as in a slot
            emit("runner.failed", kind=job.kind, job=job.id, error=repr(error))
            self._must_reconcile = True

    def reconcile_soon(self) -> None:
        """A commit whose answer was lost may have left leases in our name."""
        self._must_reconcile = True
        self.wake()

    def report(self, job: Job, report: Report) -> None:
        """In the loop's own thread: what a thread or a child says is noted before its handler's end is."""
        if threading.get_ident() == self._thread:
            self._note(job, report)
        elif self._loop is not None:
            self._loop.call_soon_threadsafe(self._note, job, report)

    def told(self, job: Job, stop: Stop) -> None:
        self._told[job.key] = (job, stop)

    async def write_reports_once(self) -> int:
        """Reports are written together, a few times a second; an attempt that is no longer ours is stopped.

        Who was told to stop is noted in another commit: each locks leases in the order of ids, as handlers hold them.
        """
        await self._write_reports()
        await self._note_stops()
        return 0

    def obey(self, signals: list[Signal]) -> None:
        """Cancelled by somebody, or the route moved: the handler gets a cancellation at its next await."""
        for signal in signals:
            stop = Cancel("asked while it ran") if signal.is_cancelled else Returned("route lost")
            why = Stop.CANCEL if signal.is_cancelled else Stop.LEASE_LOST
            self._stop_attempt(signal.id, signal.token, stop, why)

    def drop_all(self) -> None:
        """The life lapsed: others may run our jobs already. Nothing of ours may go on."""
        self._drop_waiting()
        self._ended.clear()
        for running in list(self._running.values()):
            self._lose(running.job.id, running.job.token)

    async def stop(self, grace: float) -> None:
        """Claims nothing more, lets handlers finish for a while, then hands the rest back; burns no attempt.

        They hear of it at once: one that looks can save where it is and stop by itself.
        """
        self._is_stopping = True
        self._ended += [(job, Returned("shutdown", keeps_turn=True)) for job in self._waiting]
        self._drop_waiting()
        for entry in list(self._running.values()):
            entry.job.tell(Stop.SHUTDOWN)
        await self._wait_until_idle(grace)
        for entry in list(self._running.values()):
            self._stop_attempt(entry.job.id, entry.job.token, Returned("shutdown"), Stop.SHUTDOWN)
        await self._wait_until_idle(STUBBORN)
        for slot in self._slots:
            slot.cancel()
        await asyncio.wait(self._slots, timeout=STUBBORN) if self._slots else None
        while self._ended and self._life.worker and await self._flushed():
            pass
        self._attempts.close()

    def _may_begin(self, room: Capacity) -> bool:
        # What the others claimed is not known before their answers: to reconcile, it would look as if it were lost.
        if len(self._under_way) >= (1 if self._must_reconcile else AT_ONCE):
            return False
        is_due = len(self._ended) >= BATCH
        if not self._under_way:
            is_due = bool(self._ended) and (is_due or not self._is_busy or elapsed() >= self._due_at)
        return is_due or not room.is_full

    @contextmanager
    def _beside(self, batch: _Batch) -> Iterator[None]:
        self._under_way.append(batch)
        try:
            yield
        finally:
            self._under_way.remove(batch)

    def _note(self, job: Job, report: Report) -> None:
        if job.key not in self._running:
            # a thread that nobody waits for any more
            report.answer(LeaseLost(f"job {job.id} token {job.token}"))
            return
        job.keep(report)
        self._reports[job.key] = job
        if report.saving:
            self.wake_reports()

    async def _write_reports(self) -> None:
        reported, self._reports = self._reports, {}
        # One that is through writes what is left with its end; it keeps its report until this is sure to be written.
        pending = [(job, job.unwritten) for job in reported.values() if self._is_performing(job)]
        taken = [(job, report) for job, report in pending if report is not None]
        self._answer_dropped(reported)
        if not taken:
            return
        try:
            async with self._database.transaction() as tx:
                kept = await reports.write(tx, self._life.worker, taken)
                await reports.tell(tx, [one for one in taken if one[0].key in kept and self._may_tell(*one)])
        except BaseException:
            self._reports = {**reported, **self._reports}
            raise
        for job, report in taken:
            self._close_report(job, report, is_kept=job.key in kept)

    async def _note_stops(self) -> None:
        told, self._told = self._told, {}
        stopping = [one for key, one in told.items() if key in self._running]
        if not stopping:
            return
        try:
            async with self._database.transaction() as tx:
                await reports.note_stops(tx, stopping)
        except BaseException:
            self._told = {**told, **self._told}
            raise

    def _close_report(self, job: Job, report: Report, *, is_kept: bool) -> None:
        if job.unwritten is report:
            job.unwritten = None
        report.answer(None if is_kept else LeaseLost(f"job {job.id} token {job.token}"))
        if not is_kept and self._is_performing(job):
            # The lease may still be ours, only the route is not: unless it is handed back, nobody ever does it.
            self._stop_attempt(job.id, job.token, Returned("no longer ours"), Stop.LEASE_LOST)

    def _answer_dropped(self, reported: dict[tuple[int, int], Job]) -> None:
        """A thread that nobody waits for any more may still wait for its checkpoint."""
        for key, job in reported.items():
            if key not in self._running and job.unwritten is not None:
                job.unwritten.answer(LeaseLost(f"job {job.id} token {job.token}"))

    def _is_performing(self, job: Job) -> bool:
        return job.key in self._running and not job.is_performed

    def _may_tell(self, job: Job, report: Report) -> bool:
        """Counted as told even if the commit fails, which costs one fact."""
        entry = self._running.get(job.key)
        if entry is None or report.progress is None or elapsed() - entry.told_at < reports.TELL_EVERY:
            return False
        entry.told_at = elapsed()
        return True

    @property
    def _is_busy(self) -> bool:
        return bool(self._running or self._plain.waiting or self._routed.waiting)

    @property
    def _waiting(self) -> list[Job]:
        return [job for slots in (self._plain, self._routed) for _, job in slots.waiting]

    def _drop_waiting(self) -> None:
        self._plain.waiting.clear()
        self._routed.waiting.clear()

    def _room(self, ended: Sequence[Attempted] = ()) -> Capacity:
        """Quick handlers are fetched ahead, as many as can begin soon; slow ones not behind them, or never.

        None where there is nothing to claim; the end of a job in a lane may let another go.
        """
        lets_go = any(job.lane is not None for job, _ in ended)
        if self._is_stopping or self._life.is_draining or not (lets_go or self._exchange.has_hints):
            return self._no_room
        waiting = Counter(job.kind for _, job in self._plain.waiting)
        # What an exchange under way may claim is as good as here.
        here = len(self._plain.waiting) + self._reserved + sum(batch.room.quick for batch in self._under_way)
        routed = len(self._routed.waiting) + sum(batch.room.routed for batch in self._under_way)
        free = max(self._plain.size - (len(self._running) - self._routed_running) - here, 0)
        soon = self._soon()
        most = self._plain.ahead({*waiting, *filter(self._is_quick, self._exchange.dirty_kinds)}, soon, self._mean)
        slow = sum(batch.room.slow for batch in self._under_way)
        slow += sum(count for kind, count in waiting.items() if not self._is_quick(kind))
        # Never in crumbs: what is fetched ahead is a part of it that is worth a commit.
        ahead = min(most - here, BATCH)
        room = Capacity(
            quick=max(free, ahead if ahead >= min(most, BATCH) // 2 else 0),
            slow=max(soon - slow, 0),
            is_quick=self._is_quick,
            routed=max(self._routed.size - self._routed_running - routed, 0),
            limits={kind.names: self._left(kind) for kind in self._kinds.limited},
        )
        return room if lets_go or self._exchange.wants(room) else self._no_room

    def _soon(self) -> int:
        """Slots that are free or will be in a moment; one whose attempt takes longer than its kind does is not."""
        early = elapsed() - SLOW
        return self._plain.size - sum(
            entry.job.route_epoch is None and (entry.began < early or not self._is_quick(entry.job.kind))
            for entry in self._running.values()
        )

    def _left(self, kind: Kind) -> int:
        """How many more of a kind that has only some of the slots, under whichever of its names."""
        held = [entry.job.kind for entry in self._running.values()] + [job.kind for job in self._waiting]
        claiming = sum(batch.room.limits.get(kind.names, 0) for batch in self._under_way)
        return max(kind.most_at_once - sum(one in kind.names for one in held) - claiming, 0)

    def _mean(self, kind: str) -> float:
        return self._seconds.get(kind, SLOW)

    def _is_quick(self, kind: str) -> bool:
        return self._mean(kind) < SLOW

    def _take(self, jobs: list[Job]) -> None:
        routed = [job for job in jobs if job.route_epoch is not None]
        self._routed.put(routed)
        self._plain.put([job for job in jobs if job.route_epoch is None] if routed else jobs)

    def _hand_back(self, job: Job) -> None:
        """Its slots are busy for longer than they seemed to be; another server may be idle."""
        emit("runner.handed_back", kind=job.kind, job=job.id)
        self._end(job, Returned("not begun in time", keeps_turn=True))

    async def _slot(self, slots: Slots) -> None:
        task = cast("asyncio.Task[None]", asyncio.current_task())
        while True:
            job = await slots.take()
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
        began = elapsed()
        entry = self._running[job.id, job.token] = _Running(job, task, began, told_at=began)
        job.reporter = self
        self._routed_running += job.route_epoch is not None
        try:
            ending = await self._attempts.perform(self._life.worker, job)
            if entry.stop is not None or entry.is_lost:
                # It ended by itself after it was told; the cancellation is used up all the same.
                task.uncancel()
                ending = None if entry.is_lost else ending
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
            self._due_at = elapsed() + FLUSH
            asyncio.get_running_loop().call_later(FLUSH, self.wake)
        self._ended.append((job, ending))
        if job.lane is not None and self._has_idle_slot(job):
            # It lets another go, who could run here at once.
            self._due_at = 0.0
        if len(self._ended) >= BATCH or not self._is_busy or self._due_at == 0.0:
            self.wake()

    def _has_idle_slot(self, job: Job) -> bool:
        """For one like this."""
        is_routed = job.route_epoch is not None
        slots = self._routed if is_routed else self._plain
        running = self._routed_running if is_routed else len(self._running) - self._routed_running
        return not slots.waiting and running < slots.size

    def _measure(self, kind: str, seconds: float) -> None:
        known = self._seconds.get(kind)
        self._seconds[kind] = seconds if known is None else known * 0.9 + seconds * 0.1
        held = len(self._running) + len(self._plain.waiting) + len(self._routed.waiting)
        if held < self._plain.size + self._routed.size and self._exchange.has_hints:
            self.wake()

    def _stop_attempt(self, job_id: int, token: int, stop: Cancel | Returned, why: Stop) -> None:
        for slots in (self._plain, self._routed):
            for job in slots.remove(job_id, token):
                self._end(job, stop)
        entry = self._running.get((job_id, token))
        if entry is not None and entry.stop is None:
            entry.stop = stop
            entry.job.tell(why)
            entry.task.cancel()

    def _lose(self, job_id: int, token: int) -> None:
        entry = self._running.get((job_id, token))
        if entry is not None:
            entry.is_lost = True
            entry.job.tell(Stop.LEASE_LOST)
            entry.task.cancel()

    async def _wait_until_idle(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                while self._running:
                    await self._flushed()
                    await self._written()
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

    async def _written(self) -> None:
        """Its loop has stopped already; a handler that was told saves where it is."""
        try:
            await self.write_reports_once()
        except (DatabaseUnavailable, DatabaseError, *ConnectionFailure) as error:
            emit("runner.failed", kind="", job=0, error=repr(error))

    async def _reconcile(self) -> None:
        """Alone, so that every lease in our name is known here or lost; nothing else begins meanwhile."""
        with self._beside(_Batch([], self._no_room)):
            async with self._database.transaction() as tx:
                await claims.return_unknown(tx, self._life.worker, self._list_known)
        self._must_reconcile = False

    def _list_known(self) -> set[tuple[int, int]]:
        known = {job.key for job in self._waiting} | set(self._running) | {job.key for job, _ in self._ended}
        return known | self._beginning
