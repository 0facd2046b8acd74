"""The demo's two workers and their folders, which lie beside the server's own files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

from pabal.apps.rendering.farm import Farm, make_farm, make_worker
from pabal.apps.rendering.startup import RenderingStartup, slot_uuid

# by their WORKER_ID: both are this one server, which a real house would not do
WORKERS = {"demo-worker": "AE-1", "demo-worker-2": "AE-2"}
SLOTS_EACH = 2
SLOTS = SLOTS_EACH * len(WORKERS)
# as the worker with After Effects calls them
OUTPUT, TEMPLATES, ASSETS = "D:/output", "D:/templates", "D:/assets"


@dataclass(frozen=True)
class DemoPlaces:
    folder: Path

    @classmethod
    def of(cls, data_dir: Path) -> "DemoPlaces":
        """A server may be given its folder from where it was started; a path variable is absolute."""
        return cls((data_dir / "demo-rendering").absolute())

    @property
    def output(self) -> Path:
        return self.folder / "output"

    @property
    def nas(self) -> Path:
        return self.folder / "nas"

    @property
    def films(self) -> Path:
        return self.nas / "output"

    def make(self) -> None:
        for name in ("output", "nas", "templates", "assets"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)

    def make_farm(self, nexrender_url: str = "") -> Farm:
        """Without a nexrender it has no slots yet."""
        made = make_farm(self._startup(nexrender_url))
        count = SLOTS_EACH if nexrender_url else 0
        made.workers = tuple(make_worker(worker_id, name, count) for worker_id, name in WORKERS.items())
        return made

    def _startup(self, nexrender_url: str) -> RenderingStartup:
        names = (("output", OUTPUT), ("templates", TEMPLATES), ("assets", ASSETS))
        given: dict[str, Any] = {
            "PABAL_RENDERING_NEXRENDER_URL": nexrender_url,
            "PABAL_RENDERING_WORKER_ID": next(iter(WORKERS)),
            "PABAL_RENDERING_NAS_MOUNT_PATH": str(self.nas),
            "PABAL_RENDERING_NAS_OUTPUT_DIR": "output",
            "PABAL_RENDERING_AEP_TEMPLATE_DIR": TEMPLATES,
            "slots": SLOTS_EACH,
            "nas_unc": "\\\\DEMO-NAS\\broadcast",
            "output_dir": OUTPUT,
            "paths": "; ".join(f"{name} = {self.folder / name} | {worker}" for name, worker in names),
        }
        return RenderingStartup(**given)


def find_slot(number: int) -> tuple[UUID, str]:
    """Of all slots in turn: its id, and what people call it."""
    worker_id, name = list(WORKERS.items())[number % len(WORKERS)]
    of_worker = 1 + number // len(WORKERS) % SLOTS_EACH
    return slot_uuid(worker_id, of_worker), f"{name}#{of_worker}"
