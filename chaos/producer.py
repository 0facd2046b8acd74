"""Enqueues all through a run, in a process of its own, and notes what was committed, rolled back, or left unknown."""

import argparse
import asyncio
import os
import random
import signal
from collections.abc import Callable
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

from chaos.history import History
from chaos.kinds import make_kinds
from chaos.worker import AWAY, ROUTES, open_patiently
from pabal.base.database import Database, Tx
from pabal.base.sql import load
from pabal.base.telemetry import start_logging
from pabal.engine import withdrawals
from pabal.engine.kinds import Kinds
from pabal.engine.queue import NewJob, enqueue_many
from pabal.engine.wakeups import Wakeups

SQL = load(__file__)
BACKLOG = 400
POISON_FIRST, POISON_EVERY = 8, 120
CROWD_EVERY = 8
# Innocent jobs share the fate of their worker again and again; only the poison may be quarantined.
OFTEN = 10_000


class RolledBack(Exception):
    """Undone on purpose: none of it may ever run."""


class Producer:
    def __init__(self, database: Database, history: History, kinds: Kinds, chance: random.Random) -> None:
        self._database = database
        self._history = history
        self._kinds = kinds
        self._chance = chance
        self._marks = count(1)
        self._batches = 0
        self._to_cancel: list[int] = []

    async def run_once(self) -> None:
        try:
            async with self._database.transaction() as tx:
                is_full = await tx.value(SQL.count_waiting) > BACKLOG
            if not is_full:
                await self._enqueue()
            await self._cancel()
        except AWAY:
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.05)

    async def _enqueue(self) -> None:
        chance = self._chance
        size = chance.randint(10, 60)
        made: list[NewJob] = []
        marks: list[int] = []
        keep = chance.random() > 0.1
        try:
            async with self._database.transaction() as tx:
                made = [self._make(tx) for _ in range(size)] + self._extra()
                marks = [job.args["mark"] for job in made]
                answers = await enqueue_many(tx, made)
                if not keep:
                    raise RolledBack
        except RolledBack:
            self._history.write("rolled back", marks=marks)
            return
        except AWAY:
            self._history.write("unknown", marks=marks)
            raise
        new = [(mark, answer.id) for mark, answer in zip(marks, answers, strict=True) if answer.is_new]
        self._history.write("committed", jobs=new)
        self._to_cancel += [
            answer.id for job, answer in zip(made, answers, strict=True) if job.kind == "chaos.cancelled"
        ]

    async def _cancel(self) -> None:
        if len(self._to_cancel) < 5:
            return
        ids, self._to_cancel = self._to_cancel, []
        try:
            async with self._database.transaction() as tx:
                await withdrawals.cancel_jobs(tx, ids, kinds=self._kinds)
        except AWAY:
            self._history.write("cancel unknown", jobs=ids)
            raise
        self._history.write("cancelled", jobs=ids)

    def _extra(self) -> list[NewJob]:
        """A crowd for one room, more than its limit allows; and seldom a poison, which costs two servers."""
        self._batches += 1
        room = f"room:{self._chance.randrange(4)}"
        crowd = 8 if self._batches % CROWD_EVERY == 0 else 0
        extra = [_job("limited", {"mark": next(self._marks), "limit": room}) for _ in range(crowd)]
        if self._batches % POISON_EVERY == POISON_FIRST:
            extra.append(_job("poison", {"mark": next(self._marks)}, max_recoveries=1))
        return extra

    def _make(self, tx: Tx) -> NewJob:
        mark = next(self._marks)
        make = self._chance.choices(list(MIXTURE), list(MIXTURE.values()))[0]
        return make(mark, self._chance, tx)


def _job(kind: str, args: dict[str, Any], **more: Any) -> NewJob:
    return NewJob(f"chaos.{kind}", args, **{"max_recoveries": OFTEN, **more})


def _plain(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return _job("plain", {"mark": mark, "takes": chance.choice([0, 0, 0.01, 0.2])})


def _steps(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    # The longest outlive a stop past the TTL or a restart of the database.
    return _job("steps", {"mark": mark, "takes": chance.choices([0.005, 0.05, 1.0, 4.0], [60, 30, 8, 2])[0]})


def _inside(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    bad = chance.random() < 0.01
    return _job("inside", {"mark": mark, "bad": bad}, max_failures=2 if bad else 5)


def _lane(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return _job("lane", {"mark": mark, "takes": chance.choice([0, 0.005])}, lane=f"lane:{chance.randrange(12)}")


def _routed(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return _job("routed", {"mark": mark, "takes": chance.choice([0.005, 0.05, 0.3])}, route=chance.choice(ROUTES))


def _failing(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return _job("failing", {"mark": mark, "fails": chance.randint(1, 4)}, max_failures=3)


def _keyed(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    key = f"key:{chance.randrange(40)}"
    return _job("keyed", {"mark": mark, "takes": 0.01, "key": key}, key=key)


def _later(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    delay = chance.uniform(0.2, 5.0)
    return _job("later", {"mark": mark, "delay": delay}, delay=timedelta(seconds=delay))


def _snoozing(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return _job("snoozing", {"mark": mark, "snoozes": chance.randint(1, 3)})


def _cancelled(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    return _job("cancelled", {"mark": mark, "takes": chance.choice([0.01, 8.0])})


def _expiring(mark: int, chance: random.Random, tx: Tx) -> NewJob:
    expires_at = tx.now + timedelta(seconds=chance.uniform(0.5, 4.0))
    return _job("expiring", {"mark": mark}, route="bot:nobody", expires_at=expires_at)


Make = Callable[[int, random.Random, Tx], NewJob]
MIXTURE: dict[Make, float] = {
    _plain: 250,
    _steps: 120,
    _inside: 250,
    _lane: 150,
    _routed: 60,
    _failing: 30,
    _keyed: 30,
    _later: 40,
    _snoozing: 15,
    _cancelled: 10,
    _expiring: 5,
}


async def produce(given: argparse.Namespace) -> None:
    history = History(given.folder / "history", "producer")
    database = await open_patiently(size=4)
    wakeups = Wakeups(database)
    wakeups.attach()
    producer = Producer(database, history, make_kinds(history, lambda: 0), random.Random(given.seed))
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    parent = os.getppid()
    while not stopping.is_set() and os.getppid() == parent:
        await producer.run_once()
    await wakeups.close()
    await database.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--seed", required=True)
    start_logging(level="warning")
    asyncio.run(produce(parser.parse_args()))


if __name__ == "__main__":
    main()
