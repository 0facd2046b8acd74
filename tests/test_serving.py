"""Where the web server listens."""

import asyncio
import socket

import pytest
from fastapi import FastAPI

from pabal import serving


def test_a_taken_port_leads_to_the_next_free_one() -> None:
    with serving.listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with serving.listen("127.0.0.1", port) as second:
            assert second.getsockname()[1] > port


def test_an_address_that_is_not_ours_is_refused() -> None:
    with pytest.raises(serving.NoPort):
        serving.listen("127.0.0.1.nowhere.invalid", 0)


async def test_a_site_on_ipv6_names_its_address_in_brackets() -> None:
    try:
        listening = serving.listen("::1", 0)
    except serving.NoPort:
        pytest.skip("this machine has no IPv6")
    assert listening.family == socket.AF_INET6

    site = serving.WebServer(FastAPI(), listening)
    await site.stop()

    assert site.url.startswith("http://[::1]:")


async def test_answers_are_not_held_back() -> None:
    """Nagle's algorithm and delayed acknowledgements cost 40 ms an answer; asyncio turns it off only for named TCP."""
    taken: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def look(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted = writer.get_extra_info("socket")
        taken.set_result(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        writer.close()

    with serving.listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        async with await asyncio.start_server(look, sock=listening):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            assert await taken
            writer.close()
