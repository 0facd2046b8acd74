"""The way in: password, one-time link, first run, sign-out, and what a stranger gets."""

import html
import re
from datetime import timedelta

import httpx2
import pytest

from pabal.base import clock
from pabal.base.settings import Settings
from pabal.platform import auth
from pabal.platform.actor import ENGINE, Role
from pabal.platform.web.identify import CSRF_HEADER, SESSION_COOKIE
from tests.support.pages import read, visitor
from tests.support.web import Web

PASSWORD = "three horses and a letter"


async def with_password(web: Web, unit: str = "hq", role: Role = Role.ADMIN) -> str:
    person = await web.person(unit, role)
    await auth.change_password(web.db, person.actor(), current=None, new=PASSWORD, keep=None)
    return person.login


async def browser(web: Web, **headers: str) -> httpx2.AsyncClient:
    return await web.client({"Accept": "text/html", "Accept-Language": "en", **headers})


async def sign_in(client: httpx2.AsyncClient, login: str, password: str, **more: str) -> httpx2.Response:
    return await client.post("/sign-in", data={"login": login, "password": password, **more})


async def test_a_stranger_is_sent_to_sign_in_and_comes_back_where_they_wanted(web: Web) -> None:
    login = await with_password(web)
    client = await browser(web)

    sent = await client.get("/jobs?view=all")
    entered = await sign_in(client, login, PASSWORD, next="/jobs?view=all")

    assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in?next=%2Fjobs%3Fview%3Dall")
    assert (entered.status_code, entered.headers["location"]) == (303, "/jobs?view=all")
    await read(client, "/jobs?view=all")


async def test_the_cookie_is_no_business_of_scripts_or_other_sites(web: Web) -> None:
    client = await browser(web)

    entered = await sign_in(client, await with_password(web), PASSWORD)

    cookie = next(line for line in entered.headers.get_list("set-cookie") if line.startswith(SESSION_COOKIE))
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie


async def test_a_wrong_password_and_an_unknown_name_get_the_same_answer(web: Web) -> None:
    login = await with_password(web)
    client = await browser(web)

    wrong = await sign_in(client, login, "not this one at all")
    unknown = await sign_in(client, "nobody.here", "not this one at all")

    said = [html.unescape(answer.text.partition("<main")[2]) for answer in (wrong, unknown)]
    assert said[0].replace(login, "X") == said[1].replace("nobody.here", "X")
    assert "Name or password is wrong" in said[0]
    assert wrong.status_code == unknown.status_code == 401
    assert SESSION_COOKIE not in client.cookies


async def test_after_many_wrong_tries_even_the_right_one_must_wait(web: Web) -> None:
    login = await with_password(web)
    client = await browser(web)
    for _ in range(8):
        await sign_in(client, login, "wrong wrong wrong")

    answer = await sign_in(client, login, PASSWORD)

    assert answer.status_code == 401
    assert "Too many tries" in answer.text


@pytest.mark.parametrize("next", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)"])
async def test_signing_in_leads_only_to_places_of_ours(web: Web, next: str) -> None:
    client = await browser(web)

    entered = await sign_in(client, await with_password(web), PASSWORD, next=next)

    assert entered.headers["location"] == "/"


async def test_a_form_from_another_site_does_not_sign_anybody_in(web: Web) -> None:
    login = await with_password(web)

    foreign = await sign_in(await browser(web, Origin="https://evil.example"), login, PASSWORD)
    crossing = await sign_in(await browser(web, **{"Sec-Fetch-Site": "cross-site"}), login, PASSWORD)

    assert [foreign.status_code, crossing.status_code] == [403, 403]


async def test_a_one_time_link_is_looked_at_freely_and_used_once(web: Web) -> None:
    person = await web.person("nampo", Role.OPERATOR)
    async with web.db.transaction() as tx:
        path = f"/sign-in/link/{(await auth.issue_link(tx, ENGINE, person.id)).secret}"
    client = await browser(web)

    looks = [await client.get(path) for _ in range(2)]
    used = await client.post(path)
    again = await (await browser(web)).post(path)

    assert [look.status_code for look in looks] == [200, 200]
    assert (used.status_code, used.headers["location"]) == (303, "/welcome")
    assert again.status_code == 404


