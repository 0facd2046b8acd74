"""The demo as a newcomer meets it: renders that go on while one looks, and finish."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from pabal import main
from pabal.apps.rendering.demo import live
from pabal.apps.rendering.demo.places import DemoPlaces
from pabal.apps.rendering.model.renders import Render
from pabal.apps.rendering.simulator.films import Film
from pabal.apps.rendering.store import renders, slots
from pabal.apps.rendering.video.inspecting import inspect
from pabal.base import clock
from pabal.base.database import Database
from pabal.base.settings import read_settings
from tests.support.rendering import HOUSE

pytestmark = pytest.mark.slow
LIVE = {"pending", "preparing", "rendering", "encoding", "uploading", "completed", "failed", "cancelled"}


@asynccontextmanager
async def serving(url: str, folder: Path) -> AsyncIterator[main.App]:
    settings = read_settings(
        database_url=url, data_dir=folder, apps="pabal.apps.rendering", secret_key="a key for tests only"
    )
    app = await main.build(settings, frozenset({"worker", "scheduler", "render"}), is_demo=True)
    await app.start()
    try:
        yield app
    finally:
        await app.stop()


async def test_a_clock_that_is_moved_lets_renders_end_and_one_that_only_goes_does_not(db: Database):
    skipped: list[bool] = []
    watch = live.ClockWatch(db, lambda: skipped.append(True))
    for _ in range(3):
        await watch.run_once()
    assert skipped == []

    await clock.advance(db, timedelta(hours=1))
    await watch.run_once()
    await watch.run_once()

    assert skipped == [True]


async def until(app: main.App, is_so: Callable[[list[Render]], bool]) -> list[Render]:
    async with asyncio.timeout(30):
        while True:
            async with app.database.transaction() as tx:
                found = list((await renders.list_renders(tx, HOUSE)).items)
            if is_so(found):
                return found
            await asyncio.sleep(0.1)


@pytest.mark.beside
async def test_all_eight_states_are_there_at_once_and_one_finishes_while_one_watches(
    empty_database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(live, "FILM", Film(live.filling.WIDTH, live.filling.HEIGHT, 1.0))
    monkeypatch.setattr(live, "RELEASE_AFTER", 6.0)
    async with serving(empty_database_url, tmp_path) as app:
        await until(app, lambda found: {one.state for one in found} == LIVE)
        before = await until(app, lambda found: sum(one.state == "completed" for one in found) == 3)
        async with app.database.transaction() as tx:
            workers = await slots.list_slots(tx)

    assert [one.name for one in workers] == ["AE-1#1", "AE-1#2", "AE-2#1", "AE-2#2"]
    assert len({one.worker_id for one in workers}) == 2
    assert all(
        one.output_size == Path(one.output_file_path or "").stat().st_size for one in before if one.output_file_path
    )
    finished = next(one for one in before if one.composition_id == live.filling.ENCODING)
    assert finished.output_file_path is not None
    assert finished.worker_name in [one.name for one in workers]
    assert Path(finished.output_file_path).is_relative_to(DemoPlaces.of(tmp_path).nas)
    facts = await inspect(Path(finished.output_file_path))
    assert (facts.width, facts.codec) == (live.filling.WIDTH, "h264")
