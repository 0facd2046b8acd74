from datetime import timedelta
from uuid import uuid4

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import conversations, receiving
from pabal.apps.relay.actions.receiving import Direct, Waits
from pabal.apps.relay.model.messages import End, ReplyState
from pabal.base import clock
from pabal.base.sql import load
from pabal.base.telemetry import count_emitted
from pabal.platform.actor import ENGINE
from tests.support.relay import RelayWorld, add_account, callback, payload, set_value, texts_of

SQL = load(__file__)


@pytest.mark.req("C-01", "C-04", "C-14", "C-17", "C-73")
async def test_a_paired_users_message_is_queued_for_their_account_and_kakao_is_promised_an_answer(world: RelayWorld):
    before = count_emitted("relay.message.queued")

    said = await world.say("날씨 어때?")

    assert isinstance(said, Direct)
    assert said.skill == {"version": "2.0", "useCallback": True, "data": {"text": own.WAITING[0].default}}
    [message] = await world.messages()
    assert (message.status, message.account_id, message.text) == ("QUEUED", world.account.account.id, "날씨 어때?")
    assert message.conversation_key == "b0ts:kim"
    assert count_emitted("relay.message.queued") == before + 1


@pytest.mark.req("C-01", "C-05", "C-63")
async def test_each_account_has_a_queue_of_its_own(world: RelayWorld):
    other = await add_account(world.db, world.tree.gangnam.id, "다른 비서")
    await world.pair("lee", other)

    await world.say("부산", "kim")
    await world.say("서울", "lee")

    assert [one.letter.normalized["text"] for one in await world.read()] == ["부산"]
    assert [one.letter.normalized["text"] for one in await world.read(other)] == ["서울"]


@pytest.mark.req("C-15", "C-17")
async def test_whoever_is_not_paired_is_told_how_to_and_nothing_is_queued(world: RelayWorld):
    assert all("/pair ABCD-2345" in text.default for text in own.UNPAIRED)
    assert await world.hear("안녕", "stranger") == [own.UNPAIRED[0].default]
    assert await world.hear("hello", "stranger", lang="en") == [own.UNPAIRED[1].default]
    assert await world.messages() == []


@pytest.mark.req("C-16", "C-11")
async def test_whoever_waits_for_approval_is_told_so(world: RelayWorld):
    careful = await add_account(world.db, world.tree.haeundae.id, "까다로운 비서", asks_owner=True)
    await world.pair("lee", careful)

    assert await world.hear("안녕", "lee") == [own.PENDING[0].default]
    assert await world.hear("hello", "lee", lang="en") == [own.PENDING[1].default]
    assert own.PENDING[1].default.startswith("Pairing in progress")
    assert "승인을 기다리고" in own.PENDING[0].default
    assert await world.messages() == []


@pytest.mark.req("C-36", "C-37", "C-54", "C-55")
async def test_a_message_keeps_what_kakao_sent_and_two_clocks(world: RelayWorld):
    body = payload("날씨", url=callback(77))
    await world.receive(body)

    [message] = await world.messages()
    assert message.kakao_payload == body
    assert message.normalized == {"userId": "kim", "text": "날씨", "channelId": "b0ts"}
    assert message.callback_url == callback(77)
    assert message.callback_expires_at - message.created_at == timedelta(seconds=60)
    assert message.answer_by - message.created_at == timedelta(seconds=55)
    assert message.readable_until - message.created_at == timedelta(minutes=15)


@pytest.mark.req("C-55")
async def test_the_queue_time_is_a_setting(world: RelayWorld):
    await set_value(world.db, own.QUEUE_TTL, timedelta(minutes=3))

    await world.say()

    message = await world.newest()
    assert message.readable_until - message.created_at == timedelta(minutes=3)


@pytest.mark.req("C-50", "C-53", "C-39")
async def test_a_webhook_that_comes_again_queues_nothing_twice_and_is_answered_alike(world: RelayWorld):
    first = await world.say("네", url=callback(1))
    again = await world.say("네", url=callback(1))

    assert first == again
    assert len(await world.messages()) == 1


