"""What this server of bots says of itself every few seconds: its load, and what its devices said last."""

from collections.abc import Callable
from datetime import timedelta

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.listener.routes import Connected, Routes
from pabal.apps.messaging.listener.server import BotServer, Limits
from pabal.apps.messaging.listener.switchboard import ClientInfo
from pabal.apps.messaging.store import connected
from pabal.apps.messaging.store.connected import Heard, ServerLoad
from pabal.base.clock import elapsed
from pabal.base.database import Database, Tx
from pabal.engine.life import Life
from pabal.platform import settings

_LIMITS = (
    own.MAX_BOTS,
    own.MAX_MEMORY_MB,
    own.MAX_CPU_PERCENT,
    own.MAX_STRANGERS,
    own.MAX_STRANGERS_PER_ADDRESS,
    own.PING_TIMEOUT,
)


class Reporting:
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
