from datetime import timedelta
from typing import Any

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import replying
from pabal.apps.relay.gateway import Accepted, NotAllowed, Rejected, Unclear, Unreached
from pabal.apps.relay.jobs import make_kinds
from pabal.apps.relay.machine import MESSAGE
from pabal.apps.relay.model.messages import End, Message, ReplyState
from pabal.apps.relay.store import replies as store
from pabal.base import clock
from pabal.base.sql import load
from pabal.base.telemetry import count_emitted
from pabal.engine.transitions import history
from pabal.testing import Parts, advance, drain
from tests.support.relay import RelayWorld, ScriptedKakao, callback, set_value, skill, texts_of
from tests.support.work import begin_blocked

SQL = load(__file__)
TOKEN = "Invalid callback token. Check your callback token."


async def ask(world: RelayWorld, text: str = "질문", user: str = "kim") -> Message:
    await world.say(text, user)
    await world.read()
    return await world.newest()


async def run(world: RelayWorld, kakao: ScriptedKakao, *, seconds: float = 5) -> None:
    await advance(Parts(world.db, make_kinds(kakao)), timedelta(seconds=seconds))


async def states(world: RelayWorld, message: Message) -> list[str]:
    return [one.state.value for one in await world.replies(message)]


async def look(world: RelayWorld, message: Message) -> Message:
    return next(one for one in await world.messages() if one.id == message.id)


@pytest.mark.req("C-21", "C-22", "C-40", "C-76", "C-38")
async def test_the_answer_goes_to_the_stored_address_and_then_the_message_is_acked(world: RelayWorld):
    kakao, before = ScriptedKakao(), count_emitted("relay.callback.sent")
    await world.say("질문", url=callback(42))
    await world.read()
    message = await world.newest()
    await world.reply(message.uid, "답")

    await run(world, kakao)

    [(url, said)] = kakao.calls
    assert url == callback(42)
    assert (said["version"], texts_of(said)) == ("2.0", ["답"])
    done = await look(world, message)
    assert (done.status, done.end_reason) == ("ACKED", End.CALLED_BACK)
    times = (done.created_at, done.delivered_at, done.answered_at, done.called_at, done.acked_at)
    assert None not in times
    assert list(times) == sorted(times)
    assert await states(world, message) == ["sent"]
    assert count_emitted("relay.callback.sent") == before + 1


async def end_of(world: RelayWorld, message: Message) -> list[Any]:
    """What an answer that Kakao took leaves of its message."""
    done = await look(world, message)
    async with world.db.transaction() as tx:
        last = (await history(tx, MESSAGE, message.id))[-1]
        facts = [row["data"] for row in await tx.rows(SQL.list_facts, subject=f"{MESSAGE.name}:{message.id}")]
    said = [(one.state, one.detail, one.ended_at == done.acked_at) for one in await world.replies(message)]
    told = {**facts[-1], "source": None, "version": None}
    assert facts[-1]["version"] == last.version
    return [done.status, done.end_reason, said, last.event, last.target, last.actor, last.reason, told]


async def test_an_answer_that_kakao_took_ends_its_message_alike_in_one_statement_and_at_length(world: RelayWorld):
    """What nobody was handed is answered too (its instance had it before a restart): that end is thought about."""
    kakao, ends = ScriptedKakao(), []
    for is_read in (True, False):
        await world.say("질문")
        if is_read:
            await world.read()
        message = await world.newest()
        await world.reply(message.uid, "답")
        await run(world, kakao)
        ends.append(await end_of(world, message))

    assert len(kakao.calls) == 2
    assert ends[0] == ends[1]
    assert ends[0][2] == [(ReplyState.SENT, End.CALLED_BACK, True)]


async def test_pieces_that_come_close_together_go_out_as_one(world: RelayWorld):
    kakao = ScriptedKakao()
    message = await ask(world)
    await world.reply(message.uid, "하나")
    await world.reply(message.uid, "둘")
    await world.reply(message.uid, "셋")

    await run(world, kakao)

    assert [texts_of(said) for _, said in kakao.calls] == [["하나", "둘", "셋"]]


