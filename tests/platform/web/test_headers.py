"""What every answer carries."""

from pabal.platform.web.headers import Message, Receive, Scope, SecureHeaders, Send
from pabal.platform.web.turns import Rate
from tests.support.web import Web


async def test_every_answer_keeps_the_browser_safe(web: Web):
    nobody = await web.anybody()

    for path in ("/livez", "/docs", "/api/v1/me", "/nowhere", "/openapi.json"):
        answer = await nobody.get(path)
        assert "script-src 'self'" in answer.headers["Content-Security-Policy"], path
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["X-Frame-Options"] == "DENY"


async def test_what_an_answer_says_itself_is_left_as_it_is_and_said_once():
    sent: list[Message] = []
    own = [
        (b"Cache-Control", b"max-age=60"),
        (b"x-frame-options", b"SAMEORIGIN"),
        (b"X-Request-Id", b"of-somebody-else"),
    ]

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": list(own)})

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "headers": [(b"x-request-id", b"trace-12345678")]}
    await SecureHeaders(app, is_https=True)(scope, receive, send)

    headers = [(name.decode().lower(), value.decode()) for name, value in sent[0]["headers"]]
    names = [name for name, _ in headers]
    said = dict(headers)
    assert len(names) == len(set(names))
    assert said["cache-control"] == "max-age=60"
    assert said["x-frame-options"] == "SAMEORIGIN"
    assert said["x-request-id"] == "trace-12345678"
    assert said["strict-transport-security"] == "max-age=31536000"
    assert said["referrer-policy"] == "same-origin"


async def test_nothing_is_kept_by_a_cache_unless_it_is_said(web: Web):
    answer = await (await web.anybody()).get("/livez")

    assert answer.headers["Cache-Control"] == "no-store"


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
