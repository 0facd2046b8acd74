from datetime import timedelta

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions.accounts import create_session
from pabal.apps.relay.actions.endings import clean_up_once, expire_once
from pabal.apps.relay.model.messages import End, ReplyState
from pabal.apps.relay.store import accounts as store
from pabal.base import clock
from pabal.base.sql import load
from pabal.base.telemetry import count_emitted
from tests.support.relay import HOUSE, RelayWorld, set_value

SQL = load(__file__)


@pytest.mark.req("C-58", "C-75", "C-38")
async def test_what_nobody_answered_in_time_expires_whether_it_was_read_or_not(world: RelayWorld):
    before = count_emitted("relay.message.expired")
    await world.say("읽은 질문")
    await world.read()
    await world.say("안 읽은 질문")
    await world.say("답한 질문")
    await world.reply((await world.newest()).uid, "답")

    await clock.advance(world.db, timedelta(seconds=54))
    assert await expire_once(world.db) == 0
    await clock.advance(world.db, timedelta(seconds=2))
    assert await expire_once(world.db) == 2
    assert await expire_once(world.db) == 0

    found = await world.messages()
    assert [one.status for one in found] == ["EXPIRED", "EXPIRED", "QUEUED"]
    assert [one.end_reason for one in found] == [End.NOBODY_ANSWERED, End.NOBODY_ANSWERED, None]
    assert count_emitted("relay.message.expired") == before + 2


async def test_an_answer_whose_webhook_is_gone_with_its_server_waits_for_the_next_message(world: RelayWorld):
    await world.say("콜백 없는 질문", url=None)
    await world.read()
    await world.reply((await world.newest()).uid, "늦은 답")

    await clock.advance(world.db, timedelta(seconds=5))
    assert await expire_once(world.db) == 0, "whoever waits may still take it"
    await clock.advance(world.db, timedelta(seconds=2))
    assert await expire_once(world.db) == 1

    [found] = await world.messages()
    assert (found.status, found.end_reason) == ("EXPIRED", End.ANSWERED_LATE)
    assert [one.state for one in await world.replies(found)] == [ReplyState.DEFERRED]


@pytest.mark.req("C-59")
async def test_messages_are_deleted_after_seven_days_with_their_answers(world: RelayWorld):
    await world.say("옛날 질문")
    await world.reply((await world.newest()).uid, "답")
    await clock.advance(world.db, timedelta(days=6, hours=23))
    await clean_up_once(world.db)
    assert [one.text for one in await world.messages()] == ["옛날 질문"]

    await world.read()
    await world.say("새 질문")
    await clock.advance(world.db, timedelta(hours=1, seconds=1))
    await clean_up_once(world.db)

    assert [one.text for one in await world.messages()] == ["새 질문"]
    async with world.db.transaction() as tx:
        assert await tx.value(SQL.count_replies) == 0


@pytest.mark.req("C-60", "C-45")
async def test_codes_go_when_they_ended_unused_and_a_month_after_their_use(world: RelayWorld):
    used, unused = await world.make_code(), await world.make_code()
    await world.hear(f"/pair {used}", "lee")

    await clock.advance(world.db, timedelta(minutes=9))
    await clean_up_once(world.db)
    assert set(await codes(world)) >= {used, unused}
    await clock.advance(world.db, timedelta(minutes=2))
    await clean_up_once(world.db)
    assert unused not in await codes(world)
    assert used in await codes(world)

    await clock.advance(world.db, timedelta(days=29))
    await clean_up_once(world.db)
    assert used in await codes(world)
    await clock.advance(world.db, timedelta(days=1))
    await clean_up_once(world.db)
    assert await codes(world) == []


async def codes(world: RelayWorld) -> list[str]:
    async with world.db.transaction() as tx:
        return [one.code for one in (await store.list_codes(tx, HOUSE, with_ended=True)).items]


async def test_sessions_nobody_paired_with_and_strangers_are_forgotten(world: RelayWorld):
    async with world.db.transaction() as tx:
        session = await create_session(tx, "203.0.113.7")
    await world.hear("안녕", "stranger")
    await clock.advance(world.db, timedelta(minutes=30))
    await clean_up_once(world.db)
    async with world.db.transaction() as tx:
        seen = await store.find_session(tx, session.token)
    assert seen is not None
    assert seen.status == "expired"

    await clock.advance(world.db, timedelta(minutes=40))
    await clean_up_once(world.db)
    async with world.db.transaction() as tx:
        assert await store.find_session(tx, session.token) is None
        assert await tx.value(SQL.count_strangers) == 1

    await clock.advance(world.db, timedelta(days=8))
    await clean_up_once(world.db)
    async with world.db.transaction() as tx:
        assert await tx.value(SQL.count_strangers) == 0


async def test_how_long_things_are_kept_is_a_setting(world: RelayWorld):
    await set_value(world.db, own.KEEP_MESSAGES, timedelta(days=1))
    await world.say("질문")
    await clock.advance(world.db, timedelta(days=1, seconds=1))

    await clean_up_once(world.db)

    assert await world.messages() == []
