"""A replay goes to an account as a message of nobody, and its answer reaches no user."""

from datetime import timedelta
from uuid import uuid4

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import accounts, replaying
from pabal.apps.relay.actions.accounts import AccountToken, create_session
from pabal.apps.relay.actions.endings import clean_up_once, expire_once
from pabal.apps.relay.errors import (
    AccountDisabled,
    AccountNotFound,
    AccountNotPaired,
    CallbackExpired,
    MessageNotFound,
    NothingToReplay,
)
from pabal.apps.relay.jobs import make_kinds
from pabal.apps.relay.model.messages import CALL_BACK, PUSH, End, Message, ReplyState
from pabal.apps.relay.model.skill import read_request
from pabal.apps.relay.store import live
from pabal.apps.relay.store.conversations import list_conversations
from pabal.base import clock
from pabal.base.database import ConstraintBroken
from pabal.base.sql import load
from pabal.platform import audit
from pabal.platform.actor import ENGINE, Actor
from pabal.testing import Parts, advance, list_enqueued
from tests.support.people import person
from tests.support.relay import HOUSE, RelayWorld, ScriptedKakao, add_account, payload, set_value, texts_of

SQL = load(__file__)


async def replay(
    world: RelayWorld, message: Message, account: AccountToken | None = None, actor: Actor = ENGINE
) -> Message:
    async with world.db.transaction() as tx:
        which = (account or world.account).account.id
        return await replaying.replay(tx, actor, message.uid, account_id=which)


async def ask(world: RelayWorld, text: str = "날씨 어때?") -> Message:
    """One that was read and answered by nobody."""
    await world.say(text)
    await world.read()
    return await world.newest()


async def test_the_text_alone_goes_to_the_chosen_account_and_nothing_of_its_user(world: RelayWorld):
    test = await add_account(world.db, world.tree.haeundae.id, "시험 비서")
    original = await ask(world)

    made = await replay(world, original, test, person(world.tree.haeundae))

    assert (made.text, made.replay_of, made.account_id) == ("날씨 어때?", original.uid, test.account.id)
    assert (made.status, made.callback_url, made.source_event_id) == ("QUEUED", None, None)
    assert made.conversation_key == f"replay:{test.account.id}"
    assert made.answer_by - made.created_at == timedelta(seconds=55)
    assert made.readable_until - made.created_at == timedelta(minutes=15)
    assert "kim" not in str(made.kakao_payload) + str(made.normalized)
    assert "callbackUrl" not in str(made.kakao_payload)
    [handed] = await world.read(test)
    assert (handed.letter.uid, handed.letter.normalized["text"]) == (made.uid, "날씨 어때?")
    assert await world.read() == []


async def test_an_answer_never_leaves_however_it_comes(world: RelayWorld):
    await set_value(world.db, own.EVENT_API, True)
    kakao = ScriptedKakao()
    made = await replay(world, await ask(world))
    await world.read()

    first = await world.reply(made.uid, "제때 온 답", can_push=True)
    again = await world.reply(made.uid, "제때 온 답", can_push=True)
    second = await world.reply(made.uid, "둘째 조각", can_push=True)
    await clock.advance(world.db, timedelta(seconds=70))
    late = await world.reply(made.uid, "늦은 답", can_push=True)

    assert [one.delivery for one in (first, again, second, late)] == ["shown"] * 4
    assert (again.is_repeat, second.is_repeat) == (True, False)
    ended = next(one for one in await world.messages() if one.id == made.id)
    assert (ended.status, ended.end_reason) == ("ACKED", End.REPLAYED)
    assert [one.state for one in await world.replies(made)] == [ReplyState.SHOWN] * 3
    assert await list_enqueued(world.db, CALL_BACK) == await list_enqueued(world.db, PUSH) == []
    # not with what its user is told next either
    await world.read()
    await world.say("다음 질문")
    await world.reply((await world.newest()).uid, "다음 답")
    await advance(Parts(world.db, make_kinds(kakao)), timedelta(seconds=5))
    assert ([texts_of(said) for _, said in kakao.calls], kakao.pushed) == ([["다음 답"]], [])


