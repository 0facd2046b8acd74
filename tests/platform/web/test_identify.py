"""Who is asking."""

from pabal.platform.actor import Role
from pabal.platform.web.identify import CSRF_HEADER
from tests.support.web import Web


async def test_a_session_and_a_token_say_who_one_is(web: Web):
    person = await web.person("gangnam", Role.OPERATOR)
    by_session = await web.as_("gangnam", Role.OPERATOR, by="session")
    by_token = await web.as_("gangnam", Role.VIEWER)

    one, other = (await by_session.get("/api/v1/me")).json(), (await by_token.get("/api/v1/me")).json()

    assert (one["name"], one["role"], one["units"]) == (f"user:{person.id}", "operator", [web.tree.gangnam.id])
    assert other["name"].startswith("token:")


async def test_a_token_wins_over_a_cookie(web: Web):
    client = await web.as_("gangnam", Role.VIEWER, by="session")
    client.headers["Authorization"] = f"Bearer {await web.make_token('hq')}"

    assert (await client.get("/api/v1/me")).json()["name"].startswith("token:")


async def test_a_bad_token_does_not_fall_back_to_the_cookie(web: Web):
    client = await web.as_("gangnam", Role.VIEWER, by="session", Authorization="Bearer pbl_wrong")

    answer = await client.get("/api/v1/me")

    assert (answer.status_code, answer.json()["code"]) == (401, "token_refused")


async def test_a_change_by_cookie_needs_the_csrf_token(web: Web):
    client = await web.as_("hq", Role.ADMIN, by="session")
    good = client.headers.pop(CSRF_HEADER)
    body = {"value": "30d"}

    without = await client.put("/api/v1/settings/notifications.keep", json=body)
    wrong = await client.put("/api/v1/settings/notifications.keep", json=body, headers={CSRF_HEADER: "x"})
    right = await client.put("/api/v1/settings/notifications.keep", json=body, headers={CSRF_HEADER: good})

    assert [(one.status_code, one.json().get("code")) for one in (without, wrong)] == [(403, "csrf_failed")] * 2
    assert right.status_code == 200


async def test_a_browser_that_says_another_site_sent_it_is_refused(web: Web):
    client = await web.as_("hq", Role.ADMIN, by="session")
    said = ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://evil.example"}, {"Origin": "null"})

    answers = [
        await client.put("/api/v1/settings/notifications.keep", json={"value": "30d"}, headers=one) for one in said
    ]

    assert {answer.status_code for answer in answers} == {403}


async def test_a_program_needs_no_csrf_token(web: Web):
    answer = await (await web.as_()).put("/api/v1/settings/notifications.keep", json={"value": "30d"})

    assert answer.status_code == 200


async def test_org_narrows_what_one_sees(web: Web):
    admin = await web.as_("busan")

    own = (await admin.get("/api/v1/units")).json()["items"]
    narrow = (await admin.get(f"/api/v1/units?org={web.tree.nampo.id}")).json()["items"]
    others = await admin.get(f"/api/v1/units?org={web.tree.seoul.id}")

    assert {one["id"] for one in own} == {web.tree.busan.id, web.tree.haeundae.id, web.tree.nampo.id}
    assert [one["id"] for one in narrow] == [web.tree.nampo.id]
    assert others.status_code == 404
