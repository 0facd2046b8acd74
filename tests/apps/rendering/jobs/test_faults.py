"""Whatever stands in a render's way is tried again as often as stated, is seen meanwhile, and ends with a reason."""

from datetime import timedelta

import pytest

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.model.renders import Reason
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.simulator.projects import make_project
from pabal.platform import notifications
from pabal.platform.actor import ENGINE
from tests.support.rendering import RenderWorld

MINUTE = timedelta(minutes=1)


@pytest.mark.req("B-70", "B-76", "B-77", "B-103", "B-117")
async def test_nexrender_away_is_tried_again_after_60_120_and_240_seconds_then_it_has_failed(world: RenderWorld):
    await world.nexrender.refuse()
    [asked] = await world.ask()

    async with world.running():
        for count, seconds in ((1, 60), (2, 120), (3, 240)):
            waiting = await world.until(asked.id, lambda one, count=count: one.fault_count == count)  # type: ignore[misc]
            assert waiting.fault == Reason.NEXRENDER_UNREACHABLE
            assert waiting.next_try_at is not None
            assert round((waiting.next_try_at - waiting.updated_at).total_seconds()) == seconds
            assert waiting.state == "preparing"
            await world.pass_time(timedelta(seconds=seconds))

    failed = await world.see(asked.id)
    assert (failed.state, failed.error_code) == ("failed", Reason.NEXRENDER_UNREACHABLE)
    warnings = [line for line in await world.lines(asked.id) if line.level == "WARNING"]
    assert [line.message[:20] for line in warnings] == [
        "retry 1/3 in 60 s: n",
        "retry 2/3 in 120 s: ",
        "retry 3/3 in 240 s: ",
    ]
    assert (await world.lines(asked.id))[-1].level == "ERROR"


@pytest.mark.req("B-117")
async def test_a_nexrender_that_comes_back_goes_on_with_the_render(world: RenderWorld):
    await world.nexrender.refuse()
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.fault_count == 1)
        await world.nexrender.accept()
        await world.pass_time(MINUTE)

    done = await world.see(asked.id)
    assert (done.state, done.fault, done.fault_count) == ("completed", None, 0)


@pytest.mark.req("B-117")
async def test_nor_is_anything_rendered_again_when_it_was_away_in_the_middle(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.progress >= 20)
        await world.nexrender.refuse()
        away = await world.until(asked.id, lambda one: one.fault_count == 1)
        await world.nexrender.accept()
        await world.pass_time(MINUTE)
        await world.let_go()

    assert (away.state, away.fault) == ("rendering", Reason.NEXRENDER_UNREACHABLE)
    assert ((await world.see(asked.id)).state, world.begun()) == ("completed", [f"rq-{asked.id}-a1"])


@pytest.mark.req("B-71", "B-20")
async def test_a_missing_template_fails_at_once_and_the_administrator_is_told(world: RenderWorld):
    (world.folder / "templates" / "cyprus.aep").unlink()
    [asked] = await world.ask()

    await world.run()

    failed = await world.see(asked.id)
    assert (failed.state, failed.error_code, failed.fault_count) == ("failed", Reason.TEMPLATE_MISSING, 0)
    assert world.begun() == []
    async with world.db.transaction() as tx:
        told = await notifications.list_notifications(tx, ENGINE)
    assert [one.name for one in told] == ["rendering.template_missing"]


async def test_a_template_without_the_composition_fails_at_once_and_the_administrator_is_told(world: RenderWorld):
    (world.folder / "templates" / "cyprus.aep").write_bytes(make_project(["Another"]))
    [asked] = await world.ask()

    await world.run()

    failed = await world.see(asked.id)
    assert (failed.state, failed.error_code, failed.fault_count) == ("failed", Reason.TEMPLATE_UNUSABLE, 0)
    assert "It has: Another." in (failed.error_message or "")
    assert world.begun() == []
    async with world.db.transaction() as tx:
        told = await notifications.list_notifications(tx, ENGINE)
    assert [one.name for one in told] == ["rendering.template_unusable"]


