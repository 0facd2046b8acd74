"""A whole web server on a real socket, an organisation, people of every role, and clients who are one of them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import httpcore2
import httpx2
import pytest
from fastapi import APIRouter, FastAPI
from fastapi.routing import RouteContext, iter_route_contexts
from starlette.routing import BaseRoute

from pabal import api, console, main, serving
from pabal import web as whole_web
from pabal.base.database import Database
from pabal.base.migrations import Migration, migrate
from pabal.base.settings import Settings
from pabal.main import App
from pabal.platform import auth
from pabal.platform.actor import ENGINE, EVERYTHING, Role
from pabal.platform.auth import Caller, NewToken, NewUser, User
from pabal.platform.tenants import Unit
from pabal.platform.web import methods, openapi
from pabal.platform.web.identify import CSRF_HEADER, SESSION_COOKIE
from pabal.platform.web.turns import Shares, Turns
from pabal.web import make_web
from tests.support.database import list_loaded
from tests.support.people import Tree, plant

SECRET = "a secret for tests only"
# loops that measure, judge and clean up: most of what a server does in the second a test takes
KEEPING_HOUSE = frozenset(
    {
        "samples",
        "samples of this host",
        "alerts",
        "old samples",
        "housekeeping",
        "files",
        "people",
        "notifications",
        "events",
        "answers",
        "workflows.clean_up",
    }
)
_included: dict[int, Any] = {}
_assets: dict[tuple[tuple[str, Path], ...], APIRouter] = {}


@dataclass
class Web:
    """`as_("haeundae", Role.VIEWER)` is a client who is that: by a token, or by a session with its CSRF token."""

    url: str
    site: FastAPI
    app: App
    db: Database
    tree: Tree
    _clients: AsyncExitStack = field(default_factory=AsyncExitStack)
    _people: dict[tuple[str, Role], User] = field(default_factory=dict)

    async def as_(
        self,
        unit: str = "hq",
        role: Role = Role.ADMIN,
        *,
        by: Literal["token", "session"] = "token",
        scopes: tuple[str, ...] = (EVERYTHING,),
        **headers: str,
    ) -> httpx2.AsyncClient:
        if by == "session":
            return await self._with_session(unit, role, headers)
        secret = await self.make_token(unit, role, scopes)
        return await self.client({"Authorization": f"Bearer {secret}", "Accept-Language": "en", **headers})

    async def anybody(self) -> httpx2.AsyncClient:
        """Nobody we know."""
        return await self.client({"Accept-Language": "en"})

    async def client(self, headers: dict[str, str]) -> httpx2.AsyncClient:
        made = httpx2.AsyncClient(base_url=self.url, headers=headers, timeout=30, trust_env=False)
        return await self._clients.enter_async_context(made)

    async def make_token(self, unit: str, role: Role = Role.ADMIN, scopes: tuple[str, ...] = (EVERYTHING,)) -> str:
        async with self.db.transaction() as tx:
            new = NewToken(f"{unit} {role}", self.unit(unit).id, role, scopes, tx.now + timedelta(days=30))
            return (await auth.make_token(tx, ENGINE, new)).secret

    async def person(self, unit: str, role: Role) -> User:
        """Made when first asked for."""
        if (unit, role) not in self._people:
            async with self.db.transaction() as tx:
                new = NewUser(f"{unit}.{role}", f"{unit} {role}", self.unit(unit).id, role)
                self._people[unit, role] = await auth.add_user(tx, ENGINE, new)
        return self._people[unit, role]

    async def sign_in(self, unit: str, role: Role) -> str:
        """The key of a new session, as it stands in the cookie."""
        person = await self.person(unit, role)
        async with self.db.transaction() as tx:
            link = await auth.issue_link(tx, ENGINE, person.id)
            return (await auth.use_link(tx, link.secret, Caller("127.0.0.1", "tests"))).key

    def unit(self, name: str) -> Unit:
        found: Unit = getattr(self.tree, name)
        return found

    async def close(self) -> None:
        await self._clients.aclose()

    async def _with_session(self, unit: str, role: Role, headers: dict[str, str]) -> httpx2.AsyncClient:
        key = await self.sign_in(unit, role)
        given = {CSRF_HEADER: auth.csrf_of(key), "Accept-Language": "en", **headers}
        made = await self.client(given)
        made.cookies.set(SESSION_COOKIE, key, domain="127.0.0.1")
        return made


class QuickServer(serving.WebServer):
    """Waits for nobody long. How the real one stops is shown by tests/test_serving.py and tests/test_main.py."""

    def __init__(self, site: FastAPI) -> None:
        super().__init__(site, serving.listen("127.0.0.1", 0))
        self.config.timeout_graceful_shutdown = 1


@pytest.fixture(autouse=True, scope="session")
def _one_tls_context() -> Iterator[None]:
    """Every client reads all authorities of this machine when it is made, 40 ms; ours speak no TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(httpcore2, "default_ssl_context", cache(httpcore2.default_ssl_context))
        yield


