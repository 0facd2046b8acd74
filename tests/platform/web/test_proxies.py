"""Whom a request comes from, judged by what trusted proxies say; and what https means for cookies."""

import html
import re

import pytest

from pabal.base.settings import Settings, SettingsInvalid, read_settings
from pabal.platform import auth
from pabal.platform.actor import Role
from pabal.platform.web.headers import Message, Scope
from pabal.platform.web.identify import SESSION_COOKIE
from pabal.platform.web.proxies import TrustedProxies
from tests.support.pages import read, visitor
from tests.support.web import Web

PASSWORD = "three horses and a letter"


async def resolve(trusted: str, peer: str, *headers: tuple[str, str]) -> tuple[str, str]:
    """The client and the scheme that the application sees."""
    seen: list[Scope] = []

    async def app(scope: Scope, _receive: object, _send: object) -> None:
        seen.append(scope)

    async def nothing(_message: Message | None = None) -> Message:
        return {}

    raw = [(name.lower().encode(), value.encode()) for name, value in headers]
    scope: Scope = {"type": "http", "client": (peer, 4711), "scheme": "http", "headers": raw}
    await TrustedProxies(app, trusted=trusted)(scope, nothing, nothing)
    return seen[0]["client"][0], seen[0]["scheme"]


def forwarded(text: str) -> tuple[str, str]:
    return "X-Forwarded-For", text


@pytest.mark.parametrize(
    ("trusted", "peer", "header", "client"),
    [
        ("", "127.0.0.1", "203.0.113.9", "127.0.0.1"),
        ("10.0.0.1", "198.51.100.7", "203.0.113.9", "198.51.100.7"),
        ("10.0.0.1", "10.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "10.0.0.1", "127.0.0.1, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.1", "10.0.0.1", "1.1.1.1, 10.0.0.1, 203.0.113.9", "203.0.113.9"),
        ("10.0.0.0/24", "10.0.0.1", "6.6.6.6, 203.0.113.9, 10.0.0.7, 10.0.0.8", "203.0.113.9"),
        ("10.0.0.0/24", "10.0.0.1", "6.6.6.6, 203.0.113.9, 10.0.1.7", "10.0.1.7"),
        ("10.0.0.0/24, 127.0.0.1", "127.0.0.1", "10.0.0.9, 10.0.0.8", "10.0.0.9"),
        ("fd00::/8", "fd00::1", "6.6.6.6, 2001:db8::7", "2001:db8::7"),
        ("fd00::/8", "fd00::1", "6.6.6.6, [2001:db8::7]:4711", "2001:db8::7"),
        ("10.0.0.1", "::ffff:10.0.0.1", "203.0.113.9:4711", "203.0.113.9"),
        ("10.0.0.1", "10.0.0.1", "203.0.113.9, unix:", "unknown"),
        ("10.0.0.1", "10.0.0.1", "203.0.113.9, x" + "y" * 5000, "unknown"),
        ("*", "198.51.100.7", "127.0.0.1, 203.0.113.9", "203.0.113.9"),
        ("0.0.0.0/0", "198.51.100.7", "127.0.0.1, 203.0.113.9", "203.0.113.9"),
    ],
)
async def test_the_client_is_the_right_hand_address_that_is_no_trusted_proxy(
    trusted: str, peer: str, header: str, client: str
) -> None:
    assert (await resolve(trusted, peer, forwarded(header)))[0] == client


async def test_a_header_that_comes_several_times_is_one_list(web: Web) -> None:
    several = (forwarded("127.0.0.1"), forwarded("203.0.113.9"))

    assert (await resolve("10.0.0.1", "10.0.0.1", *several))[0] == "203.0.113.9"


@pytest.mark.parametrize(
    ("peer", "proto", "scheme"),
    [
        ("10.0.0.1", "https", "https"),
        ("10.0.0.1", "https, http", "http"),
        ("10.0.0.1", "javascript", "http"),
        ("198.51.100.7", "https", "http"),
    ],
)
async def test_https_is_believed_of_a_trusted_proxy_only(peer: str, proto: str, scheme: str) -> None:
    assert (await resolve("10.0.0.1", peer, ("X-Forwarded-Proto", proto)))[1] == scheme


@pytest.mark.parametrize("trusted", ["nginx", "10.0.0.1, proxy.example", "10.0.0.1/8", "300.0.0.1", "10.0.0.0/33"])
def test_what_is_no_address_and_no_network_is_refused_at_the_start(trusted: str) -> None:
    with pytest.raises(SettingsInvalid, match="PABAL_TRUSTED_PROXIES"):
        read_settings(trusted_proxies=trusted)


async def test_a_stranger_cannot_say_another_address_and_the_audit_has_their_own(web: Web) -> None:
    client = await visitor(web)
    await client.post("/account/password", data={"password": PASSWORD}, headers={"X-Forwarded-For": "203.0.113.9"})

    assert "203.0.113.9" not in await read(client, "/audit")


class TestUnderHttps:
    @pytest.fixture(params=["public address", "trusted proxy"])
    def web_settings(self, web_settings: Settings, request: pytest.FixtureRequest) -> Settings:
        given = {
            "public address": {"public_url": "https://pabal.example"},
            "trusted proxy": {"trusted_proxies": "127.0.0.1"},
        }
        return web_settings.model_copy(update=given[request.param])

    async def test_every_cookie_is_secure_and_no_business_of_scripts_and_other_sites(self, web: Web) -> None:
        person = await web.person("busan", Role.ADMIN)
        await auth.change_password(web.db, person.actor(), current=None, new=PASSWORD, keep=None)
        client = await web.client(
            {"Accept": "text/html", "X-Forwarded-Proto": "https", "X-Forwarded-For": "203.0.113.9"}
        )
        entered = await client.post("/sign-in", data={"login": person.login, "password": PASSWORD})
        key = _value(entered.headers.get_list("set-cookie"), SESSION_COOKIE)
        headers = {"Cookie": f"{SESSION_COOKIE}={key}", "X-CSRF-Token": auth.csrf_of(key)}
        form = {"language": "ko", "zone": "Asia/Seoul", "theme": ""}

        answers = [
            entered,
            await client.get("/language/ko", headers=headers),
            await client.post("/theme", data={"theme": "dark"}, headers=headers),
            await client.post("/scope", data={"unit": str(web.tree.haeundae.id)}, headers=headers),
            await client.post("/account/preferences", data=form, headers=headers),
            await client.get("/account", headers={"Cookie": f"{headers['Cookie']}; pabal_said=WyJhIiwiYiJd"}),
            await client.post("/logout", headers=headers),
        ]

        cookies = [line for answer in answers for line in answer.headers.get_list("set-cookie")]
        names = {line.partition("=")[0] for line in cookies}
        assert names == {f"pabal_{name}" for name in ("session", "device", "lang", "theme", "scope", "said")}
        for line in cookies:
            assert all(mark in line for mark in ("; Secure", "; HttpOnly", "; SameSite=lax", "; Path=/")), line


async def test_without_https_they_are_not_secure_whatever_a_stranger_says(web: Web) -> None:
    client = await web.client({"X-Forwarded-Proto": "https"})

    [cookie] = (await client.get("/language/ko")).headers.get_list("set-cookie")

    assert "Secure" not in cookie
    assert "HttpOnly" in cookie


def _value(lines: list[str], name: str) -> str:
    found = re.search(rf"^{name}=([^;]+)", "\n".join(lines), re.MULTILINE)
    assert found is not None
    return html.unescape(found[1])
