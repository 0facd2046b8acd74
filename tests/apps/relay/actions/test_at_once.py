"""One statement instead of a transaction: what it does is the same, and whatever is not plain it leaves alone."""

import asyncio
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import accounts, conversations, mailboxes
from pabal.apps.relay.actions.endings import expire_once
from pabal.apps.relay.actions.receiving import Direct, Waits
from pabal.apps.relay.machine import MESSAGE
from pabal.apps.relay.model.messages import Message, MessageState
from pabal.base import clock
from pabal.base.database import Hints
from pabal.base.sql import load
from pabal.base.telemetry import count_emitted
from pabal.engine.transitions import history
from pabal.platform.actor import ENGINE
from tests.support.relay import SECOND, RelayWorld, add_account, callback, set_value

SQL = load(__file__)


# what each message has of its own
OWN = (
    "id",
    "uid",
    "conversation_id",
    "conversation_key",
    "kakao_payload",
    "normalized",
    "callback_url",
    "source_event_id",
)


async def tell_apart(world: RelayWorld, message: Message) -> dict[str, Any]:
    """All there is of a message but for what is its own; times as they lie to its first."""
    async with world.db.transaction() as tx:
        told = [asdict(one) for one in await history(tx, MESSAGE, message.id)]
        facts = [dict(row) for row in await tx.rows(SQL.list_facts, subject=f"{MESSAGE.name}:{message.id}")]
        seen = dict((await tx.rows(SQL.find_seen, conversation_id=message.conversation_id))[0])
    columns = {name: value for name, value in asdict(message).items() if name not in OWN}
    columns["delivered_at"] = message.delivered_at is not None and message.delivered_at > message.created_at
    history_ = [{name: value for name, value in one.items() if name not in ("subject", "at")} for one in told]
    said = [{name: value for name, value in one.items() if name != "at"} for one in facts]
    begins = [one["at"] - message.created_at for one in (*told[:1], *facts[:1])]
    times = {name: value - message.created_at for name, value in columns.items() if isinstance(value, datetime)}
    seen_at = {name: value - message.created_at for name, value in seen.items() if isinstance(value, datetime)}
    return {**columns, **times, "history": history_, "facts": said, "begins": begins, "seen": seen_at}


@pytest.mark.req("C-32", "C-33", "C-36", "C-37")
@pytest.mark.parametrize("url", [callback(5001), None], ids=["callback", "on the line"])
async def test_a_message_queued_at_once_is_the_same_as_one_that_was_thought_about(world: RelayWorld, url: str | None):
    await world.pair("lee")
    slowly = await world.say("날씨", "lee", url=url)
    thought = await tell_apart(world, await world.newest())

    at_once = await world.say_at_once("날씨", "kim", url=url and callback(5002))
    message = await world.newest()

    assert await tell_apart(world, message) == thought
    assert message.normalized == {"userId": "kim", "text": "날씨", "channelId": "b0ts"}
    assert (message.conversation_key, message.callback_url) == ("b0ts:kim", url and callback(5002))
    assert type(at_once) is type(slowly)
    if isinstance(at_once, Waits):
        assert (at_once.uid, at_once.until, at_once.lang) == (message.uid, message.answer_by, "ko")
    else:
        assert at_once == slowly


@pytest.mark.req("C-04", "C-14")
async def test_a_word_queued_at_once_goes_to_whom_its_user_is_paired_with(world: RelayWorld):
    other = await add_account(world.db, world.tree.gangnam.id, "다른 비서")
    talk = await world.pair("lee", other)
    await world.read(other)
    await world.say_at_once("부산", "kim")
    await world.say_at_once("서울", "lee")

    first, second = sorted(await world.messages(), key=lambda one: one.id)
    assert (first.text, first.account_id) == ("부산", world.account.account.id)
    assert (second.text, second.account_id, second.conversation_id) == ("서울", other.account.id, talk)
    assert second.conversation_id != first.conversation_id
    assert second.unit_id == world.tree.gangnam.id


async def test_its_reader_is_woken(world: RelayWorld):
    heard: list[Hints] = []

    async def announce(hints: Hints) -> None:
        heard.append(hints)

    known = await world.known()
    world.stale, world.db.announce = known, announce
    await world.say_at_once()

    [hints] = heard
    assert hints.keys() == {"facts", f"facts:{MESSAGE.name}", f"relay.mail:{world.account.account.id}"}


@pytest.mark.req("C-53")
async def test_the_same_request_again_is_left_to_be_thought_about(world: RelayWorld):
    await world.say_at_once("네", url=callback(1))

    assert await world.say_at_once("네", url=callback(1)) is None
    assert isinstance(await world.say("네", url=callback(1)), Direct)
    # without an address it joins the first only while that one waits
    assert isinstance(await world.say_at_once("응", url=None), Waits)
    assert await world.say_at_once("응", url=None) is None
    assert len(await world.messages()) == 2


