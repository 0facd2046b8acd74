"""The files of a render as this server sees them: its template, its pictures, the disk, the NAS.

Outside of a transaction: a share that hangs takes seconds. What this server cannot see, nothing is concluded from.
"""

from collections.abc import Mapping

from pabal.apps.rendering.farm import Farm
from pabal.apps.rendering.files.doctor import PathSeen, examine
from pabal.apps.rendering.model import preflight
from pabal.apps.rendering.model.compositions import Composition
from pabal.apps.rendering.model.mapping import Assigned
from pabal.apps.rendering.model.preflight import FileState, Observed
from pabal.platform.findings import Finding


async def find_problems(farm: Farm, composition: Composition, assigned: Assigned) -> list[Finding]:
    """Everything that is wrong at once: the data, and the files as far as they are seen from here."""
    return preflight.judge(assigned, composition, await look_around(farm, composition, assigned))


async def look_around(farm: Farm, composition: Composition, assigned: Assigned) -> Observed:
    pictures, startup = preflight.pictures_of(assigned), farm.startup
    folders = {"output": startup.output_dir, "nas": str(farm.nas) if startup.nas_mount_path else ""}
    wanted = [composition.template_src, *pictures, *(one for one in folders.values() if one)]
    found = dict(zip(wanted, await examine(wanted, farm.paths), strict=True))
    output, nas = (found.get(one) for one in folders.values())
    return Observed(
        template=_state(farm, found, composition.template_src),
        pictures={path: _state(farm, found, path) for path in pictures},
        free_bytes=None if output is None else output.free_bytes,
        nas_writable=None if nas is None else nas.writable,
        nas_free_bytes=None if nas is None else nas.free_bytes,
    )


def _state(farm: Farm, found: Mapping[str, PathSeen], path: str) -> FileState:
    seen = found[path]
    # a server that renders nothing and was not told where templates are does not know what a path means
    is_told = bool(farm.slots or farm.startup.aep_template_dir)
    if not is_told or seen.server is None or seen.exists is None:
        return FileState.UNSEEN
    if not seen.exists:
        # a server that renders nothing need not have the folder: only in one that it has, a file is missing
        is_visible = bool(farm.slots) or seen.free_bytes is not None
        return FileState.MISSING if is_visible else FileState.UNSEEN
    return FileState.READABLE if seen.readable and not seen.is_folder else FileState.UNREADABLE
