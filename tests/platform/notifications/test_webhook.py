"""What is called and what is not, against raw sockets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from ipaddress import ip_network

import pytest

from pabal.platform.notifications import signing, webhook
from pabal.platform.notifications.model import is_webhook_url
from pabal.platform.notifications.webhook import Answered, Post, Unanswered, Webhooks
from pabal.platform.outside import is_public
from tests.support.outways import LOOPBACK, receiving, reply

AT = datetime(2026, 7, 1, tzinfo=UTC)
Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def post(url: str, body: bytes = b"{}") -> Post:
    return Post(url, "dlv_1", body, AT, (signing.make_secret(),))


@asynccontextmanager
async def calling(networks: object = LOOPBACK) -> AsyncIterator[Webhooks]:
    client = Webhooks(networks)  # type: ignore[arg-type] -- as a test wants it
    yield client
    await client.close()


@pytest.mark.parametrize(
    ("address", "is_so"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("127.0.0.1", False),
        ("10.0.0.1", False),
        ("172.16.3.4", False),
        ("192.168.0.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b::a9fe:a9fe", False),
        ("2002:7f00:1::", False),
    ],
)
def test_only_what_everybody_can_reach_is_public(address: str, is_so: bool):
    assert is_public(address) is is_so


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "0x7f000001", "2130706433", "127.1", "[::1]", "[::ffff:127.0.0.1]"]
)
@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_no_way_of_writing_a_private_address_is_connected_to(scheme: str, host: str):
    async with receiving() as receiver, calling(()) as client:
        port = receiver.url.split(":")[2].partition("/")[0]
        answer = await client.post(post(f"{scheme}://{host}:{port}/hook"))

    assert isinstance(answer, Unanswered)
    assert receiver.hits == []


async def test_a_name_is_judged_by_what_it_leads_to_when_it_is_called(monkeypatch: pytest.MonkeyPatch):
    """A name that looked public when it was entered and leads inside now."""
    async with receiving() as receiver, calling(()) as client:
        port = int(receiver.url.split(":")[2].partition("/")[0])

        async def lead_inside(*_: object, **__: object) -> list[object]:
            return [(2, 1, 6, "", ("8.8.8.8", port)), (2, 1, 6, "", ("127.0.0.1", port))]

        monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", lead_inside)
        answer = await client.post(post(f"https://hooks.example.com:{port}/hook"))

    assert answer == Unanswered("no connection: A name that leads into a private network.")
    assert receiver.hits == []


async def test_a_network_that_was_allowed_is_called_and_no_other():
    async with receiving() as receiver, calling([ip_network("127.0.0.1/32")]) as client:
        allowed = await client.post(post(receiver.url))
        other = await client.post(post(receiver.url.replace("127.0.0.1", "127.0.0.2")))

    assert allowed == Answered(200, "")
    assert isinstance(other, Unanswered)


async def test_without_tls_only_allowed_networks_are_called():
    async with calling([ip_network("10.0.0.0/8")]) as client:
        answer = await client.post(post("http://8.8.8.8:9/hook"))

    assert answer == Unanswered("no connection: A name that leads into a private network.")


async def test_a_redirect_is_not_followed():
    async with receiving() as inside, receiving() as receiver, calling() as client:
        receiver.answers = [reply(307, "", f"Location: {inside.url}")]
        answer = await client.post(post(receiver.url))

    assert isinstance(answer, Answered)
    assert (answer.status, answer.is_taken, inside.hits) == (307, False, [])


async def test_of_an_endless_answer_only_the_beginning_is_read():
    async def flood(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        try:
            while True:
                writer.write(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async with _serving(flood) as url, calling() as client:
        answer = await client.post(post(url))

    assert answer == Answered(200, "x" * 200)


async def test_a_receiver_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(webhook, "TIMEOUT_SECONDS", 0.05)
    async with receiving() as receiver, calling() as client:
        receiver.answers = [b""]
        answer = await client.post(post(receiver.url))

    assert isinstance(answer, Unanswered)
    assert "no answer" in answer.reason


async def test_a_body_that_is_too_large_is_not_posted():
    async with receiving() as receiver, calling() as client:
        answer = await client.post(post(receiver.url, b"x" * (webhook.LARGEST_BODY + 1)))

    assert isinstance(answer, Answered)
    assert (answer.status, receiver.hits) == (413, [])


@pytest.mark.parametrize(
    ("text", "is_so"),
    [
        ("https://example.com/hook?key=1", True),
        ("http://10.0.0.7:8080/hook", True),
        ("https://user@example.com/", False),
        ("https://user:pass@example.com/", False),
        ("https://example.com/#part", False),
        ("ftp://example.com/", False),
        ("file:///etc/passwd", False),
        ("https:///nothing", False),
        ("https://[broken/", False),
        ("https://example.com/\r\nX-Other: 1", False),
        ("https://example.com/ x", False),
        ("https://example.com:99999/", False),
        ("", False),
    ],
)
def test_what_an_address_may_look_like(text: str, is_so: bool):
    assert is_webhook_url(text) is is_so


@asynccontextmanager
async def _serving(handle: Handle) -> AsyncIterator[str]:
    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
