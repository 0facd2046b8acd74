"""One person in the console: added with a link that is shown once, changed, let in and out."""

import re

import pytest

from pabal.platform import audit, auth
from pabal.platform.actor import Role
from pabal.platform.audit import Wanted
from pabal.platform.auth import User
from pabal.platform.tenants import Scope
from tests.console.staff import add, read_user
from tests.support.pages import read, visitor
from tests.support.web import Web

HTML = {"Accept": "text/html"}
_LINK = re.compile(r"http://[^\s<]+/sign-in/link/([A-Za-z0-9_-]+)")


def link_in(text: str) -> str:
    found = _LINK.search(text)
    assert found is not None, text
    return found.group(1)


async def test_a_new_person_gets_a_link_that_is_shown_once(web: Web, capfd: pytest.CaptureFixture[str]) -> None:
    client = await visitor(web)
    given = {"login": "Kim", "name": "김운영", "unit": web.unit("haeundae").id, "role": "operator", "hours": 72}

    answer = await client.post("/people/users", data=given)
    secret = link_in(answer.text)
    [user] = [one for one in await _list(web) if one.login == "kim"]
    again = await read(client, f"/people/users/{user.id}")
    back = await client.get("/people/users")

    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert "in 3 d" in answer.text
    assert secret not in f"{answer.headers}{answer.url}{answer.cookies}"
    assert secret not in again
    assert back.headers["Location"] == "/people"
    assert secret not in "".join(capfd.readouterr())
    async with web.db.transaction() as tx:
        assert secret not in str(await audit.list_entries(tx, Wanted()))


async def test_the_link_lets_them_in(web: Web) -> None:
    client = await visitor(web)
    given = {"login": "kim", "name": "김운영", "unit": web.unit("haeundae").id, "role": "operator"}

    secret = link_in((await client.post("/people/users", data=given)).text)
    guest = await web.client({**HTML, "Accept-Language": "en"})
    entered = await guest.post(f"/sign-in/link/{secret}")

    assert entered.status_code == 303
    assert entered.headers["Location"] == "/welcome"


async def test_a_person_who_cannot_be_added_keeps_what_was_typed(web: Web) -> None:
    await add(web, "haeundae", "kim")
    client = await visitor(web, lang="ko")
    given = {"login": "kim", "name": "김새로", "unit": web.unit("haeundae").id, "role": "operator"}

    taken = await client.post("/people/users", data=given)
    bad = await client.post("/people/users", data={**given, "login": "한글"})

    assert taken.status_code == 409
    assert 'value="김새로"' in taken.text
    assert "이미 쓰고 있는 아이디입니다" in taken.text
    assert 'aria-invalid="true"' in taken.text
    assert "/sign-in/link/" not in taken.text
    assert bad.status_code == 422


async def test_a_new_link_voids_the_one_before(web: Web) -> None:
    user = await add(web, "haeundae", "kim")
    client = await visitor(web)

    first = link_in((await client.post(f"/people/users/{user.id}/link")).text)
    second = link_in((await client.post(f"/people/users/{user.id}/link")).text)
    guest = await web.client({**HTML, "Accept-Language": "en"})

    assert (await guest.get(f"/sign-in/link/{first}")).status_code == 404
    assert (await guest.get(f"/sign-in/link/{second}")).status_code == 200
    assert (await client.get(f"/people/users/{user.id}/link")).headers["Location"] == f"/people/users/{user.id}"


async def test_name_role_and_unit_are_changed(web: Web) -> None:
    user = await add(web, "haeundae", "kim")
    client = await visitor(web, "busan")

    saved = await client.post(
        f"/people/users/{user.id}", data={"name": "김바뀜", "role": "operator", "unit": web.unit("nampo").id}
    )
    nameless = await client.post(f"/people/users/{user.id}", data={"name": " "})

    after = await read_user(web, user.id)
    assert saved.status_code == 303
    assert (after.name, after.role, after.unit_id) == ("김바뀜", Role.OPERATOR, web.unit("nampo").id)
    assert nameless.status_code == 422


async def test_resetting_a_password_ends_their_sessions_and_shows_a_link(web: Web) -> None:
    theirs = await visitor(web, "haeundae", Role.OPERATOR)
    user = await web.person("haeundae", Role.OPERATOR)
    admin = await visitor(web)

    answer = await admin.post(f"/people/users/{user.id}/reset-password")

    assert link_in(answer.text)
    assert answer.headers["Cache-Control"] == "no-store"
    assert "every session is over" in answer.text
    assert (await theirs.get("/people")).headers["Location"].startswith("/sign-in")


async def test_who_is_deactivated_is_out_and_can_be_let_in_again(web: Web) -> None:
    theirs = await visitor(web, "haeundae", Role.OPERATOR)
    user = await web.person("haeundae", Role.OPERATOR)
    admin = await visitor(web)

    done = await admin.post(f"/people/users/{user.id}/deactivate")
    refused = await admin.post(f"/people/users/{user.id}/link")
    outside = await theirs.get("/people")
    again = await admin.post(f"/people/users/{user.id}/activate")

    assert (done.status_code, refused.status_code, again.status_code) == (303, 409, 303)
    assert "Activate them first." in refused.text
    assert outside.headers["Location"].startswith("/sign-in")
    assert (await read_user(web, user.id)).is_active


async def test_an_administrator_does_not_change_their_own_standing(web: Web) -> None:
    client = await visitor(web, "busan")
    me = await web.person("busan", Role.ADMIN)

    page = await read(client, f"/people/users/{me.id}")
    demoted = await client.post(f"/people/users/{me.id}", data={"name": "나", "role": "viewer"})
    gone = await client.post(f"/people/users/{me.id}/deactivate")
    renamed = await client.post(f"/people/users/{me.id}", data={"name": "나"})

    assert 'name="role"' not in page
    assert f"/people/users/{me.id}/deactivate" not in page
    assert (demoted.status_code, gone.status_code, renamed.status_code) == (403, 403, 303)


async def test_nobody_gives_more_than_they_have(web: Web) -> None:
    """A program that may manage people and nothing else must not make itself an administrator of everything."""
    narrow = await web.as_("busan", Role.ADMIN, scopes=("people:manage",), **HTML)
    given = {"login": "puppet", "name": "x", "unit": web.unit("nampo").id, "role": "admin"}

    answer = await narrow.post("/people/users", data=given)

    assert answer.status_code == 403
    assert "puppet" not in [one.login for one in await _list(web)]


async def _list(web: Web) -> list[User]:
    async with web.db.transaction() as tx:
        return await auth.list_users(tx, Scope(None, None))
