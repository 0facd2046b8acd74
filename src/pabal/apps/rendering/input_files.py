"""Of what a render is made, as the server that is asked sees it: its template and its pictures, told apart by their
size and the moment of their last change. So a picture that was replaced under its name is another input.

A file that this server does not see counts by its path alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pabal.apps.rendering.actions.compositions import find_usable
from pabal.apps.rendering.actions.requesting import RenderRequest
from pabal.apps.rendering.errors import RenderRefused
from pabal.apps.rendering.farm import Farm
from pabal.apps.rendering.files.errors import NasUnavailable
from pabal.apps.rendering.files.watching import Meter, run_watched
from pabal.apps.rendering.model import gfx, mapping
from pabal.apps.rendering.model.compositions import Composition, place_in
from pabal.apps.rendering.model.mapping import Assigned
from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.preflights import find_all_problems, is_told
from pabal.apps.rendering.store import compositions
from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.platform.actor import Actor, Right
from pabal.platform.findings import FieldsRefused, Finding
from pabal.platform.tenants import Scope, visible_to

PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class PlannedRender:
    """A request as far as it was understood: `parts` have the paths of its files as the worker calls them."""

    request: RenderRequest
    parts: tuple[Composition, Assigned] | None = None
    findings: tuple[Finding, ...] = ()


async def plan(tx: Tx, actor: Actor, farm: Farm, wanted: Sequence[RenderRequest]) -> list[PlannedRender]:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    return [await _plan_one(tx, scope, farm, one) for one in wanted]


async def look_at_files(farm: Farm, planned: Sequence[PlannedRender]) -> list[RenderRequest]:
    """The requests, each with what its files are now. Outside of a transaction: a share may hang."""
    paths = {path: place for one in planned for _, path in _files_of(one) if (place := _find(farm, path)) is not None}
    seen = await _stat_all(paths) if is_told(farm) else {}
    return [
        replace(one.request, files=tuple(f"{role}: {seen.get(path, 'unseen')}" for role, path in _files_of(one)))
        for one in planned
    ]


async def check_files(farm: Farm, planned: Sequence[PlannedRender]) -> None:
    """What a worker would refuse for its files, it is refused for at once, with everything that is wrong."""
    found = iter(await find_all_problems(farm, [one.parts for one in planned if one.parts is not None]))
    findings = [
        Finding(each.code, f"{number}/{each.field}" if len(planned) > 1 else each.field, each.text)
        for number, one in enumerate(planned)
        for each in (one.findings if one.parts is None else next(found))
    ]
    if findings:
        raise RenderRefused(findings)


async def _plan_one(tx: Tx, scope: Scope, farm: Farm, wanted: RenderRequest) -> PlannedRender:
    try:
        row = await find_usable(tx, scope, wanted.composition_id)
        placed = place_in(row.composition, farm.startup.aep_template_dir)
        mappings = await compositions.list_mappings(tx, [row.id])
        return PlannedRender(wanted, (placed, mapping.assign(gfx.parse(wanted.gfx_data), placed, mappings)))
    except FieldsRefused as refused:
        return PlannedRender(wanted, findings=tuple(refused.findings))


def _files_of(planned: PlannedRender) -> list[tuple[str, str]]:
    """Each with what it is for."""
    if planned.parts is None:
        return []
    composition, assigned = planned.parts
    pictures = [(one.field, one.value) for one in assigned.assets if one.kind == "image"]
    return [("template", composition.template_src), *sorted(pictures)]


def _find(farm: Farm, path: str) -> Path | None:
    try:
        return Path(farm.paths.to_server(path))
    except PabalError:
        return None


async def _stat_all(paths: Mapping[str, Path]) -> dict[str, str]:
    """One after the other in one thread; a share that hangs is as if it were not there."""

    def look(meter: Meter) -> dict[str, str]:
        found: dict[str, str] = {}
        for path, place in paths.items():
            found[path] = _describe(place)
            meter.advance(1)
        return found

    try:
        return await run_watched(look, stall_seconds=PATIENCE_SECONDS, what="input files")
    except NasUnavailable:
        return {}


def _describe(place: Path) -> str:
    try:
        facts = place.stat()
    except OSError:
        return "missing"
    return f"{facts.st_size} bytes, {facts.st_mtime_ns}"