async def test_a_piece_that_is_committed_while_the_callback_waits_for_it_goes_out_too(world: RelayWorld):
    """Its message is locked by then, and what the waiting statement sees is older."""
    kakao = ScriptedKakao()
    message = await ask(world)
    await world.reply(message.uid, "하나")
    holder = await world.holder()

    async with store.opening(world.db, account_id=holder.id, uid=message.uid) as tx:
        await replying.reply(tx, message.uid, skill("둘"))
        running = await begin_blocked(world.db, run(world, kakao))
    await running

    assert [texts_of(said) for _, said in kakao.calls] == [["하나", "둘"]]
    assert await states(world, message) == ["sent", "sent"]


@pytest.mark.req("C-77", "C-38")
async def test_what_kakao_refuses_has_failed_and_its_answer_waits_for_the_next_message(world: RelayWorld):
    kakao, before = (
        ScriptedKakao(Rejected("Invalid json response from bot-skill.")),
        count_emitted("relay.callback.failed"),
    )
    message = await ask(world)
    await world.reply(message.uid, "답")
    await run(world, kakao)

    failed = await look(world, message)
    assert (failed.status, failed.end_reason) == ("FAILED", End.REFUSED_BY_KAKAO)
    assert failed.end_detail == "Invalid json response from bot-skill."
    assert await states(world, message) == ["deferred"]
    assert count_emitted("relay.callback.failed") == before + 1
    assert len(kakao.calls) == 1


async def test_a_late_answer_goes_out_in_front_of_the_next_one_marked_and_once(world: RelayWorld):
    kakao = ScriptedKakao()
    first = await ask(world, "첫 질문")
    await clock.advance(world.db, timedelta(seconds=58))
    assert (await world.reply(first.uid, "늦은 답")).delivery == "deferred"

    second = await ask(world, "둘째 질문")
    await world.reply(second.uid, "제때 온 답")
    await run(world, kakao)
    third = await ask(world, "셋째 질문")
    await world.reply(third.uid, "또 제때")
    await run(world, kakao)

    assert [texts_of(said) for _, said in kakao.calls] == [
        [f"{own.LATE_MARK[0].default}\n\n늦은 답", "제때 온 답"],
        ["또 제때"],
    ]
    assert await states(world, first) == ["sent"]


async def test_a_late_answer_never_goes_to_another_user(world: RelayWorld):
    kakao = ScriptedKakao()
    await world.pair("lee")
    first = await ask(world, "첫 질문", "kim")
    await clock.advance(world.db, timedelta(seconds=58))
    await world.reply(first.uid, "킴에게")

    other = await ask(world, "질문", "lee")
    await world.reply(other.uid, "리에게")
    await run(world, kakao)

    assert [texts_of(said) for _, said in kakao.calls] == [["리에게"]]


async def test_a_late_answer_that_went_along_with_a_refused_one_waits_again(world: RelayWorld):
    kakao = ScriptedKakao(Rejected("no"))
    first = await ask(world)
    await clock.advance(world.db, timedelta(seconds=58))
    await world.reply(first.uid, "늦은 답")
    second = await ask(world)
    await world.reply(second.uid, "답")

    await run(world, kakao)

    assert await states(world, first) == ["deferred"]
    assert await states(world, second) == ["deferred"]


async def test_an_unreachable_kakao_is_tried_again_while_the_address_lives(world: RelayWorld):
    kakao = ScriptedKakao(Unreached("ConnectError"), Unreached("ConnectError"), Accepted())
    message = await ask(world)
    await world.reply(message.uid, "답")

    await run(world, kakao, seconds=10)

    assert len(kakao.calls) == 3
    assert (await look(world, message)).status == "ACKED"


async def test_an_address_that_dies_while_kakao_is_away_leaves_a_late_answer(world: RelayWorld):
    kakao = ScriptedKakao(*[Unreached("ConnectError")] * 100)
    message = await ask(world)
    await world.reply(message.uid, "답")

    await run(world, kakao, seconds=120)

    ended = await look(world, message)
    assert (ended.status, ended.end_reason) == ("EXPIRED", End.ANSWERED_LATE)
    assert await states(world, message) == ["deferred"]


async def test_what_may_have_been_seen_is_never_sent_again(world: RelayWorld):
    kakao = ScriptedKakao(Unclear("ReadTimeout"))
    message = await ask(world)
    await world.reply(message.uid, "답")
    await run(world, kakao, seconds=30)

    ended = await look(world, message)
    assert len(kakao.calls) == 1
    assert (ended.status, ended.end_reason) == ("FAILED", End.CALLBACK_UNKNOWN)
    assert await states(world, message) == ["unknown"]
    nxt = await ask(world)
    await world.reply(nxt.uid, "다음 답")
    await run(world, kakao)
    assert texts_of(kakao.calls[-1][1]) == ["다음 답"]


