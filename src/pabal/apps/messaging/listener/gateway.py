"""The app's edge for bots: the server they call, whoever decides about them, and the loops that keep the two true."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions.bots import bring_back_once
from pabal.apps.messaging.listener.keeper import DatabaseKeeper, Seeing
from pabal.apps.messaging.listener.routes import Connected, Routes
from pabal.apps.messaging.listener.server import BotServer, Limits
from pabal.apps.messaging.listener.switchboard import ClientInfo
from pabal.apps.messaging.model.bots import TOPIC
from pabal.apps.messaging.store import connected
from pabal.apps.messaging.store.connected import Heard, ServerLoad
from pabal.base.clock import elapsed
from pabal.base.database import ConnectionFailure, Database, DatabaseError, Tx
from pabal.base.errors import PabalError
from pabal.base.telemetry import declare, emit
from pabal.engine.life import Life
from pabal.engine.loop import Loop
from pabal.platform import settings
from pabal.platform.services import Services

LOOK_SECONDS = 3.0
HURRY_SECONDS = 0.2
SEEN_SECONDS = 3.0
REPORT_SECONDS = 5.0
BRING_BACK_SECONDS = 10.0
_LIMITS = (
    own.MAX_BOTS,
    own.MAX_MEMORY_MB,
    own.MAX_CPU_PERCENT,
    own.MAX_STRANGERS,
    own.MAX_STRANGERS_PER_ADDRESS,
    own.PING_TIMEOUT,
)

declare("rooms.lost", "Messages not counted: the database was away when the server stopped", level=30)


def make_gateways(services: Services, life: Life) -> "list[BotGateway]":
    return [BotGateway(services, life)]


class BotGateway:
    """`loops` are the server's to run: they hear hints, are watched, and stop before what runs is stopped."""

    def __init__(self, services: Services, life: Life, *, now: Callable[[], float] = elapsed) -> None:
        database = services.database
        self._doors = services.connections.doors
        self.routes = Routes(database, services.connections, life)
        self.seeing = Seeing(database)
        self.reporting = Reporting(database, life, self.routes, now=now)
        keeper = DatabaseKeeper(
            database,
            services.vault,
            life,
            routes=self.routes,
            seeing=self.seeing,
            is_approved=self.reporting.is_approved,
        )
        self.server = BotServer(
            keeper,
            host=services.settings.bots_host,
            port=services.settings.bots_port,
            limits=lambda: self.reporting.limits,
            now=now,
        )
        rest = partial(_rest, life, self.routes)
        looking = Loop("messaging.routes", self.routes.run_once, idle=rest, wake_on=[TOPIC, "signals"])
        self.routes.wake = looking.wake
        self.loops = [
            looking,
            Loop("messaging.seen", self.seeing.write_once, idle=SEEN_SECONDS),
            Loop("messaging.report", partial(self.reporting.report_once, self.server), idle=REPORT_SECONDS),
            Loop("messaging.bring_back", partial(bring_back_once, database), idle=BRING_BACK_SECONDS, wake_on=[TOPIC]),
        ]

    @property
    def port(self) -> int:
        return self.server.port

    async def start(self) -> None:
        await self.reporting.read_limits_once()
        await self.server.start()
        self._doors["bots"] = (self.server.host, self.server.port)

    def refuse_new(self) -> None:
        self.server.refuse_new()

    async def close(self) -> None:
        """What was heard last is written too."""
        await self.server.close()
        try:
            await self.seeing.write_once()
        except (PabalError, DatabaseError, *ConnectionFailure) as error:
            emit("rooms.lost", error=repr(error))


def _rest(life: Life, routes: Routes) -> float:
    """After a lapse every route waits for the new life; while it drains, bots wait for the last of their work."""
    is_pressed = life.worker == 0 or life.is_draining
    return HURRY_SECONDS if is_pressed and routes.devices else LOOK_SECONDS


class Reporting:
    """What this server of bots says of itself every few seconds: its load, and what its devices said last."""

    def __init__(self, database: Database, life: Life, routes: Routes, now: Callable[[], float] = elapsed) -> None:
        self._database = database
        self._life = life
        self._routes = routes
        self._now = now
        # device -> the ping written last, whether it was signed, and the newest signed moment
        self._written: dict[int, tuple[float, str, int]] = {}
        self.limits = Limits()
        # (bot, device): who is let in first when room is short
        self._approved: frozenset[tuple[str, str]] = frozenset()

    def is_approved(self, bot_name: str, device_id: str) -> bool:
        """As it was a few seconds ago."""
        return (bot_name, device_id) in self._approved

    async def read_limits_once(self) -> int:
        """The settings as they are now, and who is approved: the same on every server."""
        async with self._database.transaction() as tx:
            values = await settings.values(tx, _LIMITS)
            self._approved = await connected.list_approved(tx)
        self.limits = Limits(
            active_bots=values[own.MAX_BOTS],
            memory_mb=values[own.MAX_MEMORY_MB],
            cpu_percent=values[own.MAX_CPU_PERCENT],
            strangers=values[own.MAX_STRANGERS],
            strangers_of_address=values[own.MAX_STRANGERS_PER_ADDRESS],
            ping_timeout=values[own.PING_TIMEOUT].total_seconds(),
        )
        return 0

    async def report_once(self, server: BotServer) -> int:
        """The step of the loop `messaging.report`."""
        await self.read_limits_once()
        worker = self._life.worker
        if worker == 0:
            return 0
        clients = self._clients(server)
        pings = {device.device: (client.last_ping, device.signature, device.signed_ms) for device, client in clients}
        heard = [
            self._heard(device, client)
            for device, client in clients
            if self._written.get(device.device) != pings[device.device]
        ]
        async with self._database.transaction() as tx:
            await self._write(tx, server, heard, worker)
        self._written = pings
        return 0

    async def _write(self, tx: Tx, server: BotServer, heard: list[Heard], worker: int) -> None:
        load = server.load()
        said = ServerLoad(
            host=self._life.host,
            port=server.port,
            active_bots=load.active_bots,
            total_connections=load.total_connections,
            memory_mb=load.memory_mb,
            cpu_percent=load.cpu_percent,
            refused=server.refused,
        )
        await connected.upsert_server(tx, said, worker=worker)
        await connected.delete_dead_servers(tx)
        await connected.forget_gone(tx, worker=worker, here={device.device for device in self._list_here()})
        if heard:
            await connected.update_heard(tx, heard, worker=worker)

    def _list_here(self) -> list[Connected]:
        """Of one that asks from a new address nothing is written: it may be somebody else."""
        return [device for device in self._routes.devices if not device.is_asking]

    def _clients(self, server: BotServer) -> list[tuple[Connected, ClientInfo]]:
        found = [(device, server.clients.find_client(device.connection.address)) for device in self._list_here()]
        return [(device, client) for device, client in found if client is not None]

    def _heard(self, device: Connected, client: ClientInfo) -> Heard:
        age = timedelta(seconds=max(0.0, self._now() - client.last_ping))
        return Heard(device.device, age, client.monitoring, device.signature, device.signed_ms)
