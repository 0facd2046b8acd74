from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import notifications
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.notifications import Level, Notification
from pabal.platform.tenants import UnitNotFound
from tests.support.people import Tree, person
from tests.support.telegram import Office


async def listed(db: Database, actor: Actor, **how: object) -> list[Notification]:
    async with db.transaction() as tx:
        return await notifications.list_notifications(tx, actor, **how)  # type: ignore[arg-type] -- whichever a test wants


async def unread(db: Database, actor: Actor) -> int:
    async with db.transaction() as tx:
        return await notifications.count_unread(tx, actor)


async def mark_read(db: Database, actor: Actor, upto: int) -> None:
    async with db.transaction() as tx:
        await notifications.mark_read(tx, actor, upto=upto)


async def test_everyone_sees_their_own_subtree_and_the_hq_also_what_nobody_owns(office: Office, tree: Tree):
    told = {unit: await office.notify(unit) for unit in (None, tree.busan, tree.haeundae, tree.seoul)}

    assert [one.id for one in await listed(office.db, person(tree.hq))] == list(reversed(told.values()))
    assert [one.unit_id for one in await listed(office.db, person(tree.busan))] == [tree.haeundae.id, tree.busan.id]
    assert [one.unit_id for one in await listed(office.db, person(tree.hq), within=tree.seoul.id)] == [tree.seoul.id]
    assert await listed(office.db, person(tree.nampo)) == []
    with pytest.raises(UnitNotFound):
        await listed(office.db, person(tree.nampo), within=tree.seoul.id)


async def test_pages_follow_each_other_without_gap_or_repetition(office: Office, tree: Tree):
    told = [await office.notify(tree.busan) for _ in range(5)]
    reader = person(tree.busan, Role.VIEWER)

    first = await listed(office.db, reader, limit=2)
    await office.notify(tree.busan)
    second = await listed(office.db, reader, limit=2, before=first[-1].id)
    third = await listed(office.db, reader, limit=2, before=second[-1].id)

    assert [one.id for one in (*first, *second, *third)] == list(reversed(told))


async def test_the_list_can_be_narrowed_to_levels(office: Office, tree: Tree):
    for level in Level:
        await office.notify(tree.busan, level=level)

    found = await listed(office.db, person(tree.busan), levels=[Level.ATTENTION, Level.FAILURE])

    assert [one.level for one in found] == [Level.FAILURE, Level.ATTENTION]


async def test_each_reader_has_read_what_they_were_shown_and_no_more(office: Office, tree: Tree):
    kim, lee = person(tree.busan, number=1), person(tree.busan, number=2)
    shown = [await office.notify(tree.busan) for _ in range(2)][-1]
    await office.notify(tree.busan)
    await office.notify(tree.seoul)

    await mark_read(office.db, kim, shown)

    assert (await unread(office.db, kim), await unread(office.db, lee)) == (1, 3)
    async with office.db.transaction() as tx:
        assert await notifications.find_read_upto(tx, kim) == shown
        assert await notifications.find_read_upto(tx, lee) == 0


async def test_a_page_shown_earlier_makes_nothing_unread_again(office: Office, tree: Tree):
    reader = person(tree.busan)
    early, late = [await office.notify(tree.busan) for _ in range(2)]

    await mark_read(office.db, reader, late)
    await mark_read(office.db, reader, early)

    assert await unread(office.db, reader) == 0


async def test_a_token_for_something_else_reads_no_notifications(office: Office, tree: Tree):
    program = Actor("token:1", tree.hq.id, Role.ADMIN, ("jobs:manage",))

    for read in (listed, unread):
        with pytest.raises(NotAllowed):
            await read(office.db, program)


async def test_what_is_old_is_forgotten_and_what_is_on_its_way_stays(office: Office, tree: Tree):
    sent, waiting = await office.add_channel(tree.hq, chat="1"), await office.add_channel(tree.hq, chat="2")
    await office.notify(None)
    await office.run()
    async with office.db.transaction() as tx:
        await notifications.send_test(tx, person(tree.hq), waiting.id)
    await clock.advance(office.db, timedelta(days=8))
    recent = await office.notify(None)

    dropped = await notifications.forget_once(office.db, keep=timedelta(days=7))

    assert dropped == 3
    assert [one.id for one in await listed(office.db, person(tree.hq))] == [recent]
    assert [one.result for one in await office.list_deliveries(sent)] == [None]
    assert [one.result for one in await office.list_deliveries(waiting)] == [None, None]
