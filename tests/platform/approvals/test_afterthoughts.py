"""Later is for oneself alone; a decision is taken back by whoever made it, in time, and if nothing happened since."""

from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import approvals
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.approvals import ApprovalDecided, ApprovalNotFound, UndoTooLate, Wanted
from pabal.platform.tenants import visible_to
from tests.platform.approvals.asked import KINDS, all_of, last, open_device, open_ready
from tests.platform.approvals.test_actions import KNOWN, NO, boss, decide, tree
from tests.support.people import Tree, person

__all__ = ["tree"]


async def waiting(db: Database, actor: Actor, *, is_later: bool = False) -> list[int]:
    async with db.transaction() as tx:
        scope = await visible_to(tx, actor)
        wanted = Wanted(KINDS, me=actor.name, is_later=is_later)
        found = await approvals.list_seen(tx, actor, scope, KNOWN, wanted, limit=10)
        assert len(found) == (await approvals.count_later(tx, actor, scope, KNOWN)) or not is_later
        assert is_later or len(found) == await approvals.count_waiting(tx, actor, scope, KNOWN)
    return [one.id for one in found]


async def put_off(db: Database, actor: Actor, approval_id: int) -> None:
    async with db.transaction() as tx:
        await approvals.put_off(tx, actor, approval_id, approvables=KNOWN)


async def undo(db: Database, actor: Actor, approval_id: int) -> None:
    async with db.transaction() as tx:
        await approvals.undo(tx, actor, approval_id, approvables=KNOWN)


async def test_what_one_wants_to_see_later_others_see_now_and_in_an_hour_it_is_back(db: Database, tree: Tree):
    await open_ready(db, boss(tree, 7))
    asked = await last(db)

    await put_off(db, boss(tree), asked.id)

    assert (await waiting(db, boss(tree)), await waiting(db, boss(tree), is_later=True)) == ([], [asked.id])
    assert await waiting(db, boss(tree, 9)) == [asked.id]
    await clock.advance(db, timedelta(minutes=61))
    assert (await waiting(db, boss(tree)), await waiting(db, boss(tree), is_later=True)) == ([asked.id], [])
    await put_off(db, boss(tree), asked.id)
    async with db.transaction() as tx:
        await approvals.take_up(tx, boss(tree), asked.id)
    assert await waiting(db, boss(tree)) == [asked.id]


async def test_later_is_not_later_than_the_deadline(db: Database, tree: Tree):
    await open_ready(db, boss(tree, 7))
    asked = await last(db)
    assert asked.deadline_at is not None
    await clock.advance(db, asked.deadline_at - timedelta(minutes=20) - asked.opened_at)

    async with db.transaction() as tx:
        until = await approvals.put_off(tx, boss(tree), asked.id, approvables=KNOWN)

    assert until - tx.now == (asked.deadline_at - tx.now) / 2


async def test_who_may_not_write_or_sees_nothing_of_it_puts_nothing_off(db: Database, tree: Tree):
    await open_device(db, tree.haeundae)
    asked = await last(db)

    with pytest.raises(NotAllowed):
        await put_off(db, person(tree.haeundae, Role.VIEWER), asked.id)
    with pytest.raises(ApprovalNotFound):
        await put_off(db, person(tree.nampo), asked.id)
    await decide(db, boss(tree), asked, NO)
    with pytest.raises(ApprovalDecided):
        await put_off(db, boss(tree), asked.id)


async def test_a_no_to_an_ad_group_is_taken_back_and_it_is_asked_again(db: Database, tree: Tree):
    group = await open_ready(db, boss(tree, 7))
    asked = await last(db)
    await decide(db, boss(tree), asked, NO, "oh")

    with pytest.raises(ApprovalDecided):
        await undo(db, boss(tree, 9), asked.id)
    await undo(db, boss(tree), asked.id)

    [again] = await all_of(db)
    assert (again.subject, again.id != asked.id) == (group, True)
    with pytest.raises(UndoTooLate):
        await undo(db, boss(tree), asked.id)


async def test_what_is_too_long_ago_or_has_no_way_back_stays(db: Database, tree: Tree):
    await open_ready(db, boss(tree, 7))
    refused = await last(db)
    await decide(db, boss(tree), refused, NO)
    await clock.advance(db, timedelta(seconds=20))
    await open_ready(db, boss(tree, 7))
    approved = await last(db)
    await decide(db, boss(tree), approved)

    for one in (refused, approved):
        with pytest.raises(UndoTooLate):
            await undo(db, boss(tree), one.id)


async def test_a_device_that_was_let_in_by_mistake_is_put_out(db: Database, tree: Tree):
    await open_device(db, tree.haeundae)
    asked = await last(db)
    await decide(db, boss(tree), asked)
    async with db.transaction() as tx:
        scope = await visible_to(tx, boss(tree))
        offered = await approvals.find_undoable(tx, boss(tree), scope, KNOWN, asked.id)
        to_others = await approvals.find_undoable(tx, boss(tree, 9), scope, KNOWN, asked.id)

    await undo(db, boss(tree), asked.id)

    assert (offered is not None, to_others) == (True, None)
    async with db.transaction() as tx:
        assert (await approvals.find_undoable(tx, boss(tree), scope, KNOWN, asked.id)) is None
