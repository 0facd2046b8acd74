"""The servers of a run; every second start of them ends at a kill point."""

import random
from collections import Counter
from pathlib import Path

from chaos.crew import Crew, Member
from chaos.history import History
from chaos.serving import serving_mark
from pabal.base.clock import elapsed
from pabal.base.killpoints import WORKFLOW_POINTS

SERVERS = 3
POINTS = (*WORKFLOW_POINTS, "exchange.settled", "exchange.claimed", "exchange.committed", "enqueue.written")
LATEST = 12


class FlowCrew(Crew):
    def __init__(self, folder: Path, url: str, seed: int, history: History) -> None:
        super().__init__(folder, url, seed, history, ttl=10.0)
        self._chance = random.Random(f"points {seed}")
        self._ended: Counter[int] = Counter()
        self.is_over = False

    def watch_once(self) -> None:
        for member in self.members:
            if (code := member.process.poll()) is not None and not self._is_closing:
                self._ended[code] += 1
        super().watch_once()

    def count_ended(self, code: int) -> int:
        return self._ended[code]

    def _start(self, slot: int) -> Member:
        self._starts += 1
        environment = self._environment
        point = f"{self._chance.choice(POINTS)}:{self._chance.randint(1, LATEST)}"
        if not self.is_over and self._starts % 2:
            self._environment = {**environment, "PABAL_KILL_POINT": point}
        process = self._run("workflows.server", "--slot", str(slot))
        self._environment = environment
        self._history.write("started", pid=process.pid, slot=slot, point=point)
        return Member(slot, process, elapsed())

    def _is_serving(self, member: Member) -> bool:
        return serving_mark(self._folder, str(member.slot), member.process.pid).exists()
