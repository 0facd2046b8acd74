import asyncio
import ipaddress
from collections.abc import AsyncIterator

import pytest

from pabal.apps.rendering.gateway import NexrenderAway, NexrenderClient, NexrenderRefused, NotLocal
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.simulator.options import NexrenderOptions
from pabal.apps.rendering.simulator.server import SimulatedNexrender
from pabal.apps.rendering.startup import RenderingStartup, read_networks

LOCAL = read_networks("127.0.0.0/8")
JOB = {
    "uid": "rq-1-a1",
    "template": {"src": "file:///d:/t/a.aep", "composition": "Main"},
    "assets": [],
    "actions": {"postrender": [{"module": "@nexrender/action-copy", "input": "result.mp4", "output": "d:/o/1.mp4"}]},
}


@pytest.fixture
async def nexrender() -> AsyncIterator[SimulatedNexrender]:
    async with SimulatedNexrender(NexrenderOptions(workers=0, secret="hush")) as made:
        yield made


@pytest.fixture
async def client(nexrender: SimulatedNexrender) -> AsyncIterator[NexrenderClient]:
    made = NexrenderClient(nexrender.url, secret="hush", networks=LOCAL)
    yield made
    await made.close()


@pytest.mark.req("B-44", "B-47", "B-68")
async def test_a_job_is_made_found_listed_and_deleted(client: NexrenderClient):
    assert await client.health() > 0
    assert await client.find("rq-1-a1") is None

    made = await client.create(JOB)

    assert (made.uid, made.state, made.progress) == ("rq-1-a1", "queued", 0)
    assert await client.find("rq-1-a1") == made
    assert await client.list_jobs() == [made]
    await client.delete("rq-1-a1")
    assert await client.find("rq-1-a1") is None


async def test_a_wrong_secret_is_a_refusal(nexrender: SimulatedNexrender):
    client = NexrenderClient(nexrender.url, secret="other", networks=LOCAL)

    with pytest.raises(NexrenderRefused, match="403"):
        await client.list_jobs()
    await client.close()


async def test_a_job_it_cannot_read_is_a_refusal_in_one_line(client: NexrenderClient):
    with pytest.raises(NexrenderRefused) as refused:
        await client.create({"uid": "rq-1-a1"})

    assert "\n" not in str(refused.value)


async def test_one_that_is_not_there_is_away_and_nothing_was_sent(
    nexrender: SimulatedNexrender, client: NexrenderClient
):
    await nexrender.refuse()

    with pytest.raises(NexrenderAway) as away:
        await client.create(JOB)

    assert not away.value.was_sent


async def test_a_post_without_an_answer_may_have_arrived(nexrender: SimulatedNexrender, client: NexrenderClient):
    nexrender.faults.add(Fault(FaultKind.NO_ANSWER, match="POST /api/v1/jobs"))

    with pytest.raises(NexrenderAway) as away:
        await client.create(JOB)

    assert away.value.was_sent
    assert await client.find("rq-1-a1") is not None


async def test_an_answer_that_takes_too_long_is_not_waited_for(nexrender: SimulatedNexrender):
    nexrender.faults.add(Fault(FaultKind.SLOW, 60, match="POST /api/v1/jobs"))
    client = NexrenderClient(nexrender.url, secret="hush", networks=LOCAL, post_seconds=0.2)

    with pytest.raises(NexrenderAway) as away:
        await client.create(JOB)

    assert away.value.was_sent
    await client.close()


@pytest.mark.req("B-107")
async def test_only_the_configured_networks_are_spoken_to(nexrender: SimulatedNexrender):
    client = NexrenderClient(nexrender.url, secret="hush", networks=read_networks("10.0.0.0/8"))

    with pytest.raises(NotLocal):
        await client.list_jobs()
    await client.close()


@pytest.mark.req("B-107")
def test_by_default_those_are_the_private_ones():
    networks = read_networks(RenderingStartup().nexrender_networks)

    def is_local(address: str) -> bool:
        found = ipaddress.ip_address(address)
        return any(found.version == one.version and found in one for one in networks)

    assert all(is_local(one) for one in ("127.0.0.1", "10.1.2.3", "172.20.0.1", "192.168.0.9", "::1", "fd00::1"))
    assert not any(is_local(one) for one in ("8.8.8.8", "100.64.0.1", "172.32.0.1", "2001:db8::1"))


async def test_what_is_no_nexrender_is_away():
    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
        writer.close()

    server = await asyncio.start_server(babble, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    client = NexrenderClient(f"http://127.0.0.1:{port}", secret="", networks=LOCAL)

    with pytest.raises(NexrenderAway):
        await client.find("rq-1-a1")
    await client.close()
    server.close()
    await server.wait_closed()
