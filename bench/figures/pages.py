"""Lists with a million rows behind them, over HTTP: how much longer than with ten thousand the worst of them takes."""

import asyncio
import statistics
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import asyncpg
import httpx2

from bench.ground import Ground
from bench.result import Measured, Target
from pabal import main, serving
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.settings import Settings
from pabal.base.sql import load
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Role
from pabal.platform.auth import Caller, NewUser
from pabal.platform.schema import MIGRATIONS
from pabal.platform.web.identify import SESSION_COOKIE
from pabal.web import make_web

SQL = load(__file__)
UNITS = 300
# Who looks: at everything, at 299 units below one, at one with fifty rows, at one whose rows are all old.
PEOPLE = {"all": 1, "scope": 2, "rare unit": 300, "old unit": 299}
RARE = {
    "jobs": {"kind": "bench.rare"},
    "occurrences": {"state": "missed"},
    "facts": {"name": "bench.thing_l*"},
    "audit": {"action": "backup.*"},
    "schedules": {"kind": "bench.rare"},
}
Clients = dict[str, httpx2.AsyncClient]
FACES = {"page": "", "api": "/api/v1"}
CURSOR_ROWS = 500
# What nobody notices: a page that answers within this is as good as any.
FLOOR_MS = 10.0


@dataclass(frozen=True)
class Sizes:
    rows: int = 1_000_000
    few: int = 10_000
    times: int = 21


SMALL = Sizes(rows=2_000, few=1_000, times=1)


@dataclass(frozen=True)
class Probe:
    """A list, how it is asked for, by whom, and as what."""

    table: str
    way: str
    person: str
    face: str

    @property
    def name(self) -> str:
        return f"{self.table} {self.way} {self.face}" + (f" {self.person}" if self.person != "all" else "")


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    async with AsyncExitStack() as stack:
        sides = [await stack.enter_async_context(_serve_with(ground, rows)) for rows in (sizes.few, sizes.rows)]
        rounds = await measure_all(*sides, sizes.times)
    worst = max(rounds, key=lambda one: float(one["growth"]))
    missing = sorted({probe.name for probe in _probes()} - {str(one["page"]) for one in rounds})
    notes = [
        f"Growth is p50 with many rows by p50 with few (or {FLOOR_MS:g} ms), asked in turn; "
        f"the worst is {worst['page']}.",
        "Each list bare, with a filter that fifty rows pass and after row 500, as page and as JSON; "
        "in the scope of 299 units, of one with fifty rows and of one with only old ones.",
        *([f"Not there: {', '.join(missing)}."] if missing else []),
    ]
    fields = {"growth": float(worst["growth"]), "worst_ms": max(float(one["many_ms"]) for one in rounds)}
    return Measured(fields, (Target("growth", at_most=1.5),), rounds, asdict(sizes), tuple(notes))


@asynccontextmanager
async def _serve_with(ground: Ground, rows: int) -> AsyncIterator[dict[str, httpx2.AsyncClient]]:
    async with ground.fresh() as url:
        await fill(url, rows)
        await ground.settle(url)
        async with serving_pages(url) as clients:
            yield clients


async def measure_all(few: Clients, many: Clients, times: int) -> list[dict[str, Any]]:
    """What is not there is left out."""
    rounds = []
    for probe in _probes():
        asked = [(clients[probe.person], await _query(clients[probe.person], probe)) for clients in (few, many)]
        client, query = asked[0]
        if (await client.get(f"{FACES[probe.face]}/{probe.table}", params=query)).status_code == 404:
            continue
        few_ms, many_ms = await _median_ms(asked, probe, times)
        growth = many_ms / max(few_ms, FLOOR_MS)
        rounds.append({"page": probe.name, "few_ms": few_ms, "many_ms": many_ms, "growth": growth})
    return rounds


def _probes() -> list[Probe]:
    ways = [("bare", person) for person in PEOPLE] + [("rare", "all"), ("rare", "scope"), ("cursor", "all")]
    return [Probe(table, way, person, face) for table in RARE for way, person in ways for face in FACES]


async def _query(client: httpx2.AsyncClient, probe: Probe) -> dict[str, str]:
    if probe.way == "rare":
        return RARE[probe.table]
    if probe.way != "cursor":
        return {}
    answer = await client.get(f"/api/v1/{probe.table}", params={"limit": "200"})
    for limit in ("200", "100"):
        params = {"limit": limit, "cursor": answer.raise_for_status().json()["next_cursor"]}
        answer = await client.get(f"/api/v1/{probe.table}", params=params)
    cursor = answer.raise_for_status().json()["next_cursor"]
    return {"cursor": cursor} if cursor else {}


async def _median_ms(asked: list[tuple[httpx2.AsyncClient, dict[str, str]]], probe: Probe, times: int) -> list[float]:
    """In turn, so that a machine that is slow for a while is slow for both."""
    spent: list[list[float]] = [[] for _ in asked]
    # The first one finds its way into the caches.
    for _ in range(times + 1):
        for place, (client, query) in enumerate(asked):
            began = time.perf_counter()
            answer = await client.get(f"{FACES[probe.face]}/{probe.table}", params=query)
            spent[place].append((time.perf_counter() - began) * 1000)
            answer.raise_for_status()
    return [statistics.median(one[1:]) for one in spent]


@asynccontextmanager
async def serving_pages(url: str) -> AsyncIterator[dict[str, httpx2.AsyncClient]]:
    """A whole server on a real socket, and a signed-in client for each of the people."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        settings = Settings(database_url=url, data_dir=Path(folder), port=0, apps="")
        app = await main.build(settings, frozenset({"web"}))
        server = serving.WebServer(make_web(app, app.site), serving.listen("127.0.0.1", 0))
        await app.start()
        stack.push_async_callback(app.stop)
        running = asyncio.create_task(server.run_until_stopped())
        await server.wait_until_started()
        stack.push_async_callback(asyncio.wait, [running])
        stack.push_async_callback(server.stop)
        clients = {}
        for name, unit in PEOPLE.items():
            client = httpx2.AsyncClient(base_url=server.url, timeout=60, trust_env=False)
            clients[name] = await stack.enter_async_context(client)
            clients[name].cookies.set(SESSION_COOKIE, await _sign_in(app.database, name, unit), domain="127.0.0.1")
        yield clients


async def _sign_in(database: Database, name: str, unit_id: int) -> str:
    async with database.transaction() as tx:
        person = await auth.add_user(tx, ENGINE, NewUser(name.replace(" ", "."), name, unit_id, Role.ADMIN))
        link = await auth.issue_link(tx, ENGINE, person.id)
        return (await auth.use_link(tx, link.secret, Caller("127.0.0.1", "bench"))).key


async def fill(url: str, rows: int) -> None:
    database = await Database.open(url, size=2)
    await migrate(database, MIGRATIONS)
    await database.close()
    admin = await asyncpg.connect(url)
    await admin.execute(SQL.pick_function.text)
    await admin.fetch(SQL.make_weeks.text)
    await admin.execute(SQL.insert_units.text, UNITS)
    tables = (SQL.insert_jobs, SQL.insert_schedules, SQL.insert_occurrences, SQL.insert_facts, SQL.insert_audit)
    for statement in tables:
        await admin.execute(statement.text, rows, timeout=600)
    await admin.close()
