"""One's own account and the scope one looks at."""

import html

from pabal.platform import auth
from pabal.platform.actor import Role
from tests.support.pages import read, visitor
from tests.support.web import Web


async def test_every_page_is_there_in_both_languages(web: Web) -> None:
    korean, english = await visitor(web, lang="ko"), await visitor(web, lang="en")

    assert 'lang="ko"' in await read(korean, "/")
    assert "내 계정" in await read(korean, "/account")
    assert "My account" in await read(english, "/account")


async def test_the_choice_of_this_browser_beats_what_it_asks_for(web: Web) -> None:
    client = await visitor(web, lang="en")

    back = await client.get("/language/ko?back=/account")

    assert back.headers["location"] == "/account"
    assert "내 계정" in await read(client, "/account")


async def test_the_theme_is_set_before_the_page_is_painted(web: Web) -> None:
    client = await visitor(web)

    await client.post("/theme", data={"theme": "dark"})
    dark = await read(client, "/account")
    await client.post("/theme", data={"theme": "system"})

    assert 'data-bs-theme="dark"' in dark
    assert "data-bs-theme" not in await read(client, "/account")


async def test_preferences_are_kept_with_the_account(web: Web) -> None:
    client = await visitor(web, "nampo", Role.VIEWER)

    await client.post("/account/preferences", data={"language": "ko", "zone": "Europe/Paris", "theme": "dark"})

    elsewhere = await read(await visitor(web, "nampo", Role.VIEWER, lang="en"), "/account")
    assert "내 계정" in elsewhere
    assert "CET" in elsewhere or "CEST" in elsewhere
    assert 'data-bs-theme="dark"' in elsewhere


async def test_a_zone_that_does_not_exist_is_refused_and_nothing_is_changed(web: Web) -> None:
    client = await visitor(web)

    refused = await client.post("/account/preferences", data={"language": "", "zone": "Mars/Base", "theme": ""})

    assert refused.status_code == 422
    assert "KST" in await read(client, "/account")


async def test_other_sessions_can_be_ended_one_by_one_or_all(web: Web) -> None:
    here, there, third = [await visitor(web, "busan") for _ in range(3)]
    async with web.db.transaction() as tx:
        person = await web.person("busan", Role.ADMIN)
        oldest = min(await auth.list_sessions(tx, person.actor()), key=lambda one: one.id)

    await third.post(f"/account/sessions/{oldest.id}/end")
    ended = await here.get("/account")
    await third.post("/account/sessions/end-others")

    assert ended.status_code == 303
    assert (await there.get("/account")).status_code == 303
    await read(third, "/account")


async def test_somebody_elses_session_is_not_found(web: Web) -> None:
    await visitor(web, "seoul")
    async with web.db.transaction() as tx:
        [theirs] = await auth.list_sessions(tx, (await web.person("seoul", Role.ADMIN)).actor())
    client = await visitor(web, "busan")

    assert (await client.post(f"/account/sessions/{theirs.id}/end")).status_code == 404


async def test_the_password_needs_the_current_one(web: Web) -> None:
    client = await visitor(web)
    first = await client.post("/account/password", data={"password": "the very first password"})

    wrong = await client.post("/account/password", data={"current": "guess guess", "password": "another good one"})

    assert first.status_code == 303
    assert wrong.status_code == 422
    assert "pb-error" in wrong.text


async def test_the_scope_narrows_what_is_seen_and_only_downwards(web: Web) -> None:
    client = await visitor(web, "busan")

    narrowed = await client.post("/scope", data={"unit": str(web.tree.haeundae.id)})
    page = await read(client, "/account")
    beyond = await client.post("/scope", data={"unit": str(web.tree.seoul.id)})

    assert narrowed.status_code == 303
    assert "해운대점" in page
    assert beyond.status_code == 404


async def test_a_branch_has_no_scope_to_choose_and_does_not_learn_who_is_above(web: Web) -> None:
    page = html.unescape(await read(await visitor(web, "haeundae"), "/account"))

    assert "scope-menu" not in page
    assert "부산총판" not in page
    assert "본사" not in page


async def test_a_scope_of_another_day_falls_back_to_ones_own(web: Web) -> None:
    client = await visitor(web, "busan")
    client.cookies.set("pabal_scope", str(web.tree.seoul.id), domain="127.0.0.1")

    page = await read(client, "/account")

    assert "부산총판" in page
    assert "서울총판" not in page
