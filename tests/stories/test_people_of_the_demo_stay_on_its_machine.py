"""Everybody knows the password of the demo's people: they come in and act only on the machine of a demo server."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from pabal.base.settings import Settings
from pabal.base.sql import Statement
from pabal.platform import auth, demo
from pabal.platform.actor import ENGINE, EVERYTHING, Role
from pabal.platform.auth import User
from pabal.platform.web.identify import SESSION_COOKIE
from pabal.platform.web.live import Live
from tests.platform.web.test_live import QUICK, follow
from tests.support.web import Web, open_web

LOGIN = {"login": "demo-hq", "password": demo.PASSWORD}
FORWARDED = "X-Forwarded-For"
HTML = {"Accept": "text/html", "Accept-Language": "en"}


@pytest.fixture
def web_is_demo() -> bool:
    return True


async def demo_hq(web: Web) -> User:
    async with web.db.transaction() as tx:
        [found] = [one for one in await auth.list_users(tx, demo.EVERYBODY, words="demo-hq") if one.is_demo]
    return found


async def enter(web: Web, **headers: str) -> tuple[httpx2.AsyncClient, httpx2.Response]:
    client = await web.client({**HTML, **headers})
    return client, await client.post("/sign-in", data=LOGIN)


async def make_token(web: Web) -> str:
    """As the demo's administrator makes one."""
    person = await demo_hq(web)
    async with web.db.transaction() as tx:
        new = auth.NewToken("script", person.unit_id, Role.ADMIN, (EVERYTHING,), tx.now + timedelta(days=1))
        return (await auth.make_token(tx, person.actor(), new)).secret


async def make_link(web: Web) -> str:
    async with web.db.transaction() as tx:
        return f"/sign-in/link/{(await auth.issue_link(tx, ENGINE, (await demo_hq(web)).id)).secret}"


async def forget_tries(web: Web) -> None:
    async with web.db.transaction() as tx:
        await tx.run(Statement("forget", "delete from pabal.sign_in_try", ()))


# What tells that a request may come from elsewhere although its peer is 127.0.0.1.
ELSEWHERE = (
    {"X-Forwarded-For": "203.0.113.9"},
    {"X-Forwarded-For": "127.0.0.1"},
    {"Forwarded": "for=127.0.0.1"},
    {"X-Real-IP": "127.0.0.1"},
    {"X-Forwarded-Host": "pabal.example"},
    {"Via": "1.1 varnish"},
    {"Host": "pabal.example"},
    {"Host": "127.0.0.1.pabal.example"},
    {"Host": "192.168.0.7:8420"},
    {"Host": ""},
)


async def test_on_the_machine_they_sign_in_by_password_and_by_link(web: Web) -> None:
    port = web.url.rpartition(":")[2]
    hosts = ("localhost", f"LOCALHOST:{port}", "127.9.9.9:80", f"[::1]:{port}")

    entered = [(await enter(web, Host=host))[1].status_code for host in hosts]
    client, by_password = await enter(web)
    by_link = await (await web.client(HTML)).post(await make_link(web))

    assert entered == [303] * 4
    assert (by_password.status_code, by_link.status_code) == (303, 303)
    assert (await client.get("/people")).status_code == 200


async def test_from_elsewhere_the_right_password_gets_a_sentence_and_no_session(web: Web) -> None:
    for number, headers in enumerate(ELSEWHERE):
        await forget_tries(web)
        client, refused = await enter(web, **headers)

        assert (refused.status_code, "demo_not_here" in refused.text) == (401, True), ELSEWHERE[number]
        assert "--demo-from-anywhere" in refused.text
        assert SESSION_COOKIE not in client.cookies


async def test_from_elsewhere_a_wrong_password_is_told_like_any_other(web: Web) -> None:
    client = await web.client({**HTML, "X-Forwarded-For": "203.0.113.9"})

    wrong = await client.post("/sign-in", data={**LOGIN, "password": "not this one at all"})
    nobody = await client.post("/sign-in", data={"login": "nobody", "password": "not this one at all"})

    assert wrong.status_code == nobody.status_code == 401
    said = [answer.text.partition("<main")[2] for answer in (wrong, nobody)]
    assert said[0].replace("demo-hq", "nobody") == said[1]


async def test_from_elsewhere_a_link_is_refused_and_not_used_up(web: Web) -> None:
    path = await make_link(web)
    stranger = await web.client({**HTML, "X-Forwarded-For": "203.0.113.9"})

    looked, used = await stranger.get(path), await stranger.post(path)
    here = await (await web.client(HTML)).post(path)

    assert [(one.status_code, "demo_not_here" in one.text) for one in (looked, used)] == [(403, True)] * 2
    assert here.status_code == 303


async def test_from_elsewhere_neither_their_session_nor_their_token_acts(web: Web) -> None:
    client, _ = await enter(web)
    token = {"Authorization": f"Bearer {await make_token(web)}"}

    here = [await client.get("/api/v1/me"), await client.get("/api/v1/me", headers=token)]
    away = [await client.get("/api/v1/me", headers={**one, **key}) for one in ELSEWHERE for key in ({}, token)]

    assert [one.status_code for one in here] == [200, 200]
    assert [one.json()["code"] for one in away] == ["sign_in_needed", "token_refused"] * len(ELSEWHERE)


