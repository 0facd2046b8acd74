"""The places of this server that the path doctor looks at: those it was started with, and the templates of its jobs.

Nobody names a path here: what is looked at comes from the settings and the compositions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pabal.apps.rendering.farm import Farm
from pabal.apps.rendering.files.doctor import PathSeen, examine
from pabal.apps.rendering.model.compositions import place_in
from pabal.apps.rendering.store import showing
from pabal.base.database import Tx
from pabal.platform.findings import Finding

MOST_TEMPLATES = 50


@dataclass(frozen=True, slots=True)
class PlaceSeen:
    """`kind` is output, nas, templates or template; `name` tells templates apart. A template need not be writable."""

    kind: str
    name: str
    seen: PathSeen

    @property
    def problem(self) -> Finding | None:
        found = self.seen.problem
        is_only_read = self.kind in ("template", "templates")
        return None if found is not None and found.code == "path_read_only" and is_only_read else found

    @property
    def is_well(self) -> bool:
        return self.problem is None


async def list_places(tx: Tx, farm: Farm) -> list[tuple[str, str, str]]:
    """Each with its kind, its name and its path."""
    startup = farm.startup
    own = [("output", "", startup.output_dir), ("templates", "", startup.aep_template_dir)]
    if startup.nas_mount_path:
        own.insert(1, ("nas", "", str(farm.nas)))
    page = await showing.list_compositions(tx, None, limit=MOST_TEMPLATES)
    sources = dict.fromkeys(place_in(one.composition, startup.aep_template_dir).template_src for one in page.items)
    return [*(one for one in own if one[2]), *(("template", _file_name(path), path) for path in sources)]


async def examine_places(places: Sequence[tuple[str, str, str]], farm: Farm) -> list[PlaceSeen]:
    """Outside of a transaction: a share that hangs takes seconds."""
    seen = await examine([path for _, _, path in places], farm.paths)
    return [PlaceSeen(kind, name, one) for (kind, name, _), one in zip(places, seen, strict=True)]


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]
