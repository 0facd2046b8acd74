from pabal.apps.relay.store import accounts, conversations, messages, replies
from pabal.base.database import Database
from pabal.platform import demo
from pabal.platform.actor import ENGINE
from pabal.platform.slice import load_slices
from tests.support.relay import HOUSE

SLICES = load_slices(["pabal.apps.relay"])


async def fill(db: Database) -> None:
    async with db.transaction() as tx:
        await demo._fill(tx, SLICES, ENGINE)


async def test_the_demo_has_a_chat_that_was_answered_one_that_was_rescued_and_one_that_expired(db: Database):
    await fill(db)

    async with db.transaction() as tx:
        found = (await messages.list_messages(tx, HOUSE)).items[::-1]
        replied = [await replies.list_replies(tx, one.id) for one in found]
    assert [one.status for one in found] == ["ACKED", "ACKED", "EXPIRED", "ACKED", "EXPIRED"]
    assert [[row.state.value for row in rows] for rows in replied] == [["sent"], ["sent"], ["sent"], ["sent"], []]
    # the late one went out with the answer that came in time
    assert replied[2][0].carried_by == found[3].id
    assert all(one.delivered_at is not None for one in found)


async def test_it_has_two_instances_and_three_users_of_whom_one_is_not_paired(db: Database):
    await fill(db)

    async with db.transaction() as tx:
        made = (await accounts.list_accounts(tx, HOUSE)).items
        users = (await conversations.list_conversations(tx, HOUSE)).items
    assert {one.name for one in made} == {"빠른 비서", "느린 비서"}
    assert {one.plusfriend_user_key: one.account_name for one in users} == {
        "지민": "빠른 비서",
        "하늘": "느린 비서",
        "새봄": None,
    }


async def test_it_is_taken_out_without_a_trace_of_its_own(db: Database):
    await fill(db)
    await demo.clear(db, SLICES, ENGINE)

    async with db.transaction() as tx:
        assert (await accounts.list_accounts(tx, HOUSE)).items == []
        assert (await conversations.list_conversations(tx, HOUSE)).items == []
        assert (await messages.list_messages(tx, HOUSE)).items == []
