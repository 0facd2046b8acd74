"""The whole console through a real PgBouncer with its defaults, in transaction mode, on two connections."""

import asyncio
import html
import re
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import httpx2

from pabal.base.database import Database
from pabal.base.settings import Settings
from pabal.platform import demo
from tests.base.test_pages import SQL
from tests.browser.routes import FOUND_ON, list_pages, match_links
from tests.support.pages import read, visitor
from tests.support.pgbouncer import needs_pgbouncer, pgbouncer
from tests.support.web import SECRET, open_web

pytestmark = needs_pgbouncer
LISTS = ("jobs", "schedules", "facts", "alerts", "audit", "units", "users", "messages/rooms", "adgroups")
# Leads to the front page whoever is signed in; needs samples, which a server with loops takes.
NOT_WALKED = ("/sign-in", "/health/measures/{name}", "/relay/simulator")


async def test_pages_are_read_through_a_pooler_and_everything_else_goes_past_it(db: Database, tmp_path: Path) -> None:
    with pgbouncer(db.url, mode="transaction") as address:
        settings = Settings(database_url=db.url, pages_url=address, data_dir=tmp_path, port=0, secret_key=SECRET)
        async with open_web(db, settings, has_loops=False) as web:
            await demo.load(web.app.services, web.app.slices)
            person, program = await visitor(web), await web.as_()

            shown = await _walk(person, [path for path in list_pages() if "{" not in path and path not in NOT_WALKED])
            deeper = await _walk(person, _find_links(shown))
            await _walk(program, [f"/api/v1/{name}" for name in LISTS])
            unit = {"parent_id": web.tree.busan.id, "level": "branch", "title": "서면점"}
            added = await person.post("/people/units", data=unit)

            assert added.status_code == 303
            assert "서면점" in await read(person, added.headers["Location"])
            assert len(shown) > 40
            assert len(deeper) > 10
            assert await _list_left_behind(address) == []


async def test_without_the_pooler_pages_say_so_and_the_server_goes_on(db: Database, tmp_path: Path) -> None:
    with pgbouncer(db.url, mode="transaction") as address:
        settings = Settings(database_url=db.url, pages_url=address, data_dir=tmp_path, port=0, secret_key=SECRET)
        opened = open_web(db, settings, has_loops=False)
        web = await opened.__aenter__()
        program = await web.as_()
        with_it = await program.get("/api/v1/jobs")

    without = await program.get("/api/v1/jobs")
    ready = await program.get("/readyz")
    await opened.__aexit__(None, None, None)

    assert with_it.status_code == 200
    assert (without.status_code, without.json()["code"]) == (503, "database_unavailable")
    assert ready.json()["database"] == {"reachable": True, "error": None}


async def _walk(client: httpx2.AsyncClient, paths: list[str]) -> dict[str, str]:
    """Eight at a time, so that they meet on the pooler's two connections."""
    at_once = asyncio.Semaphore(8)

    async def ask(path: str) -> tuple[str, str]:
        async with at_once:
            return path, await read(client, path)

    return dict(await asyncio.gather(*map(ask, paths)))


def _find_links(shown: dict[str, str]) -> list[str]:
    """One address for each page that is about something, where the walk has seen a link to it."""

    def find() -> Iterator[str]:
        for path, place in FOUND_ON.items():
            if path in NOT_WALKED:
                continue
            links = re.findall(r'href="([^"]+)"', shown.get(place.partition("?")[0], ""))
            yield from [html.unescape(link) for link in links if match_links(path).fullmatch(link)][:1]

    return list(find())


async def _list_left_behind(address: str) -> list[str]:
    """On both of the pooler's connections, held at once."""
    clients = [await asyncpg.connect(address, statement_cache_size=0) for _ in range(2)]
    left: list[str] = []
    for client in clients:
        await client.execute("begin")
    for client in clients:
        left += [row["name"] for row in await client.fetch(SQL.list_left_behind.text)]
    for client in clients:
        await client.close()
    return left
