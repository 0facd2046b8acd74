"""Enqueues all through a run, in a process of its own, and notes what was committed, rolled back, or left unknown."""

import argparse
import asyncio
import os
import random
import signal
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

from chaos.history import History
from chaos.kinds import LABEL, WIDE_LANES, make_kinds
from chaos.mixture import in_lane, keyed, make, new_job, on_pair, sudden
from chaos.worker import AWAY, open_patiently
from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.base.sql import load
from pabal.base.telemetry import start_logging
from pabal.engine import facts, priorities, queue, schedules, widths, withdrawals
from pabal.engine.facts import NewFact
from pabal.engine.kinds import Kinds
from pabal.engine.priorities import JobNotWaiting
from pabal.engine.queue import Enqueued, NewJob, Priority, enqueue_many
from pabal.engine.recurrence import Interval
from pabal.engine.schedules import NewSchedule, Overlap
from pabal.engine.wakeups import Wakeups

SQL = load(__file__)
BACKLOG = 400
CROWD_EVERY = 8
PAIR_EVERY = 2
# More than the slots for routes take in a second and a half, most of it urgent: some of both must wait for each other.
URGENT, NORMAL = 24, 10
ROUTED_EVERY, WIDTH_EVERY, MOVE_EVERY, SUDDEN_EVERY = 12, 4, 1, 10
# As many as take all slots of a server for longer than what was fetched behind them may wait.
LONG, BEHIND = (1.6,) * 12, (0.0,) * 24
WIDTHS = (1, 2, 3, 4, 5)
# How far back those are whose priority is moved: some of them wait, some have gone on.
RECENT = 120
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
        self._recent: list[int] = []

    async def run_once(self) -> None:
        try:
            if not self._schedules:
                await self._schedule()
            async with self._database.transaction() as tx:
                is_full = await tx.value(SQL.count_waiting) > BACKLOG
            if not is_full:
                await self._enqueue()
                await self._crowd_routes()
                await self._change_width()
            await self._move()
            await self._cancel()
        except AWAY:
            await asyncio.sleep(0.1)
        await asyncio.sleep(0.05)

    async def rest_once(self) -> bool:
        """Nothing fires any more, and nothing is left that would run for long; False when the database is away."""
        try:
            for lane in WIDE_LANES:
                await self._choose(lane, max(WIDTHS))
            async with self._database.transaction() as tx:
                for schedule_id in self._schedules:
                    await schedules.pause(tx, schedule_id, actor="chaos")
                open_runs = await queue.find_open(tx, about=SCHEDULES)
                await withdrawals.ask(tx, [*open_runs, *self._to_cancel], reason="the run is over")
        except AWAY:
            await asyncio.sleep(0.1)
            return False
        return True

    async def _crowd_routes(self) -> None:
        """For two routes that one server has. In a commit of its own, whose announcement comes after the line."""
        if self._batches % ROUTED_EVERY:
            return
        order = [Priority.URGENT] * URGENT + [Priority.NORMAL] * NORMAL
        self._chance.shuffle(order)
        made = [on_pair(next(self._marks), self._chance, priority) for priority in order]
        try:
            async with self._database.transaction() as tx:
                answers = await enqueue_many(tx, made)
        except AWAY:
            self._history.write("unknown", marks=[job.args["mark"] for job in made])
            raise
        self._note_committed(list(zip(made, answers, strict=True)))

    async def _change_width(self) -> None:
        if self._batches % WIDTH_EVERY == 0:
            await self._choose(self._chance.choice(WIDE_LANES), self._chance.choice(WIDTHS))

    async def _choose(self, lane: str, width: int) -> None:
        """Where it is unknown whether it was committed, both widths may count."""
        changed = {"lane": lane, "width": width, "asked": elapsed()}
        try:
            async with self._database.transaction() as tx:
                await widths.choose(tx, lane, width)
        except AWAY:
            self._history.write("width", **changed, is_known=False)
            raise
        self._history.write("width", **changed, is_known=True)

    async def _move(self) -> None:
        """Of one that may wait anywhere, or have gone on: then it is refused."""
        if self._batches % MOVE_EVERY or not self._recent:
            return
        job, priority = self._chance.choice(self._recent), self._chance.choice(list(Priority))
        try:
            async with self._database.transaction() as tx:
                await priorities.move(tx, job, priority)
        except JobNotWaiting:
            return
        except AWAY:
            self._history.write("move unknown", job=job)
            raise
        self._history.write("moved", job=job, priority=priority)

    async def _schedule(self) -> None:
        """One for each policy that keeps runs apart; every other run is still there at the next moment."""
        made: list[dict[str, Any]] = []
        async with self._database.transaction() as tx:
            for overlap in (Overlap.CANCEL_PREVIOUS, Overlap.SKIP, Overlap.QUEUE):
                takes = 10.0 if overlap is Overlap.CANCEL_PREVIOUS else 1.5
                new = _new_schedule(overlap, Interval(EVERY, tx.now), {"mark": overlap, "takes": takes})
                # one of them only where a label is
                new = replace(new, label=LABEL if overlap is Overlap.QUEUE else None)
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
        self._note_committed(answered)
        self._recent = [*self._recent, *(answer.id for job, answer in answered if job.route is None)][-RECENT:]
        wanted = [answer.id for job, answer in answered if job.args.get("cancel")]
        self._to_cancel |= {job: elapsed() + chance.uniform(0.0, 2.0) for job in wanted}

    def _note_committed(self, answered: Sequence[tuple[NewJob, Enqueued]]) -> None:
        jobs = [(job.args["mark"], answer.id) for job, answer in answered if answer.is_new]
        self._history.write("committed", jobs=jobs)

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
        """A crowd for one room, more than its limit allows; some for one key and one lane; and seldom others."""
        self._batches += 1
        room = f"room:{self._chance.randrange(4)}"
        crowd = 8 if self._batches % CROWD_EVERY == 0 else 0
        pair = 2 if self._batches % PAIR_EVERY == 0 else 0
        extra = [new_job("limited", {"mark": next(self._marks), "limit": room}) for _ in range(crowd)]
        extra += [keyed(next(self._marks), f"pair:{self._batches}") for _ in range(pair)]
        extra += [in_lane(next(self._marks), f"lane:{self._batches // PAIR_EVERY % 12}") for _ in range(pair)]
        if self._batches % SUDDEN_EVERY == 0:
            extra += [sudden(next(self._marks), takes) for takes in (*LONG, *BEHIND)]
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