async def test_one_that_nobody_answers_expires_and_a_late_answer_to_it_goes_nowhere(world: RelayWorld):
    made = await replay(world, await ask(world))
    await clock.advance(world.db, timedelta(seconds=56))
    await expire_once(world.db)

    taken = await world.reply(made.uid, "늦은 답", can_push=True)
    ended = next(one for one in await world.messages() if one.id == made.id)

    assert (taken.delivery, ended.status, ended.end_reason) == ("shown", "EXPIRED", End.NOBODY_ANSWERED)
    assert [one.state for one in await world.replies(made)] == [ReplyState.SHOWN]
    await clock.advance(world.db, timedelta(minutes=15))
    with pytest.raises(CallbackExpired):
        await world.reply(made.uid, "훨씬 늦은 답")


async def test_no_webhook_speaks_in_a_replays_conversation(world: RelayWorld):
    made = await replay(world, await ask(world))
    forged = payload("더 줘", str(world.account.account.id))
    forged["bot"]["id"] = " replay "

    assert read_request(forged) is None
    assert made.conversation_key == f"replay:{world.account.account.id}"


async def test_the_database_itself_refuses_an_address_for_a_replay(world: RelayWorld):
    made = await replay(world, await ask(world))

    async with world.db.transaction() as tx:
        with pytest.raises(ConstraintBroken):
            await tx.run(SQL.give_address, id=made.id)


async def test_figures_alerts_and_lists_of_users_leave_it_out(world: RelayWorld):
    await replay(world, await ask(world))
    await clock.advance(world.db, timedelta(seconds=40))

    async with world.db.transaction() as tx:
        since = tx.now - timedelta(minutes=5)
        figures = await live.read_figures(tx, HOUSE, since=since, failed_since=since)
        recent = await live.list_recent(tx, HOUSE, since=since, states=None, account_id=None, most=10)
        users = (await list_conversations(tx, HOUSE)).items
        unread, ends = await live.read_oldest_unread(tx), await live.count_ends(tx, HOUSE, since)

    assert (figures.waiting, figures.oldest_unread_at, unread, ends) == (1, None, {}, {"delivered": 1})
    assert [one.is_replay for one in recent] == [False, True]
    assert [one.conversation_key for one in users] == ["b0ts:kim"]


async def test_what_cannot_be_replayed_is_refused_by_name(world: RelayWorld):
    off = await add_account(world.db, world.tree.haeundae.id, "꺼진 비서")
    async with world.db.transaction() as tx:
        await accounts.disable_account(tx, ENGINE, off.account.id)
        session = await create_session(tx, "203.0.113.7")
    original, silent = await ask(world), await ask(world, " ")

    with pytest.raises(AccountDisabled):
        await replay(world, original, off)
    with pytest.raises(NothingToReplay):
        await replay(world, silent)
    for account_id, refusal in ((session.account_id, AccountNotPaired), (uuid4(), AccountNotFound)):
        async with world.db.transaction() as tx:
            with pytest.raises(refusal):
                await replaying.replay(tx, ENGINE, original.uid, account_id=account_id)


async def test_neither_message_nor_account_may_be_anothers(world: RelayWorld):
    foreign = await add_account(world.db, world.tree.gangnam.id, "강남 비서")
    original = await ask(world)

    with pytest.raises(AccountNotFound):
        await replay(world, original, foreign, person(world.tree.haeundae))
    with pytest.raises(MessageNotFound):
        await replay(world, original, foreign, person(world.tree.gangnam))

    assert len(await world.messages()) == 1


async def test_who_replayed_what_to_whom_is_written_down(world: RelayWorld):
    original, actor = await ask(world), person(world.tree.haeundae)
    made = await replay(world, original, actor=actor)

    async with world.db.transaction() as tx:
        [entry] = await audit.list_entries(tx, audit.Wanted(action="relay.message_replay"))

    assert (entry.about, entry.actor) == (f"relay_message:{original.id}", actor.name)
    assert entry.after == {"account": "비서", "replay": str(made.uid)}


async def test_it_is_deleted_with_the_rest_and_its_conversation_too(world: RelayWorld):
    await replay(world, await ask(world))
    await clock.advance(world.db, timedelta(days=7, seconds=1))
    await clean_up_once(world.db)
    await clean_up_once(world.db)

    assert await world.messages() == []
    async with world.db.transaction() as tx:
        assert await tx.value(SQL.count_conversations) == 0
