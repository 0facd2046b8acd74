"""What a server says about itself: alive, ready or not and why, metrics."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from pabal import health, main
from pabal.base.database import Database, DatabaseUnavailable
from pabal.base.migrations import Comparison, Migration
from pabal.base.settings import Settings
from pabal.engine.loop import LoopState
from pabal.main import App
from tests.support.database import apply_unknown


@pytest.fixture
async def app(db: Database, tmp_path: Path) -> AsyncIterator[App]:
    settings = Settings(database_url=db.url, data_dir=tmp_path, port=0, apps="")
    built = await main.build(settings, frozenset({"web", "worker", "scheduler"}))
    await built.start()
    yield built
    await built.stop()


async def get(app: health.Running, path: str, *, wait: float = 30) -> httpx2.Response:
    site = FastAPI()
    site.include_router(health.health_routes(app, metrics_for="open", wait=wait))
    transport = httpx2.ASGITransport(app=site)
    async with httpx2.AsyncClient(transport=transport, base_url="http://test") as client:
        return await client.get(path)


class Stub:
    """A server as others may find it: with a loop that fails and a database that does not answer."""

    def __init__(self, app: App, *, loops: list[LoopState] | None = None, fault: Exception | None = None) -> None:
        self.roles = app.roles
        self.slices = app.slices
        self.server = app.server
        self.pools = app.pools
        self.is_stopping = False
        self.found = Comparison((), (), (), (), ())
        self._loops = app.loop_states() if loops is None else loops
        self._fault = fault

    def loop_states(self) -> list[LoopState]:
        return self._loops

    async def compare_migrations(self) -> Comparison:
        if self._fault is not None:
            raise self._fault
        return self.found


class Counting(Stub):
    looks = 0

    async def compare_migrations(self) -> Comparison:
        self.looks += 1
        return self.found


async def test_a_living_process_says_so_without_asking_the_database(app: App) -> None:
    answer = await get(Stub(app, fault=DatabaseUnavailable("gone")), "/livez")

    assert (answer.status_code, answer.text) == (200, "ok\n")


@pytest.mark.req("A-162")
async def test_a_server_with_healthy_loops_is_ready_and_names_each_of_them(app: App) -> None:
    answer = await get(app, "/readyz")

    report: dict[str, Any] = answer.json()
    assert (answer.status_code, report["ready"], report["migrations"]["current"]) == (200, True, True)
    names = {loop["name"] for loop in report["loops"]}
    assert {"heartbeat", "claims", "rescue", "timers", "schedules", "housekeeping", "listener"} <= names
    shown = {"name", "healthy", "seconds_since_success", "restarts", "last_error"}
    assert all(set(loop) == shown for loop in report["loops"])
    assert report["wakeups"] == {"deaf": False}


async def test_a_loop_that_does_not_succeed_makes_the_server_unready_and_shows_its_error(app: App) -> None:
    sick = LoopState("claims", False, 99.0, "OSError('postgresql://me:tiger@host/db')", 2)

    answer = await get(Stub(app, loops=[sick]), "/readyz")

    [loop] = answer.json()["loops"]
    assert answer.status_code == 503
    assert (loop["healthy"], loop["restarts"]) == (False, 2)
    assert "OSError" in loop["last_error"]
    assert "tiger" not in answer.text


@pytest.mark.parametrize("fault", [DatabaseUnavailable("gone"), TimeoutError(), OSError("no route")])
async def test_without_its_database_a_server_is_not_ready(app: App, fault: Exception) -> None:
    answer = await get(Stub(app, fault=fault), "/readyz")

    report = answer.json()
    assert (answer.status_code, report["ready"], report["database"]["reachable"]) == (503, False, False)
    assert report["migrations"]["current"] is False


async def test_a_server_whose_schema_is_behind_is_not_ready(app: App) -> None:
    behind = Stub(app)
    behind.found = replace(behind.found, missing=(Migration("engine", 99, "0099_future", ""),))

    answer = await get(behind, "/readyz")

    assert answer.status_code == 503
    assert answer.json()["migrations"] == {"current": False, "missing": ["engine 0099_future"], "newer": []}


async def test_a_server_goes_on_when_a_newer_one_has_migrated_and_says_that_it_is_older(app: App, db: Database) -> None:
    await apply_unknown(db, "engine", 99, "0099_future")

    answer = await get(app, "/readyz")

    report = answer.json()
    assert (answer.status_code, report["ready"]) == (200, True)
    assert report["migrations"] == {"current": True, "missing": [], "newer": ["engine 0099_future"]}


async def test_a_server_whose_requests_get_no_connection_is_not_ready(app: App) -> None:
    identity = app.services.identity
    async with AsyncExitStack() as stack:
        for _ in range(identity.sizes[1]):
            await stack.enter_async_context(identity.transaction())
        busy = await get(app, "/readyz", wait=0.5)
    free = await get(app, "/readyz")

    assert (busy.status_code, busy.json()["ready"]) == (503, False)
    assert busy.json()["pools"]["identity"] is False
    assert free.status_code == 200
    assert free.json()["pools"] == {"pages": True, "changes": True, "identity": True}


async def test_many_who_ask_at_once_share_one_look(app: App) -> None:
    """Otherwise strangers could use up the connections by asking whether there are any."""
    readiness = health.OneLook(partial(health.read_readiness, counted := Counting(app)))

    reports = await asyncio.gather(*(readiness.read() for _ in range(50)))
    await readiness.read()

    assert all(report["database"]["reachable"] for report in reports)
    assert counted.looks == 2


async def test_a_stopping_server_is_not_ready(app: App) -> None:
    leaving = Stub(app)
    leaving.is_stopping = True

    assert (await get(leaving, "/readyz")).status_code == 503


async def test_metrics_have_the_last_success_of_every_loop(app: App) -> None:
    answer = await get(app, "/metrics")

    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    for state in app.loop_states():
        assert f'pabal_loop_last_success_seconds{{loop="{state.name}"}}' in answer.text
