"""The processes of a run: two servers, most of which end at a kill point."""

import random
import signal
from collections import Counter
from pathlib import Path

from chaos.crew import Crew, Member
from chaos.history import History
from chaos.serving import serving_mark
from pabal.base.clock import elapsed
from pabal.base.killpoints import EXIT_CODE

SERVERS = 2
# Where a run goes through, and how often at most it gets there before the process ends.
POINTS = (
    "schedules.decided",
    "schedules.committed",
    "exchange.committed",
    "steps.prepared",
    "steps.prepare_committed",
    "steps.performed",
    "steps.recorded",
    "steps.record_committed",
)
LATEST = 12
# One start in so many is left alone.
UNARMED = 3
USUAL_ENDS = (0, -signal.SIGKILL, EXIT_CODE)


class RuleCrew(Crew):
    def __init__(self, folder: Path, url: str, seed: int, history: History) -> None:
        super().__init__(folder, url, seed, history, ttl=10.0)
        self._environment |= {"PABAL_RULES_REPOSITORY": str(folder / "scripts")}
        self._chance = random.Random(f"points {seed}")
        self._servers = 0
        self._ended: Counter[int] = Counter()
        # servers that were at work and ended in a way nobody had asked for
        self.strange = 0
        # nothing more is to end before its time
        self.is_over = False

    @property
    def are_serving(self) -> bool:
        return all(self._is_serving(member) for member in self.members)

    def watch_once(self) -> None:
        for member in self.members:
            if (code := member.process.poll()) is not None and not self._is_closing:
                self._ended[code] += 1
                self.strange += self._is_serving(member) and code not in USUAL_ENDS
        super().watch_once()

    def count_ended(self, code: int) -> int:
        """How many processes ended with it."""
        return self._ended[code]

    def at_work(self) -> list[Member]:
        """One that is starting has nothing to lose."""
        return self.serving()

    def _start(self, slot: int) -> Member:
        self._starts += 1
        self._servers += 1
        environment = self._environment
        point = f"{self._chance.choice(POINTS)}:{self._chance.randint(1, LATEST)}"
        armed = {"PABAL_KILL_POINT": point} if not self.is_over and self._servers % UNARMED else {}
        self._environment = {**environment, **armed}
        process = self._run("rules.server", "--slot", str(slot))
        self._environment = environment
        self._history.write("started", pid=process.pid, slot=slot, point=point if armed else "")
        return Member(slot, process, elapsed())

    def _is_serving(self, member: Member) -> bool:
        return serving_mark(self._folder, str(member.slot), member.process.pid).exists()
