"""Servers in the console: only people who see the whole house see them, and only its managers drain one."""

from datetime import timedelta

import httpx2
import pytest
from httpx2 import Response

from pabal.engine import ids, listing, routes, workers
from pabal.engine.listing import ServerSeen
from pabal.platform import audit
from pabal.platform.actor import Role
from pabal.platform.audit import Wanted
from pabal.platform.web.identify import SCOPE_COOKIE
from tests.support import work
from tests.support.pages import read
from tests.support.web import Web

META = {"roles": ["worker"], "version": "7.7", "kinds": ["test.plain"], "slots": 8, "pid": 4711}
SILENT = timedelta(seconds=-1)


async def begin(web: Web, host: str = "server-2", ttl: timedelta = workers.TTL) -> str:
    """Another server's life; its id as people see it."""
    async with web.db.transaction() as tx:
        return ids.show("wrk", await workers.insert_worker(tx, host=host, meta=META, ttl=ttl))


async def visit(web: Web, unit: str = "hq", role: Role = Role.ADMIN, lang: str = "ko") -> httpx2.AsyncClient:
    return await web.as_(unit, role, by="session", Accept="text/html", **{"Accept-Language": lang})


async def seen(web: Web, shown: str) -> ServerSeen:
    async with web.db.transaction() as tx:
        return next(one for one in await listing.list_servers(tx) if ids.show("wrk", one.id) == shown)


async def test_a_row_says_what_a_server_is_and_how_much_it_carries(web: Web) -> None:
    shown = await begin(web)
    await work.enqueue(web.db)
    await work.claim_one(web.db, ids.read("wrk", shown))

    korean = await read(await visit(web), "/servers")
    english = await read(await visit(web, lang="en"), "/servers")

    assert "server-2" in korean
    assert shown in korean
    assert "worker · 7.7 · pid 4711" in korean
    assert "1 / 8" in korean
    assert "정상" in korean
    assert "비우기…" in korean
    assert "Drain…" in english
    assert "runs no jobs" in english, "the server of this very page has the role web only"


async def test_one_that_does_not_beat_is_called_silent(web: Web) -> None:
    shown = await begin(web, ttl=SILENT)

    listed = await read(await visit(web), "/servers")
    one = await read(await visit(web), f"/servers/{shown}")

    assert "응답 없음 1대" in listed
    assert "응답하지 않습니다" in one
    assert f"/servers/{shown}/drain" not in listed, "nobody there would hear it"


async def test_two_versions_at_once_are_mentioned(web: Web) -> None:
    await begin(web)

    page = await read(await visit(web, lang="en"), "/servers")

    assert "More than one version runs" in page


async def test_a_branch_is_told_that_servers_are_not_its_own(web: Web) -> None:
    shown = await begin(web)
    client = await visit(web, "haeundae", lang="en")

    answers = [await client.get("/servers"), await client.get(f"/servers/{shown}")]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert all("head office" in answer.text for answer in answers)
    assert all("server-2" not in answer.text for answer in answers)


async def test_a_branch_cannot_drain_one_either(web: Web) -> None:
    shown = await begin(web)
    client = await visit(web, "haeundae")

    answer = await client.post(f"/servers/{shown}/drain", data={})

    assert answer.status_code == 404
    assert (await seen(web, shown)).drain_at is None


async def test_operators_of_the_head_office_look_and_touch_nothing(web: Web) -> None:
    shown = await begin(web)
    for role in (Role.VIEWER, Role.OPERATOR):
        client = await visit(web, role=role)

        pages = [await read(client, path) for path in ("/servers", f"/servers/{shown}")]
        answer = await client.post(f"/servers/{shown}/drain", data={})

        assert all("server-2" in page and "/drain" not in page for page in pages)
        assert answer.status_code == 403
        assert (await seen(web, shown)).drain_at is None


async def test_a_server_drains_and_takes_work_again(web: Web) -> None:
    shown = await begin(web)
    client = await visit(web)

    drained: Response = await client.post(f"/servers/{shown}/drain", data={"back": f"/servers/{shown}"})
    page = await read(client, f"/servers/{shown}")
    state = (await seen(web, shown)).state
    undrained = await client.post(f"/servers/{shown}/undrain", data={})

    assert (drained.status_code, drained.headers["Location"]) == (303, f"/servers/{shown}")
    assert state == "drained"
    assert "꺼도 됩니다" in page
    assert "다시 일 받기" in page
    assert undrained.headers["Location"] == "/servers"
    assert (await seen(web, shown)).state == "ok"
    async with web.db.transaction() as tx:
        entries = await audit.list_entries(tx, Wanted(units=None, action="servers.*"))
    assert [entry.action for entry in entries] == ["servers.undrain", "servers.drain"]


async def test_one_that_drains_says_what_it_still_waits_for(web: Web) -> None:
    shown = await begin(web)
    await work.enqueue(web.db)
    await work.claim_one(web.db, ids.read("wrk", shown))
    client = await visit(web, lang="en")
    await client.post(f"/servers/{shown}/drain", data={})

    page = await read(client, f"/servers/{shown}")

    assert "draining" in page
    assert "1 still run" in page


async def test_the_page_of_one_lists_its_jobs_its_routes_and_its_kinds(web: Web) -> None:
    shown = await begin(web)
    worker = ids.read("wrk", shown)
    mine = await work.enqueue(web.db, about="kettle:1")
    await work.claim_one(web.db, worker)
    theirs = await work.start(web.db)
    async with web.db.transaction() as tx:
        await routes.hold_route(tx, "bot:busan1", worker=worker)

    page = await read(await visit(web), f"/servers/{shown}")

    assert f"/jobs/{ids.show('job', mine)}" in page
    assert f"/why/{ids.show('job', mine)}" in page
    assert ids.show("job", theirs.id) not in page
    assert "bot:busan1" in page
    assert "/jobs?view=all&kind=test.plain" in page
    assert "/readyz" in page


async def test_one_that_fell_silent_stays_known_and_is_told_apart_from_one_that_began_again(web: Web) -> None:
    for host in ("server-2", "server-3"):
        shown = await begin(web, host)
        await workers.rescue_workers(web.db, work.KINDS, [ids.read("wrk", shown)])
    await begin(web, "server-3")

    page = await read(await visit(web, lang="en"), "/servers")

    lost = page.partition('id="lost"')[2]
    assert lost.count("began again") == 1
    assert lost.index("began again") < lost.index("server-3") < lost.index("server-2")


async def test_whoever_narrowed_the_view_to_a_branch_still_sees_the_servers(web: Web) -> None:
    await begin(web)
    client = await visit(web)
    client.cookies.set(SCOPE_COOKIE, str(web.tree.haeundae.id), domain="127.0.0.1")

    page = await read(client, "/servers")

    assert "server-2" in page


async def test_a_host_may_call_itself_anything(web: Web) -> None:
    shown = await begin(web, "<script>alert(1)</script>")
    client = await visit(web)

    answers = [await client.get("/servers"), await client.get(f"/servers/{shown}")]

    assert all("<script>alert" not in answer.text for answer in answers)
    assert all("&lt;script&gt;alert" in answer.text for answer in answers)


async def test_a_life_that_is_over_is_not_found(web: Web) -> None:
    client = await visit(web)

    assert (await client.get("/servers/wrk_0000000000000")).status_code == 404


@pytest.fixture
def web_has_loops() -> bool:
    """The server of the page itself is seen."""
    return True
