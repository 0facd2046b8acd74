"""The kinds of work of a run: one for each promise. Each attempt notes its start and its end in the history."""

import asyncio
import os
import random
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from chaos.history import History
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine import limits
from pabal.engine.kinds import Job, Kinds
from pabal.engine.limits import Limit, Window
from pabal.engine.outcome import Done, Outcome, Retry, Snooze
from pabal.engine.retry import Backoff

SQL = load(__file__)
WINDOWS = (Window("second", 3, timedelta(seconds=1)), Window("five seconds", 9, timedelta(seconds=5)))
SOON = Backoff(first=timedelta(milliseconds=200), factor=1.5, most=timedelta(seconds=2))


class BadEffect(Exception):
    """An inside handler that fails on purpose."""


class Notes:
    """Writes the start and the end of each attempt; `cut` when it was cancelled or raised."""

    def __init__(self, history: History, worker: Callable[[], int]) -> None:
        self._history = history
        self._worker = worker

    @contextmanager
    def noted(self, job: Job) -> Iterator[None]:
        about = {"job": job.id, "token": job.token}
        extra = {"kind": job.kind, "lane": job.lane, "epoch": job.route_epoch, **job.args}
        self._history.write("start", **about, worker=self._worker(), **extra)
        try:
            yield
        except BaseException:
            self._history.write("cut", **about)
            raise
        self._history.write("end", **about)


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
    for name in ("plain", "lane", "keyed", "later", "cancelled"):
        kinds.plain(f"chaos.{name}")(_working(notes))
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
    async def work(job: Job) -> None:
        with notes.noted(job):
            await asyncio.sleep(job.args.get("takes", 0.0))

    return work


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
    # After the rows are written: what a failing batch wrote must be gone.
    if any(job.args.get("bad") for job in jobs):
        raise BadEffect("on purpose")