@pytest.fixture(autouse=True, scope="session")
def _routers_are_included_once() -> Iterator[None]:
    """FastAPI looks at every route of a router again for each site that includes it, 10 ms."""
    include = FastAPI.include_router

    def include_or_share(site: FastAPI, router: APIRouter, **given: Any) -> None:
        if id(router) in _included and not given:
            site.router.routes.append(_included[id(router)])
        else:
            include(site, router, **given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(FastAPI, "include_router", include_or_share)
        yield


@pytest.fixture(autouse=True, scope="session")
def _assets_are_listed_once() -> Iterator[None]:
    """The files of a slice stay as they are."""
    make = whole_web.make_assets

    def make_or_share(folders: Mapping[str, Path]) -> APIRouter:
        key = tuple(sorted(folders.items()))
        if key not in _assets:
            _assets[key] = make(folders)
        return _assets[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(whole_web, "make_assets", make_or_share)
        yield


@pytest.fixture(autouse=True, scope="session")
def _addresses_are_gathered_once() -> Iterator[None]:
    """Shared routers have the same ones at every site, and the first request to each site goes through all of them."""
    known: dict[int, list[RouteContext]] = {}

    def walk(routes: Sequence[BaseRoute]) -> Iterator[RouteContext]:
        shared = {id(one) for one in _included.values()}
        for route in routes:
            if id(route) not in shared:
                yield from iter_route_contexts([route])
                continue
            if id(route) not in known:
                known[id(route)] = list(iter_route_contexts([route]))
            yield from known[id(route)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(methods, "iter_route_contexts", walk)
        yield


@pytest.fixture(autouse=True, scope="session")
def _descriptions_are_made_once() -> Iterator[None]:
    """Sites of the same routes have the same description, which takes more than a second."""
    make_schema, made = openapi.make_schema, dict[tuple[Any, ...], str]()

    def make_or_copy(site: FastAPI) -> Any:
        # health and assets are each site's own, and not described
        ours = [one for one in iter_route_contexts(site.routes) if (one.path or "").startswith("/api/")]
        routes = tuple((one.path, one.endpoint, tuple(sorted(one.methods or ()))) for one in ours)
        if routes not in made:
            made[routes] = json.dumps(make_schema(site))
        return json.loads(made[routes])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(openapi, "make_schema", make_or_copy)
        yield


@pytest.fixture
def web_settings(db: Database, tmp_path: Path) -> Settings:
    """A test module may say otherwise."""
    return Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="", secret_key=SECRET)


@pytest.fixture
def web_has_loops() -> bool:
    """Whether the server beats, listens, measures and cleans up: 0.1 s of work for every test. Modules whose tests do
    more than ask and be answered say yes."""
    return False


@pytest.fixture
def web_is_demo() -> bool:
    """Whether the server was started with --demo."""
    return False


@pytest.fixture
async def web(db: Database, web_settings: Settings, web_has_loops: bool, web_is_demo: bool) -> AsyncIterator[Web]:
    async with open_web(db, web_settings, has_loops=web_has_loops, is_demo=web_is_demo) as opened:
        yield opened


@asynccontextmanager
async def open_web(
    db: Database,
    settings: Settings,
    *,
    has_loops: bool = True,
    keeps_house: bool = True,
    is_demo: bool = False,
    tree: Tree | None = None,
    roles: frozenset[str] = frozenset({"web"}),
) -> AsyncIterator[Web]:
    """`tree`: the organisation is there already, because this is a second server. `keeps_house`: of its loops those of
    KEEPING_HOUSE run, too."""
    # before the demo, which makes room for units that are there already
    tree = tree or await plant(db)
    with pytest.MonkeyPatch.context() as patch:
        if not has_loops:
            # connections that wait for bursts cost PostgreSQL more than most tests ask of it
            patch.setattr(main, "POOL_LEAST", 0)
        # the template has both, and to find that out costs a connection of its own; tests/test_main.py starts in full
        patch.setattr(main, "migrate", _migrate_what_no_template_has)
        patch.setattr(main.housekeeping, "make_partitions", _make_none)
        app = await main.build(settings, roles, is_demo=is_demo)
    site = make_web(app, app.site)
    # tests ask as strangers more often in a second than an office does in an hour
    site.state.turns = Turns(Shares(guest_burst=1_000_000))
    share_routers(site, app)
    server = QuickServer(site)
    if not keeps_house:
        app.server._loops = [loop for loop in app.server._loops if loop.name not in KEEPING_HOUSE]
    if has_loops:
        await app.start()
    running = asyncio.create_task(server.run_until_stopped())
    await server.wait_until_started()
    made = Web(server.url, site, app, db, tree)
    yield made
    await made.close()
    await server.stop()
    await running
    await app.stop()


async def _migrate_what_no_template_has(database: Database, migrations: list[Migration]) -> list[Migration]:
    is_there = {(one.owner, one.number) for one in migrations} <= _in_template()
    return [] if is_there else await migrate(database, migrations)


@cache
def _in_template() -> frozenset[tuple[str, int]]:
    return frozenset((one.owner, one.number) for one in list_loaded())


async def _make_none(_: Database) -> int:
    return 0


def share_routers(site: FastAPI, app: App) -> None:
    """FastAPI works out the parameters of every endpoint at a site's first request, 200 ms; those of routers that are
    the same for every site need that once. Health, middleware and state are each site's own."""
    modules = [import_module(name) for one in app.slices for name in (one.api, one.pages) if name]
    common = [api.router, console.router, openapi.router, *_assets.values(), *(module.router for module in modules)]
    for place, route in enumerate(site.router.routes):
        router = getattr(route, "original_router", None)
        if any(router is one for one in common):
            site.router.routes[place] = _included.setdefault(id(router), route)


async def until(is_so: Callable[[], bool], *, seconds: float = 30) -> None:
    """Waits for a condition, 30 seconds at most."""
    async with asyncio.timeout(seconds):
        while not is_so():
            await asyncio.sleep(0.002)
