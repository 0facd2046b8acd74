"""Enqueues all through a run, in a process of its own, and notes what was committed, rolled back, or left unknown."""

import argparse
import asyncio
import os
import random
import signal
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

from chaos.history import History
from chaos.kinds import make_kinds
from chaos.mixture import in_lane, keyed, make, new_job
from chaos.worker import AWAY, open_patiently
from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.base.telemetry import start_logging
from pabal.engine import facts, queue, schedules, withdrawals
from pabal.engine.facts import NewFact
from pabal.engine.kinds import Kinds
from pabal.engine.queue import NewJob, enqueue_many
from pabal.engine.recurrence import Interval
from pabal.engine.schedules import NewSchedule, Overlap
from pabal.engine.wakeups import Wakeups

SQL = load(__file__)
BACKLOG = 400
CROWD_EVERY = 8
PAIR_EVERY = 2
POISON_EVERY = 120
# In which batch of so many each comes first: whoever takes its server along costs two or three of them.
POISONS = {3: ("inside", "cut"), 5: ("steps", "cut"), 8: ("poison", "kill"), 14: ("inside", "kill")}
BAD_FACTS = {4: "raise", 7: "cut", 80: "kill"}
EVERY = timedelta(seconds=2)
SCHEDULES = "chaos:schedules"
DEADLINE, MAX_FAILURES = timedelta(minutes=5), 7


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
        # each with the moment to do it, so that some have begun by then
        self._to_cancel: dict[int, float] = {}
        self._schedules: list[int] = []

    async def run_once(self) -> None:
        try:
            if not self._schedules:
                await self._schedule()
            async with self._database.transaction() as tx:
                is_full = await tx.value(SQL.count_waiting) > BACKLOG
            if not is_full:
                await self._enqueue()
            await self._cancel()
        except AWAY:
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.05)

    async def rest_once(self) -> bool:
        """Nothing fires any more, and nothing is left that would run for long; False when the database is away."""
        try:
            async with self._database.transaction() as tx:
                for schedule_id in self._schedules:
                    await schedules.pause(tx, schedule_id, actor="chaos")
                open_runs = await queue.find_open(tx, about=SCHEDULES)
                await withdrawals.ask(tx, [*open_runs, *self._to_cancel], reason="the run is over")
        except AWAY:
            await asyncio.sleep(0.1)
            return False
        return True

    async def _schedule(self) -> None:
        """One for each policy that keeps runs apart; every other run is still there at the next moment."""
        made: list[dict[str, Any]] = []
        async with self._database.transaction() as tx:
            for overlap in (Overlap.CANCEL_PREVIOUS, Overlap.SKIP, Overlap.QUEUE):
                takes = 10.0 if overlap is Overlap.CANCEL_PREVIOUS else 1.5
                new = _new_schedule(overlap, Interval(EVERY, tx.now), {"mark": overlap, "takes": takes})
                kept = await schedules.put(tx, new)
                made.append({"id": kept.id, "overlap": overlap, "every": EVERY.total_seconds()})
        self._schedules = [one["id"] for one in made]
        self._history.write("scheduled", schedules=made)

    async def _enqueue(self) -> None:
        chance = self._chance
        size = chance.randint(10, 60)
        made: list[NewJob] = []
        marks: list[int] = []
        keep = chance.random() > 0.1
        try:
            async with self._database.transaction() as tx:
                made = [make(next(self._marks), chance, tx) for _ in range(size)] + self._extra()
                marks = [job.args["mark"] for job in made]
                answers = await enqueue_many(tx, made)
                await facts.record_many(tx, self._facts())
                if not keep:
                    raise RolledBack
        except RolledBack:
            self._history.write("rolled back", marks=marks)
            return
        except AWAY:
            self._history.write("unknown", marks=marks)
            raise
        answered = list(zip(made, answers, strict=True))
        self._history.write(
            "committed", jobs=[(job.args["mark"], answer.id) for job, answer in answered if answer.is_new]
        )
        wanted = [answer.id for job, answer in answered if job.args.get("cancel")]
        self._to_cancel |= {job: elapsed() + chance.uniform(0.0, 2.0) for job in wanted}

    async def _cancel(self) -> None:
        ids = [job for job, at in self._to_cancel.items() if at <= elapsed()]
        if not ids:
            return
        try:
            async with self._database.transaction() as tx:
                done = await withdrawals.cancel_jobs(tx, ids, kinds=self._kinds)
                # From here on nobody can begin one of them, whenever this commits.
                moment = await tx.value(SQL.read_moment)
        except AWAY:
            self._history.write("cancel unknown", jobs=ids)
            raise
        self._history.write("cancelled", jobs=ids, signalled=done.signalled, moment=moment)
        self._to_cancel = {job: at for job, at in self._to_cancel.items() if job not in ids}

    def _extra(self) -> list[NewJob]:
        """A crowd for one room, more than its limit allows; some for one key and one lane; and seldom a poison."""
        self._batches += 1
        room = f"room:{self._chance.randrange(4)}"
        crowd = 8 if self._batches % CROWD_EVERY == 0 else 0
        pair = 2 if self._batches % PAIR_EVERY == 0 else 0
        extra = [new_job("limited", {"mark": next(self._marks), "limit": room}) for _ in range(crowd)]
        extra += [keyed(next(self._marks), f"pair:{self._batches}") for _ in range(pair)]
        extra += [in_lane(next(self._marks), f"lane:{self._batches // PAIR_EVERY % 12}") for _ in range(pair)]
        if (poison := POISONS.get(self._batches % POISON_EVERY)) is not None:
            kind, how = poison
            args = {"mark": next(self._marks), "poison": how, "bad": False}
            extra.append(new_job(kind, args, max_recoveries=1, records_end=True))
        return extra

    def _facts(self) -> list[NewFact]:
        """A few about each of some subjects, and seldom one that its subscriber cannot take."""
        told = [NewFact("chaos.noted", f"thing:{n}", {"batch": self._batches, "poison": None}) for n in (1, 2, 1)]
        if (how := BAD_FACTS.get(self._batches % POISON_EVERY)) is not None:
            told.insert(1, NewFact("chaos.noted", "thing:1", {"batch": self._batches, "poison": how}))
        return told


def _new_schedule(overlap: Overlap, recurrence: Interval, args: dict[str, Any]) -> NewSchedule:
    return NewSchedule(
        name=f"Chaos {overlap}",
        kind="chaos.scheduled",
        recurrence=recurrence,
        zone="UTC",
        args=args,
        about=SCHEDULES,
        overlap=overlap,
        deadline=DEADLINE,
        max_failures=MAX_FAILURES,
    )


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
    while os.getppid() == parent and not await producer.rest_once():
        pass
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