async def test_the_first_run_takes_language_zone_and_password(web: Web) -> None:
    client = await visitor(web, "gangnam", Role.VIEWER)
    page = await read(client, "/welcome")

    answers = {"language": "ko", "zone": "Asia/Tokyo", "password": PASSWORD}
    done = await client.post("/welcome", data=answers)

    assert "gangnam.viewer" in page
    assert done.headers["location"] == "/"
    assert "JST" in await read(client, "/account")
    assert (await sign_in(await browser(web), "gangnam.viewer", PASSWORD)).status_code == 303


async def test_a_weak_password_is_said_at_its_field_and_what_was_chosen_stays(web: Web) -> None:
    client = await visitor(web)

    refused = await client.post("/welcome", data={"language": "en", "zone": "Asia/Tokyo", "password": "short"})

    said = html.unescape(refused.text)
    assert refused.status_code == 422
    assert "10 to 200" in said
    assert re.search(r'value="Asia/Tokyo" selected', said)


async def test_signing_out_ends_the_session_for_good(web: Web) -> None:
    client = await visitor(web)
    key = client.cookies[SESSION_COOKIE]

    gone = await client.post("/logout")
    with_the_old_cookie = await web.client({"Accept": "text/html", "Cookie": f"{SESSION_COOKIE}={key}"})

    assert gone.headers["location"] == "/sign-in"
    assert (await with_the_old_cookie.get("/")).status_code == 303


async def test_a_change_without_the_token_of_our_pages_is_refused(web: Web) -> None:
    client = await visitor(web)

    without = await client.post("/logout", headers={CSRF_HEADER: ""})
    wrong = await client.post("/logout", headers={CSRF_HEADER: "x" * 43})

    assert [without.status_code, wrong.status_code] == [403, 403]
    await read(client, "/account")


async def test_a_form_may_carry_the_token_instead_of_the_header(web: Web) -> None:
    client = await visitor(web)
    token = client.headers.pop(CSRF_HEADER)

    answer = await client.post("/scope", data={"csrf_token": token, "unit": str(web.tree.busan.id)})

    assert answer.status_code == 303


class TestInProduction:
    @pytest.fixture
    def web_settings(self, web_settings: Settings) -> Settings:
        return web_settings.model_copy(update={"mode": "production", "public_url": "https://pabal.example"})

    async def test_cookies_are_for_https_only_and_there_is_no_demo(self, web: Web) -> None:
        client = await browser(web)

        entered = await sign_in(client, await with_password(web), PASSWORD)

        assert "Secure" in entered.headers["set-cookie"]
        assert "max-age" in entered.headers["strict-transport-security"]
        admin = await visitor(web)
        assert (await admin.post("/demo/load")).status_code == 404


async def guess(web: Web, client: httpx2.AsyncClient, login: str) -> None:
    """Until the next look is a minute away, however slow this machine is."""
    looks = 0
    while looks < 10:
        answer = await sign_in(client, login, "wrong wrong wrong")
        if "Too many tries" in answer.text:
            await clock.advance(web.db, timedelta(seconds=40))
        else:
            looks += 1


async def test_an_office_behind_one_address_does_not_wait_for_a_colleague_who_mistypes_or_a_guesser(web: Web) -> None:
    """All of these come from 127.0.0.1, as from behind one NAT address or a proxy nobody configured."""
    login, other = await with_password(web), await with_password(web, "busan")
    guesser = await browser(web)
    await guess(web, guesser, other)
    for number in range(30):
        await sign_in(guesser, f"made.up{number}", "wrong wrong wrong")

    entered = await sign_in(await browser(web), login, PASSWORD)
    slowed = await sign_in(await browser(web), other, PASSWORD)

    assert (entered.status_code, "Too many tries" in slowed.text) == (303, True)


async def test_a_browser_where_one_signed_in_before_does_not_wait_for_somebody_who_guesses(web: Web) -> None:
    login = await with_password(web)
    mine, guesser = await browser(web), await browser(web)
    await sign_in(mine, login, PASSWORD)
    mine.cookies.delete(SESSION_COOKIE)
    await guess(web, guesser, login)

    entered = await sign_in(mine, login, PASSWORD)
    refused = await sign_in(guesser, login, PASSWORD)

    assert (entered.status_code, "Too many tries" in refused.text) == (303, True)
