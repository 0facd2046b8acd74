"""Whatever a route raises becomes one answer."""

from collections.abc import AsyncIterator

import httpx2
from fastapi import APIRouter

from pabal.platform.web.identify import Visitor
from tests.support.web import Web


async def test_what_is_wrong_with_a_body_is_said_field_by_field(web: Web):
    answer = await (await web.as_()).post("/api/v1/units", json={"level": "moon", "name": "x", "colour": "red"})

    problem = answer.json()
    assert (answer.status_code, problem["code"]) == (422, "body_invalid")
    assert {one["pointer"] for one in problem["errors"]} == {"/parent_id", "/level", "/colour"}
    assert answer.headers["Content-Type"] == "application/problem+json"


async def test_a_body_that_is_no_json_cannot_be_read(web: Web):
    admin = await web.as_()

    answer = await admin.post("/api/v1/units", content=b"{", headers={"Content-Type": "application/json"})

    assert (answer.status_code, answer.json()["code"]) == (400, "unreadable")


async def test_a_parameter_nobody_knows_is_named(web: Web):
    admin = await web.as_()

    answers = [await admin.get(path) for path in ("/api/v1/jobs?stat=done", "/api/v1/me?x=1", "/api/v1/jobs?state=odd")]

    assert [answer.json()["code"] for answer in answers] == ["unknown_parameter", "unknown_parameter", "bad_parameter"]
    assert "(stat)" in answers[0].json()["detail"]
    assert {answer.status_code for answer in answers} == {400}


async def test_an_id_that_cannot_be_one_is_not_found(web: Web):
    admin = await web.as_()
    paths = ("jobs/7", "jobs/job_1", "schedules/sch_x", "schedules/sch_99999999999999999999", "users/0", "users/x")
    more = (
        "occurrences/occ_1@x",
        "occurrences/occ_1@0001-01-01T00:00:00+09:00",
        "why/nothing",
        "files/file_%00",
        "nowhere",
    )

    answers = [await admin.get(f"/api/v1/{path}") for path in (*paths, *more)]

    assert {answer.status_code for answer in answers} == {404}


async def test_a_method_that_is_not_there_says_which_are(web: Web):
    answer = await (await web.as_()).delete("/api/v1/jobs")

    assert (answer.status_code, answer.json()["code"], answer.headers["Allow"]) == (405, "method_not_allowed", "GET")


async def test_the_unforeseen_says_nothing_of_itself_and_keeps_its_headers(web: Web):
    router = APIRouter()

    @router.get("/api/v1/broken")
    async def broken(visit: Visitor) -> None:
        raise RuntimeError("the password is tiger")

    web.site.include_router(router)

    answer = await (await web.as_()).get("/api/v1/broken")

    assert (answer.status_code, answer.json()["code"]) == (500, "unexpected")
    assert "tiger" not in answer.text
    assert answer.headers["X-Request-Id"] == answer.json()["request_id"]
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]


async def test_a_person_without_a_session_is_sent_to_sign_in(web: Web):
    answer = await (await web.anybody()).get("/jobs?state=failed", headers={"Accept": "text/html"})

    assert (answer.status_code, answer.headers["Location"]) == (303, "/sign-in?next=%2Fjobs%3Fstate%3Dfailed")


async def test_a_body_too_large_is_refused_also_when_it_does_not_say_so(web: Web):
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {await web.make_token('hq')}"}
    # without a socket: a client that is still sending may lose the answer with the connection
    inside = httpx2.AsyncClient(transport=httpx2.ASGITransport(app=web.site), base_url="http://inside")

    announced = await inside.post("/api/v1/units", content=b" " * 1_100_000, headers=headers)
    chunked = await inside.post("/api/v1/units", content=_pieces(), headers=headers)

    assert {(one.status_code, one.json()["code"]) for one in (announced, chunked)} == {(413, "body_too_large")}


async def _pieces() -> AsyncIterator[bytes]:
    for _ in range(20):
        yield b" " * 100_000
