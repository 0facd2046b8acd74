"""The slots of a server: which jobs wait for one, how soon they can begin, and so how many more there is room for."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable

from pabal.base.clock import elapsed
from pabal.engine.kinds import Job

BATCH = 500
# One batch is run while two are fetched.
AHEAD = 3 * BATCH
# Handlers that take longer are fetched only for a free slot.
SLOW = 0.1
# What is fetched ahead begins within this, as far as one can tell.
SOON = 0.25
# What no slot took by then is handed back. claims.sql gives a deadline as much: it counts from the handler's start.
PATIENCE = 1.0


class Pace:
    """The mean of the last hundred or so."""

    def __init__(self) -> None:
        self.mean = 0.0
        self._count = 0

    def add(self, seconds: float) -> None:
        self._count = min(self._count + 1, 100)
        self.mean += (seconds - self.mean) / self._count


class Slots:
    """`hand_back` gets the jobs that waited for too long; None where no other server could take them."""

    def __init__(self, size: int, hand_back: Callable[[Job], None] | None = None) -> None:
        self.size = size
        self.waiting: deque[tuple[float, Job]] = deque()
        self._hand_back = hand_back
        self._filled = asyncio.Event()
        self._timer: asyncio.TimerHandle | None = None
        self._paces: dict[str, Pace] = {}
        self._last: tuple[str, float] | None = None

    def put(self, jobs: list[Job]) -> None:
        if jobs:
            now = elapsed()
            self.waiting.extend([(now, job) for job in jobs])
            self._filled.set()
            self._watch()

    async def take(self) -> Job:
        while not self.waiting:
            self._filled.clear()
            await self._filled.wait()
        _, job = self.waiting.popleft()
        self._measure(job.kind, elapsed())
        return job

    def remove(self, job_id: int, token: int) -> list[Job]:
        found = [one for one in self.waiting if one[1].key == (job_id, token)]
        for one in found:
            self.waiting.remove(one)
        return [job for _, job in found]

    def ahead(self, kinds: Iterable[str], soon: int, seconds: Callable[[str], float]) -> int:
        """How many jobs of these kinds may wait here when so many slots are free or soon will be."""
        if soon <= 0:
            return 0
        slowest = max((self._cost(kind, soon, seconds) for kind in kinds), default=0.0)
        return AHEAD if slowest * AHEAD <= SOON else int(SOON / slowest)

    def _cost(self, kind: str, soon: int, seconds: Callable[[str], float]) -> float:
        """How long until the next one begins: as the slots share the work, or as seen, where it holds up the loop."""
        pace = self._paces.get(kind)
        return max(seconds(kind) / soon, 0.0 if pace is None else pace.mean)

    def _measure(self, kind: str, now: float) -> None:
        """Only while more wait: otherwise the next one began late because it came late."""
        if self._last is not None:
            before, at = self._last
            pace = self._paces.get(before)
            if pace is None:
                pace = self._paces[before] = Pace()
            pace.add(now - at)
        self._last = (kind, now) if self.waiting else None

    def _watch(self) -> None:
        if self._hand_back is not None and self._timer is None:
            due = self.waiting[0][0] + PATIENCE - elapsed()
            self._timer = asyncio.get_running_loop().call_later(max(due, 0.0), self._return_late)

    def _return_late(self) -> None:
        self._timer = None
        late = elapsed() - PATIENCE
        while self.waiting and self._hand_back is not None and self.waiting[0][0] <= late:
            self._hand_back(self.waiting.popleft()[1])
        if self.waiting:
            self._watch()
