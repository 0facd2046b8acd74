"""What published clients call: sessions, the stream's names and framing, and their limits."""

import asyncio
import json
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any

import httpx2
import pytest

from pabal.apps.relay import hub
from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import accounts
from pabal.apps.relay.api import sessions
from pabal.base import clock
from pabal.platform.actor import ENGINE
from pabal.platform.web.live import close_streams
from tests.apps.relay.api.conftest import Relay
from tests.support.relay import add_account, set_value
from tests.support.web import until


async def frames(stream: httpx2.Response) -> AsyncIterator[tuple[str, Any, str]]:
    """As the published client splits them: at two LFs, whatever else."""
    buffer = ""
    async for chunk in stream.aiter_text():
        assert "\r" not in chunk
        buffer += chunk
        while "\n\n" in buffer:
            block, _, buffer = buffer.partition("\n\n")
            lines = dict(line.split(": ", 1) for line in block.split("\n"))
            if "event" in lines:
                yield lines["event"], json.loads(lines["data"]), lines.get("id", "")
            else:
                yield "ping", block, ""


async def take(found: AsyncIterator[tuple[str, Any, str]], event: str) -> tuple[Any, str]:
    async with asyncio.timeout(30):
        async for name, data, number in found:
            if name == event:
                return data, number
    raise AssertionError(f"the stream ended without {event}")


async def test_a_session_has_a_token_a_code_and_five_minutes(relay: Relay):
    client = await relay.web.anybody()

    made = (await client.post("/v1/sessions/create", json={})).json()

    assert len(made["sessionToken"]) == 64
    assert set(made["sessionToken"]) <= set("0123456789abcdef")
    assert len(made["pairingCode"]) == 9
    assert (made["expiresIn"], made["status"]) == (300, "pending_pairing")
    status = await client.get(f"/v1/sessions/{made['sessionToken']}/status")
    assert status.json() == {"status": "pending_pairing"}
    unknown = await client.get(f"/v1/sessions/{'0' * 64}/status")
    assert (unknown.status_code, unknown.json()["message"]) == (404, "There is no such session. Create a new one.")
    await clock.advance(relay.db, timedelta(minutes=5, seconds=1))
    assert (await client.get(f"/v1/sessions/{made['sessionToken']}/status")).json() == {"status": "expired"}


async def test_ten_sessions_in_five_minutes_from_one_address(relay: Relay):
    client = await relay.web.anybody()
    answers = [(await client.post("/v1/sessions/create", json={})).status_code for _ in range(11)]

    assert answers == [200] * 10 + [429]
    await clock.advance(relay.db, timedelta(minutes=5, seconds=1))
    assert (await client.post("/v1/sessions/create", json={})).status_code == 200


async def test_thirty_looks_a_minute_from_one_address(relay: Relay):
    client = await relay.web.anybody()
    answers = [(await client.get(f"/v1/sessions/{'0' * 64}/status")).status_code for _ in range(31)]

    assert answers == [404] * 30 + [429]


async def test_where_sessions_are_switched_off_only_accounts_come_in(relay: Relay):
    await set_value(relay.db, own.OPEN_SESSIONS, False)

    refused = await (await relay.web.anybody()).post("/v1/sessions/create", json={})

    assert (refused.status_code, refused.json()["code"]) == (403, "SESSIONS_CLOSED")


