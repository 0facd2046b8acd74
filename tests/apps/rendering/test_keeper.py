import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta

import pytest

from pabal.apps.rendering import alert_rules
from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions import slots as verbs
from pabal.apps.rendering.actions.compositions import clear_template_cache
from pabal.apps.rendering.health import read_health
from pabal.apps.rendering.keeper import RenderWorker, SlotKeeper, match_licences
from pabal.apps.rendering.model.renders import LANE
from pabal.apps.rendering.model.slots import Slot
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.store import figures, slots
from pabal.base.database import Hints
from pabal.base.telemetry import start_logging
from pabal.engine import widths
from pabal.engine.life import Life
from pabal.engine.wakeups import Wakeups
from pabal.platform.actor import ENGINE
from tests.support.rendering import COMPOSITION, RenderWorld, first_slot
from tests.support.servers import until


@dataclass
class Kept:
    world: RenderWorld
    keeper: SlotKeeper
    life: Life

    async def slot(self) -> Slot:
        async with self.world.db.transaction() as tx:
            return await slots.get_slot(tx, first_slot(self.world))

    async def health(self) -> dict[str, object]:
        async with self.world.db.transaction() as tx:
            return await read_health(tx)


@pytest.fixture
async def kept(world: RenderWorld) -> AsyncIterator[Kept]:
    life = Life(world.db, world.kinds, locks=world.folder / "locks", meta={})
    await life.beat_once()
    await widths.declare_all(world.db, world.kinds.widths)
    keeper = SlotKeeper(world.db, world.farm, life)
    await keeper.beat_once()
    yield Kept(world, keeper, life)
    await keeper.leave()
    await life.end()


@pytest.mark.req("B-96", "B-102")
async def test_a_slot_is_there_by_its_heartbeat_whether_it_works_or_not(kept: Kept):
    async with kept.world.db.transaction() as tx:
        assert (await figures.count_workers(tx)).alive == 1
        assert (await slots.get_slot(tx, first_slot(kept.world))).state(tx.now) == "idle"

    await kept.world.pass_time(timedelta(seconds=31))
    async with kept.world.db.transaction() as tx:
        assert (await figures.count_workers(tx)).alive == 0
    await kept.keeper.beat_once()
    await kept.keeper.leave()

    async with kept.world.db.transaction() as tx:
        assert (await figures.count_workers(tx)).alive == 0
        assert (await slots.get_slot(tx, first_slot(kept.world))).state(tx.now) == "gone"


@pytest.mark.req("B-04", "B-27", "B-85")
async def test_a_poll_notes_when_the_next_one_is_and_how_many_found_nothing(
    kept: Kept, capsys: pytest.CaptureFixture[str]
):
    for _ in range(9):
        await kept.keeper.poll_once()
    assert ((await kept.slot()).empty_polls, kept.keeper.poll_seconds()) == (9, 10)

    start_logging(level="debug")
    await kept.keeper.poll_once()
    start_logging()

    slot = await kept.slot()
    [logged] = [json.loads(line) for line in capsys.readouterr().err.splitlines() if '"rendering.polled"' in line]
    assert (logged["empties"], logged["next_poll"]) == (10, str(slot.next_poll_at))
    assert (slot.empty_polls, kept.keeper.poll_seconds()) == (10, 30)
    assert slot.last_poll_at is not None
    assert slot.next_poll_at is not None
    assert round((slot.next_poll_at - slot.last_poll_at).total_seconds()) == 30


@pytest.mark.req("B-08", "B-27", "B-84")
async def test_work_shortens_the_wait_and_a_poll_by_hand_begins_again(kept: Kept):
    for _ in range(12):
        await kept.keeper.poll_once()
    await kept.world.act(lambda tx: verbs.look_now(tx, ENGINE, first_slot(kept.world)))
    await kept.keeper.poll_once()
    assert ((await kept.slot()).empty_polls, kept.keeper.poll_seconds()) == (1, 10)

    await kept.world.ask()
    await kept.keeper.poll_once()

    assert ((await kept.slot()).empty_polls, kept.keeper.poll_seconds()) == (0, 5)


async def test_there_is_room_for_as_many_renders_as_slots_are_open(kept: Kept):
    assert kept.world.farm.room == 1

    await kept.world.act(lambda tx: verbs.pause_slot(tx, ENGINE, first_slot(kept.world)))
    await kept.keeper.beat_once()

    assert kept.world.farm.room == 0


@pytest.mark.req("B-115")
async def test_health_says_what_the_one_worker_does(kept: Kept):
    kept.world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    await kept.keeper.poll_once()
    slot_id = str(first_slot(kept.world))

    report = await kept.health()

    assert report["worker_id"] == slot_id
    assert (report["current_job_id"], report["job_count_completed"]) == (None, 0)
    assert isinstance(report["uptime_seconds"], float)
    assert report["last_poll"] is not None
    [worker] = report["workers"]  # type: ignore[misc]
    assert (worker["status"], worker["name"]) == ("idle", "Worker#1")  # type: ignore[index]

    [asked] = await kept.world.ask()
    async with kept.world.running():
        await kept.world.until(asked.id, lambda one: one.state == "rendering")
        assert (await kept.health())["current_job_id"] == asked.id
        await kept.world.let_go()

    assert (await kept.health())["job_count_completed"] == 1


@pytest.mark.req("B-67")
async def test_a_slot_looks_at_once_when_a_job_is_asked_for(kept: Kept):
    world, heard = kept.world, list[str]()
    [poll] = [one for one in RenderWorker(world.services, kept.life).loops if one.name == "rendering.poll"]

    async def announce(hints: Hints) -> None:
        heard.extend(hints)

    world.db.announce = announce
    await world.ask()
    for topic in heard:
        poll.hear(topic, None)

    assert poll._wake.is_set()


@pytest.mark.req("B-05", "B-90")
async def test_as_many_render_at_once_as_there_are_licences(kept: Kept):
    await kept.world.set(own.LICENCES, 3)

    await match_licences(kept.world.db)

    async with kept.world.db.transaction() as tx:
        found = await widths.find(tx, LANE)
    assert found is not None
    assert found.width == 3
    await kept.world.set(own.LICENCES, 0)
    await match_licences(kept.world.db)
    async with kept.world.db.transaction() as tx:
        again = await widths.find(tx, LANE)
    assert again is None or again.chosen is None


@pytest.mark.req("B-97")
async def test_how_fast_nexrender_answers_is_kept(kept: Kept):
    slot = await kept.slot()

    assert slot.nexrender_ok is True
    assert (slot.nexrender_latency_ms or 0) > 0
    async with kept.world.db.transaction() as tx:
        assert await alert_rules.read_latency(tx) == slot.nexrender_latency_ms


@pytest.mark.req("B-119")
async def test_a_cleared_cache_is_read_again_by_every_worker(kept: Kept):
    world = kept.world
    wakeups = Wakeups(world.db)
    wakeups.attach()
    [templates] = [one for one in RenderWorker(world.services, kept.life).loops if one.name == "rendering.templates"]
    wakeups.on_hint(templates.hear)
    await world.act(lambda tx: world.farm.find_template(tx, COMPOSITION, timedelta(hours=1)))
    templates.start()
    await until(lambda: len(world.farm.templates) == 0)
    await world.act(lambda tx: world.farm.find_template(tx, COMPOSITION, timedelta(hours=1)))
    assert len(world.farm.templates) == 1

    await world.act(lambda tx: clear_template_cache(tx, ENGINE))

    await until(lambda: len(world.farm.templates) == 0)
    await templates.stop()
    await wakeups.close()