@pytest.mark.parametrize("text", ["/help", "/status", own.MORE[0].default, own.MORE[1].default])
async def test_what_is_ours_to_answer_is_never_queued_at_once(world: RelayWorld, text: str):
    assert await world.say_at_once(text) is None
    assert await world.messages() == []


async def test_nor_is_anything_for_somebody_who_is_not_paired_or_does_not_read(world: RelayWorld):
    careful = await add_account(world.db, world.tree.haeundae.id, "까다로운 비서", asks_owner=True)
    await world.pair("lee", careful)
    off = await add_account(world.db, world.tree.haeundae.id, "꺼진 비서")
    await world.pair("han", off)
    blocked = await world.pair("choi")
    async with world.db.transaction() as tx:
        await accounts.disable_account(tx, ENGINE, off.account.id)
        await conversations.block(tx, ENGINE, blocked)

    for user in ("stranger", "lee", "han", "choi"):
        assert await world.say_at_once(user=user) is None
    await clock.advance(world.db, own.ASLEEP_AFTER.default + timedelta(seconds=1))
    assert await world.say_at_once(user="kim") is None
    assert await world.messages() == []


async def test_settings_that_changed_since_they_were_seen_are_not_gone_by(world: RelayWorld):
    await world.say()
    world.stale = await world.known()
    await set_value(world.db, own.VISIBILITY, timedelta(seconds=5))

    assert await world.say_at_once() is None
    assert await world.read_at_once() == []
    world.stale = None
    assert len(await world.read_at_once()) == 1
    message = await world.newest()
    await clock.advance(world.db, timedelta(seconds=6))
    assert [one.letter.uid for one in await world.read(again=True)] == [message.uid]


@pytest.mark.req("C-40", "C-48", "C-74")
async def test_a_letter_handed_out_at_once_is_the_same_as_one_that_was_thought_about(world: RelayWorld):
    await world.say("날씨")
    [slowly] = await world.read()
    thought = await tell_apart(world, await world.newest())
    await world.say("날씨")

    before = count_emitted("relay.message.delivered")
    [at_once] = await world.read_at_once()
    message = await world.newest()

    assert count_emitted("relay.message.delivered") == before + 1
    assert await tell_apart(world, message) | {"seen": None} == thought | {"seen": None}
    assert (message.state, message.version, message.handed_out) == (MessageState.DELIVERED, 2, 1)
    assert (at_once.letter.uid, at_once.letter.callback_url) == (message.uid, message.callback_url)
    assert at_once.letter.normalized == slowly.letter.normalized == message.normalized
    assert at_once.letter.answer_by == message.answer_by
    assert at_once.reader == slowly.reader
    assert at_once.number > slowly.number
    # and it is handed out again in its time, to where its reader goes on from
    await clock.advance(world.db, own.VISIBILITY.default - SECOND)
    assert await world.read(again=True) == []
    await clock.advance(world.db, 2 * SECOND)
    assert [one.letter.uid for one in await world.read(again=True)][-1:] == [message.uid]


@pytest.mark.req("C-47")
async def test_letters_at_once_go_oldest_first_as_far_as_there_is_room_and_each_once(world: RelayWorld):
    for number in range(30):
        await world.say(str(number))

    [first] = await world.read_at_once(room=1)
    shares = await asyncio.gather(*(world.read_at_once(room=7) for _ in range(8)))
    rest = await world.read_at_once(room=20)

    got = [one.letter.normalized["text"] for share in (*shares, rest) for one in share]
    assert first.letter.normalized["text"] == "0"
    assert sorted(map(int, got)) == list(range(1, 30))
    assert all([one.number for one in share] == sorted(one.number for one in share) for share in shares)


@pytest.mark.req("C-18", "C-63")
async def test_letters_of_another_account_are_not_handed_out_at_once_either(world: RelayWorld):
    other = await add_account(world.db, world.tree.gangnam.id, "다른 비서")
    await world.say()

    assert await world.read_at_once(other) == []
    assert len(await world.read_at_once()) == 1


async def test_what_expired_unread_comes_first_and_is_thought_about(world: RelayWorld):
    await world.say("묵은 것")
    await clock.advance(world.db, timedelta(seconds=56))
    await expire_once(world.db)
    async with world.db.transaction() as tx:
        await mailboxes.note_reading(tx, [world.account.account.id])
    await world.say("새것")

    assert await world.read_at_once() == []
    assert [one.letter.normalized["text"] for one in await world.read()] == ["묵은 것", "새것"]
