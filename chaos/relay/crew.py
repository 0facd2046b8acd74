"""The processes of a run: two servers, every second start of which ends at a kill point, and those who talk."""

import random
import signal
import subprocess
from collections import Counter
from pathlib import Path

from chaos.crew import Crew, Member
from chaos.history import History
from chaos.messaging.crew import find_ports
from chaos.relay.outside import CONNECTED, QUIET
from chaos.serving import serving_mark
from pabal.base.clock import elapsed
from pabal.base.killpoints import APP_POINTS, EXIT_CODE

SERVERS = 2
# Where a message goes through, and how often at most it gets there before the process ends.
POINTS = (
    *(point for point in APP_POINTS if point.startswith("relay.")),
    "steps.prepare_committed",
    "steps.performed",
    "steps.recorded",
    "steps.record_committed",
)
LATEST = 12
USUAL_ENDS = (0, -signal.SIGKILL, EXIT_CODE)


class RelayCrew(Crew):
    def __init__(self, folder: Path, url: str, seed: int, history: History) -> None:
        super().__init__(folder, url, seed, history, ttl=10.0)
        *self._ports, self._channel = find_ports(SERVERS + 1)
        self._environment["PABAL_RELAY_CALLBACK_HOSTS"] = f"http://127.0.0.1:{self._channel}"
        self._chance = random.Random(f"points {seed}")
        self._numbers: dict[int, int] = {}
        self._ended: Counter[int] = Counter()
        self._outside: subprocess.Popen[bytes] | None = None
        # servers that were at work and ended in a way nobody had asked for
        self.strange = 0
        # nothing more is to end before its time
        self.is_over = False

    @property
    def are_connected(self) -> bool:
        """Every instance was; what happens to it afterwards is the run."""
        return (self._folder / CONNECTED).exists()

    @property
    def are_quiet(self) -> bool:
        """Every user has said the last word."""
        return (self._folder / QUIET).exists()

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
        """On a slow machine nobody would serve for most of the time: one that is starting is seldom hurt, and so is the
        only one that serves."""
        members = super().at_work()
        if sum(map(self._is_serving, members)) == SERVERS:
            return members
        return [one for one in members if self._numbers[one.process.pid] % 3 == 0]

    def serving(self) -> list[Member]:
        """As above: the other one is at work while this one sleeps or is gone."""
        members = super().serving()
        return members if len(members) == SERVERS else []

    def start_outside(self) -> None:
        ports = [str(port) for port in self._ports]
        given = ("--ports", *ports, "--channel", str(self._channel), "--seed", str(self._seed))
        self._outside = self._run("relay.outside", *given)

    def calm_outside(self) -> None:
        """They make no more trouble, and users say their last word."""
        if self._outside is not None:
            self._outside.send_signal(signal.SIGUSR1)

    def stop_outside(self) -> int | None:
        """How they ended; a witness that died is none."""
        if self._outside is None:
            return None
        self._outside.terminate()
        try:
            return self._outside.wait(20)
        except subprocess.TimeoutExpired:
            self._outside.kill()
            return self._outside.wait()

    def _start(self, slot: int) -> Member:
        self._starts += 1
        environment = self._environment
        point = f"{self._chance.choice(POINTS)}:{self._chance.randint(1, LATEST)}"
        if not self.is_over and self._starts % 2:
            self._environment = {**environment, "PABAL_KILL_POINT": point}
        process = self._run("relay.server", "--slot", str(slot), "--port", str(self._ports[slot]))
        self._environment = environment
        self._numbers[process.pid] = self._starts
        self._history.write("started", pid=process.pid, slot=slot, point=point)
        return Member(slot, process, elapsed())

    def _is_serving(self, member: Member) -> bool:
        return serving_mark(self._folder, str(member.slot), member.process.pid).exists()
