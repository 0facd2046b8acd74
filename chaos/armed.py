"""Servers most of whose starts end at a kill point, as those of every app's run do."""

import random
import signal
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from chaos.crew import Crew, Member
from chaos.history import History
from chaos.serving import serving_mark
from pabal.base.clock import elapsed
from pabal.base.killpoints import EXIT_CODE

SERVERS = 2
USUAL_ENDS = (0, -signal.SIGKILL, EXIT_CODE)


class ArmedCrew(Crew):
    """Each app says where its servers may end, how often at most they get there before that, and how many starts there
    are to one that is left alone."""

    module = ""
    points: Sequence[str] = ()
    latest = 12
    unarmed = 3

    def __init__(self, folder: Path, url: str, seed: int, history: History) -> None:
        super().__init__(folder, url, seed, history, ttl=10.0)
        self._chance = random.Random(f"points {seed}")
        self._servers = 0
        self._numbers: dict[int, int] = {}
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

    def ends(self) -> Counter[str]:
        """How servers ended besides what was done to them."""
        return Counter(point=self._ended[EXIT_CODE], strange=self.strange)

    def arguments(self, slot: int) -> Sequence[str]:
        """What a server is told besides its slot."""
        return ()

    def surroundings(self, slot: int) -> Mapping[str, str]:
        """What its environment has besides that of all."""
        return {}

    def _start(self, slot: int) -> Member:
        self._starts += 1
        self._servers += 1
        environment = self._environment
        point = f"{self._chance.choice(self.points)}:{self._chance.randint(1, self.latest)}"
        armed = {"PABAL_KILL_POINT": point} if not self.is_over and self._servers % self.unarmed else {}
        self._environment = {**environment, **armed, **self.surroundings(slot)}
        process = self._run(self.module, "--slot", str(slot), *self.arguments(slot))
        self._environment = environment
        self._numbers[process.pid] = self._servers
        self._history.write("started", pid=process.pid, slot=slot, point=point if armed else "")
        return Member(slot, process, elapsed())

    def _is_serving(self, member: Member) -> bool:
        return serving_mark(self._folder, str(member.slot), member.process.pid).exists()


class SparingCrew(ArmedCrew):
    """On a slow machine nobody would serve for most of the time: one that is starting is seldom hurt, and so is the
    only one that serves."""

    def at_work(self) -> list[Member]:
        members = super().at_work()
        if sum(map(self._is_serving, members)) == SERVERS:
            return members
        return [one for one in members if self._numbers[one.process.pid] % 3 == 0]

    def serving(self) -> list[Member]:
        members = super().serving()
        return members if len(members) == SERVERS else []
