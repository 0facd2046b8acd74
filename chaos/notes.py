"""What each attempt of a run writes about itself, with its own process's eyes."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from chaos.history import History
from pabal.engine.kinds import Job


class Notes:
    """Writes the start and the end of each attempt, and why it had to stop; `cut` when it was cancelled or raised."""

    def __init__(self, history: History, worker: Callable[[], int], server: int | None = None) -> None:
        self._history = history
        self._worker = worker
        self._server = server or os.getpid()

    @contextmanager
    def noted(self, job: Job) -> Iterator[None]:
        about = {"job": job.id, "token": job.token}
        extra = {"kind": job.kind, "lane": job.lane, "epoch": job.route_epoch, "given": _step(job), **job.args}
        self._history.write("start", **about, worker=self._worker(), server=self._server, **extra)
        try:
            yield
        except BaseException:
            self._history.write("cut", **about, stop=job.stop)
            raise
        self._history.write("end", **about, stop=job.stop)

    def saving(self, job: Job, step: int) -> None:
        """Before a checkpoint is handed over."""
        self._history.write("saving", job=job.id, token=job.token, step=step)

    def saved(self, job: Job, step: int) -> None:
        """Once it is committed, as far as the handler was told."""
        self._history.write("saved", job=job.id, token=job.token, step=step)


def _step(job: Job) -> int:
    """Where the attempts before this one stopped, as the engine handed it over."""
    step: int = (job.checkpoint or {}).get("step", 0)
    return step
