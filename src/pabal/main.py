"""The only place that builds things: database, slices, engine and web become one running server."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pabal import composing
from pabal.base import clock, embedded, garbage, open_files
from pabal.base.database import ConnectionFailure, Database, DatabaseError
from pabal.base.embedded import Cluster
from pabal.base.errors import PabalError, Unavailable
from pabal.base.migrations import Comparison, Migration, compare, migrate
from pabal.base.pages import open_pages
from pabal.base.pools import Purpose
from pabal.base.settings import Settings, parse_networks, split_list
from pabal.base.telemetry import declare, emit
from pabal.demo import SLICE as DEMO
from pabal.engine import housekeeping, travel
from pabal.engine.loop import Loop, LoopState
from pabal.engine.server import Server
from pabal.platform import auth, demo, tenants
from pabal.platform.notifications import Mailer, Telegram, Webhooks, read_server
from pabal.platform.notifications.gateway import URL as TELEGRAM
from pabal.platform.platform_slice import platform_slice
from pabal.platform.secrets import find_vault
from pabal.platform.services import Services
from pabal.platform.slice import Gateway, Slice, check_slices, list_migrations, list_steps, load_slices
from pabal.platform.storage import open_files_of

if TYPE_CHECKING:
    from pabal.platform.web.site import Site
    from pabal.serving import WebServer

CLOSE_SECONDS = 10
# nobody else wants to find the demo's consumers in a list
DEMO_AT_REST = replace(DEMO, consumers=())
CHECK_SECONDS = 2
PAGES_SIZE = 10
CHANGES_SIZE = 10
IDENTITY_SIZE = 6
POOL_LEAST = 5

declare("main.open_files_allowed", "Starts of a server, with how many files it may have open; each bot is one")
declare("main.settled", "Starts of a server, with how many objects its garbage collection leaves out")
declare("main.stop_failed", "Servers that could not say goodbye; others rescue what they held", level=30)


class WebStopped(Unavailable, code="web_stopped"):
    """The web server ended without being asked to. The log says why."""


@dataclass
class App:
    """One server: built, not started."""

    settings: Settings
    roles: frozenset[str]
    slices: tuple[Slice, ...]
    cluster: Cluster | None
    services: Services
    pulse: Database
    server: Server
    migrations: list[Migration] = field(repr=False)
    is_demo: bool = False
    simulators: list[AbstractAsyncContextManager[object]] = field(default_factory=list)
    gateways: list[Gateway] = field(default_factory=list)
    is_stopping: bool = False
    _simulating: AsyncExitStack = field(default_factory=AsyncExitStack, repr=False)

    @property
    def database(self) -> Database:
        return self.services.database

    @cached_property
    def site(self) -> "Site":
        from pabal.console import TEMPLATES
        from pabal.platform.web.site import Site

        return Site(
            self.services,
            self.slices,
            self.server.wakeups,
            self.server.kinds,
            folders=(TEMPLATES,),
            is_demo=self.is_demo,
        )

    async def start(self) -> None:
        emit("main.open_files_allowed", most=open_files.allow())
        await self.server.start()
        self.server.wakeups.attach(self.services.changes, self.services.identity)
        for gateway in self.gateways:
            await gateway.start()
        for simulator in self.simulators:
            await self._simulating.enter_async_context(simulator)

    async def stop(self) -> None:
        """Goes on to the end also when the database is gone: what this server held is rescued by others."""
        self.is_stopping = True
        for gateway in self.gateways:
            gateway.refuse_new()
        await _say_goodbye(self.server.stop())
        for gateway in self.gateways:
            await _say_goodbye(gateway.close())
        await self._simulating.aclose()
        await self.services.telegram.close()
        await self.services.webhooks.close()
        services = self.services
        for each in (self.pulse, services.identity, services.pages, services.changes, services.database):
            await _close(each)

    async def make_sign_in_link(self) -> str | None:
        """The path of a one-time link while nobody has a password yet; a demo has one at every start."""
        async with self.database.transaction() as tx:
            link = await auth.first_link(tx)
            secret = await demo.make_link(tx) if self.is_demo else link and link.secret
        return f"/sign-in/link/{secret}" if secret else None

    @property
    def pools(self) -> dict[str, Database]:
        """What requests need a connection of."""
        return {"pages": self.services.pages, "changes": self.services.changes, "identity": self.services.identity}

    def loop_states(self) -> list[LoopState]:
        return self.server.loop_states()

    async def compare_migrations(self) -> Comparison:
        """Raises when the database does not answer in time."""
        async with asyncio.timeout(CHECK_SECONDS):
            return await compare(self.pulse, self.migrations)


async def build(settings: Settings, roles: frozenset[str], *, is_demo: bool = False) -> App:
    """Finds or starts the database, brings its schema up to date, and composes the loops of these roles.

    A demo has an organisation and an example to look at, and a clock that can be moved by hand.
    """
    if is_demo and settings.is_production:
        raise demo.DemoRefused
    apps = load_slices(split_list(settings.apps), also=(DEMO if is_demo else DEMO_AT_REST,))
    migrations = list_migrations(apps)
    slices = (*apps, platform_slice(apps, migrations))
    check_slices(slices)
    url, cluster = await _find_database(settings)
    async with AsyncExitStack() as on_failure:
        pulse = await Database.open(url, size=2)
        on_failure.push_async_callback(pulse.close)
        await migrate(pulse, migrations)
        if is_demo:
            await clock.make_movable(pulse)
        await housekeeping.make_partitions(pulse)
        await _start_slices(pulse, slices)
        simulators: list[AbstractAsyncContextManager[object]] = []
        if is_demo and settings.telegram_url == TELEGRAM:
            settings = _simulate_telegram(settings, simulators)
        services = replace(await _open_services(settings, pulse, on_failure), steps=tuple(list_steps(slices)))
        if is_demo:
            await demo.load(services, slices)
            simulators += [each for one in slices if one.simulators is not None for each in one.simulators(services)]
        server = composing.build_server(settings, roles, slices, services=services, pulse=pulse)
        server.add_loops(_own_loops(settings, services, cluster, is_demo=is_demo))
        gateways = composing.open_gateways(roles, slices, services, server)
        server.add_loops([loop for gateway in gateways for loop in gateway.loops])
        on_failure.pop_all()
    return App(settings, roles, slices, cluster, services, pulse, server, migrations, is_demo, simulators, gateways)


def _own_loops(settings: Settings, services: Services, cluster: Cluster | None, *, is_demo: bool) -> list[Loop]:
    """Of a server with a database of its own, and of one whose clock can be moved."""
    loops = []
    if is_demo:
        trips = travel.Travel(services.database)
        loops.append(Loop("travel", trips.run_once, idle=trips.rest_seconds))
    if cluster is not None:
        loops.append(Loop("embedded", embedded.Keeper(settings.postgres_dir).run_once, idle=2.0))
    return loops


async def serve(app: App, on_ready: Callable[[str | None], None]) -> None:
    """Runs until SIGTERM or SIGINT; `on_ready` gets the address of the web server, if this server has that role."""
    stop = _stop_on_signals()
    site: WebServer | None = None
    try:
        if "web" in app.roles:
            site = _make_web_server(app)
        await app.start()
        waiting: list[asyncio.Task[Any]] = [asyncio.create_task(stop.wait())]
        if site is not None:
            waiting.append(asyncio.create_task(site.run_until_stopped()))
            await site.wait_until_started()
        emit("main.settled", objects=garbage.settle(asyncio.get_running_loop()))
        on_ready(None if site is None else site.url)
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not stop.is_set():
            raise WebStopped(site.url if site else "")
    finally:
        app.is_stopping = True
        if site is not None:
            await site.stop()
        await app.stop()


def _make_web_server(app: App) -> "WebServer":
    from pabal import serving, web
    from pabal.protocol import ConnectionLimits

    listening = serving.listen(app.settings.host, app.settings.port)
    app.services.connections.doors["web"] = listening.getsockname()[:2]
    settings = app.settings
    limits = ConnectionLimits(settings.web_connections, settings.web_connections_per_address)
    site = web.make_web(app, app.site)
    return serving.WebServer(site, listening, trusted_proxies=settings.trusted_proxies, limits=limits)


async def _find_database(settings: Settings) -> tuple[str, Cluster | None]:
    if settings.database_url is not None:
        return settings.database_url, None
    cluster = await embedded.ensure(settings.postgres_dir)
    return cluster.url(), cluster


def _simulate_telegram(settings: Settings, simulators: list[AbstractAsyncContextManager[object]]) -> Settings:
    """A demo sends nothing to strangers."""
    from pabal.platform.notifications.simulator import Simulator

    telegram = Simulator()
    simulators.append(telegram)
    return settings.model_copy(update={"telegram_url": telegram.url})


async def _open_services(settings: Settings, pulse: Database, on_failure: AsyncExitStack) -> Services:
    async def open_pool(purpose: Purpose, size: int, least: int = 0) -> Database:
        opened = await pulse.open_beside(purpose, size=size, least=least)
        on_failure.push_async_callback(opened.close)
        return opened

    database = await open_pool(Purpose.ENGINE, settings.pool_size, min(POOL_LEAST, settings.pool_size))
    pages = await open_pages(database, settings.pages_url, size=PAGES_SIZE)
    on_failure.push_async_callback(pages.close)
    changes = await open_pool(Purpose.CHANGES, CHANGES_SIZE)
    identity = await open_pool(Purpose.IDENTITY, IDENTITY_SIZE)
    telegram = Telegram(settings.telegram_url)
    on_failure.push_async_callback(telegram.close)
    webhooks = Webhooks(parse_networks(settings.webhook_networks))
    on_failure.push_async_callback(webhooks.close)
    return Services(
        settings,
        database,
        pages,
        find_vault(settings),
        open_files_of(settings),
        telegram,
        changes=changes,
        identity=identity,
        webhooks=webhooks,
        mailer=Mailer(read_server(settings.smtp_url, settings.mail_from)),
    )


async def _start_slices(database: Database, slices: tuple[Slice, ...]) -> None:
    async with database.transaction() as tx:
        await tenants.ensure_hq(tx)
    for one in slices:
        if one.on_start is not None:
            async with database.transaction() as tx:
                await one.on_start(tx)


def _stop_on_signals() -> asyncio.Event:
    """The first asks; the second does not wait."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal(number: int) -> None:
        if stop.is_set():
            os._exit(128 + number)
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, on_signal, number)
    return stop


async def _say_goodbye(parting: Awaitable[None]) -> None:
    """Without the database it cannot be said: then others notice by the silence."""
    try:
        await parting
    except (PabalError, DatabaseError, *ConnectionFailure) as error:
        emit("main.stop_failed", error=repr(error))


async def _close(database: Database) -> None:
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await database.close()
    except TimeoutError:
        database.terminate()
