from datetime import timedelta

import pytest

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions import renders as verbs
from pabal.apps.rendering.actions.releasing import recover_once
from pabal.apps.rendering.errors import NoFileToUse, NothingToCancel, NothingToRetry, NotStuck, RenderNotFound
from pabal.apps.rendering.machine import RENDER, RenderEvent
from pabal.apps.rendering.model.renders import Reason, Stage
from pabal.apps.rendering.simulator.faults import Fault, FaultKind
from pabal.apps.rendering.store import traces
from pabal.apps.rendering.store.renders import Filter
from pabal.base.database import Tx
from pabal.engine.queue import Priority
from pabal.engine.transitions import transition
from pabal.platform.actor import ENGINE
from pabal.platform.tenants import Scope
from tests.support.rendering import RenderWorld, make_actor


async def fail_copy(world: RenderWorld) -> int:
    await world.set(own.NAS_RETRIES, 0)
    [asked] = await world.ask()
    async with world.running():
        await world.until(asked.id, lambda one: one.nexrender_state is not None)
        (world.folder / "nas").rename(world.folder / "gone")
    (world.folder / "gone").rename(world.folder / "nas")
    assert (await world.see(asked.id)).error_code == Reason.NAS_UNAVAILABLE
    return asked.id


async def test_a_failed_copy_is_tried_again_without_rendering(world: RenderWorld):
    render_id = await fail_copy(world)

    await world.act(lambda tx: verbs.retry(tx, ENGINE, render_id, stage=Stage.COPY))
    await world.run()

    done = await world.see(render_id)
    assert (done.state, done.attempt) == ("completed", 2)
    assert world.begun() == [f"rq-{render_id}-a1"]
    assert (await world.states(render_id))[-4:] == ["pending", "preparing", "uploading", "completed"]


async def test_without_a_film_only_all_of_it_can_be_tried_again(world: RenderWorld):
    [asked] = await world.ask()
    await world.cancel(asked.id)

    with pytest.raises(NoFileToUse):
        await world.act(lambda tx: verbs.retry(tx, ENGINE, asked.id, stage=Stage.COPY))


async def test_all_failed_ones_of_a_filter_are_tried_again(world: RenderWorld):
    await world.set(own.CHECKS, 1)
    world.nexrender.faults.add(Fault(FaultKind.FAIL, times=2))
    asked = await world.ask("A", "B", "C")
    await world.run()

    tried = await world.act(
        lambda tx: verbs.retry_failed(tx, ENGINE, Filter(), error_code=Reason.NEXRENDER_ERROR.value)
    )
    await world.run()

    assert [one.id for one in tried] == [asked[0].id, asked[1].id]
    assert {(await world.see(one.id)).state for one in asked} == {"completed"}


async def test_what_has_not_ended_cannot_be_tried_again_and_what_has_cannot_be_cancelled(world: RenderWorld):
    [asked] = await world.ask()
    with pytest.raises(NothingToRetry):
        await world.act(lambda tx: verbs.retry(tx, ENGINE, asked.id))

    await world.run()

    with pytest.raises(NothingToCancel):
        await world.cancel(asked.id)
    with pytest.raises(NotStuck):
        await world.act(lambda tx: verbs.release_stuck(tx, ENGINE, asked.id))


async def test_a_waiting_render_can_be_moved_to_the_front(world: RenderWorld):
    first, second = await world.ask("A", "B")

    await world.act(lambda tx: verbs.set_priority(tx, ENGINE, second.id, Priority.URGENT))
    await world.run()

    assert world.begun() == [f"rq-{second.id}-a1", f"rq-{first.id}-a1"]


async def test_the_renders_of_another_branch_are_not_found(world: RenderWorld):
    [asked] = await world.ask(actor=make_actor(world.tree.haeundae.id))
    stranger = make_actor(world.tree.gangnam.id)

    for verb in (verbs.cancel, verbs.retry, verbs.release_stuck):
        with pytest.raises(RenderNotFound):
            await world.act(lambda tx, verb=verb: verb(tx, stranger, asked.id))  # type: ignore[misc]


@pytest.mark.req("B-116", "B-120")
async def test_a_stuck_render_is_released_and_goes_on_where_it_stood(world: RenderWorld):
    world.nexrender.faults.add(Fault(FaultKind.HANG, 20))
    [asked] = await world.ask()

    async with world.running():
        await world.until(asked.id, lambda one: one.progress >= 20)
        released = await world.act(lambda tx: verbs.release_stuck(tx, ENGINE, asked.id))
        assert (released.state, released.worker_id, released.recovery_count) == ("pending", None, 1)
        await world.until(asked.id, lambda one: one.state == "rendering")
        await world.let_go()

    assert (await world.see(asked.id)).state == "completed"
    assert world.begun() == [f"rq-{asked.id}-a1"]


