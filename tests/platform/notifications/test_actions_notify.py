import asyncio
from datetime import timedelta

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import notifications
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import Document, Level, Notification, notify
from pabal.testing import assert_enqueued, list_enqueued
from tests.support.people import Tree
from tests.support.telegram import Office, notice
from tests.support.work import begin_blocked, undone


async def listed(db: Database) -> list[Notification]:
    async with db.transaction() as tx:
        return await notifications.list_notifications(tx, ENGINE)


async def test_a_notice_is_told_with_the_commit_of_its_cause(office: Office, tree: Tree):
    await office.add_channel(tree.busan)

    told = await office.notify(tree.busan, text=("{n} left", "{n}개 남음"), values={"n": 2}, about="schedule:7")

    [found] = await listed(office.db)
    assert found.id == told
    assert (found.title, found.text) == (("A delivery failed", "발송 실패"), ("2 left", "2개 남음"))
    assert (found.about, found.unit_id, found.times) == ("schedule:7", tree.busan.id, 1)
    await assert_enqueued(office.db, notifications.KIND, count=1)


async def test_a_notice_whose_cause_rolls_back_is_never_told(office: Office, tree: Tree):
    await office.add_channel(tree.busan)

    async with undone(office.db) as tx:
        await notify(tx, notice(tree.busan))
    await office.run()

    assert await listed(office.db) == []
    assert await list_enqueued(office.db, notifications.KIND) == []
    assert office.api.received == []


async def test_it_reaches_the_channels_of_its_unit_and_above_and_nobody_beside_or_below(office: Office, tree: Tree):
    for number, unit in enumerate((tree.hq, tree.busan, tree.haeundae, tree.nampo, tree.seoul, tree.gangnam), start=1):
        await office.add_channel(unit, chat=str(number))

    await office.notify(tree.haeundae)
    await office.run()
    reached_by_branch = {one.chat_id for one in office.api.received}
    office.api.received.clear()
    await office.notify(tree.busan)
    await office.run(over=timedelta(seconds=2))

    assert reached_by_branch == {"1", "2", "3"}
    assert {one.chat_id for one in office.api.received} == {"1", "2"}


async def test_what_belongs_to_no_unit_is_the_hqs(office: Office, tree: Tree):
    await office.add_channel(tree.hq, chat="1")
    await office.add_channel(tree.busan, chat="2")

    await office.notify(None)
    await office.run()

    assert [(one.chat_id, one.text) for one in office.api.received] == [("1", "ℹ️ 본사 · 발송 실패")]


async def test_a_channel_that_is_off_or_wants_something_else_gets_nothing(office: Office, tree: Tree):
    await office.add_channel(tree.hq, chat="1", is_active=False)
    await office.add_channel(tree.hq, chat="2", least_level=Level.FAILURE)
    await office.add_channel(tree.hq, chat="3", wants=("alerts.*",))
    await office.add_channel(tree.hq, chat="4", lang="en")

    await office.notify(None, level=Level.ATTENTION)
    await office.run()

    assert [(one.chat_id, one.text) for one in office.api.received] == [("4", "⚠️ 본사 · A delivery failed")]


async def test_the_same_key_is_told_once_while_it_is_quiet_and_counted(office: Office, tree: Tree):
    await office.add_channel(tree.hq)

    first = await office.notify(None, key="bot:busan1", quiet=timedelta(minutes=10))
    again = await office.notify(None, key="bot:busan1", quiet=timedelta(minutes=10))
    await clock.advance(office.db, timedelta(minutes=10))
    later = await office.notify(None, key="bot:busan1", quiet=timedelta(minutes=10))

    assert again == first
    assert [(found.id, found.times) for found in await listed(office.db)] == [(later, 1), (first, 2)]
    await assert_enqueued(office.db, notifications.KIND, count=2)


async def test_a_key_keeps_neither_another_unit_nor_a_higher_level_quiet(office: Office, tree: Tree):
    await office.notify(tree.busan, key="disk")
    await office.notify(tree.seoul, key="disk")
    await office.notify(tree.busan, key="disk", level=Level.FAILURE)
    await office.notify(tree.busan, key="disk", level=Level.ATTENTION)

    found = {(one.unit_id, one.level): one.times for one in await listed(office.db)}

    assert found == {
        (tree.busan.id, Level.INFO): 1,
        (tree.seoul.id, Level.INFO): 1,
        (tree.busan.id, Level.FAILURE): 2,
    }


async def test_two_causes_at_the_same_moment_are_one_notification(office: Office, tree: Tree):
    async with office.db.transaction() as tx:
        first = await notify(tx, notice(tree.busan, key="disk"))
        second: asyncio.Task[int] = await begin_blocked(office.db, office.notify(tree.busan, key="disk"))

    assert await second == first
    assert [found.times for found in await listed(office.db)] == [2]


async def test_strange_text_never_fails_its_cause(office: Office, tree: Tree):
    await office.add_channel(tree.hq)

    await office.notify(None, title=("a\x00\udcffb", "가\x00나"), document=Document("kept/x", "x.csv"))

    [found] = await listed(office.db)
    assert found.title == ("a?b", "가나")
    assert found.document == Document("kept/x", "x.csv")


async def test_a_unit_that_is_gone_meanwhile_is_still_told_of_at_the_hq(office: Office, tree: Tree):
    await office.add_channel(tree.hq)

    async with office.db.transaction() as tx:
        await notify(tx, notice(title=("Left", "남음"), name="units.left"))
    async with office.db.transaction() as tx:
        await notifications.notify(tx, notifications.Notice("units.left", ("Gone", "없음"), unit_id=10**15))
    await office.run(over=timedelta(seconds=2))

    assert office.texts() == ["ℹ️ 본사 · 남음", "ℹ️ 본사 · 없음"]