@pytest.mark.req("B-74")
async def test_a_nas_that_is_away_is_tried_again_three_times_without_rendering_again(world: RenderWorld):
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.nexrender_state is not None)
        (world.folder / "nas").rename(world.folder / "gone")
        for count in (1, 2, 3):
            waiting = await world.until(asked.id, lambda one, count=count: one.fault_count == count)  # type: ignore[misc]
            assert (waiting.state, waiting.fault) == ("uploading", Reason.NAS_UNAVAILABLE)
            assert waiting.next_try_at is not None
            assert round((waiting.next_try_at - waiting.updated_at).total_seconds()) == 30
            await world.pass_time(timedelta(seconds=30))

    failed = await world.see(asked.id)
    assert (failed.state, failed.error_code) == ("failed", Reason.NAS_UNAVAILABLE)
    assert failed.rendered_path is not None
    assert world.begun() == [f"rq-{asked.id}-a1"]


@pytest.mark.req("B-52", "B-53", "B-56", "B-75")
async def test_a_film_that_is_too_small_is_checked_three_times_a_minute_apart(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.SHORT_FILE))
    [asked] = await world.ask()

    async with world.running():
        for count in (1, 2):
            waiting = await world.until(asked.id, lambda one, count=count: one.fault_count == count)  # type: ignore[misc]
            assert waiting.fault == Reason.OUTPUT_INVALID
            await world.pass_time(MINUTE)

    failed = await world.see(asked.id)
    assert (failed.state, failed.error_code) == ("failed", Reason.OUTPUT_INVALID)
    assert "must have more than 102,400" in (failed.error_message or "")
    assert list(world.nas.rglob("*.mp4")) == []


@pytest.mark.req("B-54", "B-55")
@pytest.mark.parametrize("kind", [FaultKind.WRONG_SIZE, FaultKind.BROKEN_FILE])
async def test_a_film_that_is_not_as_promised_never_comes_to_the_nas(world: RenderWorld, kind: FaultKind):
    await world.set(own.CHECKS, 1)
    world.nexrender.faults.add(Fault(kind))
    [asked] = await world.ask()

    await world.run()

    failed = await world.see(asked.id)
    assert (failed.state, failed.error_code) == ("failed", Reason.OUTPUT_INVALID)
    assert list(world.nas.rglob("*.mp4")) == []


@pytest.mark.req("B-52")
async def test_without_a_film_it_has_failed(world: RenderWorld):
    await world.set(own.CHECKS, 1)
    world.nexrender.faults.add(Fault(FaultKind.NO_FILE))
    [asked] = await world.ask()

    await world.run()

    assert (await world.see(asked.id)).error_code == Reason.OUTPUT_MISSING


@pytest.mark.req("B-12", "B-20", "B-51", "B-62")
async def test_what_nexrender_calls_an_error_has_failed_with_its_words(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.FAIL, text="aerender ERROR: No comp was found"))
    [asked] = await world.ask()

    await world.run()

    failed = await world.see(asked.id)
    assert (failed.state, failed.error_code) == ("failed", Reason.NEXRENDER_ERROR)
    assert "No comp was found" in (failed.error_message or "")


@pytest.mark.req("B-50", "B-51", "B-72")
async def test_a_render_that_hangs_is_taken_away_and_rendered_again_twice(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 40, times=3))
    [asked] = await world.ask()

    async with world.running():
        for attempt in (1, 2, 3):
            await world.until(
                asked.id,
                lambda one, attempt=attempt: one.attempt == attempt and one.progress >= 40,  # type: ignore[misc]
            )
            await world.pass_time(timedelta(seconds=1800))
            await world.let_go()

    failed = await world.see(asked.id)
    assert (failed.state, failed.error_code, failed.attempt) == ("failed", Reason.RENDER_TIMEOUT, 3)
    assert world.begun() == [f"rq-{asked.id}-a{attempt}" for attempt in (1, 2, 3)]
    # each was taken away from nexrender before the next began
    assert await world.farm.client.list_jobs() == []
