"""Runs what a handler does outside any transaction: in the loop, in a thread or in a process, within its limits."""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from typing import Any

from pabal.base.clock import elapsed
from pabal.engine.children import run_in_child
from pabal.engine.endings import Lost, Returned
from pabal.engine.kinds import Job, Kind, Stop
from pabal.engine.outcome import DONE, Outcome, Retry, Stopped, check

# How long a thread that was told to stop is waited for. It cannot be killed, and its lease is taken after ten seconds.
PATIENCE = 5.0
Ended = Outcome | Returned | Lost | None
# Begun as they are needed: the slots bound how many that is, and one that was left to itself keeps no other waiting.
_THREADS = ThreadPoolExecutor(max_workers=10_000, thread_name_prefix="handler")


async def run_within(run: Callable[[Job, Kind], Awaitable[Ended]], job: Job, kind: Kind) -> Ended:
    """Tells the attempt to stop when its deadline passes, or when nothing was reported for the kind's stall limit."""
    job.reported_at = elapsed()
    try:
        async with asyncio.timeout(None) as limit, _Timers(job, kind, limit):
            return meant(await run(job, kind), job, kind)
    except TimeoutError:
        if not limit.expired():
            raise
        return meant(Stopped(), job, kind)


async def run_plain(job: Job, kind: Kind) -> Ended:
    if kind.in_process:
        answer = await run_in_child(job, kind)
    else:
        answer = await kind.handler(job) if kind.is_async else await _run_in_thread(job, kind)
    if answer is None or isinstance(answer, Stopped):
        return DONE if answer is None else answer
    return check(answer)


async def _run_in_thread(job: Job, kind: Kind) -> Any:
    call = partial(contextvars.copy_context().run, kind.handler, job)
    working = asyncio.get_running_loop().run_in_executor(_THREADS, call)
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        # It was told. If it comes to an end by itself, what it says counts as what a coroutine says.
        await asyncio.wait([working], timeout=PATIENCE)
        if not working.done():
            working.add_done_callback(_ignore)
            raise
        return working.result()


def _ignore(working: "asyncio.Future[Any]") -> None:
    """Of a thread that went on for too long nobody wants to know how it ended."""
    if not working.cancelled():
        working.exception()


def meant(answer: Ended, job: Job, kind: Kind) -> Ended:
    """What stopping means follows from why; a cancel is on the lease, where it beats whatever is said here."""
    if not isinstance(answer, Stopped):
        return answer
    match job.stop:
        case Stop.DEADLINE if job.deadline is not None:
            return Retry(f"deadline of {job.deadline.total_seconds():g} s passed")
        case Stop.STALL if kind.stall is not None:
            return Retry(f"no report for {kind.stall.total_seconds():g} s")
        case None:
            return Retry("stopped without having been told to")
        case why:
            return Returned(why)


class _Timers:
    """Armed for one attempt: its deadline, and its stall limit, which every report pushes on."""

    def __init__(self, job: Job, kind: Kind, limit: asyncio.Timeout) -> None:
        self._job = job
        self._limit = limit
        self._seconds = {Stop.DEADLINE: _seconds(job.deadline), Stop.STALL: _seconds(kind.stall)}
        self._armed: dict[Stop, asyncio.TimerHandle] = {}

    async def __aenter__(self) -> None:
        for why, seconds in self._seconds.items():
            if seconds is not None:
                self._arm(why, seconds)

    async def __aexit__(self, *_: object) -> None:
        for timer in self._armed.values():
            timer.cancel()

    def _arm(self, why: Stop, seconds: float) -> None:
        self._armed[why] = asyncio.get_running_loop().call_later(seconds, self._look, why)

    def _look(self, why: Stop) -> None:
        left = 0.0 if why is Stop.DEADLINE else self._job.reported_at + (self._seconds[why] or 0.0) - elapsed()
        if left > 0:
            self._arm(why, left)
        elif why is Stop.DEADLINE or not self._job.is_performed:
            self._pass(why)

    def _pass(self, why: Stop) -> None:
        """Told first, so that the handler knows why when the cancellation reaches it."""
        self._job.tell(why)
        if self._limit.when() is None:
            self._limit.reschedule(asyncio.get_running_loop().time())


def _seconds(span: timedelta | None) -> float | None:
    return None if span is None else span.total_seconds()
