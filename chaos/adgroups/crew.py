"""The two servers of a run: two of three starts end at a kill point, and the second one's clock is an hour wrong."""

import random
from collections import Counter
from pathlib import Path

from chaos.crew import Crew, Member
from chaos.history import History
from chaos.serving import serving_mark
from pabal.base.clock import elapsed

SERVERS = 2
WRONG_BY = 3600.0
# Where midnight goes through, and how often at most it gets there before the process ends.
AT_MIDNIGHT = ("timers.moved", "timers.committed")
POINTS = (
    *AT_MIDNIGHT,
    "facts.delivered",
    "facts.committed",
    "steps.prepared",
    "steps.prepare_committed",
    "steps.performed",
    "steps.recorded",
    "steps.record_committed",
)
LATEST = 3


class AdCrew(Crew):
    def __init__(self, folder: Path, url: str, seed: int, history: History, *, redis: str) -> None:
        super().__init__(folder, url, seed, history, ttl=10.0)
        self._redis = redis
        self._chance = random.Random(f"points {seed}")
        self._numbers: dict[int, int] = {}
        self._ended: Counter[int] = Counter()
        # nothing more is to end before its time
        self.is_over = False

    @property
    def are_serving(self) -> bool:
        return all(self._is_serving(member) for member in self.members)

    def watch_once(self) -> None:
        for member in self.members:
            if (code := member.process.poll()) is not None and not self._is_closing:
                self._ended[code] += 1
        super().watch_once()

    def count_ended(self, code: int) -> int:
        """How many processes ended with it."""
        return self._ended[code]

    def at_work(self) -> list[Member]:
        """A slow machine must not see servers die before they serve, again and again; every third may."""
        return [one for one in super().at_work() if self._is_serving(one) or self._numbers[one.process.pid] % 3 == 0]

    def _start(self, slot: int) -> Member:
        self._starts += 1
        environment = self._environment
        # The first ones live until midnight, and end in it.
        points = AT_MIDNIGHT if self._starts <= SERVERS else POINTS
        point = f"{self._chance.choice(points)}:{self._chance.randint(1, LATEST)}"
        if not self.is_over and self._starts % 3:
            self._environment = {**environment, "PABAL_KILL_POINT": point}
        ahead = WRONG_BY if slot else 0.0
        process = self._run("adgroups.server", "--slot", str(slot), "--redis", self._redis, "--ahead", str(ahead))
        self._environment = environment
        self._numbers[process.pid] = self._starts
        self._history.write("started", pid=process.pid, slot=slot)
        return Member(slot, process, elapsed())

    def _is_serving(self, member: Member) -> bool:
        return serving_mark(self._folder, str(member.slot), member.process.pid).exists()
