"""A server of bots as a process has it: the engine's loops, the gateway and its own, and a kind that speaks."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.listener.connection import Connection
from pabal.apps.messaging.listener.gateway import BotGateway
from pabal.apps.messaging.model.bots import Bot, Device, route_of
from pabal.apps.messaging.resources.bots import BotFilter
from pabal.apps.messaging.simulator.bot import SimulatedBot
from pabal.apps.messaging.simulator.options import Options as Sim
from pabal.apps.messaging.store import bots
from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.base.settings import Settings
from pabal.engine import queue, routes
from pabal.engine.kinds import Job, Kinds
from pabal.engine.outcome import Done, Outcome, Snooze
from pabal.engine.queue import NewJob
from pabal.engine.routes import Route
from pabal.engine.server import Options, Server
from pabal.platform import settings
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.notifications import Telegram
from pabal.platform.secrets import Vault
from pabal.platform.services import Services
from pabal.platform.storage import Files
from pabal.platform.tenants import Scope
from tests.support.servers import until

SAY = "test.say"
ADMIN = Actor("user:1", None, Role.ADMIN, label="administrator of the house")
SECRET, SALT = "a secret of the phone", "salt"


@dataclass
class House:
    db: Database
    services: Services
    server: Server
    gateway: BotGateway

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.gateway.port

    @property
    def worker(self) -> int:
        return self.server.life.worker

    def find(self, bot_name: str) -> object | None:
        """The live connection that work here would find."""
        return self.services.connections.find(route_of(bot_name))

    async def until_holds(self, bot_name: str) -> Route:
        async def does() -> bool:
            found = await route(self.db, bot_name)
            return found is not None and found.worker == self.worker and self.find(bot_name) is not None

        await until(does)
        found = await route(self.db, bot_name)
        assert found is not None
        return found


@asynccontextmanager
async def open_house(
    db: Database, folder: Path, *, now: Callable[[], float] = elapsed, **handlers: Any
) -> AsyncIterator[House]:
    """With connections of its own to the database, as another process would have. `handlers` are of kinds test.…."""
    database, pulse = await Database.open(db.url, size=10), await Database.open(db.url, size=2)
    given = Settings(database_url=db.url, data_dir=folder, apps="", bots_host="127.0.0.1", bots_port=0)
    telegram = Telegram(given.telegram_url)
    vault = Vault("a key for tests only")
    services = Services(given, database, database, vault, Files(folder), telegram, changes=database, identity=database)
    kinds = Kinds()
    kinds.plain(SAY)(_speaker(services))
    for name, handler in handlers.items():
        kinds.plain(f"test.{name}")(handler)
    server = Server(database, pulse, kinds, Options(folder / "locks", grace=timedelta(0)))
    gateway = BotGateway(services, server.life, now=now)
    # the others' steps are taken by hand
    server.add_loops([loop for loop in gateway.loops if loop.name == "messaging.routes"])
    house = House(db, services, server, gateway)
    await _be_roomy(db)
    await server.start()
    await gateway.start()
    try:
        yield house
    finally:
        gateway.refuse_new()
        if server.life.worker:
            await server.stop()
        await gateway.close()
        await telegram.close()
        database.terminate()
        pulse.terminate()


@pytest.fixture
async def house(db: Database, tmp_path: Path) -> AsyncIterator[House]:
    async with open_house(db, tmp_path) as made:
        yield made


OpenBot = Callable[..., Awaitable[SimulatedBot]]


@pytest.fixture
async def phone() -> AsyncIterator[OpenBot]:
    """`await phone(house, "busan1", device_id="a")` is a phone that has been welcomed there."""
    async with AsyncExitStack() as stack:

        async def call(*houses: House, name: str = "busan1", **options: Any) -> SimulatedBot:
            sim = Sim(**{"pace": 0.01, "device_id": "device of busan1", **options})
            bot = await stack.enter_async_context(SimulatedBot(name, [house.address for house in houses], sim))
            await bot.until(lambda each: each.is_connected)
            return bot

        yield call


def _speaker(services: Services) -> Callable[[Job], Awaitable[Outcome]]:
    async def say(job: Job) -> Outcome:
        line = services.connections.find(job.queue)
        if not isinstance(line, Connection):
            return Snooze(timedelta(milliseconds=50))
        await line.send_text("톡방", "18200001", job.args["text"])
        return Done()

    return say


async def _be_roomy(db: Database) -> None:
    """This process is a test run: what it uses must refuse nobody."""
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, own.MAX_CPU_PERCENT, 10_000)
        await settings.change(tx, ENGINE, own.MAX_MEMORY_MB, 1_000_000)


async def say(house: House, text: str, *, bot_name: str = "busan1", kind: str = SAY) -> int:
    """Work for the bot, enqueued here: done where its route is held, and nowhere else."""
    route = route_of(bot_name)
    async with house.services.database.transaction() as tx:
        return (await queue.enqueue(tx, NewJob(kind, {"text": text}, route=route, lane=route))).id


async def route(db: Database, bot_name: str) -> Route | None:
    async with db.transaction() as tx:
        return await routes.find_route(tx, route_of(bot_name))


async def until_free(db: Database, bot_name: str = "busan1") -> None:
    async def is_free() -> bool:
        return await route(db, bot_name) is None

    await until(is_free)


async def find_bot(db: Database, name: str = "busan1") -> Bot:
    async with db.transaction() as tx:
        [bot] = (await bots.list_bots(tx, Scope(None, None), BotFilter(q=name))).items
    return bot


async def find_device(db: Database, device_id: str = "device of busan1", name: str = "busan1") -> Device:
    [device] = [each for each in (await find_bot(db, name)).devices if each.device_id == device_id]
    return device


async def act(house: House, verb: Callable[..., Awaitable[Any]], *given: Any, **said: Any) -> Any:
    """A verb in a transaction of the house's own, so that every server hears of it at once."""
    async with house.services.database.transaction() as tx:
        return await verb(tx, ADMIN, *given, **said)


async def settle(house: House) -> None:
    """Lets the house look once more: what it was to do about its connections, it has done then."""
    await house.gateway.routes.run_once()
    await asyncio.sleep(0)


async def read(db: Database, query: Callable[[Tx], Awaitable[Any]]) -> Any:
    async with db.transaction() as tx:
        return await query(tx)