async def test_the_stream_says_who_it_is_then_the_messages_with_their_numbers(relay: Relay):
    client = await relay.client()
    async with client.stream("GET", "/v1/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        found = frames(stream)
        hello, number = await take(found, "connected")
        await relay.channel.say("kim", "안녕\n하세요")
        message, at = await take(found, "message")

    account = str(relay.account.account.id)
    assert (hello, number) == ({"accountId": account, "sessionId": account, "status": "paired"}, "")
    assert set(message) >= {"id", "conversationKey", "kakaoPayload", "normalized", "createdAt"}
    assert message["normalized"] == {"userId": "kim", "text": "안녕\n하세요", "channelId": "simbot"}
    assert message["createdAt"].endswith("Z")
    assert at


async def test_a_heartbeat_is_a_comment(relay: Relay, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sessions, "HEARTBEAT_SECONDS", 0.05)
    client = await relay.client()

    async with client.stream("GET", "/v1/events") as stream:
        data, _ = await take(frames(stream), "ping")

    assert data == ": ping"
    assert sessions.PING == ": ping\n\n"


def test_heartbeats_come_every_thirty_seconds():
    assert sessions.HEARTBEAT_SECONDS == 30


async def test_a_session_hears_that_somebody_paired_and_that_nobody_did(relay: Relay, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(hub, "CHECK_SECONDS", 0.0)
    anybody = await relay.web.anybody()
    made = (await anybody.post("/v1/sessions/create", json={})).json()
    client = await relay.client(made["sessionToken"])
    async with client.stream("GET", "/v1/events") as stream:
        found = frames(stream)
        hello, _ = await take(found, "connected")
        await relay.channel.say("lee", f"/pair {made['pairingCode']}")
        told, _ = await take(found, "pairing_complete")
    assert (hello["accountId"], hello["status"]) == ("", "pending_pairing")
    assert told["kakaoUserId"] == "lee"
    status = (await anybody.get(f"/v1/sessions/{made['sessionToken']}/status")).json()
    assert (status["status"], status["kakaoUserId"], status["accountId"]) == ("paired", "lee", told["accountId"])

    other = (await anybody.post("/v1/sessions/create", json={})).json()
    client = await relay.client(other["sessionToken"])
    async with client.stream("GET", "/v1/events") as stream:
        found = frames(stream)
        await take(found, "connected")
        await clock.advance(relay.db, timedelta(minutes=5, seconds=1))
        told, _ = await take(found, "pairing_expired")
    assert told["reason"]
    refused = await client.get("/v1/events")
    assert refused.status_code == 401


async def test_a_session_nobody_paired_with_may_not_answer(relay: Relay):
    made = (await (await relay.web.anybody()).post("/v1/sessions/create", json={})).json()
    client = await relay.client(made["sessionToken"])

    refused = await client.post("/openclaw/reply", json={"messageId": "x", "response": "y"})

    # 401 and 410 would unpair the published plugin
    assert (refused.status_code, refused.json()["code"]) == (403, "SESSION_NOT_PAIRED")


@pytest.mark.req("C-62")
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/openclaw/messages"),
        ("POST", "/openclaw/messages/ack"),
        ("POST", "/openclaw/reply"),
        ("GET", "/openclaw/replies/x"),
        ("POST", "/openclaw/pairing/generate"),
        ("GET", "/openclaw/pairing/list"),
        ("POST", "/openclaw/pairing/unpair"),
        ("GET", "/v1/events"),
    ],
)
async def test_without_a_valid_token_everything_is_refused_at_once(relay: Relay, method: str, path: str):
    for token, code in (("", "TOKEN_MISSING"), ("0" * 64, "TOKEN_INVALID"), ("x" * 5000, "TOKEN_MISSING")):
        client = await relay.client(token)
        refused = await client.request(method, path)
        told = refused.json()
        assert (refused.status_code, told["code"]) == (401, code)
        # published clients read one of these
        assert isinstance(told["error"], str)
        assert told["error"] == told["message"]


@pytest.mark.req("C-64", "C-26")
async def test_an_account_may_ask_sixty_times_a_minute_over_all_servers(relay: Relay):
    other = await relay.second_server()
    here, there = await relay.client(), httpx2.AsyncClient(base_url=other.url)
    there.headers["Authorization"] = f"Bearer {relay.account.token}"

    answers = []
    for number in range(61):
        client = here if number % 2 else there
        answers.append(await client.get("/openclaw/pairing/list"))
    await there.aclose()

    assert [one.status_code for one in answers] == [200] * 60 + [429]
    assert (answers[0].headers["X-RateLimit-Limit"], answers[0].headers["X-RateLimit-Remaining"]) == ("60", "59")
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert answers[-1].json()["code"] == "RATE_LIMITED"
    neighbour = await add_account(relay.db, relay.tree.haeundae.id, "다른 비서")
    assert (await (await relay.client(neighbour.token)).get("/openclaw/pairing/list")).status_code == 200

    await clock.advance(relay.db, timedelta(seconds=61))
    assert (await here.get("/openclaw/pairing/list")).status_code == 200


@pytest.mark.req("C-64")
async def test_the_window_of_the_limit_is_sixty_seconds(relay: Relay):
    holder = await relay.world.holder(await add_account(relay.db, relay.tree.haeundae.id, "다른 비서"))

    assert (holder.limit, holder.used, holder.reset_seconds) == (60, 1, 60)
    assert holder.window_ends_at - holder.now == timedelta(seconds=60)


