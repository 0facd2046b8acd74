from datetime import timedelta
from uuid import uuid4

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.errors import CallbackExpired, LetterNotFound, ReplyRefused, ReplyTooLarge, WrongConversation
from pabal.apps.relay.model.messages import CALL_BACK, PUSH, ReplyState
from pabal.apps.relay.store import replies
from pabal.base import clock
from pabal.base.sql import load
from pabal.testing import list_enqueued
from tests.support.relay import RelayWorld, add_account, set_value, skill

SQL = load(__file__)


@pytest.mark.req("C-19")
async def test_a_reply_is_taken_in_at_once_and_called_back_later(world: RelayWorld):
    await world.say("질문")
    message = await world.newest()

    taken = await world.reply(message.uid, "답", conversation_key="b0ts:kim")

    assert (taken.delivery, taken.is_repeat, taken.message_id) == ("pending", False, message.uid)
    assert await list_enqueued(world.db, CALL_BACK) == [{"message": message.id}]
    assert (await world.newest()).answered_at is not None
    [reply] = await world.replies(message)
    assert (reply.state, reply.response) == (ReplyState.PENDING, skill("답"))


@pytest.mark.req("C-20", "C-61", "C-63")
async def test_another_accounts_message_cannot_be_answered_nor_found(world: RelayWorld):
    other = await add_account(world.db, world.tree.gangnam.id, "다른 비서")
    await world.say("질문")
    message = await world.newest()

    with pytest.raises(LetterNotFound):
        await world.reply(message.uid, "가로챈 답", account=other)
    with pytest.raises(LetterNotFound):
        await world.reply(uuid4(), "아무 답")

    assert await world.replies(message) == []
    assert await list_enqueued(world.db, CALL_BACK) == []


async def test_a_reply_that_names_another_conversation_goes_nowhere(world: RelayWorld):
    await world.say("질문")

    with pytest.raises(WrongConversation):
        await world.reply((await world.newest()).uid, "답", conversation_key="b0ts:lee")


async def test_the_same_body_again_is_a_repeat_and_another_one_is_appended(world: RelayWorld):
    await world.say("질문")
    message = await world.newest()

    first = await world.reply(message.uid, "하나")
    again = await world.reply(message.uid, "하나")
    second = await world.reply(message.uid, "둘")

    assert (first.is_repeat, again.is_repeat, second.is_repeat) == (False, True, False)
    assert [one.response for one in await world.replies(message)] == [skill("하나"), skill("둘")]
    assert len(await list_enqueued(world.db, CALL_BACK)) == 1


async def test_a_reply_after_the_address_was_used_is_a_late_one(world: RelayWorld):
    await world.say("질문")
    message = await world.newest()
    await world.reply(message.uid, "하나")
    async with world.db.transaction() as tx:
        await replies.use_address(tx, message.id)

    assert (await world.reply(message.uid, "둘")).delivery == "deferred"


async def test_a_late_answer_is_kept_for_the_queue_time_and_then_refused(world: RelayWorld):
    await world.say("질문")
    message = await world.newest()
    await clock.advance(world.db, timedelta(seconds=54))
    assert (await world.reply(message.uid, "제때")).delivery == "pending"

    await world.say("둘째 질문")
    late = await world.newest()
    await clock.advance(world.db, timedelta(seconds=55))
    assert (await world.reply(late.uid, "늦은 답")).delivery == "deferred"
    [kept] = await world.replies(late)
    assert kept.state is ReplyState.DEFERRED

    await clock.advance(world.db, timedelta(minutes=14, seconds=10))
    with pytest.raises(CallbackExpired) as refused:
        await world.reply(late.uid, "너무 늦은 답")
    assert (refused.value.status, refused.value.code) == (400, "callback_expired")
    again = await world.reply(late.uid, "늦은 답")
    assert (again.is_repeat, again.delivery) == (True, "deferred")


async def test_without_the_rescue_a_late_answer_is_refused(world: RelayWorld):
    await set_value(world.db, own.RESCUE, False)
    await world.say("질문")
    message = await world.newest()
    await clock.advance(world.db, timedelta(seconds=56))

    with pytest.raises(CallbackExpired):
        await world.reply(message.uid, "늦은 답")


async def test_a_late_answer_is_pushed_only_where_that_is_switched_on_and_paid_for(world: RelayWorld):
    await world.say("질문")
    message = await world.newest()
    await clock.advance(world.db, timedelta(seconds=56))
    await world.reply(message.uid, "하나", can_push=True)
    assert await list_enqueued(world.db, PUSH) == []

    await set_value(world.db, own.EVENT_API, True)
    await world.reply(message.uid, "둘", can_push=False)
    assert await list_enqueued(world.db, PUSH) == []
    await world.reply(message.uid, "셋", can_push=True)
    assert len(await list_enqueued(world.db, PUSH)) == 1


async def test_what_kakao_could_not_show_is_refused_and_nothing_is_lost(world: RelayWorld):
    await world.say("질문")
    message = await world.newest()

    with pytest.raises(ReplyRefused) as refused:
        await world.reply(message.uid, response={"template": {"outputs": [{"basicCard": {"title": "x"}}]}})
    assert refused.value.findings[0].field == "response/template/outputs/0/basicCard/thumbnail"
    with pytest.raises(ReplyTooLarge):
        await world.reply(message.uid, "가" * 50_000)

    assert (await world.reply(message.uid, "고친 답")).delivery == "pending"


async def test_what_does_not_fit_is_said_in_the_answer(world: RelayWorld):
    await world.say("질문")
    message = await world.newest()

    long = await world.reply(message.uid, "가" * 2500)
    longer = await world.reply(message.uid, "나" * 1500)

    assert long.notes == ()
    assert [note.code for note in longer.notes] == ["left_out"]


async def test_an_instance_may_answer_before_it_was_handed_the_message(world: RelayWorld):
    """Another of its readers may have told it."""
    await world.say("질문")

    assert (await world.reply((await world.newest()).uid, "답")).delivery == "pending"


@pytest.mark.parametrize(("gather", "delay", "expected"), [(2, 0, 2), (0, 5, 5), (3, 1, 3), (0, 0, 0)])
async def test_the_callback_waits_for_more_and_never_overtakes_our_own_answer(
    world: RelayWorld, gather: int, delay: int, expected: int
):
    await set_value(world.db, own.GATHER, timedelta(seconds=gather))
    await set_value(world.db, own.CALLBACK_DELAY, timedelta(seconds=delay))
    await world.say("질문")
    message = await world.newest()
    await world.reply(message.uid, "답")

    async with world.db.transaction() as tx:
        [row] = await tx.rows(SQL.list_delayed)
    if expected:
        assert timedelta(0) <= row["due_at"] - message.created_at - timedelta(seconds=expected) < timedelta(seconds=1)
    else:
        assert row["due_at"] is None
