"""One server: every loop of the engine, started, supervised and stopped together. All servers are equal."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from pabal.base.database import Database
from pabal.base.telemetry import declare, emit
from pabal.engine import delays, widths, withdrawals, workers
from pabal.engine.inside import InsideWork
from pabal.engine.kinds import Kinds, Shape
from pabal.engine.lanes import LaneSweep
from pabal.engine.life import Life
from pabal.engine.loop import Loop, LoopState
from pabal.engine.runner import Runner
from pabal.engine.wakeups import Wakeups

declare("server.started", "Servers started")
declare("server.stopped", "Servers stopped")


@dataclass(frozen=True)
class Options:
    """How one server runs; what it runs is its kinds."""

    locks: Path
    concurrency: int = 16
    # beside those: work for live connections, which mostly waits
    routed: int = 200
    grace: timedelta = timedelta(seconds=20)
    ttl: timedelta = workers.TTL
    # After a start nothing is judged too late before this: live connections come back first.
    reconnect_wait: timedelta = timedelta(seconds=10)
    meta: dict[str, Any] = field(default_factory=dict)
    # False: it only beats, listens and runs the loops added to it
    is_worker: bool = True
    # what it has that some work needs: gpu, nas
    labels: frozenset[str] = frozenset()


class Server:
    def __init__(self, database: Database, pulse: Database, kinds: Kinds, options: Options) -> None:
        self.database = database
        self.kinds = kinds
        self._options = options
        self.wakeups = Wakeups(database)
        able = {"labels": sorted(options.labels), "needs": kinds.needs}
        meta = {**options.meta, **able, "slots": options.concurrency if options.is_worker else 0}
        self.life = Life(pulse, kinds, locks=options.locks, meta=meta, ttl=options.ttl)
        self.runner = Runner(database, kinds, self.life, concurrency=options.concurrency, routed=options.routed)
        self._inside = InsideWork(database, kinds)
        self._loops = self._engine_loops()
        self._supervisor = Loop("supervisor", self._supervise_once, idle=1.0)

    def add_loops(self, loops: Sequence[Loop]) -> None:
        self._loops += loops

    async def start(self) -> None:
        self.wakeups.attach()
        if self._options.is_worker:
            self.wakeups.on_hint(self.runner.hear)
        for loop in self._loops:
            self.wakeups.on_hint(loop.hear)
        self.life.alone = self._in_batches()
        await self.life.beat_once()
        await widths.declare_all(self.database, self.kinds.widths)
        if self._options.is_worker:
            self.runner.start()
        for loop in [*self._loops, self._supervisor]:
            loop.start()
        emit("server.started", worker=self.life.worker, kinds=len(list(self.kinds)))

    async def stop(self) -> None:
        """Burns no attempt: what runs may finish for a while, the rest is handed back."""
        by_name = {loop.name: loop for loop in self._loops}
        keep = ("heartbeat", "listener")
        self._inside.is_stopping = True
        await self._supervisor.stop()
        await asyncio.gather(*(loop.stop() for name, loop in by_name.items() if name not in keep))
        await self.runner.stop(self._options.grace.total_seconds())
        await asyncio.gather(*(by_name[name].stop() for name in keep))
        try:
            await self.life.end()
        finally:
            await self.wakeups.close()
        emit("server.stopped")

    def loop_states(self) -> list[LoopState]:
        return [loop.state() for loop in self._loops]

    def _engine_loops(self) -> list[Loop]:
        always = [
            Loop("listener", self.wakeups.listen_once, idle=5.0),
            Loop("heartbeat", self.life.beat_once, idle=workers.BEAT.total_seconds(), wake_on=["signals"]),
        ]
        return [*always, *self._worker_loops()] if self._options.is_worker else always

    def _worker_loops(self) -> list[Loop]:
        database, kinds = self.database, self.kinds
        # Two of them: while one exchange waits for the database, another settles and claims.
        claiming = [Loop(name, self.runner.exchange_once, idle=1.0) for name in ("claims", "claims beside")]
        self.runner.wakes = [loop.wake for loop in claiming]
        reporting = Loop("progress", self.runner.write_reports_once, idle=0.5)
        self.runner.wake_reports = reporting.wake
        inside = [f"queue:{name}" for name in kinds if self._inside.concerns(f"queue:{name}", None)]
        return [
            *claiming,
            Loop("inside", self._run_inside_once, idle=1.0, wake_on=inside),
            reporting,
            Loop(
                "delays",
                partial(delays.promote_once, database),
                idle=5.0,
                wake_on=["delayed"],
                next_moment=partial(delays.next_due, database),
            ),
            Loop("lanes", LaneSweep(database).run_once, idle=5.0),
            Loop("rescue", partial(workers.rescue_once, database, kinds, ttl=self._options.ttl), idle=1.0),
            Loop("overdue", partial(workers.take_overdue_once, database, kinds), idle=1.0),
            Loop("withdrawals", partial(withdrawals.obey_once, database, kinds), idle=1.0, wake_on=["withdrawals"]),
            # Not in the first ten seconds: after an outage those who can take it get a chance to.
            Loop(
                "expiry",
                partial(withdrawals.expire_once, database, kinds),
                idle=1.0,
                first_after=self._options.reconnect_wait.total_seconds(),
            ),
        ]

    def _in_batches(self) -> list[str]:
        inside = [f"inside:{name}" for name in self.kinds.names(Shape.INSIDE)] if self._options.is_worker else []
        return inside + [loop.name for loop in self._loops if loop.in_batches]

    async def _run_inside_once(self) -> int:
        return 0 if self.life.is_draining else await self._inside.run_once()

    async def _supervise_once(self) -> int:
        for loop in self._loops:
            loop.mend()
        return 0
