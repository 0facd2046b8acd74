import logging
import secrets
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base import clock
from pabal.engine import queue
from pabal.engine.queue import Attempt, Place
from pabal.platform import audit, notifications
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import (
    KIND,
    Channel,
    ChannelForm,
    Document,
    Level,
    SendTelegram,
    Telegram,
    make_kinds,
    store,
)
from pabal.platform.notifications.gateway import Refused
from pabal.platform.notifications.jobs import Ready
from pabal.platform.notifications.parts import MESSAGE_UNITS, TextPart
from pabal.platform.notifications.simulator import Kind
from pabal.platform.secrets import Vault
from pabal.testing import assert_enqueued
from tests.support.people import Tree
from tests.support.servers import serving, until
from tests.support.telegram import CHAT, OTHER_TOKEN, TOKEN, VAULT, Office

LONG = "\n".join(f"{line:04} " + "가" * 90 for line in range(120))
AN_HOUR = timedelta(hours=1)


async def job_of(office: Office, channel: Channel) -> Place:
    """The one that is still open."""
    async with office.db.transaction() as tx:
        [job_id] = await queue.find_open(tx, about=f"channel:{channel.id}")
        return await queue.get_place(tx, job_id)


async def attempts_of(office: Office, job: Place) -> list[Attempt]:
    async with office.db.transaction() as tx:
        return await queue.list_attempts(tx, job.id)


async def put_file(office: Office, content: bytes) -> Document:
    async def chunks() -> AsyncIterator[bytes]:
        for start in range(0, len(content), 50_000):
            yield content[start : start + 50_000]

    await office.files.put("kept/abc/report", chunks())
    return Document("kept/abc/report", '보고서 "7월".csv')


async def test_a_429_is_honoured_to_the_moment_and_is_no_failure(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq)
    office.trouble(Kind.TOO_MANY, retry_after=3600)

    await office.notify(None)
    await office.run()

    job = await job_of(office, channel)
    [refused] = await attempts_of(office, job)
    assert job.due_at == refused.ended_at + AN_HOUR
    assert (refused.result, job.failures, job.snoozes) == ("snoozed", 0, 1)
    await office.run(over=timedelta(minutes=59))
    assert office.texts() == []
    await office.run(over=timedelta(minutes=1))
    assert office.texts() == ["ℹ️ 본사 · 발송 실패"]


async def test_a_long_text_arrives_in_order_in_messages_that_fit(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq)

    await office.notify(None, text=(LONG, LONG))
    await office.run(over=timedelta(seconds=10))

    assert "".join(office.texts()) == f"ℹ️ 본사 · 발송 실패\n{LONG}"
    assert [len(text) <= MESSAGE_UNITS for text in office.texts()] == [True] * 3
    [delivery] = await office.list_deliveries(channel)
    assert (delivery.result, delivery.parts_sent) == ("sent", 3)


async def test_a_message_cut_by_a_429_resumes_at_the_first_part_not_sent(office: Office, tree: Tree):
    await office.add_channel(tree.hq)
    office.trouble(Kind.TOO_MANY, after=1, retry_after=600)

    await office.notify(None, text=(LONG, LONG))
    await office.run(over=timedelta(minutes=9))
    before = len(office.texts())
    await office.run(over=timedelta(minutes=2))

    assert before == 1
    assert "".join(office.texts()) == f"ℹ️ 본사 · 발송 실패\n{LONG}"


async def test_a_message_whose_server_stopped_in_the_middle_is_finished_by_another(
    office: Office, tree: Tree, tmp_path: Path
):
    await office.add_channel(tree.hq)
    office.trouble(Kind.SILENT, after=1, times=None)

    async with serving(office.db, office.parts.kinds, tmp_path / "a"):
        await office.notify(None, text=(LONG, LONG))
        await until(lambda: len(office.texts()) == 1)
        await clock.advance(office.db, timedelta(seconds=2))
        await until(lambda: office.api.troubles[CHAT].after == 0 and office.api.is_silent)
    office.api.troubles.clear()
    async with serving(office.db, office.parts.kinds, tmp_path / "b"):
        await until(lambda: len(office.texts()) == 2)
        await clock.advance(office.db, timedelta(seconds=2))
        await until(lambda: len(office.texts()) == 3)

    assert "".join(office.texts()) == f"ℹ️ 본사 · 발송 실패\n{LONG}"


