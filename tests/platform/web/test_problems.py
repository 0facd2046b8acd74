"""An error on its way out: its status, its words in two languages, its code."""

import pytest

from pabal.base.errors import Conflict, Forbidden, Invalid, NotFound, PabalError, Unavailable
from pabal.base.settings import Settings, split_list
from pabal.engine.reading import TokenUnreadable
from pabal.platform.actor import NotAllowed
from pabal.platform.language.errors import korean
from pabal.platform.slice import load_slices
from pabal.platform.web.idempotency import KeyInProgress, KeyNeeded, KeyReused
from pabal.platform.web.openapi import list_problems
from pabal.platform.web.paging import BadCursor
from pabal.platform.web.problems import (
    BodyTooLarge,
    SignInNeeded,
    TokenRefused,
    UnknownParameter,
    VersionMismatch,
    make_problem,
    status_of,
)
from tests.support.web import Web


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (NotFound(), 404),
        (Conflict(), 409),
        (Invalid(), 422),
        (Forbidden(), 403),
        (Unavailable(), 503),
        (PabalError(), 500),
        (NotAllowed(), 403),
        (SignInNeeded(), 401),
        (TokenRefused(), 401),
        (UnknownParameter(), 400),
        (BadCursor(), 400),
        (KeyNeeded(), 400),
        (TokenUnreadable(), 400),
        (KeyReused(), 422),
        (KeyInProgress(), 409),
        (VersionMismatch(), 412),
        (BodyTooLarge(), 413),
    ],
)
def test_the_nearest_ancestor_decides_the_status(error: PabalError, status: int):
    assert status_of(error) == status


def test_a_problem_says_what_the_case_is_and_where():
    problem = make_problem(NotAllowed("jobs:write"), lang="en", instance="/api/v1/jobs", request_id="r1").as_json()

    assert problem["type"] == "/docs/problems#not_allowed"
    assert problem["detail"].endswith("(jobs:write)")
    assert (problem["code"], problem["instance"], problem["request_id"]) == ("not_allowed", "/api/v1/jobs", "r1")


def test_waiting_time_goes_along():
    problem = make_problem(KeyInProgress(), lang="ko", instance="", request_id="")

    assert problem.as_json()["next"] == [{"rel": "retry", "after_seconds": 1}]


async def test_both_languages_have_a_sentence(web: Web):
    nobody = await web.anybody()

    english = await nobody.get("/api/v1/jobs", headers={"Accept-Language": "en"})
    spoken = await nobody.get("/api/v1/jobs", headers={"Accept-Language": "ko-KR,ko;q=0.9,en;q=0.5"})

    assert english.json()["title"].startswith("You are not signed in")
    assert spoken.json()["title"].startswith("로그인이 필요합니다")
    assert (english.headers["Content-Language"], spoken.headers["Content-Language"]) == ("en", "ko")
    assert english.json()["code"] == spoken.json()["code"] == "sign_in_needed"


def test_every_error_of_the_web_speaks_korean():
    # errors of an app are known once it is imported, their sentences once it is loaded
    load_slices(split_list(Settings().apps))
    of_the_web = [one for one in list_problems() if one.status in (400, 401, 412, 413, 415, 416, 429)]

    assert [one.code for one in of_the_web if one.code not in korean()] == []
