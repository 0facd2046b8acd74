"""This server as a render worker: its slots, its nexrender, its paths, and which templates it remembers."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from uuid import UUID

from pabal.apps.rendering.files.paths import PathMap, PathVariable, read_variables
from pabal.apps.rendering.gateway import POST_SECONDS, Nexrender, NexrenderClient
from pabal.apps.rendering.model.compositions import Composition, FieldMapping, place_in
from pabal.apps.rendering.startup import RenderingStartup, read_networks, slot_uuid, worker_uuid
from pabal.apps.rendering.store import compositions
from pabal.base.clock import elapsed
from pabal.base.database import Tx
from pabal.base.settings import read_app_settings
from pabal.platform.services import Services

KEPT = "rendering.farm"
# How long a wait goes on before it looks at the clock and for a cancel again.
TICK = 1.0


@dataclass(frozen=True, slots=True)
class Template:
    """A composition with whole paths, and which field goes into which layer."""

    composition: Composition
    mappings: tuple[FieldMapping, ...]


class TemplateCache:
    """What was read stays for an hour by a clock that only goes forward; a change clears it at once."""

    def __init__(self, now: Callable[[], float] = elapsed) -> None:
        self._now = now
        self._kept: dict[str, tuple[float, Template]] = {}

    def find(self, composition_id: str, life: timedelta) -> Template | None:
        kept = self._kept.get(composition_id)
        if kept is None or self._now() - kept[0] >= life.total_seconds():
            self._kept.pop(composition_id, None)
            return None
        return kept[1]

    def put(self, composition_id: str, template: Template) -> None:
        self._kept[composition_id] = (self._now(), template)

    def clear(self) -> None:
        self._kept.clear()

    def __len__(self) -> int:
        return len(self._kept)


@dataclass(frozen=True, slots=True)
class FarmWorker:
    """What WORKER_ID names: slots with their numbers. A server is one; the demo's only server shows two."""

    id: UUID
    name: str
    slots: Mapping[UUID, int]


@dataclass
class Farm:
    """`room` is how many renders this server may hold now; 0 until its slots are open, and without a nexrender."""

    startup: RenderingStartup
    client: Nexrender
    paths: PathMap
    workers: tuple[FarmWorker, ...]
    post_seconds: float = POST_SECONDS
    tick: float = TICK
    room: int = 0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    templates: TemplateCache = field(default_factory=TemplateCache)

    @property
    def slots(self) -> dict[UUID, int]:
        return {slot_id: number for worker in self.workers for slot_id, number in worker.slots.items()}

    def slot_name(self, slot_id: UUID) -> str:
        """As log lines and pages call it: Worker#1."""
        worker = next(one for one in self.workers if slot_id in one.slots)
        return f"{worker.name}#{worker.slots[slot_id]}"

    @property
    def mount(self) -> Path:
        """The NAS on this server. Never made: were it not mounted, films would fill this server's own disk."""
        return Path(self.startup.nas_mount_path)

    @property
    def nas(self) -> Path:
        """Where finished films go."""
        return self.mount / self.startup.nas_output_dir.strip("/\\")

    def rendered_name(self, render_id: int, attempt: int, extension: str) -> str:
        """As the worker sees it; each attempt writes a file of its own."""
        folder = self.startup.output_dir.replace("\\", "/").rstrip("/")
        return f"{folder}/job_{render_id}_a{attempt}.{extension}"

    async def find_template(self, tx: Tx, composition_id: str, life: timedelta) -> Template | None:
        found = self.templates.find(composition_id, life)
        if found is not None:
            return found
        row = await compositions.find_composition(tx, composition_id)
        if row is None:
            return None
        placed = place_in(row.composition, self.startup.aep_template_dir)
        template = Template(placed, tuple(await compositions.list_mappings(tx, [composition_id])))
        self.templates.put(composition_id, template)
        return template


def make_farm(startup: RenderingStartup, client: Nexrender | None = None) -> Farm:
    worker_id = startup.worker_id or socket.gethostname()
    networks = read_networks(startup.nexrender_networks)
    real = client or NexrenderClient(startup.nexrender_url, secret=startup.nexrender_secret, networks=networks)
    count = startup.slots if startup.nexrender_url or client is not None else 0
    return Farm(
        startup=startup,
        client=real,
        paths=read_paths(startup),
        workers=(make_worker(worker_id, startup.worker_name or "Worker", count),),
    )


def make_worker(worker_id: str, name: str, count: int) -> FarmWorker:
    slots = {slot_uuid(worker_id, number): number for number in range(1, count + 1)}
    return FarmWorker(worker_uuid(worker_id), name, slots)


def read_paths(startup: RenderingStartup) -> PathMap:
    given = read_variables(startup.paths.replace(";", "\n")).variables
    named = {one.name for one in given}
    mount = startup.nas_mount_path
    nas = (PathVariable("nas", mount, "", startup.nas_unc),) if mount and "nas" not in named else ()
    return PathMap((*given, *nas))


def farm_of(services: Services) -> Farm:
    """One for each process."""
    kept = services.kept.get(KEPT)
    if not isinstance(kept, Farm):
        kept = services.kept[KEPT] = make_farm(read_app_settings(RenderingStartup))
    return kept
