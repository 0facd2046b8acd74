"""The processes of a run: two servers, every second start of which ends at a kill point, and those who talk."""

import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from chaos.armed import SERVERS, SparingCrew
from chaos.history import History
from chaos.messaging.crew import find_ports
from chaos.relay.outside import CONNECTED, QUIET
from chaos.starting import Process
from pabal.base.killpoints import APP_POINTS

# Where a message goes through.
POINTS = (
    *(point for point in APP_POINTS if point.startswith("relay.")),
    "steps.prepare_committed",
    "steps.performed",
    "steps.recorded",
    "steps.record_committed",
)


class RelayCrew(SparingCrew):
    module, points, unarmed = "relay.server", POINTS, 2

    def __init__(self, folder: Path, url: str, seed: int, history: History) -> None:
        super().__init__(folder, url, seed, history)
        *self._ports, self._channel = find_ports(SERVERS + 1)
        self._environment["PABAL_RELAY_CALLBACK_HOSTS"] = f"http://127.0.0.1:{self._channel}"
        self._outside: Process | None = None

    @property
    def are_connected(self) -> bool:
        """Every instance was; what happens to it afterwards is the run."""
        return (self._folder / CONNECTED).exists()

    @property
    def are_quiet(self) -> bool:
        """Every user has said the last word."""
        return (self._folder / QUIET).exists()

    def arguments(self, slot: int) -> Sequence[str]:
        return ("--port", str(self._ports[slot]))

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
