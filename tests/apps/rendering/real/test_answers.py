"""The simulated nexrender answers as the real one does: each story is told to both, and the answers are compared."""

import json
import re
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from pabal.apps.rendering.simulator.options import NexrenderOptions
from pabal.apps.rendering.simulator.server import SimulatedNexrender
from tests.apps.rendering.real.harness import SECRET, RealNexrender, needs_nexrender

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("nexrender"), needs_nexrender]

JOBS = "/api/v1/jobs"
WHOLE: dict[str, Any] = {
    "uid": "a",
    "state": "finished",
    "template": {"src": "file:///d:/a.aep", "composition": "Main", "outputExt": "mp4"},
    "assets": [
        {"type": "data", "layerName": "Name 1", "property": "Source Text", "value": "홍길동"},
        {"type": "data", "layerName": "Clock", "property": "Source Text", "expression": "time * 1000"},
        {"type": "image", "layerName": "Flag 1", "src": "file:///d:/flags/kr.png"},
    ],
    "actions": {"postrender": [{"module": "@nexrender/action-copy", "output": "d:/output/a.mp4"}]},
}
NO_SECRET: dict[str, str] = {"nexrender-secret": ""}
Step = tuple[str, str, Any] | tuple[str, str, Any, dict[str, str]]


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in WHOLE.items() if key != name}


def with_assets(*assets: Any) -> dict[str, Any]:
    return {**WHOLE, "assets": list(assets)}


STORIES: dict[str, list[Step]] = {
    "health": [
        ("GET", "/api/v1/health", None),
        ("GET", "/api/v1/health", None, NO_SECRET),
        ("GET", "/api/v1/health?x=1", None),
        ("POST", "/api/v1/health", None),
    ],
    "other paths": [
        ("GET", "/", None),
        ("GET", f"{JOBS}/", None),
        ("GET", "/api/v2/jobs", None),
        ("PATCH", f"{JOBS}/a", {}),
        ("GET", f"{JOBS}/a%20b", None),
        ("OPTIONS", JOBS, None, NO_SECRET),
    ],
    "secret": [
        ("GET", JOBS, None, NO_SECRET),
        ("POST", JOBS, WHOLE, {"nexrender-secret": "wrong"}),
        ("GET", "/other", None, NO_SECRET),
    ],
    "the life of a job": [
        ("POST", JOBS, WHOLE),
        ("GET", f"{JOBS}/a", None),
        ("GET", f"{JOBS}/a/status", None),
        ("GET", JOBS, None),
        ("GET", f"{JOBS}/status", None),
        ("GET", f"{JOBS}/pickup", None),
        ("GET", f"{JOBS}/pickup", None),
        ("PUT", f"{JOBS}/a", {"uid": "a", "state": "render:dorender", "renderProgress": 40, "error": None}),
        ("GET", f"{JOBS}/a/status", None),
        ("PUT", f"{JOBS}/a", {"state": "error", "error": ["Error: one", "Error: two"]}),
        ("GET", f"{JOBS}/a", None),
        ("GET", f"{JOBS}/a/status", None),
        ("DELETE", f"{JOBS}/a", None),
        ("GET", f"{JOBS}/a", None),
    ],
    "what is not known": [
        ("GET", f"{JOBS}/nobody", None),
        ("GET", f"{JOBS}/nobody/status", None),
        ("DELETE", f"{JOBS}/nobody", None),
        ("PUT", f"{JOBS}/nobody", {"state": "finished"}),
        ("PUT", f"{JOBS}/a", WHOLE),
        ("GET", f"{JOBS}/pickup", None),
        ("GET", f"{JOBS}/pickup/tag", None),
    ],
    "doubles": [
        ("POST", JOBS, WHOLE),
        ("POST", JOBS, {**WHOLE, "priority": 7}),
        ("POST", JOBS, {**WHOLE, "uid": "behind"}),
        ("GET", f"{JOBS}/a", None),
        *[("GET", f"{JOBS}/pickup", None)] * 4,
        ("GET", JOBS, None),
        ("DELETE", f"{JOBS}/a", None),
        ("GET", f"{JOBS}/a", None),
        ("DELETE", f"{JOBS}/a", None),
        ("GET", f"{JOBS}/a", None),
        ("GET", f"{JOBS}/pickup", None),
    ],
    "what is refused": [
        ("POST", JOBS, b"{"),
        ("POST", JOBS, b""),
        ("POST", JOBS, None),
        ("POST", JOBS, b"null"),
        ("POST", JOBS, b"5"),
        ("POST", JOBS, b"[]"),
        ("POST", JOBS, {}),
        ("POST", JOBS, {**WHOLE, "uid": ""}),
        ("POST", JOBS, {**WHOLE, "template": None}),
        ("POST", JOBS, {**WHOLE, "template": {"src": "x"}}),
        ("POST", JOBS, {**WHOLE, "assets": {}}),
        ("POST", JOBS, {**WHOLE, "actions": None}),
        ("POST", JOBS, {**WHOLE, "actions": {"postrender": [{}]}}),
        ("POST", JOBS, {**WHOLE, "actions": {"prerender": [None]}}),
        ("PUT", f"{JOBS}/a", b"{"),
        ("PUT", f"{JOBS}/a", b"null"),
        ("GET", JOBS, None),
    ],
    "assets": [
        ("POST", JOBS, with_assets(None)),
        ("POST", JOBS, with_assets({})),
        ("POST", JOBS, with_assets({"type": "image"})),
        ("POST", JOBS, with_assets({"type": "image", "src": "x"})),
        ("POST", JOBS, with_assets({"type": "image", "src": "x", "layerIndex": 0})),
        ("POST", JOBS, with_assets({"type": "data"})),
        ("POST", JOBS, with_assets({"type": "data", "layerName": "x"})),
        ("POST", JOBS, with_assets({"type": "data", "layerName": "x", "value": ""})),
        ("POST", JOBS, with_assets({"type": "data", "layerName": "x", "value": None, "property": "p"})),
        ("POST", JOBS, with_assets({"type": "script"})),
        ("POST", JOBS, with_assets({"type": "other"})),
        ("GET", JOBS, None),
    ],
    "defaults": [
        ("POST", JOBS, {"template": {"src": "x", "composition": "y"}}),
        ("POST", JOBS, {**without("actions"), "priority": None}),
        ("POST", JOBS, {**WHOLE, "actions": [{"type": "copy"}]}),
        ("POST", JOBS, {**WHOLE, "actions": []}),
        ("POST", JOBS, {**WHOLE, "uid": 5, "tags": "a,b"}),
        ("GET", f"{JOBS}/5", None),
        ("GET", f"{JOBS}/status", None),
    ],
}


