"""Connections held open, heads that never end, answers nobody reads: none of them keeps others out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from fastapi import FastAPI, Request, Response

from pabal import serving
from pabal.base.telemetry import metrics_text
from pabal.platform.web.bodies import BodyLimits
from pabal.platform.web.limits import Limits
from pabal.platform.web.turns import Shares, Turns
from pabal.protocol import ConnectionLimits, OpenConnections
from tests.support.servers import until
from tests.support.wire import Wire, connected

LARGE = b"x" * 8_000_000


@dataclass
class Site:
    url: str
    open: OpenConnections
    gate: asyncio.Event
    begun: list[str]


@asynccontextmanager
async def running(trusted_proxies: str = "", *, shares: Shares | None = None, **limits: float) -> AsyncIterator[Site]:
    """`shares`: with what stands before every request."""
    app, gate, begun = FastAPI(), asyncio.Event(), list[str]()
    if shares is not None:
        app.state.turns, app.state.body_limits = Turns(shares), BodyLimits()
        app.add_middleware(Limits)

    @app.get("/")
    async def plain() -> Response:
        return Response("ok")

    @app.get("/large")
    async def large() -> Response:
        return Response(LARGE)

    @app.get("/known")
    async def known(request: Request) -> Response:
        """As a route does that found out who is asking."""
        request.state.sender.note_known()
        begun.append("known")
        await gate.wait()
        return Response("ok")

    server = serving.WebServer(
        app,
        serving.listen("127.0.0.1", 0),
        trusted_proxies=trusted_proxies,
        limits=ConnectionLimits(**limits),  # type: ignore[arg-type]  # whole numbers are given where they are wanted
    )
    # how the real one stops is shown by tests/test_serving.py
    server.config.timeout_graceful_shutdown = 1
    task = asyncio.create_task(server.run_until_stopped())
    await server.wait_until_started()
    try:
        yield Site(server.url, server.config.open_connections, gate, begun)  # type: ignore[attr-defined]  # ours
    finally:
        gate.set()
        await server.stop()
        await task


async def ask(wire: Wire, path: str = "/") -> int:
    await wire.request(f"GET {path}")
    return (await wire.answer()).status


async def hold(stack: AsyncExitStack, site: Site, count: int, first: bytes = b"GET / HT") -> list[Wire]:
    held = []
    for _ in range(count):
        wire = await stack.enter_async_context(connected(site.url))
        await wire.send(first)
        held.append(wire)
    await until(lambda: len(site.open) == count)
    return held


async def test_a_head_that_does_not_end_in_time_is_given_up():
    async with running(head=0.05) as site, connected(site.url) as wire:
        await wire.send(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")

        answer = await wire.answer()

        assert (answer.status, answer.code) == (408, "head_too_slow")
        assert await wire.is_closed()


async def test_a_connection_that_never_says_anything_is_closed():
    async with running(head=0.05) as site, connected(site.url) as wire:
        assert await wire.reader.read() == b""


async def test_empty_lines_between_requests_buy_no_time():
    async with running(head=0.2) as site, connected(site.url) as wire:
        await ask(wire)
        pushing = asyncio.create_task(push(wire, b"\r\n"))

        assert await wire.is_closed()
        pushing.cancel()


async def test_a_second_head_has_its_own_time():
    async with running(head=0.2, idle=30) as site, connected(site.url) as wire:
        await ask(wire)
        await wire.send(b"GET / HTTP/1.1\r\nHo")

        assert (await wire.answer()).code == "head_too_slow"


async def test_an_idle_connection_is_closed_as_configured():
    async with running(idle=0) as site, connected(site.url) as wire:
        await ask(wire)

        assert await wire.reader.read() == b""


async def test_one_endless_header_is_refused():
    async with running(head_bytes=10_000) as site, connected(site.url) as wire:
        await wire.send(b"GET / HTTP/1.1\r\nX-Long: ")
        await wire.flood(b"x" * 1000, 200)

        answer = await wire.answer()

        assert (answer.status, answer.code) == (431, "head_too_large")


async def test_a_large_head_in_one_piece_is_refused():
    async with running(head_bytes=10_000) as site:
        for start in (b"GET /", b"GET / HTTP/1.1\r\nX-Long: "):
            async with connected(site.url) as wire:
                await wire.send(start + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n")
                assert (await wire.answer()).status == 431


async def test_too_many_headers_are_refused_also_as_trailers():
    many = b"".join(b"X-%d: 1\r\n" % number for number in range(50))
    async with running(headers=20) as site:
        async with connected(site.url) as wire:
            await wire.send(b"GET / HTTP/1.1\r\n" + many + b"\r\n")
            assert (await wire.answer()).status == 431
        async with connected(site.url) as wire:
            await wire.request("POST /", "Transfer-Encoding: chunked", body=b"1\r\nx\r\n0\r\n" + many)
            assert await wire.is_closed()


async def test_requests_piled_up_on_one_connection_are_refused():
    async with running(pipelined=4) as site, connected(site.url) as wire:
        await wire.request("GET /known")
        await until(lambda: site.begun)
        await wire.send(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 100)

        assert await wire.is_closed()


async def test_an_answer_nobody_reads_is_given_up():
    async with running(unread=0.05, idle=600) as site, connected(site.url) as wire:
        await wire.request("GET /large")

        await until(lambda: len(site.open) == 0)


async def test_a_large_answer_that_is_read_arrives_and_the_connection_is_used_again():
    async with running() as site, connected(site.url) as wire:
        await wire.request("GET /large")

        assert len((await wire.answer()).body) == len(LARGE)
        assert await ask(wire) == 200


async def test_one_address_has_only_so_many_strangers():
    async with running(per_address=3) as site, AsyncExitStack() as stack:
        await hold(stack, site, 3)

        one_more = await stack.enter_async_context(connected(site.url))
        answer = await one_more.answer()

    assert (answer.status, answer.code) == (503, "too_many_connections")
    assert answer.headers["retry-after"] == "5"
    assert b'pabal_web_connection_refused_total{code="too_many_connections"}' in metrics_text()


async def test_who_signed_in_is_no_stranger_and_what_is_closed_is_forgotten():
    async with running(per_address=3) as site, AsyncExitStack() as stack:
        for _ in range(6):
            wire = await stack.enter_async_context(connected(site.url))
            await wire.request("GET /known")
        await until(lambda: len(site.begun) == 6)
        async with AsyncExitStack() as strangers:
            await hold_more(strangers, site, 3)
        await until(lambda: len(site.open) == 6)

        another = await stack.enter_async_context(connected(site.url))

        assert await ask(another) == 200


async def test_connections_of_a_trusted_proxy_are_not_one_address():
    async with running("127.0.0.1", per_address=3) as site, AsyncExitStack() as stack:
        await hold(stack, site, 10)

        assert len(site.open) == 10


async def test_strangers_who_only_hold_connections_keep_nobody_out():
    async with running(most=5) as site, AsyncExitStack() as stack:
        first, *_ = await hold(stack, site, 5)

        for _ in range(3):
            async with connected(site.url) as somebody:
                assert await ask(somebody) == 200

        assert await first.is_closed()


async def test_a_body_that_does_not_come_makes_room_too():
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n"
    async with running(most=5) as site, AsyncExitStack() as stack:
        await hold(stack, site, 5, head + b"1")

        async with connected(site.url) as somebody:
            assert await ask(somebody) == 200


async def test_strangers_who_wait_to_hear_that_they_ask_too_often_make_room():
    shares = Shares(guest_burst=1, guest_seconds=3600, refusal_wait=3600)
    async with running(most=2, shares=shares) as site, AsyncExitStack() as stack:
        async with connected(site.url) as first:
            assert await ask(first) == 200
        await until(lambda: len(site.open) == 0)
        for _ in range(2):
            wire = await stack.enter_async_context(connected(site.url))
            await wire.request("GET /")
        await until(lambda: [one.is_waiting and one.cycle is not None for one in site.open._open] == [True, True])

        async with connected(site.url) as somebody:
            assert await ask(somebody, "/livez") == 404


async def test_a_request_that_runs_does_not_make_room():
    async with running(most=2) as site, AsyncExitStack() as stack:
        for _ in range(2):
            wire = await stack.enter_async_context(connected(site.url))
            await wire.request("GET /known")
        await until(lambda: len(site.begun) == 2)

        one_more = await stack.enter_async_context(connected(site.url))

        assert (await one_more.answer()).code == "too_many_connections"


async def hold_more(stack: AsyncExitStack, site: Site, count: int) -> None:
    before = len(site.open)
    for _ in range(count):
        wire = await stack.enter_async_context(connected(site.url))
        await wire.send(b"GET / HT")
    await until(lambda: len(site.open) == before + count)


async def push(wire: Wire, data: bytes) -> None:
    while True:
        await wire.send(data)
        await asyncio.sleep(0.01)
