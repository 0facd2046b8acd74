import json
import logging
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import pytest

from pabal.platform.notifications.gateway import (
    LARGEST_FILE,
    Answer,
    Moved,
    Refused,
    RetryAfter,
    Sent,
    Telegram,
    Unreachable,
    Upload,
    read_answer,
)
from pabal.platform.notifications.simulator import Kind, Simulator, Trouble
from pabal.platform.storage import Content
from tests.support.telegram import CHAT, TOKEN


def refusal(code: int, **parameters: Any) -> bytes:
    return json.dumps({"ok": False, "error_code": code, "description": "why", "parameters": parameters}).encode()


@pytest.mark.parametrize(
    ("status", "body", "meaning"),
    [
        (200, b'{"ok":true,"result":{"message_id":7}}', Sent(7)),
        (429, refusal(429, retry_after=35), RetryAfter(timedelta(seconds=35))),
        (429, refusal(429), RetryAfter(timedelta(seconds=30))),
        (400, refusal(400, migrate_to_chat_id=-100123), Moved("-100123")),
        (400, refusal(400), Refused(400, "why")),
        (403, refusal(403), Refused(403, "why")),
        (404, b'{"ok":false,"error_code":404}', Refused(404, "no reason given")),
        (500, refusal(500), Unreachable("answered 500")),
        (502, b"<html>Bad Gateway</html>", Unreachable("answered 502")),
        (403, b"<html>your proxy says no</html>", Unreachable("answered 403")),
        (200, b"[]", Unreachable("answered 200")),
        (302, b"", Unreachable("answered 302")),
    ],
)
def test_an_answer_is_read_for_what_it_means(status: int, body: bytes, meaning: Answer):
    assert read_answer(status, body) == meaning


@pytest.mark.parametrize(("code", "stops"), [(400, False), (413, False), (401, True), (403, True), (404, True)])
def test_a_refusal_of_the_bot_or_the_chat_is_told_from_one_of_the_message(code: int, stops: bool):
    assert Refused(code, "why").stops is stops


@pytest.mark.parametrize("kind", [Kind.HANG_UP, Kind.LOST_ANSWER])
async def test_a_connection_that_breaks_is_an_answer_without_the_token(kind: Kind, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    async with Simulator() as simulator:
        simulator.api.troubles[CHAT] = Trouble(kind)
        telegram = Telegram(simulator.url)

        answer = await telegram.send_message(TOKEN, CHAT, "안녕")
        await telegram.close()

    assert answer == Unreachable("sendMessage: RemoteProtocolError")
    assert TOKEN not in caplog.text


async def test_nobody_at_the_address_is_an_answer_too():
    async with Simulator() as simulator:
        url = simulator.url
    telegram = Telegram(url)

    answer = await telegram.send_message(TOKEN, CHAT, "안녕")
    await telegram.close()

    assert answer == Unreachable("sendMessage: ConnectError")


async def test_an_address_below_a_path_and_a_public_channel_work_too():
    async with Simulator() as simulator:
        telegram = Telegram(f"{simulator.url}/")

        answer = await telegram.send_message(TOKEN, "@pabal_news", "😀 <b>plain</b> & simple")
        await telegram.close()

    assert isinstance(answer, Sent)
    assert simulator.api.texts("@pabal_news") == ["😀 <b>plain</b> & simple"]


async def test_a_file_bots_may_not_send_is_refused_without_reading_it():
    async def chunks() -> AsyncIterator[bytes]:
        pytest.fail("it was read")
        yield b""

    size = LARGEST_FILE + 1
    telegram = Telegram("http://127.0.0.1:1")

    answer = await telegram.send_document(TOKEN, CHAT, Upload("big.bin", Content(size, 0, size, chunks())))
    await telegram.close()

    assert isinstance(answer, Refused)
    assert (answer.code, answer.stops) == (413, False)