@pytest.fixture
async def simulated() -> AsyncIterator[SimulatedNexrender]:
    async with SimulatedNexrender(NexrenderOptions(secret=SECRET, workers=0)) as one:
        yield one


@pytest.fixture(scope="module")
def alone(nexrender: RealNexrender) -> RealNexrender:
    """Without its worker, which would take the jobs."""
    nexrender.worker.kill()
    return nexrender


@pytest.mark.parametrize("story", STORIES)
async def test_the_real_server_and_the_simulated_one_answer_the_same(
    alone: RealNexrender, simulated: SimulatedNexrender, story: str
) -> None:
    await forget_all(alone.url)

    real = await tell(alone.url, STORIES[story])
    ours = await tell(simulated.url, STORIES[story])

    assert ours == real


async def test_the_real_server_is_as_our_notes_say(alone: RealNexrender) -> None:
    """So that a newer nexrender that behaves otherwise is noticed here, and not by a farm."""
    await forget_all(alone.url)
    async with open_client(alone.url) as client:
        unknown = await client.get(f"{JOBS}/nobody")
        await client.post(JOBS, json=WHOLE)
        await client.post(JOBS, json=WHOLE)
        await client.post(JOBS, json={**WHOLE, "uid": "behind"})
        picked = [(await client.get(f"{JOBS}/pickup")).json()["uid"] for _ in range(4)]
        removed = await client.delete(f"{JOBS}/a")
        left = (await client.get(f"{JOBS}/a")).json()

    assert (unknown.status_code, unknown.content) == (200, b"")
    assert picked == ["a"] * 4
    assert removed.json() == {"id": "a", "removed": True}
    assert left["state"] == "queued"


async def test_a_restart_of_the_real_server_keeps_its_jobs(alone: RealNexrender) -> None:
    await forget_all(alone.url)
    async with open_client(alone.url) as client:
        await client.post(JOBS, json=WHOLE)
        await client.get(f"{JOBS}/pickup")
    alone.wait_until_saved("a", "picked")

    alone.restart_server()

    async with open_client(alone.url) as client:
        found = (await client.get(f"{JOBS}/a")).json()
    assert (found["uid"], found["state"]) == ("a", "picked")


def open_client(url: str) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(base_url=url, headers={"nexrender-secret": SECRET}, trust_env=False, timeout=30)


async def forget_all(url: str) -> None:
    async with open_client(url) as client:
        for job in (await client.get(JOBS)).json():
            await client.delete(f"{JOBS}/{job['uid']}")


async def tell(url: str, story: list[Step]) -> list[tuple[str, int, str | None, Any]]:
    async with open_client(url) as client:
        return [await ask(client, *step) for step in story]


async def ask(
    client: httpx2.AsyncClient, method: str, path: str, body: Any, headers: dict[str, str] | None = None
) -> tuple[str, int, str | None, Any]:
    """Status, media type and body, but for moments, names that were drawn, and where a stack trace was."""
    content = body if isinstance(body, bytes) or body is None else json.dumps(body, ensure_ascii=False).encode()
    answer = await client.request(method, path, content=content, headers=headers)
    kind = answer.headers.get("content-type")
    shown = veil(answer.json()) if kind else answer.text.partition("\n")[0]
    return f"{method} {path}", answer.status_code, kind, shown


def veil(value: Any) -> Any:
    if isinstance(value, list):
        return [veil(one) for one in value]
    if isinstance(value, dict):
        return {key: veil(one) for key, one in value.items()}
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value):
        return "<moment>"
    return "<drawn>" if isinstance(value, str) and re.fullmatch(r"[\w-]{21}", value) else value
