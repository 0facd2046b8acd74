"""The kinds of work of a run: one for each promise. Each attempt notes its start and its end in the history."""

import asyncio
import os
import random
import signal
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from chaos.history import History
from chaos.long import add_long
from chaos.notes import Notes
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import limits
from pabal.engine.kinds import Job, Kinds
from pabal.engine.limits import Limit, Window
from pabal.engine.outcome import Done, Outcome, Retry, Snooze
from pabal.engine.retry import Backoff

SQL = load(__file__)
WINDOWS = (Window("second", 3, timedelta(seconds=1)), Window("five seconds", 9, timedelta(seconds=5)))
# At most so many at once in a shared lane; and what only some servers have.
WIDE, LABEL = 3, "gpu"
WIDE_LANES = ("wide:0", "wide:1")
SOON = Backoff(first=timedelta(milliseconds=200), factor=1.5, most=timedelta(seconds=2))


class BadEffect(Exception):
    """An inside handler that fails on purpose."""


class Errand:
    """Steps whose record leaves a row with the token: a row of an attempt that had lost its job is a zombie's."""

    def __init__(self, notes: Notes) -> None:
        self._notes = notes

    async def prepare(self, tx: Tx, job: Job) -> Any:
        return job

    async def perform(self, job: Job, prepared: Any) -> str:
        with self._notes.noted(job):
            await asyncio.sleep(job.args.get("takes", 0.01))
        return "performed"

    async def record(self, tx: Tx, prepared: Any, result: Any) -> Outcome:
        job: Job = prepared
        if job.args.get("poison") == "cut":
            await tx.rows(SQL.cut_connection)
        route = None if job.route_epoch is None else job.queue
        await tx.run(SQL.insert_recorded, job=job.id, token=job.token, route=route, epoch=job.route_epoch)
        return Done()

    async def give_up(self, tx: Tx, job: Job, reason: str) -> None:
        await tx.run(SQL.insert_given_up, job=job.id, token=job.token, reason=reason)


class LimitedErrand(Errand):
    async def prepare(self, tx: Tx, job: Job) -> Any:
        return await limits.take(tx, job, [Limit(job.args["limit"], WINDOWS)]) or job


class SnoozingErrand(Errand):
    async def prepare(self, tx: Tx, job: Job) -> Any:
        if job.snoozes < job.args["snoozes"]:
            return Snooze(tx.now + timedelta(milliseconds=300))
        return job


def make_kinds(history: History, worker: Callable[[], int]) -> Kinds:
    notes = Notes(history, worker)
    kinds = Kinds()
    for name in ("plain", "lane", "wide", "keyed", "later", "cancelled", "sudden", "scheduled"):
        kinds.plain(f"chaos.{name}")(_working(notes))
    kinds.shared_lanes("wide", width=WIDE)
    kinds.plain("chaos.labelled", needs=frozenset({LABEL}))(_working(notes))
    kinds.plain("chaos.timed", backoff=SOON)(_working(notes))
    add_long(kinds, notes, SOON)
    kinds.plain("chaos.failing", backoff=SOON)(_failing(notes))
    kinds.plain("chaos.poison")(_poison(notes))
    for name, errand in (
        ("steps", Errand),
        ("routed", Errand),
        ("expiring", Errand),
        ("limited", LimitedErrand),
        ("snoozing", SnoozingErrand),
    ):
        kinds.steps(f"chaos.{name}", errand(notes), backoff=SOON)
    kinds.inside("chaos.inside", batch=50, backoff=SOON)(_leave_effects)
    return kinds


def _working(notes: Notes) -> Callable[[Job], Any]:
    async def work(job: Job) -> Outcome:
        with notes.noted(job):
            await asyncio.sleep(_takes(job))
        return Done(data={"mark": job.args["mark"]}) if job.args.get("gives") else Done()

    return work


def _takes(job: Job) -> float:
    """Of a schedule every other job would still be running when its next moment comes."""
    takes: float = job.args.get("takes", 0.0)
    return takes if job.kind != "chaos.scheduled" or job.id % 2 else 0.2


def _failing(notes: Notes) -> Callable[[Job], Any]:
    async def fail(job: Job) -> Outcome:
        with notes.noted(job):
            if job.failures >= job.args["fails"]:
                return Done()
            if random.random() < 0.5:
                return Retry("on purpose")
        raise RuntimeError("on purpose")

    return fail


def _poison(notes: Notes) -> Callable[[Job], Any]:
    async def die(job: Job) -> None:
        with notes.noted(job):
            os.kill(os.getpid(), signal.SIGKILL)

    return die


async def _leave_effects(tx: Tx, jobs: Sequence[Job]) -> None:
    await tx.run(SQL.insert_effects, jobs=[job.id for job in jobs], tokens=[job.token for job in jobs])
    poisons = {job.args.get("poison") for job in jobs}
    if "kill" in poisons:
        os.kill(os.getpid(), signal.SIGKILL)
    if "cut" in poisons:
        await tx.rows(SQL.cut_connection)
    # After the rows are written: what a failing batch wrote must be gone.
    if any(job.args.get("bad") for job in jobs):
        raise BadEffect("on purpose")