async def test_what_waits_is_not_overtaken_in_its_chat_but_in_others(office: Office, tree: Tree):
    await office.add_channel(tree.hq)
    await office.add_channel(tree.hq, chat="9")
    office.trouble(Kind.TOO_MANY, retry_after=600)

    await office.notify(None, title=("first", "첫째"))
    await office.notify(None, title=("second", "둘째"))
    await office.run(over=timedelta(minutes=5))
    other_chat, this_chat = len(office.texts("9")), len(office.texts())
    await office.run(over=timedelta(minutes=6))

    assert (other_chat, this_chat) == (2, 0)
    assert office.texts() == ["ℹ️ 본사 · 첫째", "ℹ️ 본사 · 둘째"]


async def test_a_chat_gets_one_message_a_second_and_a_group_twenty_a_minute(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq, chat="-500")

    for _ in range(21):
        await office.notify(None)
    await office.run(over=timedelta(seconds=40))
    within_a_minute = len(office.texts("-500"))
    waits_for = (await job_of(office, channel)).reason
    await office.run(over=timedelta(seconds=40))

    assert within_a_minute == 20
    assert waits_for == "limit:telegram:chat:-500 minute"
    assert len(office.texts("-500")) == 21


@pytest.mark.parametrize(("trouble", "arrived"), [(Kind.HANG_UP, 1), (Kind.BROKEN, 1), (Kind.LOST_ANSWER, 2)], ids=str)
async def test_without_an_answer_it_is_sent_again_which_doubles_it_only_if_the_answer_was_lost(
    office: Office, tree: Tree, trouble: Kind, arrived: int
):
    channel = await office.add_channel(tree.hq)
    office.trouble(trouble)

    await office.notify(None)
    await office.run()
    job, failed = await job_of(office, channel), await office.get_channel(channel)
    await office.run(over=timedelta(seconds=10))
    mended = await office.get_channel(channel)

    assert job.failures == 1
    assert failed.last_error is not None
    assert (mended.last_error, mended.last_ok_at is not None) == (None, True)
    assert len(office.texts()) == arrived


async def test_a_refused_message_ends_with_its_reason_and_the_next_is_tried(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq)
    office.trouble(Kind.BAD_REQUEST)

    await office.notify(None, title=("first", "첫째"))
    await office.run()
    refused = await office.get_channel(channel)
    await office.notify(None, title=("second", "둘째"))
    await office.run(over=timedelta(seconds=2))

    reason = "Telegram refused it: 400 Bad Request: chat not found"
    assert (refused.last_error, refused.stopped_at) == (reason, None)
    assert office.texts() == ["ℹ️ 본사 · 둘째"]
    second, first = await office.list_deliveries(channel)
    assert (first.result, first.detail, second.result) == ("failed", reason, "sent")


@pytest.mark.parametrize("trouble", [Kind.BLOCKED, Kind.UNAUTHORIZED])
async def test_a_bot_that_is_thrown_out_stops_its_channel_and_people_are_told(
    office: Office, tree: Tree, trouble: Kind
):
    channel = await office.add_channel(tree.busan)
    await office.add_channel(tree.hq, chat="9")
    office.trouble(trouble, times=None)

    await office.notify(tree.busan, title=("first", "첫째"))
    await office.notify(tree.busan, title=("second", "둘째"))
    await office.run(over=timedelta(minutes=1))
    stopped = await office.get_channel(channel)
    await office.notify(tree.busan, title=("third", "셋째"))

    assert stopped.stopped_at is not None
    assert [one.result for one in await office.list_deliveries(channel)] == ["failed", "failed"]
    [told] = [text for text in office.texts("9") if "멈췄습니다" in text]
    assert told.startswith("🔴 부산총판 · 텔레그램 채널 ‘chat 4242’이(가) 멈췄습니다")
    assert told.endswith("https://pabal.example/notifications")
    assert office.texts() == []


