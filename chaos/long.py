"""Long work of a run: handlers that report, save where they are and hear why they must stop; wherever they run."""

import asyncio
import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from chaos.history import History
from chaos.notes import Notes
from pabal.base.clock import elapsed
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Outcome, Stopped
from pabal.engine.retry import Backoff

FOLDER = "CHAOS_HISTORY"
STALL = 1.5
SLOTS = 3
STEP = 0.1
LOOK = 0.02


def add_long(kinds: Kinds, notes: Notes, backoff: Backoff) -> None:
    stall = timedelta(seconds=STALL)
    kinds.plain("chaos.reporting", slots=SLOTS, stall=stall, backoff=backoff)(_reporting(notes))
    kinds.plain("chaos.thread", backoff=backoff)(_in_thread(notes))
    kinds.process("chaos.child", backoff=backoff)(work_in_child)


def _reporting(notes: Notes) -> Callable[[Job], Any]:
    async def report(job: Job) -> None:
        with notes.noted(job):
            for step in range((job.checkpoint or {"step": 0})["step"] + 1, job.args["steps"] + 1):
                await asyncio.sleep(STEP)
                notes.saving(job, step)
                await job.save({"step": step})
                notes.saved(job, step)
                await job.report({"percent": 100 * step / job.args["steps"]})
                if step == job.args["stalls_at"] and job.failures == 0:
                    await asyncio.sleep(job.args["takes"])

    return report


def _in_thread(notes: Notes) -> Callable[[Job], Any]:
    def work(job: Job) -> Outcome | None:
        with notes.noted(job):
            return _until_told(job)

    return work


def work_in_child(job: Job) -> Outcome | None:
    """Every look is on disk: a child that outlives its server would be seen."""
    history = History(Path(os.environ[FOLDER]), "child")
    server = os.getppid()
    with Notes(history, lambda: 0, server).noted(job):
        return _until_told(job, lambda: history.write("look", server=server))


def _until_told(job: Job, look: Callable[[], None] = lambda: None) -> Outcome | None:
    until = elapsed() + job.args["takes"]
    while elapsed() < until:
        if job.stop is not None:
            return Stopped()
        look()
        time.sleep(LOOK)
    return None
