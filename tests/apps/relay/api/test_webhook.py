"""Kakao always gets a valid skill response 2.0, whatever it sends and whatever happens here."""

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest

from pabal.apps.relay import settings as own
from pabal.apps.relay.actions.endings import expire_once
from pabal.apps.relay.api import webhook
from pabal.apps.relay.model.messages import End, ReplyState
from pabal.apps.relay.simulator.options import ChannelOptions
from pabal.apps.relay.simulator.skills import find_answer_fault
from pabal.base import clock
from pabal.base.sql import load
from pabal.base.telemetry import count_emitted
from pabal.platform.web.turns import Shares, Turns
from tests.apps.relay.api.conftest import Relay
from tests.support.relay import payload, set_value
from tests.support.servers import until as until_so
from tests.support.web import until

SQL = load(__file__)
FALLBACK = own.FALLBACK[0].default


def fault_of(body: object) -> str:
    return find_answer_fault(body, has_callback=False)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nonsense",
        b"[]",
        b"null",
        b'{"userRequest":',
        b'{"userRequest": {"user": {"id": ""}}}',
        b"[" * 100_000,
        b"\xff\xfe\x00",
        b'"' + b"x" * 1_100_000 + b'"',
    ],
)
async def test_nonsense_is_answered_with_the_fallback_text(relay: Relay, body: bytes):
    client = await relay.web.anybody()

    answer = await client.post("/kakao/webhook", content=body)

    assert (answer.status_code, fault_of(answer.json())) == (200, "")
    assert answer.json()["template"]["outputs"] == [{"simpleText": {"text": FALLBACK}}]


@pytest.mark.parametrize(("size", "told"), [(990_000, own.UNPAIRED), (1_010_000, own.FALLBACK)])
async def test_a_body_of_a_megabyte_is_read_and_a_larger_one_is_not(relay: Relay, size: int, told: tuple[Any, Any]):
    body = payload("안녕", "stranger") | {"contexts": ["x" * size]}

    answer = await (await relay.web.anybody()).post("/kakao/webhook", json=body)

    assert answer.json()["template"]["outputs"] == [{"simpleText": {"text": told[0].default}}]


PLACES = [
    ("bot",),
    ("bot", "id"),
    ("userRequest",),
    ("userRequest", "user"),
    ("userRequest", "user", "id"),
    ("userRequest", "user", "properties"),
    ("userRequest", "user", "properties", "plusfriendUserKey"),
    ("userRequest", "utterance"),
    ("userRequest", "lang"),
    ("userRequest", "callbackUrl"),
    ("userRequest", "eventId"),
    ("action",),
]
ODD = [None, True, 0, -1.5e300, "", "\0", "\ud800", "x" * 5000, [], [None], {}, {"a": {"b": []}}]


@pytest.mark.parametrize("place", PLACES, ids=".".join)
async def test_whatever_stands_in_a_payload_is_answered_validly(relay: Relay, place: tuple[str, ...]):
    await set_value(relay.db, own.DIRECT_WAIT, timedelta(0))
    client = await relay.web.anybody()

    for odd in ODD:
        body = payload("안녕", "kim")
        body["bot"]["id"] = "simbot"
        _put(body, place, odd)
        answer = await client.post("/kakao/webhook", content=json.dumps(body).encode())
        assert answer.status_code == 200
        assert find_answer_fault(answer.json(), has_callback=True) == "", odd


def _put(body: dict[str, Any], at: tuple[str, ...], value: object) -> None:
    *outer, last = at
    for part in outer:
        body = body[part]
    body[last] = value


@pytest.mark.req("C-72")
async def test_webhooks_are_counted(relay: Relay):
    before = count_emitted("relay.webhook.received")

    await relay.channel.say("kim", "안녕")

    assert count_emitted("relay.webhook.received") == before + 1


async def test_while_the_database_does_not_answer_the_fallback_text_comes_within_the_budget(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
):
    assert webhook.BUDGET_SECONDS == 2
    monkeypatch.setattr(webhook, "BUDGET_SECONDS", 0.2)
    await relay.world_awake()
    before = await relay.world.messages()
    async with relay.db.transaction() as tx:
        await tx.run(SQL.lock_conversations)
        said = await relay.channel.say("kim", "들려요?")

    assert (said.is_valid, said.uses_callback) == (True, False)
    assert await relay.texts("kim", 1) == [FALLBACK]
    assert await relay.world.messages() == before


@pytest.mark.parametrize("is_at_once", [False, True], ids=["transaction", "statement"])
async def test_a_commit_nobody_could_tell_of_is_withdrawn_when_the_database_is_back(
    relay: Relay, monkeypatch: pytest.MonkeyPatch, is_at_once: bool
):
    """The budget is over after the commit went through and before that was known."""
    await relay.world_awake()
    receive, at_once = webhook.receive, webhook.receive_at_once

    async def receive_and_lose(tx, asked, uid):
        decision = await receive(tx, asked, uid)
        tx.after_commit(_fail)
        return decision

    async def receive_at_once_and_lose(*given):
        assert await at_once(*given) is not None
        await _fail(None)

    async def _fail(_database: object) -> None:
        raise RuntimeError("the connection was lost after the commit")

    relay.hub.known = await relay.world.known() if is_at_once else None
    monkeypatch.setattr(webhook, "receive", receive_and_lose)
    monkeypatch.setattr(webhook, "receive_at_once", receive_at_once_and_lose)
    said = await relay.channel.say("kim", "들려요?")
    monkeypatch.undo()

    assert (said.is_valid, said.uses_callback) == (True, False)
    async with asyncio.timeout(30):
        while (await relay.world.newest()).is_open:
            await relay.hub.keep_true_once()
    message = await relay.world.newest()
    assert (message.status, message.end_reason) == ("FAILED", End.WITHDRAWN)


