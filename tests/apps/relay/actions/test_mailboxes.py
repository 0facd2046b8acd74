import asyncio
from datetime import timedelta

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import accounts, mailboxes
from pabal.apps.relay.actions.endings import expire_once
from pabal.apps.relay.machine import MESSAGE, MessageEvent
from pabal.apps.relay.model.messages import MessageState
from pabal.apps.relay.store import mailboxes as store
from pabal.apps.relay.store.accounts import hash_token
from pabal.base import clock
from pabal.base.telemetry import count_emitted
from pabal.engine.transitions import history
from pabal.platform.actor import ENGINE
from tests.support.relay import RelayWorld, add_account, set_value


def texts(handed: list[mailboxes.Handed]) -> list[str]:
    return [one.letter.normalized["text"] for one in handed]


@pytest.mark.req("C-47", "C-48", "C-74", "C-40")
async def test_messages_are_handed_out_oldest_first_up_to_the_limit_and_become_delivered(world: RelayWorld):
    before = count_emitted("relay.message.delivered")
    for text in "가나다":
        await world.say(text)

    assert texts(await world.read(room=2)) == ["가", "나"]
    assert texts(await world.read(room=2)) == ["다"]
    assert await world.read() == []

    found = await world.messages()
    assert [one.status for one in found] == ["DELIVERED"] * 3
    assert all(one.delivered_at is not None and one.delivered_at >= one.created_at for one in found)
    assert count_emitted("relay.message.delivered") == before + 3


@pytest.mark.req("C-47", "C-50")
async def test_concurrent_readers_never_get_the_same_message(world: RelayWorld):
    for number in range(30):
        await world.say(str(number))

    shares = await asyncio.gather(*(world.read(room=7) for _ in range(8)))

    got = [text for share in shares for text in texts(share)]
    assert len(got) == len(set(got)) == 30


@pytest.mark.req("C-47")
async def test_a_reader_takes_what_another_holds_in_its_hand_no_second_time(world: RelayWorld):
    """Two servers at once: what one has locked and not committed, the other passes over instead of waiting for it."""
    await world.say("가")
    await world.say("나")
    account = world.account.account.id

    async with (
        store.opening(world.db, {account: 1}) as first,
        store.opening(world.db, {account: 5}) as second,
    ):
        held = await mailboxes.hand_out(first, {account: [("a" * 12, 1)]})
        other = await mailboxes.hand_out(second, {account: [("b" * 12, 5)]})

    assert (texts(held), texts(other)) == (["가"], ["나"])


async def test_letters_are_spread_over_the_readers_of_an_account(world: RelayWorld):
    for number in range(4):
        await world.say(str(number))
    account = world.account.account.id

    async with store.opening(world.db, {account: 4}) as tx:
        handed = await mailboxes.hand_out(tx, {account: [("a" * 12, 2), ("b" * 12, 2)]})

    assert sorted(one.reader for one in handed) == ["a" * 12] * 2 + ["b" * 12] * 2
    assert [one.number for one in handed] == sorted(one.number for one in handed)


@pytest.mark.req("C-48")
async def test_what_is_not_answered_is_handed_out_again_after_twenty_seconds_once_each_time(world: RelayWorld):
    await world.say("질문")
    await world.read()

    await clock.advance(world.db, timedelta(seconds=19))
    assert await world.read(again=True) == []
    await clock.advance(world.db, timedelta(seconds=2))
    assert texts(await world.read(again=True)) == ["질문"]
    assert await world.read(again=True) == []
    await clock.advance(world.db, timedelta(seconds=21))
    assert texts(await world.read(again=True)) == ["질문"]

    message = await world.newest()
    assert (message.status, message.handed_out) == ("DELIVERED", 3)
    async with world.db.transaction() as tx:
        told = [one.event for one in await history(tx, MESSAGE, message.id)]
    assert told == ["begin", MessageEvent.HAND_OUT, MessageEvent.REPEAT, MessageEvent.REPEAT]
    # its address is dead by then
    await clock.advance(world.db, timedelta(seconds=21))
    assert await world.read(again=True) == []


@pytest.mark.req("C-48")
async def test_what_was_answered_or_acked_is_not_handed_out_again(world: RelayWorld):
    await world.say("가")
    await world.say("나")
    answered, acked = (one.letter for one in await world.read())
    await world.reply(answered.uid, "답")
    async with world.db.transaction() as tx:
        done = await store.ack(tx, world.account.account.id, [acked.uid], visible_at=tx.now + timedelta(hours=1))
        other = await add_account(world.db, world.tree.gangnam.id, "다른 비서")
        foreign = await store.ack(tx, other.account.id, [acked.uid], visible_at=tx.now)

    await clock.advance(world.db, timedelta(seconds=21))

    assert (done, foreign) == (1, 0)
    assert await world.read(again=True) == []


async def test_the_visibility_time_is_a_setting(world: RelayWorld):
    await set_value(world.db, own.VISIBILITY, timedelta(seconds=7))
    await world.say("질문")
    await world.read()

    await clock.advance(world.db, timedelta(seconds=8))

    assert texts(await world.read(again=True)) == ["질문"]