@pytest.mark.req("C-39", "C-51")
async def test_an_event_id_counts_within_its_channel_only(world: RelayWorld):
    await world.say("네", event_id="evt-1", url=callback(1))
    await world.say("네", event_id="evt-1", url=callback(2))
    elsewhere = payload("네", "kim", event_id="evt-1")
    elsewhere["bot"]["id"] = "other"
    told = await world.receive(elsewhere)

    assert len(await world.messages()) == 1
    # at the other channel kim is somebody else, and not a repetition
    assert isinstance(told, Direct)
    assert texts_of(told.skill) == [own.UNPAIRED[0].default]


@pytest.mark.req("C-52")
async def test_the_same_word_said_twice_is_two_messages(world: RelayWorld):
    await world.say("네", url=callback(1))
    await world.say("네", url=callback(2))

    assert [one.text for one in await world.messages()] == ["네", "네"]


@pytest.mark.req("C-37")
async def test_without_a_callback_address_the_answer_is_waited_for_on_the_line(world: RelayWorld):
    said = await world.say("네", url=None)

    assert isinstance(said, Waits)
    message = await world.newest()
    assert message.callback_url is None
    assert message.answer_by - message.created_at == timedelta(seconds=4)
    assert said.until == message.answer_by


async def test_an_identical_request_joins_the_one_that_still_waits_and_no_other(world: RelayWorld):
    first = await world.say("네", url=None)
    joined = await world.say("네", url=None)
    other = await world.say("아니요", url=None)

    assert isinstance(first, Waits)
    assert isinstance(joined, Waits)
    assert isinstance(other, Waits)
    assert first.uid == joined.uid != other.uid
    await finish(world, first, is_over=True)
    later = await world.say("네", url=None)
    assert isinstance(later, Waits)
    assert later.uid != first.uid


async def finish(world: RelayWorld, waits: Waits, *, is_over: bool = False) -> list[str] | None:
    async with world.db.transaction() as tx:
        found = await receiving.finish_waiting(tx, waits, is_over=is_over)
    return None if found is None else texts_of(found)


@pytest.mark.req("C-37")
async def test_what_is_answered_on_the_line_is_acked_and_what_is_not_expires(world: RelayWorld):
    answered = await world.say("하나", url=None)
    assert isinstance(answered, Waits)
    assert await finish(world, answered) is None
    await world.reply(answered.uid, "답")

    assert await finish(world, answered) == ["답"]
    assert await finish(world, answered) == ["답"]
    message = await world.newest()
    assert (message.status, message.end_reason) == ("ACKED", End.ANSWERED_DIRECTLY)

    silent = await world.say("둘", url=None)
    assert isinstance(silent, Waits)
    assert await finish(world, silent, is_over=True) == [own.NO_ANSWER[0].default]
    message = await world.newest()
    assert (message.status, message.end_reason) == ("EXPIRED", End.NOBODY_ANSWERED)


async def test_whoever_joined_is_answered_as_the_first_was_and_not_with_what_came_late_since(world: RelayWorld):
    first = await world.say("하나", url=None)
    joined = await world.say("하나", url=None)
    assert isinstance(first, Waits)
    assert isinstance(joined, Waits)
    await world.reply(first.uid, "답")
    assert await finish(world, first) == ["답"]
    assert (await world.reply(first.uid, "하나 더")).delivery == "deferred"

    assert await finish(world, joined) == ["답"]
    assert "하나 더" in (await finish_next(world))[0]


async def test_what_came_late_is_not_shown_twice_by_whoever_still_waits(world: RelayWorld):
    waits = await world.say("하나", url=None)
    assert isinstance(waits, Waits)
    await world.reply(waits.uid, "답")
    await clock.advance(world.db, timedelta(seconds=4))
    assert (await world.reply(waits.uid, "늦은 답")).delivery == "deferred"

    said = await finish(world, waits, is_over=True)
    assert said is not None
    assert len([text for text in said if "늦은 답" in text]) == 1


async def finish_next(world: RelayWorld) -> list[str]:
    """What the user is shown with the next answer."""
    waits = await world.say("다음", url=None)
    assert isinstance(waits, Waits)
    await world.reply(waits.uid, "그다음 답")
    said = await finish(world, waits)
    assert said is not None
    return said


