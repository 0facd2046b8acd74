import pytest

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions import slots as verbs
from pabal.apps.rendering.errors import SlotBusyWith
from pabal.apps.rendering.jobs.slots import take_slot
from pabal.apps.rendering.model.renders import Reason
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.store import slots
from pabal.platform import notifications
from pabal.platform.actor import ENGINE, Role
from pabal.platform.tenants import HeadOfficeOnly
from tests.support.rendering import COMPOSITION, RenderWorld, first_slot, make_actor


async def may_take(world: RenderWorld) -> bool:
    async with world.db.transaction() as tx:
        return await take_slot(tx, world.farm, COMPOSITION) is not None


async def test_a_paused_slot_takes_nothing_until_it_is_resumed(world: RenderWorld):
    slot_id = first_slot(world)

    paused = await world.act(lambda tx: verbs.pause_slot(tx, ENGINE, slot_id, reason="new drivers"))
    assert (paused.paused_reason, await may_take(world)) == ("new drivers", False)
    with pytest.raises(SlotBusyWith):
        await world.act(lambda tx: verbs.pause_slot(tx, ENGINE, slot_id))

    await world.act(lambda tx: verbs.resume_slot(tx, ENGINE, slot_id))
    assert await may_take(world)


async def test_a_drained_slot_finishes_what_it_has_and_takes_nothing_more(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.state == "rendering")
        draining = await world.act(lambda tx: verbs.drain_slot(tx, ENGINE, first_slot(world)))
        async with world.db.transaction() as tx:
            assert draining.state(tx.now) == "draining"
        await world.let_go()

    assert (await world.see(asked.id)).state == "completed"
    assert not await may_take(world)


async def test_a_slot_with_hours_takes_nothing_outside_them(world: RenderWorld):
    # tests begin on a Tuesday at 10:20 in Seoul
    outside = {"days": [2], "begins": "20:00", "ends": "22:00", "zone": "Asia/Seoul"}
    inside = {"days": [2], "begins": "09:00", "ends": "22:00", "zone": "Asia/Seoul"}

    await world.act(lambda tx: verbs.set_slot_hours(tx, ENGINE, first_slot(world), outside))
    assert not await may_take(world)
    await world.act(lambda tx: verbs.set_slot_hours(tx, ENGINE, first_slot(world), inside))
    assert await may_take(world)


async def test_a_slot_that_fails_a_template_again_and_again_is_spared_it(world: RenderWorld):
    await world.set(own.TEMPLATE_FAILURES, 2)
    world.nexrender.faults.add(Fault(FaultKind.FAIL, times=2))
    await world.ask("A", "B")
    await world.run()

    async with world.db.transaction() as tx:
        [pause] = await slots.list_pauses(tx)
    assert (pause.failures, pause.last_reason) == (2, Reason.NEXRENDER_ERROR)
    assert pause.paused_at is not None
    assert not await may_take(world)

    # said as people say it
    async with world.db.transaction() as tx:
        [told] = await notifications.list_notifications(tx, ENGINE)
    assert told.name == "rendering.template_spared"
    assert [text for text in told.text if Reason.NEXRENDER_ERROR.value in text] == []

    await world.act(lambda tx: verbs.allow_template(tx, ENGINE, first_slot(world), COMPOSITION))
    assert await may_take(world)


async def test_how_many_it_completed_in_a_row_begins_anew_after_a_failure(world: RenderWorld):
    async def streak() -> tuple[int, int]:
        async with world.db.transaction() as tx:
            slot = await slots.get_slot(tx, first_slot(world))
        return slot.job_count_completed, slot.success_streak

    await world.ask("A", "B")
    await world.run()
    well = await streak()
    world.nexrender.faults.add(Fault(FaultKind.FAIL))
    await world.ask("C")
    await world.run()
    broken = await streak()
    await world.ask("D")
    await world.run()

    assert (well, broken, await streak()) == ((2, 2), (2, 0), (3, 1))


async def test_slots_are_the_head_offices(world: RenderWorld):
    branch = make_actor(world.tree.haeundae.id, Role.ADMIN)

    with pytest.raises(HeadOfficeOnly):
        await world.act(lambda tx: verbs.pause_slot(tx, branch, first_slot(world)))


@pytest.mark.req("B-24")
async def test_a_slot_has_one_render_at_a_time(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    first, second = await world.ask("A", "B")

    async with world.running():
        await world.until(first.id, lambda one: one.state == "rendering")
        assert not await may_take(world)
        assert (await world.see(second.id)).state == "pending"
        await world.let_go()

    assert {(await world.see(one.id)).state for one in (first, second)} == {"completed"}
