"""Handlers that run in processes of their own."""

import json
import os
import subprocess
import sys
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pabal.base.parents import die_with_parent
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Done, Outcome, Retry, Snooze, Stopped

LATER = datetime(2035, 6, 4, tzinfo=UTC)


def note(job: Job, **what: Any) -> None:
    """Whole at once: whoever waits for the file reads all of it."""
    folder = Path(job.args["folder"])
    new = folder / f"{os.getpid()}.new"
    new.write_text(json.dumps({"pid": os.getpid(), **what}))
    new.rename(folder / f"note-{job.token}.json")


def answer(job: Job) -> Outcome | None:
    print("what a handler prints does not disturb its answer", flush=True)
    answers = {
        "nothing": None,
        "done": Done("rendered", data={"frames": 3}),
        "retry": Retry("busy", None),
        "snooze": Snooze(LATER),
    }
    return answers[job.args["say"]]


def fail(job: Job) -> None:
    raise ValueError("no such scene")


def answer_nonsense(job: Job) -> str:
    return "done, I think"


def die(job: Job) -> None:
    os._exit(7)


def go_on(job: Job) -> Outcome | None:
    """Saves, fails once, and is done where it left off."""
    note(job, checkpoint=job.checkpoint, progress=job.progress)
    if job.failures:
        return None
    job.report({"percent": 40})
    job.save({"frame": 12}).result(30)
    return Retry("out of memory")


def spin(job: Job) -> None:
    """Never looks up: not even a thread could stop it."""
    note(job)
    while True:
        pass


def obey(job: Job) -> Outcome:
    note(job)
    look = threading.Event()
    while job.stop is None:
        look.wait(0.005)
    job.save({"told": job.stop}).result(30)
    return Stopped()


def start_another(job: Job) -> None:
    """With a program of its own that would outlive it."""
    script = "import time; time.sleep(600)"
    other = subprocess.Popen([sys.executable, "-c", script], preexec_fn=die_with_parent)  # noqa: PLW1509 -- what is shown
    note(job, other=other.pid)
    other.wait()


def start_stranger(job: Job) -> None:
    """With one that does not care whether its parent lives."""
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    note(job, other=other.pid)
    other.wait()


def make_kinds() -> Kinds:
    kinds = Kinds()
    for handler in (answer, fail, answer_nonsense, die, go_on, spin, obey, start_another, start_stranger):
        kinds.process(f"test.{handler.__name__}")(handler)
    return kinds


def attempt(kind: str, token: int = 1, **args: Any) -> Job:
    return Job(1, token, kind, args, kind, None, None, None, 0, 0, 0, 5, 3, None, None)
