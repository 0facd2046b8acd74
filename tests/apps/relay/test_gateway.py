"""What may be called, and what came of it: against raw sockets, so that every way an answer can fail is seen."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import httpcore2
import pytest

from pabal.apps.relay import gateway
from pabal.apps.relay.gateway import (
    HOSTS,
    Accepted,
    Addresses,
    CallResult,
    KakaoClient,
    NotAllowed,
    Rejected,
    Unclear,
    Unreached,
)
from pabal.platform.outside import PublicOnly
from tests.support.ports import free_port
from tests.support.relay import skill

Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.mark.parametrize(
    ("url", "is_allowed"),
    [
        ("https://bot-api.kakao.com/v1/bots/b/callback/t", True),
        ("https://x.kakaocdn.net/a", True),
        ("https://a.b.kakaoenterprise.com/a", True),
        ("https://kakao.com/a", True),
        ("http://bot-api.kakao.com/a", False),
        ("https://bot-api.kakao.com:8443/a", False),
        ("https://user@bot-api.kakao.com/a", False),
        ("https://evilkakao.com/a", False),
        ("https://kakao.com.evil.example/a", False),
        ("https://bot-api.kakao.com@evil.example/", False),
        ("https://127.0.0.1/a", False),
        ("https://[::1]/a", False),
        ("https://169.254.169.254/latest", False),
        ("file:///etc/passwd", False),
        ("https://[broken/a", False),
        ("", False),
    ],
)
def test_only_kakaos_own_addresses_are_called(url: str, is_allowed: bool):
    assert Addresses(HOSTS).allows(url) is is_allowed


def test_an_origin_somebody_named_is_allowed_as_it_is_and_nothing_like_it():
    addresses = Addresses("http://127.0.0.1:9100, .kakao.com")

    assert addresses.allows("http://127.0.0.1:9100/v1/bots/b/callback/t")
    assert not addresses.allows("http://127.0.0.1:9101/v1")
    assert not addresses.allows("https://127.0.0.1:9100/v1")
    assert not addresses.allows("http://x@127.0.0.1:9100/v1")


def test_without_any_host_nothing_is_allowed():
    assert not Addresses("").allows("https://bot-api.kakao.com/a")


@asynccontextmanager
async def serving(handle: Handle) -> AsyncIterator[str]:
    """Connections are closed with it, also where the handler left them open."""
    writers: list[asyncio.StreamWriter] = []

    async def handle_and_keep(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.append(writer)
        await handle(reader, writer)

    server = await asyncio.start_server(handle_and_keep, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    async with server:
        yield f"http://{host}:{port}"
    for writer in writers:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def call(handle: Handle) -> CallResult:
    async with serving(handle) as origin:
        client = KakaoClient(Addresses(origin))
        try:
            return await client.call_back(f"{origin}/v1/bots/b/callback/t", skill("답"))
        finally:
            await client.close()


def answering(status: str, body: bytes, head: str = "") -> Handle:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n{head}\r\n".encode() + body)
        await writer.drain()
        writer.close()

    return handle


def kakao_says(status: str, message: str = "") -> bytes:
    return json.dumps({"taskId": "t-1", "status": status, "message": message, "timestamp": 1}).encode()


@pytest.mark.parametrize(
    ("status", "body", "result"),
    [
        ("200 OK", kakao_says("SUCCESS"), Accepted("t-1")),
        ("200 OK", kakao_says("FAIL", "Invalid skill-json format."), Rejected("Invalid skill-json format.")),
        ("200 OK", kakao_says("ERROR", "Internal server error"), Rejected("Internal server error")),
        (
            "400 Bad Request",
            kakao_says("FAIL", "Invalid callback token. Check your callback token."),
            Rejected("Invalid callback token. Check your callback token.", is_token=True),
        ),
        ("404 Not Found", b"<html>", Rejected("HTTP 404")),
        ("200 OK", b"<html>", Unclear("HTTP 200")),
        ("500 Oops", b"", Unclear("HTTP 500")),
        ("200 OK", b"[]", Unclear("HTTP 200")),
    ],
)
async def test_it_is_judged_by_the_bodys_own_word(status: str, body: bytes, result: CallResult):
    assert await call(answering(status, body)) == result


@pytest.mark.parametrize(
    ("status", "result"), [("200 OK", Unclear("HTTP 200")), ("404 Not Found", Rejected("HTTP 404"))]
)
async def test_an_answer_that_never_ends_is_not_read_to_its_end(status: str, result: CallResult):
    """It would fill the memory; a time limit alone lets it, and would end as a timeout."""
    gone = asyncio.Event()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(f"HTTP/1.1 {status}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        with suppress(ConnectionError):
            while True:
                writer.write(b"4000\r\n" + b" " * 0x4000 + b"\r\n")
                await writer.drain()
        gone.set()

    assert await call(handle) == result
    async with asyncio.timeout(30):
        await gone.wait()


async def test_the_longest_answer_is_still_understood():
    body = kakao_says("SUCCESS")
    assert await call(answering("200 OK", body + b" " * (gateway.LARGEST_ANSWER - len(body)))) == Accepted("t-1")


async def test_redirects_are_not_followed():
    asked = []

    async def other(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readline())
        writer.close()

    async with serving(other) as elsewhere:
        result = await call(answering("302 Found", b"", f"Location: {elsewhere}/x\r\n"))

    assert result == Rejected("HTTP 302")
    assert asked == []


async def test_nobody_there_can_be_tried_again():
    client = KakaoClient(Addresses(origin := f"http://127.0.0.1:{free_port()}"))

    result = await client.call_back(f"{origin}/x", skill("답"))

    await client.close()
    assert result == Unreached("ConnectError")


async def test_a_connection_that_ends_without_an_answer_leaves_it_unclear():
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.close()

    assert isinstance(await call(handle), Unclear)


async def test_an_answer_that_does_not_come_in_time_leaves_it_unclear(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(gateway, "TIMEOUT_SECONDS", 0.2)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    assert isinstance(await call(handle), Unclear)


async def test_an_address_that_is_not_allowed_is_not_even_looked_up():
    client = KakaoClient(Addresses(HOSTS))

    assert await client.call_back("https://169.254.169.254/latest/meta-data", skill("답")) == NotAllowed()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
async def test_a_name_that_leads_into_a_private_network_is_not_connected_to(host: str):
    met = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.append(writer)
        writer.close()

    async with serving(handle) as origin:
        with pytest.raises(httpcore2.ConnectError):
            await PublicOnly().connect_tcp(host, int(origin.rpartition(":")[2]))

    assert met == []


async def test_answers_to_hosts_go_through_the_door_that_refuses_private_networks(monkeypatch: pytest.MonkeyPatch):
    """A host of Kakao's ending whose name somebody made lead here."""
    client = KakaoClient(Addresses("localhost"))

    result = await client.call_back("https://localhost/x", skill("답"))

    await client.close()
    assert result == Unreached("ConnectError")


async def test_the_event_api_has_its_own_shape():
    heard: list[bytes] = []

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
        heard.extend([head, await reader.readexactly(length)])
        body = kakao_says("SUCCESS")
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    async with serving(handle) as origin:
        client = KakaoClient(Addresses(origin), rest_key="k3y", event_url=origin)
        result = await client.push("b0t", {"name": "late", "data": {"text": "답"}}, "kim")
        await client.close()

    assert result == Accepted("t-1")
    assert heard[0].startswith(b"POST /v2/bots/b0t/talk ")
    assert b"Authorization: KakaoAK k3y\r\n" in heard[0]
    user = [{"type": "plusfriendUserKey", "id": "kim"}]
    assert json.loads(heard[1]) == {"event": {"name": "late", "data": {"text": "답"}}, "user": user}
