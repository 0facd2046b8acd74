"""Kept connections for short POSTs: against raw sockets, so that every way an answer can fail is seen."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from pabal.platform import posts
from pabal.platform.outside import PublicOnly
from pabal.platform.posts import Answer, BrokenAnswer, ConnectError, Origin, Posts
from tests.support.certificates import make_trusted
from tests.support.ports import free_port

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Host:
    """Answers the n-th request of all with the n-th script, the last one again; notes which connection asked."""

    def __init__(self, *scripts: bytes, closes: bool = False) -> None:
        self.scripts, self.closes = scripts, closes
        self.heard: list[tuple[int, bytes]] = []
        self.writers: list[asyncio.StreamWriter] = []

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        number = len(self.writers)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
                self.heard.append((number, head + await reader.readexactly(length)))
                writer.write(self.scripts[min(len(self.heard), len(self.scripts)) - 1])
                await writer.drain()
                if self.closes:
                    break
        writer.close()


@asynccontextmanager
async def serving(host: Host, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
    server = await asyncio.start_server(host.handle, "127.0.0.1", 0, ssl=tls)
    async with server:
        yield f"http{'s' if tls else ''}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for writer in host.writers:
            writer.close()


@asynccontextmanager
async def posting(host: Host) -> AsyncIterator[Callable[[], Awaitable[Answer]]]:
    client = Posts(None, largest=1000)
    async with serving(host) as origin:
        yield lambda: client.post(f"{origin}/a?b=1", {"X-One": "1"}, b"body", seconds=30)
        client.close()


async def test_a_request_is_whole_and_its_connection_is_used_again():
    host = Host(OK)
    async with posting(host) as post:
        assert [await post() for _ in range(3)] == [Answer(200, b"ok")] * 3

    assert [number for number, _ in host.heard] == [1, 1, 1]
    head, _, body = host.heard[0][1].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /a?b=1 HTTP/1.1\r\nHost: 127.0.0.1:")
    assert b"\r\nX-One: 1\r\n" in head
    assert body == b"body"


async def test_two_at_once_do_not_share_a_connection():
    host = Host(OK)
    async with posting(host) as post:
        await asyncio.gather(post(), post())

    assert {number for number, _ in host.heard} == {1, 2}


@pytest.mark.parametrize(
    "script",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
        b"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
        # somebody says more than was asked
        OK + OK,
        OK + b"nonsense",
    ],
)
async def test_a_connection_that_cannot_be_trusted_is_not_used_again(script: bytes):
    host = Host(script, OK)
    async with posting(host) as post:
        assert [await post() for _ in range(2)] == [Answer(200, b"ok")] * 2

    assert [number for number, _ in host.heard] == [1, 2]


async def test_what_comes_while_nobody_asks_is_no_answer_to_the_next():
    host = Host(OK)
    client = Posts(None, largest=1000)
    async with serving(host) as origin:
        await client.post(f"{origin}/", {}, b"", seconds=30)
        [line] = client._free[posts.split(f"{origin}/")[0]]
        host.writers[0].write(b"HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n")
        async with asyncio.timeout(30):
            while line.is_open:
                await asyncio.sleep(0)
        assert await client.post(f"{origin}/", {}, b"", seconds=30) == Answer(200, b"ok")
        client.close()

    assert [number for number, _ in host.heard] == [1, 2]


async def test_a_connection_that_was_idle_for_long_is_not_used_again(monkeypatch: pytest.MonkeyPatch):
    host = Host(OK)
    async with posting(host) as post:
        await post()
        monkeypatch.setattr(posts, "KEPT_SECONDS", 0.0)
        await post()

    assert [number for number, _ in host.heard] == [1, 2]


@pytest.mark.parametrize(
    ("script", "answer"),
    [
        (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, Answer(200, b"ok")),
        (b"HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\n" + OK, Answer(200, b"ok")),
        (b"HTTP/1.1 204 No Content\r\n\r\n", Answer(204, b"")),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\no\r\n1\r\nk\r\n0\r\n\r\n", Answer(200, b"ok")),
        (b"HTTP/1.1 200 OK\r\n\r\nto the end", Answer(200, b"to the end")),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"x" * 5000, Answer(200, b"x" * 1000)),
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n", Answer(302, b"")),
    ],
)
async def test_answers_are_read_as_they_are_meant(script: bytes, answer: Answer):
    async with posting(Host(script, closes=True)) as post:
        assert await post() == answer


@pytest.mark.parametrize(
    "script",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nok",
        b"HTTP/1.1 100 Continue\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + OK,
        b"SSH-2.0-x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"X-More: 1\r\n" * 10_000,
    ],
)
async def test_an_answer_that_is_not_whole_is_none(script: bytes):
    async with posting(Host(script, closes=True)) as post:
        with pytest.raises(BrokenAnswer):
            await post()


async def test_a_head_that_does_not_end_is_not_waited_for():
    async with posting(Host(b"HTTP/1.1 200 OK\r\n" + b"X-More: 1\r\n" * 10_000)) as post:
        with pytest.raises(BrokenAnswer, match="head"):
            await post()


async def test_whoever_gives_up_waiting_leaves_no_answer_to_the_next():
    host = Host(b"", OK)
    async with posting(host) as post:
        waiting = asyncio.ensure_future(post())
        async with asyncio.timeout(30):
            while not host.heard:
                await asyncio.sleep(0)
        waiting.cancel()
        with suppress(asyncio.CancelledError):
            await waiting
        assert await post() == Answer(200, b"ok")

    assert [number for number, _ in host.heard] == [1, 2]


async def test_an_answer_that_does_not_come_is_a_timeout_and_nobody_there_is_none():
    client = Posts(None, largest=1000)
    async with serving(Host(b"")) as origin:
        with pytest.raises(TimeoutError):
            await client.post(f"{origin}/", {}, b"", seconds=0.1)
    with pytest.raises(ConnectError):
        await client.post(f"http://127.0.0.1:{free_port()}/", {}, b"", seconds=30)


async def test_a_connection_that_does_not_come_about_in_time_is_nobody_reached():
    """Whoever speaks no TLS is met, and no byte of the request reaches them."""
    host = Host(OK)
    client = Posts(None, largest=1000)
    async with serving(host) as origin:
        with pytest.raises(ConnectError):
            await client.post(f"{origin.replace('http:', 'https:')}/", {}, b"", seconds=0.2)

    assert host.writers != []
    assert host.heard == []


async def test_whoever_cannot_show_who_they_are_gets_no_byte_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    host = Host(OK)
    server, trusting = make_trusted(tmp_path)
    stranger = Posts(None, largest=1000)
    async with serving(host, server) as origin:
        with pytest.raises(ConnectError):
            await stranger.post(f"{origin}/", {}, b"", seconds=30)
        monkeypatch.setattr(posts.httpx2, "create_ssl_context", lambda: trusting)
        client = Posts(None, largest=1000)
        with pytest.raises(ConnectError):
            await client.post(f"{origin.replace('127.0.0.1', 'localhost')}/", {}, b"", seconds=30)
        assert host.heard == []
        assert await client.post(f"{origin}/", {}, b"", seconds=30) == Answer(200, b"ok")
        client.close()


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]"])
async def test_the_door_looks_at_the_address_before_it_is_connected_to(name: str):
    host = Host(OK)
    client = Posts(PublicOnly(), largest=1000)
    async with serving(host) as origin:
        with pytest.raises(ConnectError):
            await client.post(f"{origin.replace('127.0.0.1', name)}/", {}, b"", seconds=30)

    assert host.writers == []


async def test_a_header_cannot_bring_another_along():
    with pytest.raises(ValueError, match="one line"):
        await Posts(None, largest=1).post("http://127.0.0.1:1/", {"X": "1\r\nY: 2"}, b"", seconds=1)


@pytest.mark.parametrize(
    ("url", "origin", "target"),
    [
        ("https://bot-api.kakao.com/v1/b/t?x=%20", Origin("https", "bot-api.kakao.com", 443), "/v1/b/t?x=%20"),
        ("http://127.0.0.1:9100/a", Origin("http", "127.0.0.1", 9100), "/a"),
        ("https://KAKAO.com", Origin("https", "kakao.com", 443), "/"),
        ("https://kakao.com/답 변#x", Origin("https", "kakao.com", 443), "/%EB%8B%B5%20%EB%B3%80"),
        ("http://[::1]:8/a", Origin("http", "::1", 8), "/a"),
    ],
)
def test_an_address_is_read_as_a_browser_reads_it(url: str, origin: Origin, target: str):
    assert posts.split(url) == (origin, target)


def test_a_host_is_named_with_its_port_where_that_is_not_the_usual_one():
    names = [Origin("https", "a.b", 443).name, Origin("http", "a.b", 443).name, Origin("http", "::1", 80).name]
    assert names == ["a.b", "a.b:443", "[::1]"]


@pytest.mark.parametrize("url", ["ftp://a.b/", "file:///etc/passwd", "http:///x"])
def test_what_cannot_be_called_is_nobody_reached(url: str):
    with pytest.raises(ConnectError):
        posts.split(url)
