"""A demo's render machines, live: a simulated nexrender in this process, and the server's slots at it."""

import asyncio
import base64
from collections import defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack
from hashlib import sha256
from pathlib import Path
from typing import Self

from pabal.apps.rendering.demo import filling
from pabal.apps.rendering.demo.places import OUTPUT, SLOTS, TEMPLATES, DemoPlaces
from pabal.apps.rendering.farm import KEPT, Farm
from pabal.apps.rendering.files.errors import PathNotMapped
from pabal.apps.rendering.model import gfx, mapping, preflight
from pabal.apps.rendering.model.compositions import place_in
from pabal.apps.rendering.model.renders import SLOTS as SLOTS_CHANGED
from pabal.apps.rendering.model.renders import uid_of
from pabal.apps.rendering.samples import sample_compositions, sample_gfx
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.simulator.films import Film, make_film
from pabal.apps.rendering.simulator.options import LocalFolder, NexrenderOptions
from pabal.apps.rendering.simulator.projects import make_project
from pabal.apps.rendering.simulator.server import SimulatedNexrender
from pabal.apps.rendering.startup import RenderingStartup
from pabal.base.clock import elapsed
from pabal.base.database import Database
from pabal.base.settings import read_app_settings
from pabal.engine.loop import Loop
from pabal.platform.services import Services

FILM = Film(filling.WIDTH, filling.HEIGHT, 4.0)
SECONDS = (15.0, 25.0)
# Of the jobs that show a state: one renders for minutes, one is there at once.
LONG, SHORT = 150.0, 3.0
# When the one that encodes goes on, and when the film that was missing comes.
RELEASE_AFTER, FILM_AFTER = 25.0, 40.0
# How often the clock is looked at, and by how much it must be ahead to have been moved.
LOOK, JUMP = 0.5, 5.0
_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)


class ClockWatch:
    """A demo's clock can be moved by hand. The simulated nexrender lives by the machine's, so that an hour's jump would
    look like renders that hang for an hour: it is told that time went by."""

    def __init__(self, database: Database, skip: Callable[[], None]) -> None:
        self._database, self._skip = database, skip
        self._ahead: float | None = None

    async def run_once(self) -> int:
        async with self._database.transaction() as tx:
            ahead = tx.now.timestamp() - elapsed()
        if self._ahead is not None and ahead - self._ahead > JUMP:
            self._skip()
        self._ahead = ahead
        return 0


class DemoFarm:
    """Nothing of it where a real nexrender was named. The slots open when the simulated one is there."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._stack = AsyncExitStack()
        self._places = DemoPlaces.of(services.settings.data_dir)
        self._playing: asyncio.Task[None] | None = None
        self._watching: Loop | None = None
        self._farm: Farm | None = None
        if not read_app_settings(RenderingStartup).nexrender_url:
            self._farm = services.kept[KEPT] = self._places.make_farm()

    async def __aenter__(self) -> Self:
        if self._farm is not None:
            await asyncio.to_thread(_lay_out, self._farm, self._places)
            await filling.ask_again(self._services)
            nexrender = await self._stack.enter_async_context(SimulatedNexrender(self._make_options()))
            await self._misbehave(nexrender)
            await self._open(self._farm, nexrender.url)
            self._playing = asyncio.create_task(self._play(nexrender), name="rendering demo")
            watch = ClockWatch(self._services.database, nexrender.workers.skip)
            self._watching = Loop("rendering.demo_clock", watch.run_once, idle=LOOK)
            self._watching.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._watching is not None:
            await self._watching.stop()
        if self._playing is not None:
            self._playing.cancel()
            await asyncio.gather(self._playing, return_exceptions=True)
        await self._stack.aclose()

    def _make_options(self) -> NexrenderOptions:
        names = {one.id: one.name for one in sample_compositions().compositions}
        seconds = {names[filling.RENDERING]: LONG, names[filling.ENCODING]: SHORT, names[filling.UPLOADING]: SHORT}
        folder = LocalFolder(OUTPUT, self._places.output)
        return NexrenderOptions(
            workers=SLOTS, seconds=SECONDS, composition_seconds=seconds, folders=(folder,), film=FILM
        )

    async def _misbehave(self, nexrender: SimulatedNexrender) -> None:
        """Once for each job that is to be seen on its way."""
        async with self._services.database.transaction() as tx:
            found = {one: await filling.find_open(tx, one) for one in filling.HELD}
        for composition_id, render_id in found.items():
            if render_id is None:
                continue
            uid = uid_of(render_id, 1)
            match composition_id:
                case filling.PREPARING:
                    nexrender.faults.add(Fault(FaultKind.NO_ANSWER, match=f"GET /api/v1/jobs/{uid}"))
                case filling.ENCODING:
                    nexrender.faults.add(Fault(FaultKind.HANG, 100, match=uid))
                case filling.UPLOADING:
                    nexrender.faults.add(Fault(FaultKind.NO_FILE, match=uid))

    async def _open(self, farm: Farm, url: str) -> None:
        live = self._places.make_farm(url)
        await farm.client.close()
        farm.startup, farm.client, farm.workers = live.startup, live.client, live.workers
        async with self._services.database.transaction() as tx:
            tx.hint(SLOTS_CHANGED)

    async def _play(self, nexrender: SimulatedNexrender) -> None:
        await self._make_films()
        await asyncio.sleep(RELEASE_AFTER)
        nexrender.workers.release()
        await asyncio.sleep(FILM_AFTER - RELEASE_AFTER)
        await self._bring_film()

    async def _make_films(self) -> None:
        """Of what was completed before the demo began."""
        async with self._services.database.transaction() as tx:
            found = await filling.list_films(tx)
        for one in found:
            if not Path(one.path).exists():
                made = await asyncio.to_thread(_write_film, Path(one.path), one.composition_name, one.uid)
                async with self._services.database.transaction() as tx:
                    await filling.note_film(tx, one.render_id, size=len(made), sha256=sha256(made).hexdigest())

    async def _bring_film(self) -> None:
        async with self._services.database.transaction() as tx:
            render_id = await filling.find_open(tx, filling.UPLOADING)
        if render_id is not None:
            path = self._places.output / f"job_{render_id}_a1.mp4"
            name = next(one.name for one in sample_compositions().compositions if one.id == filling.UPLOADING)
            await asyncio.to_thread(_write_film, path, name, uid_of(render_id, 1))


def _write_film(path: Path, composition: str, uid: str) -> bytes:
    made = make_film(FILM, composition=composition, uid=uid)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(made)
    return made


def _lay_out(farm: Farm, places: DemoPlaces) -> None:
    """Templates and pictures that are there, so that any sample can be rendered. Nobody renders from them."""
    places.make()
    samples = sample_compositions()
    names: dict[str, list[str]] = defaultdict(list)
    for one in samples.compositions:
        placed = place_in(one, TEMPLATES)
        names[placed.template_src].append(one.name)
        fields = [each for each in samples.mappings if each.composition_id == one.id]
        assigned = mapping.assign(gfx.parse(sample_gfx(one.id)), placed, fields)
        for path in preflight.pictures_of(assigned):
            _put(farm, path, _PIXEL)
    for path, held in names.items():
        _put(farm, path, make_project(held))


def _put(farm: Farm, path: str, content: bytes) -> None:
    """What is there already as it should be stays: a file that is written again is another input."""
    try:
        place = Path(farm.paths.to_server(path))
    except PathNotMapped:
        return
    if not place.exists() or place.read_bytes() != content:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