async def test_with_the_database_away_kakao_is_answered_all_the_same(relay: Relay):
    """Every connection is cut, and no other is to be had."""
    relay.web.app.services.changes.terminate()

    said = await relay.channel.say("kim", "들려요?")

    assert said.is_valid
    assert await relay.texts("kim", 1) == [FALLBACK]


async def test_the_texts_of_the_last_minute_are_known_without_the_database(relay: Relay):
    await set_value(relay.db, own.FALLBACK[0], "잠시 뒤에 와 주세요.")
    await relay.hub.keep_true_once()
    relay.web.app.services.changes.terminate()

    await relay.channel.say("kim", "들려요?")

    assert await relay.texts("kim", 1) == ["잠시 뒤에 와 주세요."]


async def test_of_those_who_wait_on_the_line_only_so_many_may(relay: Relay):
    await relay.world_awake()
    await set_value(relay.db, own.MOST_WAITING, 1)
    await relay.hub.keep_true_once()
    waiting = asyncio.create_task(relay.channel.say("kim", "하나", with_callback=False))
    await until(lambda: relay.hub.waiting == 1)

    await relay.channel.say("kim", "둘", with_callback=False)

    assert await relay.texts("kim", 1) == [own.BUSY[0].default]
    message = await relay.world.newest()
    assert message.text == "하나"
    await relay.world.reply(message.uid, "답")
    await waiting
    assert (await relay.texts("kim", 2))[-1] == "답"


async def test_an_answer_is_not_given_to_a_line_that_kakao_has_left(relay: Relay):
    await relay.world_awake()
    asking = asyncio.create_task(relay.channel.say("kim", "질문", with_callback=False))
    await until(lambda: relay.hub.waiting == 1)
    asking.cancel()
    await until(lambda: relay.hub.waiting == 0)

    await relay.world.reply((await relay.world.newest()).uid, "답")
    assert (await relay.world.newest()).is_open, "nobody would have seen it"
    await clock.advance(relay.db, timedelta(seconds=7))

    # the server's own loop may hold it, and then passes it over here
    async def has_ended() -> bool:
        await expire_once(relay.db)
        return not (await relay.world.newest()).is_open

    await until_so(has_ended)
    message = await relay.world.newest()
    assert (message.status, message.end_reason) == ("EXPIRED", End.ANSWERED_LATE)
    assert [one.state for one in await relay.world.replies(message)] == [ReplyState.DEFERRED]


async def test_too_many_at_once_are_told_that_it_is_busy(relay: Relay, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(webhook, "MOST_AT_ONCE", 0)

    said = await relay.channel.say("kim", "안녕")

    assert said.is_valid
    assert await relay.texts("kim", 1) == [own.BUSY[0].default]


async def test_a_callback_address_that_is_none_of_kakaos_is_never_called(relay: Relay):
    await relay.world_awake()
    await set_value(relay.db, own.DIRECT_WAIT, timedelta(0))
    client = await relay.web.anybody()
    body = payload("안녕", "kim", url="https://169.254.169.254/latest/meta-data")
    body["bot"]["id"] = "simbot"

    answer = await client.post("/kakao/webhook", json=body)

    assert fault_of(answer.json()) == ""
    assert (await relay.world.newest()).callback_url is None


async def test_strangers_at_the_same_address_do_not_keep_kakao_out(relay: Relay):
    """The house's limit for strangers is not Kakao's: it calls from few addresses, and often."""
    relay.web.site.state.turns = Turns(Shares(guest_burst=1, guests=1, refusal_wait=0))
    client = await relay.web.anybody()
    refused = [(await client.get("/sign-in")).status_code for _ in range(3)]

    said = await relay.channel.say("kim", "/status")

    assert 429 in refused
    assert said.is_valid


class TestSecret:
    @pytest.fixture
    def channel_options(self, monkeypatch: pytest.MonkeyPatch) -> ChannelOptions:
        monkeypatch.setenv("PABAL_RELAY_SECRET", "shh-it-is-one")
        monkeypatch.setenv("PABAL_RELAY_SECRET_HEADER", "X-Shared")
        return ChannelOptions(secret="shh-it-is-one", secret_header="X-Shared")

    async def test_where_a_secret_is_set_only_who_knows_it_is_heard(self, relay: Relay):
        assert (await relay.channel.say("kim", "/status")).is_valid
        client = await relay.web.anybody()

        for headers in ({}, {"X-Shared": "wrong"}, {"X-Shared": ""}):
            refused = await client.post("/kakao/webhook", json=payload(), headers=headers)
            assert (refused.status_code, refused.json()["code"]) == (403, "SECRET_WRONG")