async def test_a_plain_proxy_pass_that_speaks_http_1_0_is_not_this_machine(web: Web) -> None:
    """nginx before 1.29.7, without further words: our own name as the host, no header of its own."""
    client, _ = await enter(web)
    host, port = web.url.removeprefix("http://").split(":")
    status = {}
    for version in ("1.0", "1.1"):
        reader, writer = await asyncio.open_connection(host, int(port))
        cookie = f"{SESSION_COOKIE}={client.cookies[SESSION_COOKIE]}"
        head = f"GET /api/v1/me HTTP/{version}\r\nHost: {host}:{port}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        status[version] = int((await reader.readline()).split()[1])
        writer.close()

    assert status == {"1.0": 401, "1.1": 200}


async def test_their_tokens_stay_theirs_through_rotation_by_themselves(web: Web) -> None:
    secret = await make_token(web)
    async with web.db.transaction() as tx:
        actor = await auth.find_token(tx, secret, with_demo=True)
        assert actor is not None
        rotated = await auth.rotate_token(tx, actor, int(actor.name.partition(":")[2]))
    client = await web.client({"Authorization": f"Bearer {rotated.secret}"})

    here, away = await client.get("/api/v1/me"), await client.get("/api/v1/me", headers={"X-Real-IP": "10.0.0.1"})

    assert (here.status_code, away.status_code) == (200, 401)


async def test_others_sign_in_from_anywhere(web: Web) -> None:
    client = await web.as_("busan", Role.ADMIN, by="session")
    token = await web.as_("busan")

    away = {"X-Forwarded-For": "203.0.113.9", "Host": "pabal.example"}

    assert [(await one.get("/api/v1/me", headers=away)).status_code for one in (client, token)] == [200, 200]


class TestBehindATrustedProxy:
    @pytest.fixture
    def web_settings(self, web_settings: Settings) -> Settings:
        return web_settings.model_copy(update={"trusted_proxies": "127.0.0.1,10.0.0.0/8"})

    async def test_it_is_the_right_hand_address_that_counts(self, web: Web) -> None:
        local = ("127.0.0.1", "::1", "127.0.0.1, 10.0.0.3", "203.0.113.9, ::ffff:127.0.0.2")
        strange = ("203.0.113.9", "127.0.0.1, 203.0.113.9", "127.0.0.1, 203.0.113.9, 10.0.0.3", "172.17.0.1")
        client, entered = await enter(web)

        here = [await client.get("/api/v1/me", headers={FORWARDED: one}) for one in local]
        away = [await client.get("/api/v1/me", headers={FORWARDED: one}) for one in (*strange, "unknown", "")]

        assert entered.status_code == 303
        assert [one.status_code for one in here] == [200] * len(here)
        assert [one.status_code for one in away] == [401] * len(away)

    async def test_a_proxy_that_says_who_asks_by_another_header_only_is_not_believed(self, web: Web) -> None:
        for headers in ({"Forwarded": "for=203.0.113.9"}, {"X-Real-IP": "203.0.113.9"}):
            _, answer = await enter(web, **headers)
            assert answer.status_code == 401

    async def test_the_name_in_the_address_counts_as_well(self, web: Web) -> None:
        _, answer = await enter(web, **{"X-Forwarded-For": "127.0.0.1", "Host": "pabal.example"})

        assert answer.status_code == 401


class TestWhereThePublicAddressIsAnotherMachine:
    @pytest.fixture
    def web_settings(self, web_settings: Settings) -> Settings:
        return web_settings.model_copy(update={"public_url": "http://pabal.example"})

    async def test_a_proxy_that_says_nothing_makes_nobody_local(self, web: Web) -> None:
        """nginx's plain proxy_pass names 127.0.0.1 as the host and adds no header at all."""
        _, answer = await enter(web)

        assert answer.status_code == 401


class TestFromAnywhere:
    @pytest.fixture
    def web_settings(self, web_settings: Settings) -> Settings:
        return web_settings.model_copy(update={"demo_from_anywhere": True})

    async def test_the_explicit_word_lets_them_in(self, web: Web) -> None:
        client, entered = await enter(web, **{"X-Forwarded-For": "172.17.0.1", "Host": "docker.example:8420"})

        assert entered.status_code == 303
        assert (await client.get("/people", headers={"Host": "192.168.0.7"})).status_code == 200

    async def test_the_word_counts_only_on_a_demo_server(self, web: Web, web_settings: Settings) -> None:
        client, _ = await enter(web)
        key = client.cookies[SESSION_COOKIE]

        async with web_of(web, web_settings) as plain:
            other = await plain.client({**HTML, "Cookie": f"{SESSION_COOKIE}={key}"})
            by_session = await other.get("/people")
            by_password = await other.post("/sign-in", data=LOGIN)
            by_token = await other.get("/api/v1/me", headers={"Authorization": f"Bearer {await make_token(web)}"})

        assert by_session.headers["location"].startswith("/sign-in")
        assert "demo_not_here" in by_password.text
        assert by_token.status_code == 401


async def test_a_stream_of_theirs_asked_for_from_elsewhere_does_not_begin(web: Web) -> None:
    web.site.state.live = Live(web.app.server.wakeups, QUICK)
    client, _ = await enter(web)

    async with follow(client):
        refused = await client.get("/api/v1/events", headers={"Via": "1.1 proxy"})

    assert refused.status_code == 401


def web_of(web: Web, settings: Settings) -> Any:
    """Another server on the same database, started without --demo."""
    return open_web(web.db, settings, has_loops=False, tree=web.tree)
