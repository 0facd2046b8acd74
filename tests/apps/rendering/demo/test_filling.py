from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from pabal.apps.rendering.demo import filling
from pabal.apps.rendering.model.renders import Render
from pabal.apps.rendering.store import compositions, renders, traces
from pabal.base.database import Database
from pabal.platform import demo
from pabal.platform.actor import ENGINE
from pabal.platform.services import Services
from pabal.platform.slice import load_slices
from tests.support.rendering import HOUSE, make_composition, make_services

SLICES = load_slices(["pabal.apps.rendering"])


@pytest.fixture
async def services(db: Database, tmp_path: Path) -> AsyncIterator[Services]:
    made = make_services(db, tmp_path)
    yield made
    await made.telegram.close()


async def fill(services: Services) -> None:
    await demo.load(services, SLICES)


async def list_all(db: Database) -> list[Render]:
    async with db.transaction() as tx:
        return list((await renders.list_renders(tx, HOUSE)).items)[::-1]


async def test_nine_jobs_are_asked_for_of_which_four_have_ended_and_one_is_needed_soon(services: Services):
    await fill(services)

    found = await list_all(services.database)
    assert [one.state for one in found] == ["completed", "completed", "failed", "cancelled", *["pending"] * 5]
    assert [one.composition_id for one in found if one.on_air_at is not None] == [filling.WAITING]
    assert all(one.error_code for one in found if one.state in ("failed", "cancelled"))
    assert all(one.duration_seconds for one in found if one.state == "completed")


async def test_it_has_all_sample_compositions(services: Services):
    await fill(services)

    async with services.database.transaction() as tx:
        assert len((await compositions.list_compositions(tx, HOUSE)).items) == 26


async def test_what_ended_has_a_history_attempts_stages_and_a_log(services: Services):
    await fill(services)

    done, *_ = await list_all(services.database)
    async with services.database.transaction() as tx:
        states = [one.status_to for one in await traces.list_changes(tx, done.id)]
        stages = await traces.list_stages(tx, done.id)
        attempts = await traces.list_attempts(tx, done.id)
        lines = await traces.list_lines(tx, done.id)
    assert states == ["pending", "preparing", "rendering", "encoding", "uploading", "completed"]
    assert all(one.ended_at for one in stages)
    assert [one.result for one in attempts] == ["completed"]
    assert [one.at for one in lines] == sorted(one.at for one in lines)


async def test_another_start_asks_for_nothing_again(services: Services):
    await fill(services)
    await fill(services)

    assert len(await list_all(services.database)) == 9


async def test_it_is_taken_out_without_a_trace_of_its_own(services: Services):
    await fill(services)
    await demo.clear(services.database, SLICES, ENGINE)

    async with services.database.transaction() as tx:
        assert (await compositions.list_compositions(tx, HOUSE)).items == []
    assert await list_all(services.database) == []


async def test_what_the_house_has_under_the_same_name_stays_as_it_is(services: Services, tmp_path: Path):
    own = make_composition(tmp_path)
    async with services.database.transaction() as tx:
        hq = await demo.tenants.ensure_hq(tx)
        await filling.put_composition(tx, ENGINE, own, [], unit_id=hq.id)

    await fill(services)
    await demo.clear(services.database, SLICES, ENGINE)

    async with services.database.transaction() as tx:
        [kept] = (await compositions.list_compositions(tx, HOUSE)).items
    assert kept.composition == own
