"""The processes of a run: two servers with two slots each, most of which end at a kill point; and nexrender."""

import random
import signal
import subprocess
from collections import Counter
from pathlib import Path

from chaos.crew import Crew, Member
from chaos.history import History
from chaos.messaging.crew import find_ports
from chaos.rendering.places import OUTPUT, Places
from chaos.serving import serving_mark
from pabal.base.clock import elapsed
from pabal.base.killpoints import APP_POINTS, EXIT_CODE

SERVERS, SLOTS_EACH = 2, 2
# Where a render goes through, and how often at most it gets there before the process ends.
POINTS = (
    *(point for point in APP_POINTS if point.startswith("rendering.")),
    "steps.prepare_committed",
    "steps.performed",
    "steps.recorded",
    "steps.record_committed",
)
LATEST = 3
# One start in so many is left alone.
UNARMED = 3
USUAL_ENDS = (0, -signal.SIGKILL, EXIT_CODE)


class RenderCrew(Crew):
    def __init__(self, folder: Path, url: str, seed: int, history: History) -> None:
        super().__init__(folder, url, seed, history, ttl=10.0)
        [self._port] = find_ports(1)
        self._places = Places(folder)
        self._environment |= {
            "PABAL_RENDERING_NEXRENDER_URL": self.nexrender_url,
            "PABAL_RENDERING_SLOTS": str(SLOTS_EACH),
            "NAS_MOUNT_PATH": str(self._places.nas),
            "PABAL_RENDERING_OUTPUT_DIR": OUTPUT,
            "PABAL_RENDERING_PATHS": f"output = {self._places.output} | {OUTPUT}",
        }
        self._chance = random.Random(f"points {seed}")
        self._numbers: dict[int, int] = {}
        self._servers = 0
        self._ended: Counter[int] = Counter()
        self._nexrender: subprocess.Popen[bytes] | None = None
        self._nexrender_again_at = 0.0
        self._nexrender_goes_on_at: float | None = None
        # servers that were at work and ended in a way nobody had asked for
        self.strange = 0
        # nothing more is to end before its time
        self.is_over = False

    @property
    def nexrender_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def are_serving(self) -> bool:
        return all(self._is_serving(member) for member in self.members)

    def watch_once(self) -> None:
        for member in self.members:
            if (code := member.process.poll()) is not None and not self._is_closing:
                self._ended[code] += 1
                self.strange += self._is_serving(member) and code not in USUAL_ENDS
        super().watch_once()
        self._watch_nexrender()

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

    # nexrender

    def start_nexrender(self) -> None:
        self._nexrender = self._run("rendering.outside", "--port", str(self._port), "--seed", str(self._seed))

    def kill_nexrender(self, seconds: float) -> bool:
        """With its machines, and whatever they render. It comes back with what its file holds."""
        if self._nexrender is None or self._nexrender.poll() is not None:
            return False
        self._history.write("nexrender killed", seconds=seconds)
        self._nexrender.kill()
        self._nexrender.wait()
        self._nexrender_goes_on_at = None
        self._nexrender_again_at = elapsed() + seconds
        return True

    def stop_nexrender(self, seconds: float) -> bool:
        """Connections are taken, and nobody answers."""
        if self._nexrender is None or self._nexrender.poll() is not None:
            return False
        self._history.write("nexrender stopped", seconds=seconds)
        self._nexrender.send_signal(signal.SIGSTOP)
        self._nexrender_goes_on_at = elapsed() + seconds
        return True

    def end_nexrender(self) -> None:
        self._is_closing = True
        if self._nexrender is not None:
            self._nexrender.send_signal(signal.SIGCONT)
            self._nexrender.terminate()
            self._nexrender.wait(20)

    def _watch_nexrender(self) -> None:
        if self._nexrender is None or self._is_closing:
            return
        if self._nexrender_goes_on_at is not None and elapsed() >= self._nexrender_goes_on_at:
            self._nexrender.send_signal(signal.SIGCONT)
            self._nexrender_goes_on_at = None
        if self._nexrender.poll() is not None and elapsed() >= self._nexrender_again_at:
            self._starts += 1
            self.start_nexrender()

    def _start(self, slot: int) -> Member:
        self._starts += 1
        self._servers += 1
        environment = self._environment
        point = f"{self._chance.choice(POINTS)}:{self._chance.randint(1, LATEST)}"
        armed = {"PABAL_KILL_POINT": point} if not self.is_over and self._servers % UNARMED else {}
        self._environment = {**environment, **armed, "WORKER_ID": f"survival-{slot}"}
        process = self._run("rendering.server", "--slot", str(slot))
        self._environment = environment
        self._numbers[process.pid] = self._servers
        self._history.write("started", pid=process.pid, slot=slot, point=point if armed else "")
        return Member(slot, process, elapsed())

    def _is_serving(self, member: Member) -> bool:
        return serving_mark(self._folder, str(member.slot), member.process.pid).exists()
