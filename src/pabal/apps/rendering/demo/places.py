"""The demo's worker and its folders, which lie beside the server's own files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pabal.apps.rendering.startup import RenderingStartup

WORKER, NAME, SLOTS = "demo-worker", "AE", 4
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

    def startup(self, nexrender_url: str) -> RenderingStartup:
        names = (("output", OUTPUT), ("templates", TEMPLATES), ("assets", ASSETS))
        given: dict[str, Any] = {
            "PABAL_RENDERING_NEXRENDER_URL": nexrender_url,
            "PABAL_RENDERING_WORKER_ID": WORKER,
            "PABAL_RENDERING_NAS_MOUNT_PATH": str(self.nas),
            "PABAL_RENDERING_NAS_OUTPUT_DIR": "output",
            "PABAL_RENDERING_AEP_TEMPLATE_DIR": TEMPLATES,
            "worker_name": NAME,
            "slots": SLOTS,
            "nas_unc": "\\\\DEMO-NAS\\broadcast",
            "output_dir": OUTPUT,
            "paths": "; ".join(f"{name} = {self.folder / name} | {worker}" for name, worker in names),
        }
        return RenderingStartup(**given)
