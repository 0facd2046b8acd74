"""The simulated channel over real sockets, against a relay that is not ours."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from pabal.apps.relay.simulator.kakao import CallbackUse, ChannelPortTaken, EventCall, KakaoChannel, SkillCall
from pabal.apps.relay.simulator.options import CallbackBehaviour, ChannelOptions
from pabal.apps.relay.simulator.skills import name_bot_user, simple_text
from tests.apps.relay.simulator.tiny_relay import Heard, TinyRelay

PROMISE = (200, {"version": "2.0", "useCallback": True, "data": {"text": "생각 중"}})
TOKEN = "Invalid callback token. Check your callback token."
JSON = "Invalid json response from bot-skill."
EVENT = {"event": {"name": "late", "data": {"text": "늦은 답"}}, "user": [{"type": "plusfriendUserKey", "id": "u1"}]}


@pytest.fixture
async def client() -> AsyncIterator[httpx2.AsyncClient]:
    async with httpx2.AsyncClient(timeout=30) as client:
        yield client


async def call_back(client: httpx2.AsyncClient, call: SkillCall, text: str = "답") -> Any:
    answer = await client.post(str(call.callback_url), json=simple_text(text))
    body = answer.json()
    assert set(body) == {"taskId", "status", "message", "timestamp"}
    return answer.status_code, body["status"], body["message"]


def outcomes(channel: KakaoChannel) -> list[str]:
    return [one.outcome.value for one in channel.journal.entries if isinstance(one, CallbackUse | EventCall)]


async def test_the_bubbles_of_a_direct_answer_are_shown_in_order() -> None:
    async with TinyRelay(webhook=(200, simple_text("하나", "둘"))) as relay, KakaoChannel(relay.url) as channel:
        call = await channel.say("u1", "안녕", lang="kr", event_id="e1", bot_id="b1")
        bubbles = await channel.wait_for_bubbles("u1", 2)

    [heard] = relay.heard
    assert (heard.method, heard.path) == ("POST", "/kakao/webhook")
    assert heard.body == call.payload
    assert heard.body["userRequest"]["eventId"] == "e1"
    assert str(call.callback_url).startswith(f"{channel.url}/v1/bots/b1/callback/")
    assert (call.status, call.is_valid, call.uses_callback) == (200, True, False)
    assert [(one.text, one.origin, one.number) for one in bubbles] == [("하나", "answer", 1), ("둘", "answer", 1)]


async def test_the_path_and_the_secret_are_those_that_were_set() -> None:
    options = ChannelOptions(path="/kakao-talkchannel/webhook", secret="s3cret", secret_header="X-Mine")

    async with TinyRelay(webhook=PROMISE) as relay, KakaoChannel(f"{relay.url}/", options) as channel:
        await channel.say("u1", "안녕", with_callback=False, nulls=True)

    [heard] = relay.heard
    assert (heard.path, heard.headers["x-mine"]) == ("/kakao-talkchannel/webhook", "s3cret")
    assert heard.body["userRequest"]["callbackUrl"] is None


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (None, None),
        ((500, simple_text("x")), 500),
        ((200, b"<html>"), 200),
        ((200, simple_text("1", "2", "3", "4")), 200),
    ],
)
async def test_an_answer_that_is_late_or_invalid_shows_nothing(
    client: httpx2.AsyncClient, answer: Any, status: int | None
) -> None:
    async with (
        TinyRelay(webhook=answer) as relay,
        KakaoChannel(relay.url, ChannelOptions(limit_seconds=0.3)) as channel,
    ):
        call = await channel.say("u1", "안녕")
        used = await call_back(client, call)

    assert (call.status, call.is_valid, channel.bubbles["u1"]) == (status, False, [])
    assert used == (200, "FAIL", TOKEN)


async def test_a_relay_that_is_away_is_a_fault_and_no_exception() -> None:
    async with KakaoChannel("http://127.0.0.1:1") as channel:
        call = await channel.say("u1", "안녕")

    assert call.status is None
    assert "ConnectError" in call.fault


async def test_a_callback_address_works_once(client: httpx2.AsyncClient) -> None:
    async with TinyRelay(webhook=PROMISE) as relay, KakaoChannel(relay.url) as channel:
        call = await channel.say("u1", "안녕")
        first, second = await call_back(client, call, "하나"), await call_back(client, call, "둘")
        await channel.wait_for_callbacks()

    assert (call.uses_callback, call.waiting_text) == (True, "생각 중")
    assert (first[:2], second) == ((200, "SUCCESS"), (200, "FAIL", TOKEN))
    assert [(one.text, one.origin) for one in channel.bubbles["u1"]] == [("하나", "callback")]
    assert outcomes(channel) == ["shown", "used"]


async def test_an_address_that_is_too_old_strange_or_of_another_bot_is_refused(client: httpx2.AsyncClient) -> None:
    async with (
        TinyRelay(webhook=PROMISE) as relay,
        KakaoChannel(relay.url, ChannelOptions(life_seconds=0, fail_status=400)) as channel,
    ):
        call = await channel.say("u1", "안녕")
        expired = await call_back(client, call)
        await client.post(f"{channel.url}/v1/bots/simbot/callback/nobody", json=simple_text("x"))
        other = await client.post(str(call.callback_url).replace("simbot", "b2"), json=simple_text("x"))
        await channel.wait_for_callbacks()

    assert expired == (400, "FAIL", TOKEN)
    assert other.json()["message"].startswith("Invalid bot ID")
    assert outcomes(channel) == ["expired", "unknown", "wrong_bot"]
    assert channel.bubbles["u1"] == []


async def test_a_callback_without_a_promise_is_refused(client: httpx2.AsyncClient) -> None:
    async with TinyRelay(webhook=(200, simple_text("x"))) as relay, KakaoChannel(relay.url) as channel:
        used = await call_back(client, await channel.say("u1", "안녕"))

    assert used[2] == "The skill server settings are incorrect. Use callback true setting required."
    assert outcomes(channel) == ["unasked"]


async def test_a_callback_that_overtakes_the_answer_is_refused_and_may_come_again(client: httpx2.AsyncClient) -> None:
    async def overtake(heard: Heard) -> Any:
        await client.post(heard.body["userRequest"]["callbackUrl"], json=simple_text("너무 이른 답"))
        return PROMISE

    async with TinyRelay(webhook=overtake) as relay, KakaoChannel(relay.url) as channel:
        call = await channel.say("u1", "안녕")
        await call_back(client, call)

    assert outcomes(channel) == ["overtaking", "shown"]


async def test_an_overtaking_callback_can_be_held_instead(client: httpx2.AsyncClient) -> None:
    held: list[asyncio.Task[httpx2.Response]] = []

    async def overtake(heard: Heard) -> Any:
        url = heard.body["userRequest"]["callbackUrl"]
        held.append(asyncio.create_task(client.post(url, json=simple_text("답"))))
        return PROMISE

    async with (
        TinyRelay(webhook=overtake) as relay,
        KakaoChannel(relay.url, ChannelOptions(holds_overtaking=True)) as channel,
    ):
        await channel.say("u1", "안녕")
        [bubble] = await channel.wait_for_bubbles("u1", 1)
        await held[0]

    assert bubble.text == "답"


@pytest.mark.parametrize("content", [b"no json", b"{}", b'{"version":"2.0","template":{"outputs":[]}}'])
async def test_a_callback_that_is_no_skill_response_uses_its_address_up(
    client: httpx2.AsyncClient, content: bytes
) -> None:
    async with TinyRelay(webhook=PROMISE) as relay, KakaoChannel(relay.url) as channel:
        call = await channel.say("u1", "안녕")
        answer = await client.post(str(call.callback_url), content=content)
        await call_back(client, call)

    assert (answer.json()["status"], answer.json()["message"]) == ("FAIL", JSON)
    assert outcomes(channel) == ["bad_skill", "used"]


@pytest.mark.parametrize(
    ("behaviour", "status", "said", "outcome"),
    [
        (CallbackBehaviour(refuse=True), 200, "FAIL", "refused"),
        (CallbackBehaviour(error=True), 500, "ERROR", "error"),
    ],
)
async def test_kakao_may_refuse_or_err(
    client: httpx2.AsyncClient, behaviour: CallbackBehaviour, status: int, said: str, outcome: str
) -> None:
    async with TinyRelay(webhook=PROMISE) as relay, KakaoChannel(relay.url) as channel:
        channel.behaviour = behaviour
        used = await call_back(client, await channel.say("u1", "안녕"))
        kind = await call_back(client, await channel.say("u2", "안녕", behaviour=CallbackBehaviour()))

    assert (used[:2], kind[1]) == ((status, said), "SUCCESS")
    assert outcomes(channel) == [outcome, "shown"]
    assert channel.bubbles["u1"] == []


async def test_kakao_may_hang_up_without_an_answer(client: httpx2.AsyncClient) -> None:
    async with TinyRelay(webhook=PROMISE) as relay, KakaoChannel(relay.url) as channel:
        call = await channel.say("u1", "안녕", behaviour=CallbackBehaviour(die=True))
        with pytest.raises(httpx2.RemoteProtocolError, match="without sending a response"):
            await call_back(client, call)

    assert outcomes(channel) == ["died"]


async def test_what_is_answered_slowly_is_shown_at_once(client: httpx2.AsyncClient) -> None:
    async with TinyRelay(webhook=PROMISE) as relay, KakaoChannel(relay.url) as channel:
        call = await channel.say("u1", "안녕", behaviour=CallbackBehaviour(slow=3600))
        calling = asyncio.create_task(call_back(client, call))
        await channel.wait_for_bubbles("u1", 1)
        is_answered = calling.done()
        calling.cancel()

    assert not is_answered


async def test_the_very_same_request_can_be_repeated(client: httpx2.AsyncClient) -> None:
    async with TinyRelay(webhook=[PROMISE, (500, {})]) as relay, KakaoChannel(relay.url) as channel:
        first = await channel.say("u1", "네")
        again = await channel.repeat(first)
        used = await call_back(client, first)

    assert relay.heard[0].body == relay.heard[1].body
    assert (again.number, again.is_valid, used[1]) == (2, False, "SUCCESS")


async def test_events_reach_users_by_either_key(client: httpx2.AsyncClient) -> None:
    async with (
        TinyRelay(webhook=PROMISE) as relay,
        KakaoChannel(relay.url, ChannelOptions(rest_key="key")) as channel,
    ):
        await channel.say("u1", "안녕")
        talk, headers = f"{channel.url}/v2/bots/simbot/talk", {"Authorization": "KakaoAK key"}
        first = await client.post(talk, json=EVENT, headers=headers)
        by_bot = {**EVENT, "user": [{"type": "botUserKey", "id": name_bot_user("simbot", "u1")}]}
        await client.post(talk, json=by_bot, headers=headers)

    assert (first.status_code, first.json()["status"]) == (200, "SUCCESS")
    assert [(one.text, one.origin) for one in channel.bubbles["u1"]] == [("늦은 답", "event")] * 2


@pytest.mark.parametrize("header", ["", "Bearer key", "KakaoAK other"])
async def test_an_event_with_a_wrong_key_is_refused(client: httpx2.AsyncClient, header: str) -> None:
    async with KakaoChannel("http://127.0.0.1:1", ChannelOptions(rest_key="key")) as channel:
        answer = await client.post(f"{channel.url}/v2/bots/simbot/talk", json=EVENT, headers={"Authorization": header})

    assert (answer.status_code, dict(channel.bubbles)) == (401, {})


@pytest.mark.parametrize(
    "body", ["text", {}, {**EVENT, "event": {}}, {**EVENT, "user": []}, {**EVENT, "user": [{"type": "x", "id": "u1"}]}]
)
async def test_an_event_for_nobody_fails(client: httpx2.AsyncClient, body: Any) -> None:
    async with KakaoChannel("http://127.0.0.1:1") as channel:
        answer = await client.post(
            f"{channel.url}/v2/bots/simbot/talk", json=body, headers={"Authorization": "KakaoAK key"}
        )

    assert answer.json()["status"] == "FAIL"


async def test_the_journal_is_also_lines_in_a_file(client: httpx2.AsyncClient, tmp_path: Path) -> None:
    log = tmp_path / "kakao.jsonl"

    async with (
        TinyRelay(webhook=PROMISE) as relay,
        KakaoChannel(relay.url, ChannelOptions(log=log)) as channel,
    ):
        call = await channel.say("u1", "안녕")
        await call_back(client, call, "답")
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]

    kinds = ["skill_asked", "skill_call", "callback_use", "shown_bubble"]
    assert [line["kind"] for line in lines] == kinds
    assert [line.get("number") for line in lines] == [1] * 4
    assert lines[2]["body"] == simple_text("답")
    assert len(channel.journal.entries) == 4


async def test_waiting_for_what_does_not_come_ends() -> None:
    async with KakaoChannel("http://127.0.0.1:1") as channel:
        with pytest.raises(TimeoutError):
            await channel.wait_for_bubbles("u1", 1, seconds=0)


async def test_a_taken_port_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ChannelPortTaken, match=str(port)):
            await KakaoChannel("http://127.0.0.1:1", ChannelOptions(port=port)).__aenter__()
