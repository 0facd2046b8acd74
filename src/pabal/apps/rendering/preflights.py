"""The files of a render as this server sees them: its template, its pictures, the disk, the NAS.

Outside of a transaction: a share that hangs takes seconds. What this server cannot see, nothing is concluded from.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pabal.apps.rendering.farm import Farm
from pabal.apps.rendering.files.doctor import PathSeen, examine
from pabal.apps.rendering.files.errors import NasUnavailable, NotProject
from pabal.apps.rendering.files.projects import list_compositions
from pabal.apps.rendering.model import preflight
from pabal.apps.rendering.model.compositions import Composition
from pabal.apps.rendering.model.mapping import Assigned
from pabal.apps.rendering.model.preflight import FileState, Observed
from pabal.platform.findings import Finding

# each is looked at in a thread of its own
MOST_AT_ONCE = 32


async def find_problems(farm: Farm, composition: Composition, assigned: Assigned) -> list[Finding]:
    """Everything that is wrong at once: the data, and the files as far as they are seen from here."""
    [found] = await find_all_problems(farm, [(composition, assigned)])
    return found


async def find_all_problems(farm: Farm, renders: Sequence[tuple[Composition, Assigned]]) -> list[list[Finding]]:
    """Of several: each file is looked at once."""
    seen = await _look_around(farm, renders)
    return [preflight.judge(assigned, one, look) for (one, assigned), look in zip(renders, seen, strict=True)]


async def _look_around(farm: Farm, renders: Sequence[tuple[Composition, Assigned]]) -> list[Observed]:
    startup = farm.startup
    folders = {"output": startup.output_dir, "nas": str(farm.nas) if startup.nas_mount_path else ""}
    templates = dict.fromkeys(one.template_src for one, _ in renders)
    pictures = dict.fromkeys(path for _, assigned in renders for path in preflight.pictures_of(assigned))
    found = await _examine(farm, [*templates, *pictures, *(one for one in folders.values() if one)])
    output, nas = (found.get(one) for one in folders.values())
    opened = {path: await _open_template(farm, found, path) for path in templates}
    return [
        Observed(
            template=opened[one.template_src][0],
            template_compositions=opened[one.template_src][1],
            pictures={path: _state(farm, found, path) for path in preflight.pictures_of(assigned)},
            free_bytes=None if output is None else output.free_bytes,
            nas_writable=None if nas is None else nas.writable,
            nas_free_bytes=None if nas is None else nas.free_bytes,
        )
        for one, assigned in renders
    ]


async def _examine(farm: Farm, paths: Sequence[str]) -> dict[str, PathSeen]:
    wanted = list(dict.fromkeys(paths))
    found: dict[str, PathSeen] = {}
    for start in range(0, len(wanted), MOST_AT_ONCE):
        some = wanted[start : start + MOST_AT_ONCE]
        found |= zip(some, await examine(some, farm.paths), strict=True)
    return found


async def _open_template(
    farm: Farm, found: Mapping[str, PathSeen], path: str
) -> tuple[FileState, frozenset[str] | None]:
    """Whether it can be used, and which compositions it holds; None where that cannot be told."""
    state, server = _state(farm, found, path), found[path].server
    if state != FileState.READABLE or server is None:
        return state, None
    try:
        return state, await list_compositions(Path(server))
    except NotProject:
        return FileState.DAMAGED, None
    except (NasUnavailable, OSError):
        return state, None


def _state(farm: Farm, found: Mapping[str, PathSeen], path: str) -> FileState:
    seen = found[path]
    if not is_told(farm) or seen.server is None or seen.exists is None:
        return FileState.UNSEEN
    if not seen.exists:
        # a server that renders nothing need not have the folder: only in one that it has, a file is missing
        is_visible = bool(farm.slots) or seen.free_bytes is not None
        return FileState.MISSING if is_visible else FileState.UNSEEN
    return FileState.READABLE if seen.readable and not seen.is_folder else FileState.UNREADABLE


def is_told(farm: Farm) -> bool:
    """A server that renders nothing and was not told where templates are does not know what a path means."""
    return bool(farm.slots or farm.startup.aep_template_dir)