@pytest.mark.req("B-120")
async def test_one_whose_lock_has_ended_is_stuck_also_before_it_counts_as_slow(world: RenderWorld):
    [asked] = await world.ask()
    _, job = await world.claim()
    async with world.db.transaction() as tx:
        await world.kinds[job.kind].handler.prepare(tx, job)

    async def list_stuck(tx: Tx) -> list[int]:
        long_ago = tx.now - timedelta(days=1)
        return [one.id for one in await verbs.list_stuck(tx, Scope(None, None), slow_since=long_ago)]

    assert await world.act(list_stuck) == []
    await world.pass_time(timedelta(minutes=31))
    assert await world.act(list_stuck) == [asked.id]


@pytest.mark.req("B-73", "B-78", "B-79", "B-80")
@pytest.mark.parametrize(
    ("state", "moves"),
    [
        ("preparing", ()),
        ("rendering", (RenderEvent.SUBMIT,)),
        ("encoding", (RenderEvent.SUBMIT, RenderEvent.ENCODE)),
        ("uploading", (RenderEvent.SUBMIT, RenderEvent.ENCODE, RenderEvent.UPLOAD)),
    ],
)
async def test_a_render_whose_lock_has_ended_goes_back_into_the_queue(
    world: RenderWorld, state: str, moves: tuple[RenderEvent, ...]
):
    [asked] = await world.ask()
    worker, job = await world.claim()
    steps = world.kinds[job.kind].handler
    async with world.db.transaction() as tx:
        await steps.prepare(tx, job)
        for event in moves:
            await transition(tx, RENDER, asked.id, event, actor="worker:1")
    assert (await world.see(asked.id)).state == state
    assert await recover_once(world.db) == 0
    await world.pass_time(timedelta(minutes=31))

    assert await recover_once(world.db) == 1

    lost = await world.see(asked.id)
    assert (lost.state, lost.worker_id, lost.lock_expires_at, lost.recovery_count) == ("pending", None, None, 1)
    another, again = await world.claim()
    assert (again.args["render"], again.id) == (asked.id, lost.job_id)
    assert (again.id == job.id, another == worker) == (False, False)


@pytest.mark.req("B-83")
async def test_a_render_whose_lock_ends_a_fourth_time_is_parked_and_can_be_tried_again(world: RenderWorld):
    [asked] = await world.ask()
    for _ in range(4):
        _, job = await world.claim()
        async with world.db.transaction() as tx:
            await world.kinds[job.kind].handler.prepare(tx, job)
        await world.pass_time(timedelta(minutes=31))
        assert await recover_once(world.db) == 1

    parked = await world.see(asked.id)
    assert (parked.state, parked.error_code, parked.recovery_count) == ("failed", Reason.POISON_JOB, 4)

    again = await world.act(lambda tx: verbs.retry(tx, ENGINE, asked.id))
    assert (again.state, again.recovery_count) == ("pending", 0)


@pytest.mark.req("B-06", "B-111")
async def test_every_change_of_state_is_in_the_audit_with_who_made_it(world: RenderWorld):
    [asked] = await world.ask()
    await world.run()
    [called_off] = await world.ask("B")
    await world.cancel(called_off.id)

    async with world.db.transaction() as tx:
        changes = await traces.list_changes(tx, asked.id)
        ended = await traces.list_changes(tx, called_off.id)

    assert [(one.status_from, one.status_to) for one in ended] == [(None, "pending"), ("pending", "cancelled")]
    assert [(one.status_from, one.status_to) for one in changes[:3]] == [
        (None, "pending"),
        ("pending", "preparing"),
        ("preparing", "rendering"),
    ]
    assert changes[0].changed_by == "system"
    assert {one.changed_by for one in changes[1:]} == {"worker"}
    assert {one.worker_id for one in changes[1:]} == set(world.farm.slots)
    assert all(one.render_queue_id == asked.id for one in changes)


@pytest.mark.req("B-103", "B-104")
async def test_the_log_of_a_render_is_in_the_stated_form(world: RenderWorld):
    [asked] = await world.ask()
    await world.run()

    lines = await world.lines(asked.id)

    said = [line.text for line in lines if line.message.startswith("status: preparing → rendering")]
    assert len(said) == 1
    moment, level, worker, job, message = said[0].replace("] ", "] | ", 1).split(" | ", 4)
    assert (level, worker, job) == ("INFO", "Worker#1", f"Job#{asked.id}")
    assert moment[0] == "["
    assert moment[-5] == "."
    assert message == f"status: preparing → rendering (nexrender job rq-{asked.id}-a1)"
    assert {line.level for line in lines} == {"DEBUG", "INFO"}
    levels = {line.message.split()[0]: line.level for line in lines}
    assert (levels["claimed"], levels["JSON"], levels["POST"], levels["copied"]) == ("DEBUG", "DEBUG", "DEBUG", "INFO")
