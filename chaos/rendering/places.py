"""Where everything of a run is: the worker's folders, the NAS and the place it is taken away to, and the witness."""

from dataclasses import dataclass
from pathlib import Path

from pabal.apps.rendering.simulator.projects import make_project

# as the worker with After Effects calls it
OUTPUT = "D:/output"
# the one composition there is
NAME = "_MAIN Survival"


@dataclass(frozen=True)
class Places:
    folder: Path

    @property
    def output(self) -> Path:
        return self.folder / "output"

    @property
    def templates(self) -> Path:
        return self.folder / "templates"

    @property
    def nas(self) -> Path:
        return self.folder / "nas"

    @property
    def nas_away(self) -> Path:
        return self.folder / "nas.away"

    @property
    def journal(self) -> Path:
        return self.folder / "nexrender.jsonl"

    @property
    def jobs(self) -> Path:
        """nexrender's own file."""
        return self.folder / "nexrender.json"

    def make(self) -> None:
        for one in (self.output, self.templates, self.nas):
            one.mkdir()
        (self.templates / "survival.aep").write_bytes(make_project([NAME]))
