"""Getting somebody out gets out their sessions, their tokens and their open streams, on every server."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from datetime import timedelta

import httpx2
import pytest

from pabal.base.settings import Settings
from pabal.platform import auth
from pabal.platform.actor import EVERYTHING, Role
from pabal.platform.auth import User
from pabal.platform.web.identify import SESSION_COOKIE
from pabal.platform.web.live import Live
from tests.platform.web.test_live import QUICK, Stream, follow
from tests.support.web import Web, open_web

PutOut = Callable[[httpx2.AsyncClient, User, Web], Awaitable[httpx2.Response]]
NEW = "two horses and 7 carrots"


@pytest.fixture
async def other(web: Web, web_settings: Settings) -> AsyncIterator[Web]:
    """A second server on the same database, whose loops do not run: it hears of nothing, it only looks."""
    async with open_web(web.db, web_settings, has_loops=False, tree=web.tree) as second:
        for one in (web, second):
            one.site.state.live = Live(one.app.server.wakeups, QUICK)
        yield second


async def reset(admin: httpx2.AsyncClient, user: User, _web: Web) -> httpx2.Response:
    return await admin.post(f"/api/v1/users/{user.id}/reset-password")


async def reset_by_page(admin: httpx2.AsyncClient, user: User, web: Web) -> httpx2.Response:
    page = await web.as_(by="session", Accept="text/html")
    return await page.post(f"/people/users/{user.id}/reset-password")


async def deactivate(admin: httpx2.AsyncClient, user: User, _web: Web) -> httpx2.Response:
    return await admin.patch(f"/api/v1/users/{user.id}", json={"is_active": False})


async def move(admin: httpx2.AsyncClient, user: User, web: Web) -> httpx2.Response:
    return await admin.patch(f"/api/v1/users/{user.id}", json={"unit_id": web.tree.gangnam.id})


async def demote(admin: httpx2.AsyncClient, user: User, _web: Web) -> httpx2.Response:
    return await admin.patch(f"/api/v1/users/{user.id}", json={"role": "viewer"})


@pytest.mark.parametrize("put_out", [reset, reset_by_page, deactivate, move, demote])
async def test_their_sessions_tokens_and_streams_end_on_every_server(web: Web, other: Web, put_out: PutOut) -> None:
    user = await web.person("haeundae", Role.ADMIN)
    clients = await keys_of(web, other, user)
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(follow(client)) for client in clients]

        done = await put_out(await web.as_(), user, web)
        reasons = [(await stream.next())["data"]["reason"] for stream in streams]
        ends = [(await stream.next("end"))["event"] for stream in streams]

    assert done.status_code in (200, 201)
    assert reasons == ["sign_in_needed", "sign_in_needed", "token_refused", "token_refused"]
    assert ends == ["end"] * 4
    assert [(await client.get("/api/v1/me")).status_code for client in clients] == [401] * 4


async def test_ones_own_change_ends_the_other_sessions_and_streams_but_not_this_one(web: Web, other: Web) -> None:
    user = await web.person("haeundae", Role.ADMIN)
    here, there, by_token, by_token_there = await keys_of(web, other, user)
    here.headers["Accept"] = "text/html"
    await here.post("/account/password", data={"password": "the very first password"})
    _, there, by_token, by_token_there = await keys_of(web, other, user)

    async with follow(here) as mine, follow(there) as theirs, follow(by_token) as programs:
        form = {"current": "the very first password", "password": NEW}
        await here.post("/account/password", data=form)
        closed = await theirs.next()
        alive = [await _is_alive(stream) for stream in (mine, programs)]
        await here.post("/account/password", data={"current": NEW, "password": f"{NEW}!", "revoke_tokens": "true"})
        revoked = await programs.next()

    assert closed["data"] == {"reason": "sign_in_needed"}
    assert alive == [True, True]
    assert revoked["data"] == {"reason": "token_refused"}
    assert [(await one.get("/api/v1/me")).status_code for one in (here, by_token_there)] == [200, 401]


async def test_a_change_of_the_name_ends_nothing(web: Web, other: Web) -> None:
    user = await web.person("haeundae", Role.ADMIN)
    clients = await keys_of(web, other, user)

    await (await web.as_()).patch(f"/api/v1/users/{user.id}", json={"name": "다른 이름"})

    assert [(await client.get("/api/v1/me")).status_code for client in clients] == [200] * 4


async def keys_of(web: Web, other: Web, user: User) -> list[httpx2.AsyncClient]:
    """By session here and there, by token here and there."""
    clients = []
    for one in (web, other):
        key = await web.sign_in("haeundae", Role.ADMIN)
        client = await one.client({"X-CSRF-Token": auth.csrf_of(key)})
        client.cookies.set(SESSION_COOKIE, key, domain="127.0.0.1")
        clients.append(client)
    for one in (web, other):
        async with web.db.transaction() as tx:
            new = auth.NewToken("script", user.unit_id, Role.OPERATOR, (EVERYTHING,), tx.now + timedelta(days=1))
            made = await auth.make_token(tx, user.actor(), new)
        clients.append(await one.client({"Authorization": f"Bearer {made.secret}"}))
    return clients


async def _is_alive(stream: Stream) -> bool:
    """It was looked after since, and goes on."""
    return [(await stream.next("heartbeat", "closed"))["event"] for _ in range(3)] == ["heartbeat"] * 3
