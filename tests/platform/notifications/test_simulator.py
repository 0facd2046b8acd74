import asyncio
import logging
import socket
import sys

import httpx2
import pytest

from pabal.platform.notifications.simulator import Simulator
from pabal.platform.notifications.simulator_troubles import Kind, Trouble
from tests.support.servers import CEILING, until


async def test_two_simulators_have_addresses_of_their_own_and_give_them_back():
    async with Simulator() as one, Simulator() as other:
        assert one.url != other.url
        port = int(one.url.rpartition(":")[2])

    socket.create_server(("127.0.0.1", port)).close()


async def test_whoever_still_waits_is_answered_or_hung_up_on_when_it_ends(caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.ERROR)
    async with httpx2.AsyncClient(timeout=CEILING, trust_env=False) as client:
        async with Simulator() as simulator:
            bot = f"{simulator.url}/bot1:a-token"
            simulator.api.troubles["5"] = Trouble(Kind.SILENT)
            polling = asyncio.create_task(client.post(f"{bot}/getUpdates", json={"timeout": 600}))
            sending = asyncio.create_task(client.post(f"{bot}/sendMessage", json={"chat_id": 5, "text": "hello"}))
            await until(lambda: simulator.api.polls and simulator.api.is_silent)

        assert (await polling).json() == {"ok": True, "result": []}
        with pytest.raises(httpx2.RemoteProtocolError):
            await sending
    assert [one for one in caplog.records if one.exc_info] == []


async def test_a_button_in_a_group_is_pressed_by_who_has_a_chat_with_the_bot_and_by_nobody_who_says_no_name(
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level(logging.ERROR)
    buttons = {"inline_keyboard": [[{"text": "Yes", "callback_data": "yes"}]]}
    async with Simulator() as simulator, httpx2.AsyncClient(base_url=simulator.url, trust_env=False) as client:
        for chat_id in (1001, -100):
            sent = {"chat_id": chat_id, "text": "Shall I?", "reply_markup": buttons}
            await client.post("/bot1:a-token/sendMessage", json=sent)
        page = (await client.get("/")).text
        press = {"bot_id": "1", "chat_id": "-100", "message_id": "2", "data": "yes"}
        by_form = await client.post("/press", data={**press, "from_id": ""})
        by_program = await client.post("/press", json=press)

    assert page.count('name="from_id" value="1001" required') == 2
    assert by_form.status_code == 303
    assert (by_program.status_code, by_program.json()["ok"]) == (400, False)
    assert [one for one in caplog.records if one.exc_info] == []


async def test_it_runs_as_a_program_that_says_where_it_is_and_ends_when_told():
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "pabal.platform.notifications.simulator", "0", stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None

    async with asyncio.timeout(CEILING):
        said = (await process.stdout.readline()).decode()
    process.terminate()
    async with asyncio.timeout(CEILING):
        await process.communicate()

    assert "PABAL_TELEGRAM_URL=http://127.0.0.1:" in said
