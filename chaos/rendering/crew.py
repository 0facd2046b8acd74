"""The processes of a run: two servers with two slots each, most of which end at a kill point; and nexrender."""

import signal
from collections.abc import Mapping
from pathlib import Path

from chaos.armed import SparingCrew
from chaos.history import History
from chaos.messaging.crew import find_ports
from chaos.rendering.places import OUTPUT, Places
from chaos.starting import Process
from pabal.base.clock import elapsed
from pabal.base.killpoints import APP_POINTS

SLOTS_EACH = 2
# Where a render goes through.
POINTS = (
    *(point for point in APP_POINTS if point.startswith("rendering.")),
    "steps.prepare_committed",
    "steps.performed",
    "steps.recorded",
    "steps.record_committed",
)


class RenderCrew(SparingCrew):
    module, points, latest = "rendering.server", POINTS, 3

    def __init__(self, folder: Path, url: str, seed: int, history: History) -> None:
        super().__init__(folder, url, seed, history)
        [self._port] = find_ports(1)
        self._places = Places(folder)
        self._environment |= {
            "PABAL_RENDERING_NEXRENDER_URL": self.nexrender_url,
            "PABAL_RENDERING_SLOTS": str(SLOTS_EACH),
            "NAS_MOUNT_PATH": str(self._places.nas),
            "PABAL_RENDERING_OUTPUT_DIR": OUTPUT,
            "PABAL_RENDERING_PATHS": f"output = {self._places.output} | {OUTPUT}",
        }
        self._nexrender: Process | None = None
        self._nexrender_again_at = 0.0
        self._nexrender_goes_on_at: float | None = None

    @property
    def nexrender_url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def watch_once(self) -> None:
        super().watch_once()
        self._watch_nexrender()

    def surroundings(self, slot: int) -> Mapping[str, str]:
        return {"WORKER_ID": f"survival-{slot}"}

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
