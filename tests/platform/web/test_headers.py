"""What every answer carries."""

from pabal.platform.web.turns import Rate
from tests.support.web import Web


async def test_every_answer_keeps_the_browser_safe(web: Web):
    nobody = await web.anybody()

    for path in ("/livez", "/docs", "/api/v1/me", "/nowhere", "/openapi.json"):
        answer = await nobody.get(path)
        assert "script-src 'self'" in answer.headers["Content-Security-Policy"], path
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"


async def test_a_request_id_is_kept_when_it_is_harmless(web: Web):
    nobody = await web.anybody()

    given = await nobody.get("/livez", headers={"X-Request-Id": "trace-12345678"})
    odd = await nobody.get("/livez", headers={"X-Request-Id": "<script>alert(1)</script>"})

    assert given.headers["X-Request-Id"] == "trace-12345678"
    assert len(odd.headers["X-Request-Id"]) == 32


async def test_too_many_requests_are_told_how_long_to_wait(web: Web):
    web.site.state.rate = Rate(limit=3, seconds=3600)
    one, other = await web.as_(), await web.as_()

    answers = [await one.get("/api/v1/me") for _ in range(4)]
    somebody_else = await other.get("/api/v1/me")

    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[0].headers["RateLimit-Policy"] == '"api";q=3;w=3600'
    assert answers[0].headers["RateLimit"].startswith('"api";r=2')
    assert int(answers[3].headers["Retry-After"]) > 1000
    assert somebody_else.status_code == 200


def test_a_bucket_fills_again():
    rate = Rate(limit=2, seconds=2)
    rate.take("user:1", 0.0)
    rate.take("user:1", 0.0)

    assert rate.take("user:1", 1.0) == '"api";r=0;t=2'