async def test_a_stopped_channel_goes_on_after_a_test_that_arrived(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq)
    office.trouble(Kind.BLOCKED)
    await office.notify(None)
    await office.run()

    async with office.db.transaction() as tx:
        await notifications.send_test(tx, ENGINE, channel.id)
    await office.run(over=timedelta(seconds=2))
    await office.notify(None)
    await office.run(over=timedelta(seconds=2))

    assert (await office.get_channel(channel)).stopped_at is None
    assert len(office.texts()) == 2


async def test_a_late_refusal_of_the_old_token_does_not_stop_the_edited_channel(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq)
    await office.notify(None)
    [delivery] = await office.list_deliveries(channel)
    telegram = Telegram(office.url)
    handler = SendTelegram(telegram, VAULT, office.files)

    async with office.db.transaction() as tx:
        errand = await store.find_errand(tx, delivery.id)
        assert errand is not None
        await notifications.edit_channel(tx, ENGINE, VAULT, channel.id, ChannelForm("운영방", CHAT, OTHER_TOKEN))
        await handler.record(tx, Ready(errand, TextPart("…"), is_last=True, token=TOKEN), Refused(401, "Unauthorized"))

    assert (await office.get_channel(channel)).stopped_at is None
    await telegram.close()


async def test_an_upgraded_group_is_followed_by_every_channel_of_the_bot(office: Office, tree: Tree):
    channels = [await office.add_channel(unit, chat="-55") for unit in (tree.hq, tree.busan)]
    beside = await office.add_channel(tree.seoul, chat="-56")
    office.trouble(Kind.MOVED, chat="-55", moved_to="-100900")

    await office.notify(None)
    await office.run(over=timedelta(seconds=5))

    assert office.texts("-100900") == ["ℹ️ 본사 · 발송 실패"]
    assert [(await office.get_channel(one)).chat_id for one in (*channels, beside)] == ["-100900", "-100900", "-56"]
    async with office.db.transaction() as tx:
        entries = await audit.list_entries(tx, audit.Wanted(action="channels.follow"))
    assert {(entry.actor, entry.about) for entry in entries} == {
        ("engine", f"channel:{channel.id}") for channel in channels
    }


async def test_a_document_arrives_byte_for_byte_with_the_text_as_its_caption(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq)
    content = b'\r\n--boundary "quoted"\x00' + secrets.token_bytes(700_000)

    await office.notify(None, document=await put_file(office, content), link="/jobs")
    await office.run()

    [received] = office.documents()
    assert received.document == content
    assert received.file_name == "보고서 %227월%22.csv"
    assert received.text == "ℹ️ 본사 · 발송 실패\nhttps://pabal.example/jobs"
    assert (await office.list_deliveries(channel))[0].result == "sent"


async def test_a_document_whose_text_is_no_caption_comes_after_it(office: Office, tree: Tree):
    await office.add_channel(tree.hq)

    await office.notify(None, text=(LONG, LONG), document=await put_file(office, b"1,2,3"))
    await office.run(over=timedelta(seconds=10))

    assert [one.document for one in office.api.received] == [None, None, None, b"1,2,3"]


async def test_a_document_cut_in_the_middle_is_sent_whole_again(office: Office, tree: Tree):
    await office.add_channel(tree.hq)
    office.trouble(Kind.HANG_UP)

    await office.notify(None, document=await put_file(office, b"1,2,3"))
    await office.run(over=timedelta(minutes=1))

    assert [one.document for one in office.documents()] == [b"1,2,3"]