@pytest.mark.req("C-64")
async def test_a_long_poll_and_a_stream_count_once_and_refused_replies_count_too(relay: Relay):
    limited = await add_account(relay.db, relay.tree.haeundae.id, "아껴 쓰는 비서", rate_limit_per_minute=3)
    client = await relay.client(limited.token)
    await client.get("/openclaw/messages", params={"wait": 1.2})
    async with client.stream("GET", "/v1/events") as stream:
        await take(frames(stream), "connected")

    guess = await client.post("/openclaw/reply", json={"messageId": "guess", "response": "x"})
    refused = await client.post("/openclaw/reply", json={"messageId": "guess", "response": "x"})

    assert (guess.status_code, refused.status_code) == (404, 429)


@pytest.mark.req("C-67")
async def test_a_new_token_works_at_once_and_the_old_one_for_its_overlap(relay: Relay):
    async with relay.db.transaction() as tx:
        new = await accounts.rotate_token(tx, ENGINE, relay.account.account.id)
    old_client, new_client = await relay.client(), await relay.client(new.token)

    assert (await old_client.get("/openclaw/pairing/list")).status_code == 200
    assert (await new_client.get("/openclaw/pairing/list")).status_code == 200
    await clock.advance(relay.db, timedelta(minutes=10, seconds=1))
    assert (await old_client.get("/openclaw/pairing/list")).status_code == 401
    assert (await new_client.get("/openclaw/pairing/list")).status_code == 200


@pytest.mark.req("C-67")
async def test_without_an_overlap_the_old_token_and_its_stream_end_at_once(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
):
    # told by a hint: the look at all tokens comes later
    monkeypatch.setattr(hub, "CHECK_SECONDS", 3600.0)
    client = await relay.client()
    async with client.stream("GET", "/v1/events") as stream:
        found = frames(stream)
        await take(found, "connected")
        async with relay.web.app.services.changes.transaction() as tx:
            await accounts.rotate_token(tx, ENGINE, relay.account.account.id, overlap=timedelta(0))
        told, _ = await take(found, "error")

    assert told["code"] == "TOKEN_INVALID"
    assert (await client.get("/v1/events")).status_code == 401


async def test_a_draining_server_lets_its_streams_go_one_by_one_and_takes_no_new_ones(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(hub, "DRAIN_SECONDS", 0.1)
    client = await relay.client()
    async with client.stream("GET", "/v1/events") as first, client.stream("GET", "/v1/events") as second:
        await until(lambda: relay.hub.readers == 2)
        relay.hub.drain()
        ends = await asyncio.gather(first.aread(), second.aread())

    assert all(b"connected" in end for end in ends)
    assert (await client.get("/v1/events")).status_code == 503
    relay.hub.drain(False)
    async with client.stream("GET", "/v1/events") as third:
        assert third.status_code == 200


async def test_a_stream_that_begins_while_its_server_stops_ends_at_once(relay: Relay):
    """A server that stopped right after its start waited for such a stream, and cut it with a traceback."""
    client = await relay.client()
    close_streams(relay.web.site)

    begun = await client.get("/v1/events", timeout=30)

    assert begun.text.startswith("event: connected")


async def test_a_stranger_sends_large_bodies_to_nobody(relay: Relay):
    client = await relay.client("0" * 64)

    refused = await client.post("/openclaw/reply", content=b'{"messageId": "' + b"x" * 200_000 + b'"}')

    assert refused.status_code == 401


async def test_a_reply_of_sixty_kilobytes_is_read_from_who_is_known(relay: Relay):
    instance = await relay.instance(answer=lambda _: ["가" * 30_000])

    await relay.channel.say("kim", "길게")

    [sent] = await instance.wait_for_replies(1)
    assert sent.status == 200
    assert [note["code"] for note in sent.body["notes"]] == ["left_out"]
    assert len(await relay.texts("kim", 3)) == 3


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"nonsense", 400),
        (b"[]", 422),
        (b'{"messageId": 3, "response": "x"}', 422),
        (b'{"messageId": "x"}', 422),
        (b'{"messageId": "x", "response": "y"}', 404),
    ],
)
async def test_a_bad_reply_gets_a_clear_error(relay: Relay, body: bytes, status: int):
    client = await relay.client()

    refused = await client.post("/openclaw/reply", content=body, headers={"Content-Type": "application/json"})

    assert refused.status_code == status
    assert refused.json()["error"]


@pytest.mark.parametrize("query", ["wait=-1", "wait=x", "limit=0", "limit=101", "wait=60001"])
async def test_a_bad_poll_gets_a_clear_error(relay: Relay, query: str):
    refused = await (await relay.client()).get(f"/openclaw/messages?{query}")

    assert (refused.status_code, refused.json()["code"]) == (400, "BAD_PARAMETER")
