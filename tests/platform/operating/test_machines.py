"""Sending an event to a subject: by those who may, to what they may see, explained before and written down after."""

import pytest

from pabal.base.database import Database
from pabal.engine.subjects import SubjectNotFound, VersionChanged
from pabal.engine.transitions import GuardRefused, MoveNotAllowed
from pabal.platform import audit, operating
from pabal.platform.actor import ENGINE, NotAllowed, Role
from pabal.platform.operating import EventNotFound, MachineNotFound
from pabal.platform.tenants import visible_to
from tests.console.adgroups import CONTROLS
from tests.support.adgroup import Event, add_groups, create_table, get_group, say
from tests.support.people import Tree, person, plant


@pytest.fixture
async def tree(db: Database) -> Tree:
    await create_table(db)
    return await plant(db)


async def test_an_event_moves_its_subject_and_is_written_down_with_its_reason(db: Database, tree: Tree) -> None:
    [group] = await add_groups(db, unit_id=tree.nampo.id)

    async with db.transaction() as tx:
        sent = await operating.send_event(
            tx, person(tree.nampo, Role.OPERATOR), CONTROLS, group, "complete_setup", reason="checked"
        )

    assert sent.made is not None
    assert (sent.made.target, sent.made.actor, sent.made.reason) == ("ready", "user:1", "checked")
    async with db.transaction() as tx:
        [entry] = await audit.list_entries(tx, audit.Wanted(action="machines.send"))
    assert (entry.about, entry.unit_id) == (f"adgroup:{group}", tree.nampo.id)
    assert entry.before == {"state": "draft", "version": 1}
    assert entry.after == {"state": "ready", "version": 2, "event": "complete_setup", "reason": "checked"}


async def test_a_dry_run_answers_guard_by_guard_and_changes_nothing(db: Database, tree: Tree) -> None:
    [group] = await add_groups(db, unit_id=tree.nampo.id)
    await say(db, group, Event.COMPLETE_SETUP, Event.APPROVE)

    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.nampo, Role.VIEWER))
        explained = {
            one.event: one for one in await operating.explain_subject(tx, person(tree.nampo), scope, CONTROLS, group)
        }
        sent = await operating.send_event(tx, person(tree.nampo), CONTROLS, group, "start", dry_run=True)

    refusal = explained["start"].refusal
    assert refusal is not None
    assert (refusal.reason, set(refusal.values)) == ("too_early", {"now", "start_at"})
    assert explained["delete"].target == "deleted"
    assert (sent.made, sent.explained.refusal) == (None, refusal)
    assert (await get_group(db, group)).state == "approved"


async def test_what_is_refused_is_raised(db: Database, tree: Tree) -> None:
    [group] = await add_groups(db, unit_id=tree.nampo.id)
    await say(db, group, Event.COMPLETE_SETUP, Event.APPROVE)
    actor = person(tree.nampo)

    async with db.transaction() as tx:
        with pytest.raises(GuardRefused):
            await operating.send_event(tx, actor, CONTROLS, group, "start")
        with pytest.raises(MoveNotAllowed):
            await operating.send_event(tx, actor, CONTROLS, group, "resume")
        with pytest.raises(EventNotFound):
            await operating.send_event(tx, actor, CONTROLS, group, "dance")
        with pytest.raises(VersionChanged):
            await operating.send_event(tx, actor, CONTROLS, group, "delete", expect_version=1)


async def test_another_branchs_subject_is_not_found(db: Database, tree: Tree) -> None:
    [theirs] = await add_groups(db, unit_id=tree.gangnam.id)

    async with db.transaction() as tx:
        scope = await visible_to(tx, person(tree.nampo))
        with pytest.raises(SubjectNotFound):
            await operating.send_event(tx, person(tree.nampo), CONTROLS, theirs, "delete")
        with pytest.raises(SubjectNotFound):
            await operating.explain_subject(tx, person(tree.nampo), scope, CONTROLS, theirs)

    assert (await get_group(db, theirs)).state == "draft"


async def test_a_viewer_changes_nothing(db: Database, tree: Tree) -> None:
    [group] = await add_groups(db, unit_id=tree.nampo.id)

    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await operating.send_event(tx, person(tree.nampo, Role.VIEWER), CONTROLS, group, "delete")


def test_a_machine_is_found_by_its_name() -> None:
    assert operating.find_machine(ENGINE, [CONTROLS], "adgroup") is CONTROLS
    with pytest.raises(MachineNotFound):
        operating.find_machine(ENGINE, [CONTROLS], "kettle")
