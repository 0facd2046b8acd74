"""Carries out the plan of faults on the crew and on their database, and counts what it did."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from chaos.crew import Crew, Member
from chaos.history import History
from chaos.listening import NAMES
from chaos.plan import FREEZE_SECONDS, Fault
from chaos.worker import AWAY
from pabal.base import embedded
from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.base.embedded import Keeper
from pabal.base.sql import load

SQL = load(__file__)


class Monkey:
    # for how many seconds a fault waits for somebody it can happen to
    patience = 2.0

    def __init__(self, crew: Crew, database: Database, cluster: Path, history: History, *, stop_seconds: float) -> None:
        self._crew = crew
        self._database = database
        self._cluster = cluster
        self._keeper = Keeper(cluster)
        self._history = history
        self._stop_seconds = stop_seconds
        self._is_down = False
        self.done: Counter[str] = Counter()

    async def act(self, faults: list[Fault], began: float) -> None:
        for fault in faults:
            await asyncio.sleep(max(0.0, began + fault.at - elapsed()))
            match fault.what:
                case "backends":
                    await self._terminate_backends(fault.choice)
                case "database":
                    self._stop_database(fault.choice)
                case _:
                    await self._hurt(fault)

    async def keep_once(self) -> None:
        """What Pabal's own keeper does: a private PostgreSQL that died is started again."""
        if await self._keeper.run_once():
            self._is_down = False
            self._history.write("database up")

    async def count_open(self) -> int | None:
        """None while the database does not answer."""
        try:
            async with self._database.transaction() as tx:
                number: int = await tx.value(SQL.count_open, names=list(NAMES))
                return number
        except AWAY:
            return None

    async def _hurt(self, fault: Fault) -> None:
        # A server that is just starting is killed too; but its fall tells nothing about jobs.
        find = self._crew.at_work if fault.what in ("kill", "retire") else self._crew.serving
        victim = await self._find_victim(find, fault.choice)
        if victim is None:
            return
        match fault.what:
            case "stop":
                self._crew.stop(victim, self._stop_seconds)
            case "freeze":
                self._crew.stop(victim, FREEZE_SECONDS)
            case "retire":
                self._crew.retire(victim)
            case _:
                self._crew.kill(victim, is_vanishing=fault.what == "vanish")
        self.done[fault.what] += 1

    async def _find_victim(self, find: Callable[[], list[Member]], choice: float) -> Member | None:
        """All may just be starting, or sleeping; then the fault comes a little later."""
        ceiling = elapsed() + self.patience
        while elapsed() < ceiling:
            victims = find()
            if victims:
                return victims[int(choice * len(victims))]
            await asyncio.sleep(0.05)
        return None

    def _stop_database(self, choice: float) -> None:
        cluster = embedded.find_running(self._cluster)
        if cluster is None or self._is_down:
            return
        postmaster = int((cluster.data / "postmaster.pid").read_text().splitlines()[0])
        # SIGQUIT is what `pg_ctl stop -m immediate` sends; SIGKILL leaves orphans and a pid file as well.
        how = signal.SIGQUIT if choice < 0.6 else signal.SIGKILL
        self._history.write("database down", how=how.name)
        os.kill(postmaster, how)
        self._is_down = True
        self.done["database"] += 1

    async def _terminate_backends(self, choice: float) -> None:
        try:
            async with self._database.transaction() as tx:
                pids = [row["pid"] for row in await tx.rows(SQL.list_backends)]
                chosen = pids[int(choice * len(pids)) :][:2]
                await tx.rows(SQL.terminate_backends, pids=chosen)
        except AWAY:
            return
        self._history.write("backends terminated", count=len(chosen))
        self.done["backends"] += len(chosen)
