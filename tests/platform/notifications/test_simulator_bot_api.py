"""The stand-in is spoken to by a client that is not ours, as people's own bots would."""

from typing import Any

import httpx2
import pytest

from pabal.platform.notifications.simulator import Simulator
from tests.support.telegram import BOT, TOKEN


async def call(simulator: Simulator, path: str, **request: Any) -> dict[str, Any]:
    method = request.pop("method", "POST")
    async with httpx2.AsyncClient() as client:
        response = await client.request(method, f"{simulator.url}{path}", **request)
    said: dict[str, Any] = response.json()
    assert response.status_code == said.get("error_code", 200)
    return said


async def test_a_bot_introduces_itself():
    async with Simulator() as simulator:
        said = await call(simulator, f"/bot{TOKEN}/getMe", method="GET")

    assert (said["ok"], said["result"]["id"], said["result"]["is_bot"]) == (True, BOT, True)


@pytest.mark.parametrize("form", ["json", "data"])
async def test_messages_come_as_json_or_as_a_form(form: str):
    async with Simulator() as simulator:
        said = await call(simulator, f"/bot{TOKEN}/sendMessage", **{form: {"chat_id": "5", "text": "안녕"}})
        sent = await call(simulator, "/sent", method="GET")

    assert said["result"]["message_id"] == 1
    assert said["result"]["chat"] == {"id": 5, "type": "private"}
    [shown] = sent["result"]
    assert (shown["chat_id"], shown["text"], shown["bot_id"], shown["document"]) == ("5", "안녕", BOT, None)


async def test_documents_come_as_multipart():
    async with Simulator() as simulator:
        files = {"document": ("결과.csv", b"1,2\r\n")}
        said = await call(simulator, f"/bot{TOKEN}/sendDocument", data={"chat_id": "5", "caption": "보고"}, files=files)
        sent = await call(simulator, "/sent", method="GET")

    assert said["result"]["document"]["file_name"] == "결과.csv"
    assert simulator.api.received[0].document == b"1,2\r\n"
    assert sent["result"][0]["document"]["size"] == 5


@pytest.mark.parametrize(
    ("method", "given", "code", "why"),
    [
        ("sendMessage", {"chat_id": "5", "text": " "}, 400, "message text is empty"),
        ("sendMessage", {"chat_id": "5", "text": "😀" * 2049}, 400, "message is too long"),
        ("sendMessage", {"text": "hello"}, 400, "chat_id is empty"),
        ("sendMessage", {"chat_id": "my friends", "text": "hello"}, 400, "chat not found"),
        ("sendDocument", {"chat_id": "5"}, 400, "there is no document in the request"),
        ("sendSticker", {}, 404, "method not found"),
    ],
)
async def test_what_the_bot_api_does_not_take_is_refused_as_it_does(
    method: str, given: dict[str, str], code: int, why: str
):
    async with Simulator() as simulator:
        said = await call(simulator, f"/bot{TOKEN}/{method}", json=given)

    assert (said["ok"], said["error_code"]) == (False, code)
    assert why in said["description"]
    assert simulator.api.received == []


async def test_a_chat_can_be_told_from_outside_to_misbehave_for_a_while():
    message = {"json": {"chat_id": "5", "text": "안녕"}}
    async with Simulator() as simulator:
        await call(
            simulator, "/trouble", json={"chat_id": "5", "kind": "429", "retry_after": 35, "after": 1, "times": 2}
        )
        said = [await call(simulator, f"/bot{TOKEN}/sendMessage", **message) for _ in range(4)]

    assert [one["ok"] for one in said] == [True, False, False, True]
    assert said[1]["parameters"] == {"retry_after": 35}
    assert said[1]["description"] == "Too Many Requests: retry after 35"


async def test_trouble_can_be_ended_from_outside_and_must_be_of_a_kind_there_is():
    async with Simulator() as simulator:
        await call(simulator, "/trouble", json={"chat_id": "5", "kind": "403", "times": None})
        healed = await call(simulator, "/trouble", method="DELETE")
        unknown = await call(simulator, "/trouble", json={"chat_id": "5", "kind": "tired"})
        sent = await call(simulator, f"/bot{TOKEN}/sendMessage", json={"chat_id": "5", "text": "안녕"})

    assert healed["result"] == {}
    assert unknown["error_code"] == 400
    assert sent["ok"]
