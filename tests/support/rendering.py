"""What tests of rendering share: a simulated nexrender, folders of a worker and a NAS, a composition, and slots."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions import compositions as composition_actions
from pabal.apps.rendering.actions import renders as verbs
from pabal.apps.rendering.actions.releasing import recover_lost_servers
from pabal.apps.rendering.actions.requesting import RenderRequest, Requested, request_many
from pabal.apps.rendering.farm import KEPT, Farm, make_farm
from pabal.apps.rendering.jobs.rendering import make_kinds
from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.apps.rendering.model.renders import LogLine, Render
from pabal.apps.rendering.simulator.films import Film
from pabal.apps.rendering.simulator.journal import RenderBegan
from pabal.apps.rendering.simulator.options import LocalFolder, NexrenderOptions
from pabal.apps.rendering.simulator.projects import make_project
from pabal.apps.rendering.simulator.server import SimulatedNexrender
from pabal.apps.rendering.startup import RenderingStartup
from pabal.apps.rendering.store import renders, slots, traces
from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.base.settings import Settings
from pabal.engine import widths, workers
from pabal.engine.claims import Wanted, claim
from pabal.engine.facts import Subscriber
from pabal.engine.kinds import Job, Kinds
from pabal.engine.steps import Attempts
from pabal.platform import settings
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.notifications import Telegram
from pabal.platform.secrets import Vault
from pabal.platform.services import Services
from pabal.platform.settings import Setting
from pabal.platform.settings.model import V
from pabal.platform.storage import Files
from pabal.platform.tenants import Scope
from pabal.testing import Parts, drain
from tests.support.people import Tree, plant
from tests.support.servers import until

HOUSE = Scope(None, None)
FILM = Film(640, 360, seconds=1.0)
COMPOSITION = "mini-chip-count"
KEY = "a key for tests only"
LABELS = frozenset({"render"})


def gfx(name: str = "PHIL IVEY", **more: Any) -> dict[str, Any]:
    return {
        "composition_name": "_MAIN Mini Chip Count",
        "slots": [{"slot_number": 1, "fields": {"name": name, "chips": "1,234,000"}}],
        "single_fields": {"pot": "500,000"},
        **more,
    }


def make_composition(templates: Path) -> Composition:
    return Composition(
        id=COMPOSITION,
        name="_MAIN Mini Chip Count",
        template_src=str(templates / "cyprus.aep"),
        width=FILM.width,
        height=FILM.height,
        text_limits={"name": 40},
    )


MAPPINGS = (
    FieldMapping(COMPOSITION, "Slot 1 - name", "Name 1"),
    FieldMapping(COMPOSITION, "Slot 1 - chips", "Stack 1"),
    FieldMapping(COMPOSITION, "Single - pot", "Pot"),
)


@dataclass
class RenderWorld:
    """`seat` is a worker of the engine that claims by hand; `run` drains the queue as a server would."""

    db: Database
    tree: Tree
    folder: Path
    nexrender: SimulatedNexrender
    services: Services
    farm: Farm
    kinds: Kinds

    @property
    def parts(self) -> Parts:
        lost = Subscriber("rendering.lost_servers", ("server.lost",), recover_lost_servers)
        return Parts(self.db, self.kinds, subscribers=(lost,), labels=LABELS)

    @property
    def nas(self) -> Path:
        return self.farm.nas

    async def ask(self, *names: str, actor: Actor = ENGINE, **given: Any) -> list[Render]:
        """One for each name."""
        wanted = [RenderRequest(COMPOSITION, gfx(name), **given) for name in names or ("PHIL IVEY",)]
        return [one.render for one in await self.request(wanted, actor=actor)]

    async def request(self, wanted: list[RenderRequest], *, actor: Actor = ENGINE) -> list[Requested]:
        async with self.db.transaction() as tx:
            return await request_many(tx, actor, self.services.vault, wanted)

    async def run(self) -> None:
        async with asyncio.timeout(60):
            await drain(self.parts)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """In the background, until the block is left; then it must have come to its end."""
        task = asyncio.create_task(self.run())
        try:
            yield
            async with asyncio.timeout(30):
                await task
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def see(self, render_id: int) -> Render:
        async with self.db.transaction() as tx:
            return await renders.get_render(tx, HOUSE, render_id)

    async def until(self, render_id: int, is_so: Callable[[Render], bool]) -> Render:
        seen: list[Render] = []

        async def is_there() -> bool:
            seen[:] = [await self.see(render_id)]
            return is_so(seen[0])

        await until(is_there)
        return seen[0]

    async def lines(self, render_id: int) -> list[LogLine]:
        async with self.db.transaction() as tx:
            return await traces.list_lines(tx, render_id)

    async def states(self, render_id: int) -> list[str]:
        async with self.db.transaction() as tx:
            return [one.status_to.value for one in await traces.list_changes(tx, render_id)]

    async def cancel(self, render_id: int) -> Render:
        return await self.act(lambda tx: verbs.cancel(tx, ENGINE, render_id))

    async def act(self, action: Callable[[Tx], Awaitable[V]]) -> V:
        async with self.db.transaction() as tx:
            return await action(tx)

    async def set(self, setting: Setting[V], to: V) -> None:
        async with self.db.transaction() as tx:
            await settings.change(tx, ENGINE, setting, to)

    async def pass_time(self, by: timedelta) -> None:
        await clock.advance(self.db, by)

    async def hurry(self, render_id: int) -> None:
        """Until it is over, the clock goes on at each look, so that nobody waits out a rest that began late."""

        async def is_over() -> bool:
            await self.pass_time(timedelta(seconds=1))
            return not (await self.see(render_id)).is_open

        await until(is_over)

    async def let_go(self, renders: int = 1) -> None:
        """Once so many hang: whoever is let go before it hangs would hang for ever."""
        pool = self.nexrender.workers
        await self.nexrender.journal.until(lambda: pool.hanging >= renders)
        pool.release()

    def begun(self) -> list[str]:
        """uids in the order in which the simulator began to render them."""
        return [one.uid for one in self.nexrender.journal.entries if isinstance(one, RenderBegan)]

    async def claim(self) -> tuple[int, Job]:
        """A life of the engine and the one job it took, as a server has it that then dies."""
        async with self.db.transaction() as tx:
            worker = await workers.insert_worker(tx, host="test", meta={})
            wanted = [Wanted("rendering.render", priority) for priority in range(4)]
            [(job, _, _)] = await claim(tx, worker, wanted, total=1)
        return worker, job

    async def perform(self, worker: int, job: Job) -> None:
        await Attempts(self.db, self.kinds).perform(worker, job)


async def open_slots(db: Database, farm: Farm, *, server: int = 1) -> None:
    async with db.transaction() as tx:
        for slot_id, number in farm.slots.items():
            await slots.open_slot(
                tx,
                slot_id,
                worker_id=str(farm.workers[0].id),
                number=number,
                name=farm.slot_name(slot_id),
                host="test",
                server=server,
                nexrender_url=farm.startup.nexrender_url,
            )


def make_startup(folder: Path, url: str, **given: Any) -> RenderingStartup:
    return RenderingStartup(
        PABAL_RENDERING_NEXRENDER_URL=url,
        PABAL_RENDERING_WORKER_ID="test-worker",
        PABAL_RENDERING_NAS_MOUNT_PATH=str(folder / "nas"),
        PABAL_RENDERING_AEP_TEMPLATE_DIR=str(folder / "templates"),
        **{"output_dir": "D:/output", "paths": f"output = {folder}/output | D:/output", **given},
    )


@asynccontextmanager
async def make_world(db: Database, folder: Path, *, slot_count: int = 1, **options: Any) -> AsyncIterator[RenderWorld]:
    for name in ("nas", "templates", "output"):
        (folder / name).mkdir()
    (folder / "templates" / "cyprus.aep").write_bytes(make_project(["_MAIN Mini Chip Count"]))
    given = {"seconds": (0.2, 0.2), "steps": 4, "film": FILM, "workers": slot_count, **options}
    folders = (LocalFolder("d:/output", folder / "output"),)
    async with SimulatedNexrender(NexrenderOptions(folders=folders, **given)) as nexrender:
        services, farm = make_server(db, folder, nexrender.url, slot_count=slot_count)
        world = RenderWorld(db, await plant(db), folder, nexrender, services, farm, make_kinds(services))
        await open_slots(db, farm)
        await widths.declare_all(db, world.kinds.widths)
        await world.set(own.FOLLOW_EVERY, timedelta(milliseconds=100))
        async with db.transaction() as tx:
            await composition_actions.put_composition(tx, ENGINE, make_composition(folder / "templates"), MAPPINGS)
        try:
            yield world
        finally:
            await farm.client.close()


def make_server(db: Database, folder: Path, url: str, *, slot_count: int = 1) -> tuple[Services, Farm]:
    """A server with these slots, which looks at the clock often."""
    services = make_services(db, folder)
    farm = make_farm(make_startup(folder, url, slots=slot_count))
    farm.tick, farm.room = 0.02, slot_count
    services.kept[KEPT] = farm
    return services, farm


def make_services(db: Database, folder: Path) -> Services:
    telegram = Telegram("http://127.0.0.1:9")
    return Services(Settings(), db, db, Vault(KEY), Files(folder / "files"), telegram, changes=db, identity=db)


def make_actor(unit_id: int, role: Role = Role.OPERATOR) -> Actor:
    return Actor("user:1", unit_id, role, label="kim")


def first_slot(world: RenderWorld) -> UUID:
    return next(iter(world.farm.slots))