async def test_an_address_whose_user_died_in_the_middle_is_not_used_a_second_time(world: RelayWorld):
    kakao = ScriptedKakao()
    message = await ask(world)
    await world.reply(message.uid, "답")
    async with world.db.transaction() as tx:
        await store.use_address(tx, message.id)

    await run(world, kakao)

    assert kakao.calls == []
    ended = await look(world, message)
    assert (ended.status, ended.end_reason) == ("FAILED", End.CALLBACK_UNKNOWN)


async def test_a_callback_that_overtook_our_own_answer_has_one_more_try(world: RelayWorld):
    kakao = ScriptedKakao(Rejected(TOKEN, is_token=True), Accepted())
    message = await ask(world)
    await world.reply(message.uid, "답")
    await run(world, kakao)

    assert len(kakao.calls) == 2
    assert (await look(world, message)).status == "ACKED"


async def test_a_callback_that_is_refused_twice_has_no_third_try(world: RelayWorld):
    await set_value(world.db, own.GATHER, timedelta(0))
    await set_value(world.db, own.CALLBACK_DELAY, timedelta(0))
    kakao = ScriptedKakao(*[Rejected(TOKEN, is_token=True)] * 5)
    message = await ask(world)
    await world.reply(message.uid, "답")
    await run(world, kakao)

    assert len(kakao.calls) == 2
    assert (await look(world, message)).end_reason is End.REFUSED_BY_KAKAO


async def test_an_invalid_token_later_than_three_seconds_is_final(world: RelayWorld):
    kakao = ScriptedKakao(Rejected(TOKEN, is_token=True), Accepted())
    message = await ask(world)
    await clock.advance(world.db, timedelta(seconds=10))
    await world.reply(message.uid, "답")
    await run(world, kakao)

    assert len(kakao.calls) == 1
    assert (await look(world, message)).end_reason is End.REFUSED_BY_KAKAO


async def test_an_address_that_is_none_of_kakaos_is_not_called(world: RelayWorld):
    message = await ask(world)
    await world.reply(message.uid, "답")
    await run(world, ScriptedKakao(NotAllowed()))

    assert (await look(world, message)).end_reason is End.ADDRESS_NOT_ALLOWED


async def test_whoever_unpaired_meanwhile_gets_no_late_answer(world: RelayWorld):
    kakao = ScriptedKakao()
    first = await ask(world)
    await clock.advance(world.db, timedelta(seconds=58))
    await world.reply(first.uid, "늦은 답")
    await world.hear("/unpair")
    await world.pair("kim")
    second = await ask(world)
    await world.reply(second.uid, "답")
    await run(world, kakao)

    assert [texts_of(said) for _, said in kakao.calls] == [["답"]]
    assert await states(world, first) == ["expired"]


async def test_where_it_is_switched_on_a_late_answer_is_pushed_at_once_and_not_again_later(world: RelayWorld):
    await set_value(world.db, own.EVENT_API, True)
    kakao = ScriptedKakao()
    first = await ask(world)
    await clock.advance(world.db, timedelta(seconds=58))
    await world.reply(first.uid, "늦은 답", can_push=True)
    await drain(Parts(world.db, make_kinds(kakao)))

    assert kakao.pushed == [("b0ts", {"name": "pabal_late_reply", "data": {"text": "늦은 답"}}, "kim")]
    [reply] = await world.replies(first)
    assert (reply.state, reply.detail) == (ReplyState.SENT, "pushed")
    second = await ask(world)
    await world.reply(second.uid, "답")
    await run(world, kakao)
    assert [texts_of(said) for _, said in kakao.calls] == [["답"]]


async def test_what_could_not_be_pushed_waits_for_the_next_message(world: RelayWorld):
    await set_value(world.db, own.EVENT_API, True)
    kakao = ScriptedKakao(Rejected("Invalid bot ID"))
    first = await ask(world)
    await clock.advance(world.db, timedelta(seconds=58))
    await world.reply(first.uid, "늦은 답", can_push=True)
    await drain(Parts(world.db, make_kinds(kakao)))

    assert await states(world, first) == ["deferred"]