async def test_what_there_is_no_room_for_waits_for_the_next_one(world: RelayWorld):
    """A reader that comes back has less room than it seemed, once it has got what it missed."""
    for text in "가나다":
        await world.say(text)
    account = world.account.account.id

    async with store.opening(world.db, {account: 3}) as tx:
        handed = await mailboxes.hand_out(tx, {account: [("a" * 12, 1)]})

    assert texts(handed) == ["가"]
    assert texts(await world.read()) == ["나", "다"]


async def test_a_reader_goes_on_from_what_it_saw_last_and_gets_nothing_of_anothers(world: RelayWorld):
    for text in "가나다":
        await world.say(text)
    account = world.account.account.id
    async with store.opening(world.db, {account: 3}) as tx:
        mine = await mailboxes.hand_out(tx, {account: [("a" * 12, 3)]})
    await world.say("라")
    async with store.opening(world.db, {account: 3}) as tx:
        await mailboxes.hand_out(tx, {account: [("b" * 12, 3)]})

    async with store.opening(world.db, {}) as tx:
        missed = await mailboxes.go_on(tx, account, "a" * 12, mine[0].number, room=20)
        nothing = await mailboxes.go_on(tx, account, "a" * 12, missed[-1].number, room=20)

    assert texts(missed) == ["나", "다"]
    assert nothing == []


@pytest.mark.req("C-61", "C-63")
async def test_neither_what_was_left_unanswered_nor_what_was_missed_goes_to_another_account(world: RelayWorld):
    other = await add_account(world.db, world.tree.gangnam.id, "다른 비서")
    await world.say("질문")
    [mine] = await world.read()
    await clock.advance(world.db, timedelta(seconds=21))

    assert await world.read(other, again=True) == []
    async with store.opening(world.db, {}) as tx:
        assert await mailboxes.go_on(tx, other.account.id, mine.reader, mine.number - 1, room=20) == []
    assert texts(await world.read(again=True)) == ["질문"]


async def test_what_a_reader_missed_and_what_is_new_to_it_have_numbers_of_their_own(world: RelayWorld):
    """Otherwise one that comes back a second time would go on behind letters it never saw."""
    for text in "가나다":
        await world.say(text)
    account = world.account.account.id
    async with store.opening(world.db, {account: 3}) as tx:
        mine = await mailboxes.hand_out(tx, {account: [("a" * 12, 3)]})
    await world.say("라")

    async with store.opening(world.db, {account: 20}) as tx:
        missed = await mailboxes.go_on(tx, account, "a" * 12, mine[0].number, room=20)
        await mailboxes.hand_out(tx, {account: [("a" * 12, 18)]}, behind=len(missed))
    async with store.opening(world.db, {}) as tx:
        unseen = await mailboxes.go_on(tx, account, "a" * 12, missed[0].number, room=20)

    assert texts(unseen) == ["다", "라"]


async def test_what_expired_unread_can_still_be_read_while_a_late_answer_is_of_use(world: RelayWorld):
    await world.say("질문")
    await clock.advance(world.db, timedelta(seconds=56))
    await expire_once(world.db)

    [handed] = await world.read()
    assert handed.letter.state == MessageState.EXPIRED
    assert (await world.newest()).status == "EXPIRED"
    assert await world.read() == []
    assert (await world.reply(handed.letter.uid, "늦은 답")).delivery == "deferred"


async def test_only_accounts_with_something_to_hand_out_are_due(world: RelayWorld):
    other = await add_account(world.db, world.tree.gangnam.id, "다른 비서")
    await world.pair("lee", other)
    assert await store.list_due_accounts(world.db) == set()

    await world.say("질문", "lee")
    assert await store.list_due_accounts(world.db) == {other.account.id}
    await world.read(other)
    assert await store.list_due_accounts(world.db) == set()
    await clock.advance(world.db, timedelta(seconds=21))
    assert await store.list_due_accounts(world.db) == {other.account.id}


@pytest.mark.req("C-62", "C-67", "C-27")
async def test_a_reader_must_go_when_its_token_is_worth_nothing_any_more(world: RelayWorld):
    account, old = world.account.account.id, hash_token(world.account.token)
    async with world.db.transaction() as tx:
        new = await accounts.rotate_token(tx, ENGINE, account, overlap=timedelta(minutes=1))
    assert await store.list_gone(world.db, [(account, old), (account, hash_token(new.token))]) == {}

    await clock.advance(world.db, timedelta(minutes=1, seconds=1))
    assert list(await store.list_gone(world.db, [(account, old), (account, hash_token(new.token))])) == [(account, old)]

    async with world.db.transaction() as tx:
        await accounts.disable_account(tx, ENGINE, account)
    gone = await store.list_gone(world.db, [(account, hash_token(new.token))])
    assert [told[1]["code"] for told in gone.values()] == ["INSTANCE_DISABLED"]
