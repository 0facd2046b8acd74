"""The app's edge for bots: the server they call, whoever decides about them, and the loops that keep the two true."""

from collections.abc import Callable
from functools import partial

from pabal.apps.messaging.actions.bots import bring_back_once
from pabal.apps.messaging.listener.keeper import DatabaseKeeper, Seeing
from pabal.apps.messaging.listener.reporting import Reporting
from pabal.apps.messaging.listener.routes import Routes
from pabal.apps.messaging.listener.server import BotServer
from pabal.apps.messaging.model.bots import TOPIC
from pabal.base.clock import elapsed
from pabal.base.database import ConnectionFailure, DatabaseError
from pabal.base.errors import PabalError
from pabal.base.telemetry import declare, emit
from pabal.engine.life import Life
from pabal.engine.loop import Loop
from pabal.platform.services import Services

LOOK_SECONDS = 3.0
HURRY_SECONDS = 0.2
SEEN_SECONDS = 3.0
REPORT_SECONDS = 5.0
BRING_BACK_SECONDS = 10.0

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
