"""Bodies by hand over a real socket: too large, too many, too deep, too slow, and where nobody asked for one."""

import base64
import json
import tempfile
from dataclasses import replace
from datetime import timedelta
from itertools import product
from pathlib import Path

from pabal.platform.actor import Role
from pabal.platform.web.bodies import BodyLimits
from tests.support.web import Web
from tests.support.wire import Answer, connected

SOCKET_BUFFERS = 16_000_000
FORM = "Content-Type: application/x-www-form-urlencoded"
MULTIPART = "Content-Type: multipart/form-data; boundary=b"
JSON = "Content-Type: application/json"
PART = b'--b\r\nContent-Disposition: form-data; name="login"; filename="x"\r\n\r\n' + b"x" * 1_000_000 + b"\r\n"


async def send(web: Web, line: str, *headers: str, body: bytes = b"") -> Answer:
    """A whole request, its length said."""
    async with connected(web.url) as wire:
        await wire.request(line, f"Content-Length: {len(body)}", "Accept: */*", *headers, body=body)
        return await wire.answer()


async def bearer(web: Web, unit: str = "hq", role: Role = Role.ADMIN) -> str:
    return f"Authorization: Bearer {await web.make_token(unit, role)}"


async def test_parts_nobody_asked_for_are_neither_read_nor_kept(web: Web, tmp_path: Path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    async with connected(web.url) as wire:
        await wire.request("POST /sign-in", MULTIPART, "Content-Length: 300000000")
        answer = await wire.flood_until_answered(PART, 300)

    assert (answer.status, answer.code) == (415, "upload_not_taken")
    assert wire.sent < SOCKET_BUFFERS
    assert list(tmp_path.glob("tmp*")) == []


async def test_no_address_reads_a_strangers_upload(web: Web):
    """Those that take uploads, of every app: tests/stories/test_no_upload_of_a_stranger_is_read.py."""
    told = {
        "/sign-in": 415,
        "/theme": 415,
        "/api/v1/bulk": 415,
        "/settings": 415,
        "/api/v1/files": 401,
        "/nowhere": 404,
    }
    for (path, status), length in product(told.items(), ("Content-Length: 300000000", "Transfer-Encoding: chunked")):
        async with connected(web.url) as wire:
            await wire.request(f"POST {path}", MULTIPART, length, "Expect: 100-continue", "Accept: application/json")
            answer = await wire.answer()

            assert (path, answer.status, answer.headers["connection"]) == (path, status, "close")
            assert await wire.is_closed()


async def test_an_upload_begins_only_for_somebody_known(web: Web):
    async with connected(web.url) as wire:
        await wire.request("POST /api/v1/files", MULTIPART, "Content-Length: 300000000", "Expect: 100-continue")
        stranger = await wire.answer()
    async with connected(web.url) as wire:
        headers = (MULTIPART, "Content-Length: 300", "Expect: 100-continue", await bearer(web))
        await wire.request("POST /api/v1/files", *headers)
        known = await wire.answer()

    assert (stranger.status, known.status) == (401, 100)


async def test_a_body_that_says_it_is_too_large_is_not_begun(web: Web):
    async with connected(web.url) as wire:
        await wire.request(
            "POST /api/v1/bulk", JSON, "Content-Length: 1000001", "Expect: 100-continue", await bearer(web)
        )
        answer = await wire.answer()

    assert (answer.status, answer.code) == (413, "body_too_large")


async def test_a_body_in_chunks_is_counted(web: Web):
    async with connected(web.url) as wire:
        await wire.request("POST /api/v1/bulk", JSON, "Transfer-Encoding: chunked", await bearer(web))
        answer = await wire.flood_until_answered(b"10000\r\n" + b" " * 65_536 + b"\r\n", 2000)

    assert (answer.status, answer.code) == (413, "body_too_large")
    assert wire.sent < SOCKET_BUFFERS


async def test_a_stranger_may_send_little(web: Web):
    for length in ("Content-Length: 500000", "Transfer-Encoding: chunked"):
        async with connected(web.url) as wire:
            await wire.request("POST /sign-in", FORM, length, "Accept: */*")
            answer = await wire.flood_until_answered(b"1f40\r\n" + b"x" * 8000 + b"\r\n", 60)

        assert (answer.status, answer.code) == (401, "sign_in_needed")


async def test_somebody_known_may_send_more(web: Web):
    body = json.dumps({"action": "cancel", "ids": [], "note": "x" * 500_000}).encode()

    answer = await send(web, "POST /api/v1/bulk", JSON, await bearer(web), body=body)

    assert answer.status == 422


async def test_too_many_fields_are_refused(web: Web):
    answer = await send(web, "POST /sign-in", FORM, body=b"a&" * 10_000)

    assert (answer.status, answer.code) == (413, "too_many_fields")


async def test_a_field_too_long_is_refused(web: Web):
    web.site.state.body_limits = BodyLimits(field=100)

    answer = await send(web, "POST /sign-in", FORM, body=b"login=" + b"x" * 200)

    assert (answer.status, answer.code) == (413, "too_many_fields")


async def test_json_of_too_many_levels_or_values_is_refused(web: Web):
    known = await bearer(web)

    for body in [b"[" * 60_000, b'{"a":' * 10_000, b"[" * 500 + b"]" * 500, b"[" + b"1," * 30_000 + b"1]"]:
        answer = await send(web, "POST /api/v1/bulk", JSON, known, body=body)

        assert (answer.status, answer.code) == (413, "json_too_deep"), body[:9]


async def test_of_many_wrong_fields_only_the_first_are_told(web: Web):
    body = json.dumps(dict.fromkeys(map(str, range(5000)), 0)).encode()

    answer = await send(web, "POST /api/v1/bulk", JSON, await bearer(web), body=body)

    assert (answer.status, len(json.loads(answer.body)["errors"])) == (422, 100)


async def test_brackets_in_texts_are_no_levels(web: Web):
    text = json.dumps({"ids": ['[[{"' * 100 + "\\"] * 50, "deep": [[[[]]]] * 40}).encode()

    answer = await send(web, "POST /api/v1/bulk", JSON, await bearer(web), body=text)

    assert (answer.status, answer.code) == (422, "body_invalid")


async def test_a_compressed_body_is_refused_unread(web: Web):
    for line in ["POST /sign-in", "POST /api/v1/bulk", "GET /api/v1/jobs", "POST /nowhere"]:
        async with connected(web.url) as wire:
            await wire.request(line, JSON, "Content-Encoding: gzip", "Content-Length: 300000000", "Accept: */*")
            answer = await wire.answer()

            assert (answer.status, answer.code) == (415, "encoded_body")
            assert await wire.is_closed()


async def test_a_body_where_there_is_none_to_send_is_refused_unread(web: Web):
    for path in ["/api/v1/events", "/static/pabal.css", "/sign-in", "/nowhere"]:
        async with connected(web.url) as wire:
            await wire.request(f"GET {path}", "Content-Length: 300000000", "Accept: */*")
            answer = await wire.answer()

            assert (answer.status, answer.code) == (400, "body_not_taken")
            assert await wire.is_closed()


async def test_a_body_nobody_reads_ends_the_connection(web: Web):
    for line in ["POST /nowhere", "POST /static/pabal.css", "DELETE /api/v1/jobs/1", "PUT /sign-in"]:
        async with connected(web.url) as wire:
            await wire.request(line, "Content-Length: 300000000")
            await wire.flood(b"x" * 1_000_000, 300)

            assert await wire.is_closed()
        assert wire.sent < SOCKET_BUFFERS


async def test_silence_within_a_body_is_given_up(web: Web):
    web.site.state.body_limits = BodyLimits(longest_pause=timedelta(milliseconds=50))
    async with connected(web.url) as wire:
        await wire.request("POST /sign-in", FORM, "Content-Length: 100", "Accept: */*", body=b"login=")
        answer = await wire.answer()

        assert (answer.status, answer.code) == (408, "body_too_slow")
        assert await wire.is_closed()


async def test_a_body_that_dribbles_is_given_up(web: Web):
    limits = replace(BodyLimits(), longest=timedelta(milliseconds=200))
    web.site.state.body_limits = limits
    async with connected(web.url) as wire:
        await wire.request("POST /sign-in", FORM, "Transfer-Encoding: chunked", "Accept: */*")
        answer = await wire.flood_until_answered(b"1\r\nx\r\n", 10_000, pause=0.005)

    assert (answer.status, answer.code) == (408, "body_too_slow")


async def test_extensions_of_chunks_are_no_body(web: Web):
    """They are read and thrown away, so they must not keep a body alive."""
    web.site.state.body_limits = BodyLimits(longest_pause=timedelta(milliseconds=50))
    async with connected(web.url) as wire:
        await wire.request("POST /sign-in", FORM, "Transfer-Encoding: chunked", "Accept: */*", body=b"5;" + b"x" * 9000)

        assert (await wire.answer()).code == "body_too_slow"


async def test_more_than_was_announced_is_no_body(web: Web):
    async with connected(web.url) as wire:
        await wire.request("POST /sign-in", FORM, "Content-Length: 5", body=b"a=b&cLOGIN=1\r\n\r\n")

        assert await wire.is_closed()


async def test_two_lengths_are_refused(web: Web):
    async with connected(web.url) as wire:
        await wire.request("POST /sign-in", FORM, "Content-Length: 5", "Transfer-Encoding: chunked", body=b"0\r\n\r\n")

        assert (await wire.answer()).status == 400


async def test_an_ordinary_form_passes(web: Web):
    answer = await send(web, "POST /sign-in", FORM, "Accept: text/html", body=b"login=kim&password=wrong&next=/")

    assert answer.status == 401


async def test_a_cookie_of_endless_nesting_is_no_error(web: Web):
    said = base64.urlsafe_b64encode(b"[" * 20_000).decode()

    answer = await send(web, "GET /sign-in", f"Cookie: pabal_said={said}")

    assert answer.status == 200