async def test_an_account_nobody_reads_from_gets_its_user_an_honest_answer_at_once(world: RelayWorld):
    await clock.advance(world.db, timedelta(seconds=59))
    await world.say("읽고 있어요")
    await clock.advance(world.db, timedelta(seconds=2))

    assert await world.hear("아직 계세요?") == [own.ASLEEP[0].default]
    assert [one.text for one in await world.messages()] == ["읽고 있어요"]
    assert await notices(world) == [("relay.account_asleep", world.tree.haeundae.id)]

    await world.hear("저기요")
    assert len(await notices(world)) == 1
    await world.read()
    assert [name for name, _ in await notices(world)] == ["relay.account_asleep", "relay.account_back"]
    assert isinstance(await world.say("다시"), Direct)
    assert (await world.newest()).text == "다시"


async def notices(world: RelayWorld) -> list[tuple[str, int | None]]:
    async with world.db.transaction() as tx:
        rows = await tx.rows(SQL.list_notices)
    return [(row["name"], row["unit_id"]) for row in rows]


async def test_a_late_answer_goes_out_in_front_of_what_is_said_at_once(world: RelayWorld):
    await world.say("질문")
    message = await world.newest()
    await world.read()
    await clock.advance(world.db, timedelta(seconds=61))
    taken = await world.reply(message.uid, "늦은 답")
    assert taken.delivery == "deferred"
    await clock.advance(world.db, timedelta(seconds=61))

    assert await world.hear("계세요?") == [f"{own.LATE_MARK[0].default}\n\n늦은 답", own.ASLEEP[0].default]
    assert await world.hear("계세요?") == [own.ASLEEP[0].default]


async def test_what_kakao_could_not_be_told_of_is_withdrawn(world: RelayWorld):
    uid = uuid4()
    await world.receive(payload("질문"), uid)
    await world.reply(uid, "성급한 답")
    async with world.db.transaction() as tx:
        assert await receiving.withdraw(tx, [uid, uuid4()]) == 1
        assert await receiving.withdraw(tx, [uid]) == 0

    message = await world.newest()
    assert (message.status, message.end_reason) == ("FAILED", End.WITHDRAWN)
    assert [one.state for one in await world.replies(message)] == [ReplyState.DEFERRED]
    assert await world.read() == []
    again = await world.receive(payload("질문", url=message.callback_url))
    assert isinstance(again, Direct)
    assert texts_of(again.skill) == [own.FALLBACK[0].default]


@pytest.mark.req("C-11")
async def test_a_blocked_user_is_refused_whatever_they_say(world: RelayWorld):
    async with world.db.transaction() as tx:
        await conversations.block(tx, ENGINE, (await tx.value(SQL.find_kim)))

    for said in ("안녕", f"/pair {await world.make_code()}", "/help"):
        assert await world.hear(said) == [own.BLOCKED[0].default]
    await set_value(world.db, own.BLOCKED[0], "")
    assert [text.strip() for text in await world.hear("안녕")] == [""]
    assert await world.messages() == []


async def test_each_text_is_a_setting_in_both_languages(world: RelayWorld):
    await set_value(world.db, own.UNPAIRED[0], "먼저 연결해 주세요.")

    assert await world.hear("안녕", "stranger") == ["먼저 연결해 주세요."]


@pytest.mark.req("C-10", "C-29", "C-33", "C-31")
async def test_a_conversation_is_remembered_from_the_first_word(world: RelayWorld):
    await world.hear("안녕", "lee")
    await clock.advance(world.db, timedelta(minutes=1))
    await world.hear("안녕", "lee")

    async with world.db.transaction() as tx:
        [row] = await tx.rows(SQL.find_lee)
    seen = row["seen"]
    assert timedelta(minutes=1) <= seen < timedelta(minutes=1, seconds=30)
    assert dict(row) == {
        "conversation_key": "b0ts:lee",
        "kakao_channel_id": "b0ts",
        "plusfriend_user_key": "lee",
        "account_id": None,
        "state": "unpaired",
        "paired_at": None,
        "seen": seen,
    }


@pytest.mark.req("C-32", "C-33")
async def test_a_conversation_knows_its_last_callback_address_and_when_it_came(world: RelayWorld):
    await world.say("하나", url=callback(1))
    await clock.advance(world.db, timedelta(seconds=50))
    await world.say("둘", url=callback(2))

    async with world.db.transaction() as tx:
        [row] = await tx.rows(SQL.find_callback)
    assert (row["last_callback_url"], row["life"]) == (callback(2), timedelta(seconds=60))
