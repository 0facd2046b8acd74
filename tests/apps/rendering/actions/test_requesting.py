import hashlib

import pytest

from pabal.apps.rendering.actions.requesting import MOST_AT_ONCE, RenderRequest, read_priority
from pabal.apps.rendering.errors import BadPriority, RenderRefused, TooManyRenders
from pabal.apps.rendering.model import gfx as gfx_model
from pabal.apps.rendering.model import mapping, nexjob
from pabal.apps.rendering.store import compositions, renders, traces
from pabal.engine.queue import Priority
from pabal.platform.actor import NotAllowed, Role
from pabal.platform.secrets import Vault
from pabal.testing import assert_enqueued
from tests.support.rendering import COMPOSITION, MAPPINGS, RenderWorld, gfx, make_actor


@pytest.mark.req("B-09", "B-14", "B-66")
async def test_a_request_is_a_pending_row_and_a_job(world: RenderWorld):
    somebody = make_actor(world.tree.haeundae.id)
    [asked] = await world.ask(cue_item_id="cue-7", actor=somebody)

    async with world.db.transaction() as tx:
        [begun] = await traces.list_changes(tx, asked.id)
    assert (begun.status_to, begun.changed_by, asked.requested_by) == ("pending", "user:1", "user:1")
    assert (asked.state, asked.worker_id, asked.progress, asked.recovery_count) == ("pending", None, 0, 0)
    assert (asked.cue_item_id, asked.composition_name) == ("cue-7", "_MAIN Mini Chip Count")
    await assert_enqueued(world.db, "rendering.render", count=1, render=asked.id)


@pytest.mark.req("B-109")
async def test_its_data_is_sealed_in_the_database(world: RenderWorld):
    [asked] = await world.ask("PHIL IVEY")

    async with world.db.transaction() as tx:
        kept = await renders.read_gfx(tx, asked.id)

    assert "IVEY" not in kept
    assert "PHIL IVEY" in world.services.vault.open(kept)


@pytest.mark.req("B-109")
async def test_nobody_without_the_key_can_tell_from_its_fingerprint_what_it_shows(world: RenderWorld):
    [asked] = await world.ask("PHIL IVEY")
    row = await world.act(lambda tx: compositions.find_composition(tx, COMPOSITION))
    assert row is not None
    assigned = mapping.assign(gfx_model.parse(gfx("PHIL IVEY")), row.composition, MAPPINGS)
    guessed = nexjob.content_of(row.composition, assigned, template_version=str(row.updated_at))

    assert asked.content_hash == world.services.vault.fingerprint(guessed, purpose="rendering")
    assert asked.content_hash != Vault("a key that was guessed").fingerprint(guessed, purpose="rendering")
    assert asked.content_hash != hashlib.sha256(guessed.encode()).hexdigest()


@pytest.mark.req("B-25", "B-26")
async def test_the_oldest_of_the_most_urgent_is_next(world: RenderWorld):
    first, second = await world.ask("A", "B")
    async with world.db.transaction() as tx:
        oldest, data = await renders.find_oldest(tx), await renders.read_gfx(tx, first.id)
    [urgent] = await world.ask("C", priority=Priority.URGENT)

    async with world.db.transaction() as tx:
        polled = await renders.find_oldest(tx)

    assert oldest is not None
    assert (oldest.id, '"A"' in world.services.vault.open(data)) == (first.id, True)

    assert polled is not None
    assert (polled.id, polled.composition_id, polled.cue_item_id) == (urgent.id, COMPOSITION, None)
    await world.run()
    assert world.begun() == [f"rq-{one.id}-a1" for one in (urgent, first, second)]


async def test_everything_that_is_wrong_with_any_of_them_is_said_at_once_and_nothing_is_made(world: RenderWorld):
    wanted = [
        RenderRequest(COMPOSITION, gfx()),
        RenderRequest("nobody-knows", gfx()),
        RenderRequest(COMPOSITION, gfx("X" * 41)),
    ]

    with pytest.raises(RenderRefused) as refused:
        await world.request(wanted)

    found = [(one.code, one.field) for one in refused.value.findings]
    assert found == [("composition_not_found", "1/composition_id"), ("text_too_long", "2/gfx_data/Slot 1 - name")]
    async with world.db.transaction() as tx:
        assert await renders.find_oldest(tx) is None


async def test_the_same_input_is_offered_instead_of_rendered(world: RenderWorld):
    [asked] = await world.ask("PHIL IVEY")
    await world.run()

    [offered] = await world.request([RenderRequest(COMPOSITION, gfx("PHIL IVEY"))])
    [other] = await world.request([RenderRequest(COMPOSITION, gfx("TOM DWAN"))])
    [again] = await world.request([RenderRequest(COMPOSITION, gfx("PHIL IVEY"), again=True)])

    assert (offered.is_new, offered.render.id) == (False, asked.id)
    assert (other.is_new, again.is_new) == (True, True)


async def test_a_branch_renders_with_the_compositions_of_its_head_office(world: RenderWorld):
    branch = make_actor(world.tree.haeundae.id)

    [asked] = await world.ask(actor=branch)

    assert asked.unit_id == world.tree.haeundae.id


@pytest.mark.req("B-106")
async def test_who_only_looks_asks_for_nothing(world: RenderWorld):
    with pytest.raises(NotAllowed):
        await world.ask(actor=make_actor(world.tree.haeundae.id, Role.VIEWER))


async def test_not_more_than_500_at_once(world: RenderWorld):
    with pytest.raises(TooManyRenders):
        await world.request([RenderRequest(COMPOSITION, gfx())] * (MOST_AT_ONCE + 1))


def test_a_priority_is_a_word():
    assert read_priority("urgent") is Priority.URGENT
    with pytest.raises(BadPriority):
        read_priority("soon")
