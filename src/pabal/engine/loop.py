"""The one background loop: a step, repeated; woken by a hint or in time; restarted when it dies or stalls."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.base.clock import elapsed
from pabal.base.telemetry import declare, emit, gauge

STALLED = 30.0
PATIENCE = 5.0
LOOK_AGAIN = 0.01

declare("loop.failed", "Steps that raised; the loop goes on", labels=("loop",), level=logging.ERROR)
declare("loop.restarted", "Loops restarted because they had died or stalled", labels=("loop",), level=logging.ERROR)
_last_success = gauge("loop_last_success_seconds", "Seconds since the loop's step last succeeded", labels=("loop",))

Step = Callable[[], Awaitable[int]]
NextMoment = Callable[[], Awaitable[tuple[datetime | None, datetime]]]


@dataclass(frozen=True)
class LoopState:
    """What /readyz shows of a loop."""

    name: str
    is_healthy: bool
    seconds_since_success: float
    last_error: str | None
    restarts: int


class Loop:
    """Repeats `step` while it finds something, then sleeps until a hint on `wake_on`, the next moment, or `idle` s.

    `next_moment` answers the next due moment and the database's present one. After a step that found nothing it
    rests for `least` s, however often it is woken. What it does `in_batches` is in doubt, under its name, when the life
    it ran in is lost (suspects.py).
    """

    def __init__(
        self,
        name: str,
        step: Step,
        *,
        idle: float | Callable[[], float],
        wake_on: Sequence[str] = (),
        next_moment: NextMoment | None = None,
        first_after: float = 0.0,
        least: float = 0.0,
        in_batches: bool = False,
    ) -> None:  # long: these are all that loops differ in
        self.name = name
        self.in_batches = in_batches
        self._step = step
        self._idle_seconds = idle
        self.wake_on = tuple(wake_on)
        self._next_moment = next_moment
        self._sleeps_until: datetime | None = None
        self._first_after = first_after
        self._least = least
        self._wake = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._is_stopping = False
        self._is_stepping = False
        self._failures = 0
        self._succeeded_at = self._stepped_at = elapsed()
        self._last_error: str | None = None
        self._restarts = 0

    @property
    def _idle(self) -> float:
        return self._idle_seconds() if callable(self._idle_seconds) else self._idle_seconds

    @property
    def is_stopping(self) -> bool:
        """A step that is cancelled then has not stalled."""
        return self._is_stopping

    def start(self) -> None:
        self._succeeded_at = self._stepped_at = elapsed() + self._first_after
        self._task = asyncio.create_task(self._run(), name=f"loop:{self.name}")

    async def stop(self) -> None:
        """Lets the step under way finish: cancelled in the middle of a commit, nobody would know what it did."""
        self._is_stopping = True
        self._wake.set()
        if self._task is not None:
            if self._is_stepping:
                await asyncio.wait([self._task], timeout=PATIENCE)
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def hear(self, topic: str, at: datetime | None) -> None:
        if topic != "*" and topic not in self.wake_on:
            return
        later = at is not None and self._sleeps_until is not None and at >= self._sleeps_until
        if topic == "*" or not later:
            self._wake.set()

    def wake(self) -> None:
        self._wake.set()

    def state(self) -> LoopState:
        since = max(0.0, elapsed() - self._succeeded_at)
        _last_success.labels(loop=self.name).set(since)
        return LoopState(self.name, since < self._idle + STALLED, since, self._last_error, self._restarts)

    def mend(self) -> bool:
        """Starts it anew when it has died, or when a step hangs; answers whether it had to."""
        dead = self._task is None or self._task.done()
        if not dead and elapsed() - self._stepped_at < self._idle + STALLED:
            return False
        emit("loop.restarted", loop=self.name, was="dead" if dead else "stalled")
        if self._task is not None:
            self._task.cancel()
        self._restarts += 1
        self._first_after = 0.0
        self.start()
        return True

    async def _run(self) -> None:
        await asyncio.sleep(self._first_after)
        while not self._is_stopping:
            # Cleared before the step, never after: a hint that comes meanwhile must not be lost.
            self._wake.clear()
            found = await self._step_once()
            if not found:
                await self._rest()
            else:
                await asyncio.sleep(0)

    async def _step_once(self) -> int:
        self._is_stepping = True
        try:
            found = await self._step()
        except Exception as error:  # noqa: BLE001 -- whatever a step raises, the loop goes on and says so
            self._failures += 1
            self._last_error = repr(error)
            emit("loop.failed", loop=self.name, error=repr(error), failures=self._failures)
            return 0
        finally:
            self._is_stepping = False
            self._stepped_at = elapsed()
        self._failures = 0
        self._last_error = None
        self._succeeded_at = elapsed()
        _last_success.labels(loop=self.name).set(0)
        return found

    async def _rest(self) -> None:
        seconds = await self._rest_seconds()
        try:
            async with asyncio.timeout(seconds):
                await asyncio.sleep(self._least)
                await self._wake.wait()
        except TimeoutError:
            return
        finally:
            # While the step runs the next moment is not known, so that every hint counts.
            self._sleeps_until = None

    async def _rest_seconds(self) -> float:
        if self._failures:
            return min(0.1 * 2.0 ** min(self._failures, 6), 5.0)
        if self._next_moment is None:
            return self._idle
        try:
            due, now = await self._next_moment()
        except Exception as error:  # noqa: BLE001 -- the same: the next moment is only an optimisation, idle is the safety net
            emit("loop.failed", loop=self.name, error=repr(error), failures=self._failures)
            return 1.0
        if due is None:
            return self._idle
        self._sleeps_until = due
        # What is due and was not taken, somebody else holds: look again soon, but do not spin.
        return min(max((due - now).total_seconds(), LOOK_AGAIN if due <= now else 0.0), self._idle)