async def test_a_document_that_is_gone_ends_its_message_and_not_its_channel(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq)

    await office.notify(None, document=Document("kept/abc/gone", "gone.csv"))
    await office.run()

    [delivery] = await office.list_deliveries(channel)
    assert (delivery.result, delivery.detail) == ("failed", "the document gone.csv is not there any more")
    assert (await office.get_channel(channel)).stopped_at is None


async def test_what_waits_goes_to_the_edited_chat_with_the_new_token(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq)
    office.trouble(Kind.UNAUTHORIZED)
    await office.notify(None, title=("first", "첫째"))
    await office.run()
    other_bot = "99" + OTHER_TOKEN

    async with office.db.transaction() as tx:
        await notifications.edit_channel(tx, ENGINE, VAULT, channel.id, ChannelForm("새 방", "77", other_bot))
    await office.notify(None, title=("second", "둘째"), level=Level.FAILURE)
    await office.run()

    assert [(one.chat_id, one.bot_id) for one in office.api.received] == [("77", int(other_bot.partition(":")[0]))]


async def test_after_a_rotation_of_the_secret_key_channels_go_on(office: Office, tree: Tree):
    await office.add_channel(tree.hq)
    telegram = Telegram(office.url)
    rotated = make_kinds(telegram, Vault("a key that is new here, a key that only tests know"), office.files)

    await office.notify(None)
    await replace(office, parts=replace(office.parts, kinds=rotated)).run()

    assert len(office.texts()) == 1
    await telegram.close()


async def test_a_lost_secret_key_is_named_and_nothing_is_sent(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq)
    telegram = Telegram(office.url)
    wrong = make_kinds(telegram, Vault("a key of somebody else"), office.files)

    await office.notify(None)
    await replace(office, parts=replace(office.parts, kinds=wrong)).run()

    job = await job_of(office, channel)
    assert "PABAL_SECRET_KEY" in str(job.error)
    assert office.texts() == []
    await telegram.close()


async def test_what_nobody_needs_any_more_is_not_sent_a_day_later(office: Office, tree: Tree):
    channel = await office.add_channel(tree.hq)
    office.trouble(Kind.TOO_MANY, retry_after=2 * 86_400)

    await office.notify(None)
    await office.run(over=timedelta(hours=25))
    await office.run(over=timedelta(hours=25))

    assert [one.result for one in await office.list_deliveries(channel)] == ["failed"]
    assert office.texts() == []


async def test_a_token_is_in_no_log_line_no_error_no_job_and_no_audit(
    office: Office, tree: Tree, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
):
    caplog.set_level(logging.DEBUG)
    await office.add_channel(tree.hq)

    for trouble in (Kind.HANG_UP, Kind.BROKEN, Kind.TOO_MANY, Kind.MOVED, Kind.BAD_REQUEST, Kind.UNAUTHORIZED):
        office.trouble(trouble, moved_to=CHAT)
        await office.notify(None)
        await office.run(over=timedelta(minutes=1))
    await assert_enqueued(office.db, KIND)

    # The access log of uvicorn is the other side's: Telegram knows the token.
    lines = [record.getMessage() for record in caplog.records if not record.name.startswith("uvicorn")]
    written = capfd.readouterr()
    everything = "\n".join([*lines, written.out, written.err, *await every_row(office)])
    assert "HTTP Request: POST" in everything
    assert "Telegram refused it: 401 Unauthorized" in everything
    assert TOKEN.partition(":")[2] not in everything


async def every_row(office: Office) -> list[str]:
    """Of every table: jobs and their attempts, the audit, what people were told, the channels."""
    connection = await office.db.connect()
    try:
        tables = await connection.fetch("select tablename from pg_tables where schemaname = 'pabal'")
        found = [await connection.fetch(f'select t::text from pabal."{name}" t') for (name,) in tables]
    finally:
        await connection.close()
    return [text for rows in found for (text,) in rows]
