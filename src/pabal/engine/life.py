"""This process's life: its worker row, its heartbeat, and the lock file that tells a restart here that it is over."""

import asyncio
import fcntl
import os
import socket
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import IO, Any

from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import workers
from pabal.engine.kinds import Kinds
from pabal.engine.workers import TTL, Signal

declare("life.began", "Lives begun")
declare("life.draining", "Lives told to take nothing more")
declare("life.undrained", "Lives told to take work again")
declare("life.lapsed", "Lives of this process that lapsed: it was stopped, or cut off from the database", level=30)


class Life:
    """`worker` is 0 while there is none. A lapsed life is over for good: the process begins a new one."""

    def __init__(
        self, database: Database, kinds: Kinds, *, locks: Path, meta: dict[str, Any], ttl: timedelta = TTL
    ) -> None:
        self._database = database
        self._kinds = kinds
        self._locks = locks
        self._meta = meta
        self._ttl = ttl
        self._lock: IO[str] | None = None
        self._beaten_at = 0.0
        self.worker = 0
        self.host = socket.gethostname()
        self.is_draining = False
        self.labels: frozenset[str] = frozenset(meta.get("labels", ()))
        # What this process does in batches, under the names of suspects.py: in doubt when this life is lost.
        self.alone: list[str] = []
        self.on_lapse: list[Callable[[], None]] = []
        # Called with whether it drains, when that changes: whoever holds live connections closes them then.
        self.on_drain: list[Callable[[bool], None]] = []
        self.on_signals: Callable[[list[Signal]], None] = lambda _signals: None

    async def beat_once(self) -> int:
        """The step of the heartbeat's loop. On a database of its own: a busy pool must not cost a life."""
        if self.worker == 0:
            await self._begin()
        try:
            async with asyncio.timeout(self._ttl.total_seconds() / 2), self._database.transaction() as tx:
                is_alive = await workers.beat(tx, self.worker, ttl=self._ttl)
                signals = await workers.list_signals(tx, self.worker) if is_alive else []
                is_draining = await self._read_drain(tx) if is_alive else self.is_draining
        except BaseException:
            if elapsed() - self._beaten_at > self._ttl.total_seconds():
                self._lapse()
            raise
        if not is_alive:
            self._lapse()
            return 1
        self._beaten_at = elapsed()
        if signals:
            self.on_signals(signals)
        self._mind(is_draining)
        return 0

    async def end(self) -> None:
        if self.worker:
            async with self._database.transaction() as tx:
                await workers.leave(tx, self.worker)
        self._unlock()
        self.worker = 0

    async def rescue_this_host(self) -> int:
        """Lives of this host whose lock is free are over: no need to wait for their heartbeat to lapse."""
        async with self._database.transaction() as tx:
            lives = await workers.list_lives(tx, self.host)
        dead = {worker: meta["lock"] for worker, meta in lives if worker != self.worker and _is_free(meta.get("lock"))}
        if not dead:
            return 0
        rescued = await workers.rescue_workers(self._database, self._kinds, list(dead))
        # the proof goes last: a rescuer that dies before its burials are committed leaves it for the next one
        for path in dead.values():
            Path(path).unlink(missing_ok=True)
        return rescued

    async def _begin(self) -> None:
        # of a beginning that failed because the database was away
        self._unlock()
        self._locks.mkdir(parents=True, exist_ok=True)
        path = self._locks / f"{os.getpid()}-{os.urandom(4).hex()}.lock"
        self._lock = path.open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        async with self._database.transaction() as tx:
            meta = {**self._meta, "pid": os.getpid(), "lock": str(path.resolve()), "alone": self.alone}
            self.worker = await workers.insert_worker(tx, host=self.host, meta=meta, ttl=self._ttl)
            if self.is_draining:
                await workers.set_drain(tx, self.worker, is_draining=True)
        self._beaten_at = elapsed()
        emit("life.began", worker=self.worker)
        await self.rescue_this_host()

    async def _read_drain(self, tx: Tx) -> bool:
        is_draining = await workers.is_draining(tx, self.worker)
        if is_draining:
            await workers.release_routes(tx, self.worker)
        return is_draining

    def _mind(self, is_draining: bool) -> None:
        if is_draining == self.is_draining:
            return
        self.is_draining = is_draining
        emit("life.draining" if is_draining else "life.undrained", worker=self.worker)
        for tell in self.on_drain:
            tell(is_draining)

    def _lapse(self) -> None:
        emit("life.lapsed", worker=self.worker)
        self._unlock()
        self.worker = 0
        for tell in self.on_lapse:
            tell()

    def _unlock(self) -> None:
        if self._lock is not None:
            Path(self._lock.name).unlink(missing_ok=True)
            self._lock.close()
            self._lock = None


def _is_free(path: str | None) -> bool:
    """Only a lock file that is there and can be taken proves a death; another container may have the same host name."""
    if path is None:
        return False
    try:
        with open(path, "r+", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (FileNotFoundError, BlockingIOError, PermissionError):
        return False
    return True
