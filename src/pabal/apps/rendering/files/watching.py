"""Blocking work on file systems that may never answer: in a thread that is watched, told to stop, and left if it hangs.

Not the loop's own threads: there are few of them, and a NAS that hangs would take one after the other.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pabal.apps.rendering.files.errors import CopyStopped, NasUnavailable
from pabal.base.clock import elapsed

T = TypeVar("T")
Progress = Callable[[int, int], None]

# How often progress is told.
TICK_SECONDS = 0.25
# How long work that was told to stop may take to clean up before it is left behind.
PATIENCE_SECONDS = 3.0


@dataclass(slots=True)
class Meter:
    """What the thread says of itself, and what it is told. Written by one side, read by the other."""

    done: int = 0
    total: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)

    def advance(self, by: int) -> None:
        """Also where the work is stopped."""
        if self.stopping.is_set():
            raise CopyStopped
        self.done += by


async def run_watched(
    work: Callable[[Meter], T], *, stall_seconds: float, what: str, progress: Progress | None = None
) -> T:
    """The work's answer. Work that does not advance for so long is NasUnavailable; `progress` is called on the loop."""
    meter = Meter()
    ending = _start(work, meter)
    told, changed_at = -1, elapsed()
    try:
        while True:
            await asyncio.wait([ending], timeout=min(TICK_SECONDS, stall_seconds))
            if meter.done != told:
                told, changed_at = meter.done, elapsed()
                if progress is not None and meter.total:
                    progress(told, meter.total)
            if ending.done():
                return ending.result()
            if elapsed() - changed_at >= stall_seconds:
                raise NasUnavailable(f"{what}: no answer for {stall_seconds:g} s")
    finally:
        # So that a caller who goes on, or starts again, finds nothing half-done.
        meter.stopping.set()
        if not ending.done():
            await asyncio.wait([ending], timeout=min(PATIENCE_SECONDS, stall_seconds))


def _start(work: Callable[[Meter], T], meter: Meter) -> "asyncio.Future[T]":
    loop = asyncio.get_running_loop()
    ending: asyncio.Future[T] = loop.create_future()
    # One that is left behind may still fail, and nobody asks any more.
    ending.add_done_callback(lambda done: done.cancelled() or done.exception())

    def end(settle: Callable[[Any], None], value: Any) -> None:
        if not ending.done():
            settle(value)

    def run() -> None:
        try:
            settled: tuple[Callable[[Any], None], Any] = (ending.set_result, work(meter))
        except BaseException as error:  # noqa: BLE001 -- it is raised where the answer is awaited
            settled = (ending.set_exception, error)
        # The loop may be closed by now.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(end, *settled)

    threading.Thread(target=run, name="rendering-files", daemon=True).start()
    return ending
