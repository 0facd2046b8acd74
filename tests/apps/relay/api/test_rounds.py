"""From a user's word to the bubble they see, over real sockets: by stream, by long poll, by two servers."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from pabal.apps.relay import hub
from pabal.apps.relay import settings as own
from pabal.apps.relay.actions import accounts, conversations, replaying
from pabal.apps.relay.api import openclaw
from pabal.apps.relay.simulator.kakao import CallbackUse, EventCall
from pabal.apps.relay.simulator.openclaw import ConnectionChange, OpenClaw
from pabal.apps.relay.simulator.options import CallbackBehaviour, InstanceBehaviour, ReadingMode
from pabal.apps.relay.store.conversations import list_conversations
from pabal.base import clock
from pabal.platform.actor import ENGINE
from tests.apps.relay.api.conftest import Relay, pair
from tests.support.relay import HOUSE, add_account, set_value, skill
from tests.support.web import until


@pytest.mark.req("C-03", "C-18", "C-21", "C-06")
@pytest.mark.parametrize("mode", list(ReadingMode))
@pytest.mark.parametrize("path", ["/kakao/webhook", "/kakao-talkchannel/webhook"])
async def test_a_users_word_is_answered_by_their_instance(relay: Relay, mode: ReadingMode, path: str):
    relay.channel.options = replace(relay.channel.options, path=path)
    instance = await relay.instance(mode=mode)

    said = await relay.channel.say("kim", "안녕하세요")

    assert said.is_valid
    assert said.uses_callback
    assert await relay.texts("kim", 1) == ["안녕하세요"]
    [got] = instance.messages
    assert got.text == "안녕하세요"
    [sent] = await instance.wait_for_replies(1)
    assert sent.body["delivery"] == "pending"


async def test_a_message_accepted_by_one_server_reaches_an_instance_of_another(relay: Relay):
    other = await relay.second_server()
    await relay.instance(url=other.url)

    for number in range(5):
        await relay.channel.say("kim", f"{number}")

    assert sorted(await relay.texts("kim", 5)) == ["0", "1", "2", "3", "4"]


async def test_messages_of_a_conversation_come_in_order(relay: Relay):
    instance = await relay.instance(behaviour=InstanceBehaviour.NEVER)

    for number in range(20):
        await relay.channel.say("kim", f"{number}")

    got = await instance.wait_for_messages(20)
    assert [one.text for one in got] == [f"{number}" for number in range(20)]


async def test_pieces_go_out_together(relay: Relay):
    await set_value(relay.db, own.GATHER, timedelta(seconds=1))
    await relay.instance(behaviour=InstanceBehaviour.PIECES, pieces=3)

    await relay.channel.say("kim", "셋")

    assert len(await relay.texts("kim", 3)) == 3


async def test_an_instance_that_crashed_is_handed_the_message_again(relay: Relay):
    await set_value(relay.db, own.VISIBILITY, timedelta(seconds=5))
    instance = await relay.instance(behaviour=InstanceBehaviour.CRASH)
    await relay.channel.say("kim", "다시")
    await instance.wait_for_messages(1)

    await clock.advance(relay.db, timedelta(seconds=6))

    assert await relay.texts("kim", 1) == ["다시"]
    assert [one.text for one in instance.messages] == ["다시", "다시"]


async def test_a_stream_that_broke_goes_on_from_where_it_was_without_a_flood(relay: Relay):
    client = await relay.client()
    async with client.stream("GET", "/v1/events") as stream:
        lines = stream.aiter_lines()
        await relay.channel.say("kim", "하나")
        first = await read_event(lines)
        while first["event"] != "message":
            first = await read_event(lines)
    await until(lambda: relay.hub.readers == 0)
    await relay.channel.say("kim", "둘")

    async with client.stream("GET", "/v1/events", headers={"Last-Event-ID": first["id"]}) as stream:
        lines = stream.aiter_lines()
        hello, second = await read_event(lines), await read_event(lines)

    assert hello["event"] == "connected"
    assert "둘" in second["data"]
    assert second["id"].partition("-")[0] == first["id"].partition("-")[0]


async def read_event(lines: object) -> dict[str, str]:
    found: dict[str, str] = {}
    async with asyncio.timeout(30):
        async for line in lines:  # type: ignore[attr-defined]
            if not line and "event" in found:
                return found
            name, _, value = line.partition(": ")
            if value:
                found[name] = value
    raise AssertionError("the stream ended")


@pytest.mark.req("C-46", "C-18")
async def test_a_long_poll_returns_as_soon_as_there_is_something_and_an_empty_list_at_its_deadline(relay: Relay):
    client = await relay.client()
    nothing = await client.get("/openclaw/messages", params={"wait": 0})
    assert nothing.json() == {"messages": [], "hasMore": False, "cursor": None}

    waiting = asyncio.create_task(client.get("/openclaw/messages", params={"wait": 30_000, "limit": 5}))
    await until(lambda: relay.hub.readers == 1)
    await relay.channel.say("kim", "기다렸어요")
    found = (await waiting).json()

    [message] = found["messages"]
    assert message["normalized"]["text"] == "기다렸어요"
    assert message["conversationKey"] == "simbot:kim"
    assert 0 < message["remainingMs"] <= 55_000
    assert "callbackUrl" not in message["kakaoPayload"]["userRequest"]
    assert (await client.get("/openclaw/messages", params={"wait": 0.2})).json()["messages"] == []


@pytest.mark.req("C-46")
async def test_the_limit_of_a_poll_says_whether_there_is_more(relay: Relay):
    client = await relay.client()
    await client.get("/openclaw/messages")
    for number in range(3):
        await relay.channel.say("kim", str(number))

    first = (await client.get("/openclaw/messages", params={"limit": 2})).json()
    second = (await client.get("/openclaw/messages", params={"limit": 2, "cursor": first["cursor"]})).json()

    assert [one["normalized"]["text"] for one in first["messages"]] == ["0", "1"]
    assert first["hasMore"] is True
    assert [one["normalized"]["text"] for one in second["messages"]] == ["2"]
    assert second["hasMore"] is False


async def test_a_poll_whose_answer_was_lost_gets_it_again_by_its_cursor(relay: Relay):
    client = await relay.client()
    await client.get("/openclaw/messages")
    await relay.channel.say("kim", "하나")
    seen = (await client.get("/openclaw/messages")).json()
    await relay.channel.say("kim", "둘")
    lost = (await client.get("/openclaw/messages", params={"cursor": seen["cursor"]})).json()

    again = (await client.get("/openclaw/messages", params={"cursor": seen["cursor"]})).json()

    assert [one["id"] for one in again["messages"]] == [one["id"] for one in lost["messages"]]
    assert (await client.get("/openclaw/messages", params={"cursor": again["cursor"]})).json()["messages"] == []


async def test_acknowledged_messages_are_counted_and_not_handed_out_again(relay: Relay):
    await set_value(relay.db, own.VISIBILITY, timedelta(seconds=5))
    client = await relay.client()
    await client.get("/openclaw/messages")
    await relay.channel.say("kim", "하나")
    [message] = (await client.get("/openclaw/messages")).json()["messages"]

    answer = await client.post("/openclaw/messages/ack", json={"messageIds": [message["id"], message["id"]]})
    await clock.advance(relay.db, timedelta(seconds=6))

    assert answer.json() == {"acknowledged": 1, "requested": 2}
    assert (await client.get("/openclaw/messages")).json()["messages"] == []


async def test_without_a_callback_address_the_answer_is_given_on_the_line(relay: Relay):
    await relay.instance()

    said = await relay.channel.say("kim", "바로", with_callback=False)

    assert said.is_valid
    assert not said.uses_callback
    assert await relay.texts("kim", 1) == ["바로"]


async def test_an_answer_taken_in_by_another_server_is_given_on_the_line_too(relay: Relay):
    other = await relay.second_server()
    await relay.instance(url=other.url)

    assert (await relay.channel.say("kim", "바로", with_callback=False)).is_valid
    assert await relay.texts("kim", 1) == ["바로"]


async def test_an_answer_that_does_not_come_in_time_is_said_so_and_comes_with_the_next(relay: Relay):
    await set_value(relay.db, own.DIRECT_WAIT, timedelta(milliseconds=300))
    instance = await relay.instance(behaviour=InstanceBehaviour.NEVER)

    await relay.channel.say("kim", "느린 질문", with_callback=False)
    assert await relay.texts("kim", 1) == [own.NO_ANSWER[0].default]
    [got] = await instance.wait_for_messages(1)
    sent = await instance.reply(got.id, "늦은 답")
    assert (sent.status, sent.body["delivery"]) == (202, "deferred")
    await relay.channel.say("kim", "다음")
    [_, following] = await instance.wait_for_messages(2)
    await instance.reply(following.id, "제때 온 답")

    assert (await relay.texts("kim", 3))[1:] == [f"{own.LATE_MARK[0].default}\n\n늦은 답", "제때 온 답"]


async def test_a_session_pairs_and_works_with_nothing_but_the_address(relay: Relay):
    instance = await relay.session()
    code = await instance.wait_for_pairing_code()
    await instance.wait_until_connected()

    await relay.channel.say("lee", f"/pair {code}")
    await instance.wait_until_paired()
    # it comes back under its user's account; what the stream it left was still sent would come again, much later
    await instance.journal.until(lambda: count_connected(instance) == 2, 30)
    await until(lambda: relay.hub.readers == 1)
    await relay.channel.say("lee", "안녕")

    assert (await relay.texts("lee", 2))[1] == "안녕"


def count_connected(instance: OpenClaw) -> int:
    return sum(isinstance(one, ConnectionChange) and one.state == "connected" for one in instance.journal.entries)


async def test_whoever_is_disabled_is_out_at_once_and_their_users_are_told(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
):
    # told by a hint: the look at all tokens comes later
    monkeypatch.setattr(hub, "CHECK_SECONDS", 3600.0)
    instance = await relay.instance()
    async with relay.web.app.services.changes.transaction() as tx:
        await accounts.disable_account(tx, ENGINE, relay.account.account.id)

    await instance.wait_until_over()

    await relay.channel.say("kim", "계세요?")
    assert await relay.texts("kim", 1) == [own.ASLEEP[0].default]
    client = await relay.client()
    refused = await client.get("/openclaw/messages")
    assert (refused.status_code, refused.json()["code"]) == (401, "INSTANCE_DISABLED")


async def test_what_kakao_cannot_be_reached_for_is_tried_again_and_used_once(relay: Relay):
    await relay.instance()
    relay.channel.behaviour = CallbackBehaviour(die=True)
    await relay.channel.say("kim", "하나")
    message = await ended(relay)
    assert (message.status, message.end_reason) == ("FAILED", "callback_unknown")

    relay.channel.behaviour = CallbackBehaviour(refuse=True)
    await relay.channel.say("kim", "둘")
    assert (await ended(relay)).end_reason == "refused_by_kakao"

    relay.channel.behaviour = CallbackBehaviour()
    await relay.channel.say("kim", "셋")
    assert (await relay.texts("kim", 2))[-1] == "셋"


async def ended(relay: Relay):
    async with asyncio.timeout(30):
        while True:
            found = await relay.world.newest()
            if not found.is_open:
                return found
            await asyncio.sleep(0.02)


@pytest.mark.req("C-63", "C-61", "C-18")
async def test_nothing_of_another_account_can_be_seen_or_touched(relay: Relay):
    other = await add_account(relay.db, relay.tree.gangnam.id, "다른 비서")
    await pair(relay, "lee", other)
    mine, theirs = await relay.client(), await relay.client(other.token)
    await theirs.get("/openclaw/messages")
    await relay.channel.say("lee", "비밀")
    # nobody has read it yet
    assert (await mine.get("/openclaw/messages")).json()["messages"] == []
    handed = (await theirs.get("/openclaw/messages")).json()
    [message] = handed["messages"]

    assert (await mine.get("/openclaw/messages")).json()["messages"] == []
    reply = await mine.post("/openclaw/reply", json={"messageId": message["id"], "response": skill("가로챔")})
    assert (reply.status_code, reply.json()["code"]) == (404, "LETTER_NOT_FOUND")
    assert (await mine.get(f"/openclaw/replies/{message['id']}")).status_code == 404
    unpaired = await mine.post("/openclaw/pairing/unpair", json={"conversationKey": "simbot:lee"})
    assert (unpaired.status_code, unpaired.json()["code"]) == (404, "NOT_YOUR_CONVERSATION")
    acked = await mine.post("/openclaw/messages/ack", json={"messageIds": [message["id"]]})
    assert acked.json()["acknowledged"] == 0
    keys = [one["conversationKey"] for one in (await mine.get("/openclaw/pairing/list")).json()["conversations"]]
    assert keys == ["simbot:kim"]
    # nor by the name of their reader, as if it came back to where it began
    cursor = f"{handed['cursor'].partition('-')[0]}-0"
    assert (await mine.get("/openclaw/messages", params={"cursor": cursor})).json()["messages"] == []
    again = (await theirs.get("/openclaw/messages", params={"cursor": cursor})).json()["messages"]
    assert [one["id"] for one in again] == [message["id"]]


@pytest.mark.req("C-19")
async def test_a_reply_names_its_message_and_may_name_its_conversation(relay: Relay):
    client = await relay.client()
    await client.get("/openclaw/messages")
    await relay.channel.say("kim", "안녕")
    [message] = (await client.get("/openclaw/messages")).json()["messages"]
    said = {"messageId": message["id"], "response": skill("반가워요")}

    wrong = await client.post("/openclaw/reply", json={**said, "conversationKey": "simbot:lee"})
    right = await client.post("/openclaw/reply", json={**said, "conversationKey": "simbot:kim"})
    unnamed = await client.post("/openclaw/reply", json=said)

    assert (wrong.status_code, wrong.json()["code"]) == (400, "WRONG_CONVERSATION")
    assert (right.status_code, right.json()["success"], right.json()["messageId"]) == (200, True, message["id"])
    assert (unnamed.status_code, unnamed.json()["repeated"]) == (200, True)
    assert await relay.texts("kim", 1) == ["반가워요"]


@pytest.mark.req("C-46")
@pytest.mark.parametrize(("asked", "seconds"), [(0, 0), (25, 25), (60, 60), (61, 0.061), (30_000, 30), (60_000, 60)])
def test_a_wait_up_to_sixty_is_seconds_and_above_it_milliseconds(asked: float, seconds: float):
    assert openclaw.read_wait(asked) == seconds


async def test_a_long_answer_is_read_on_by_its_button(relay: Relay):
    instance = await relay.instance(answer=lambda _: ["가" * 3500])
    await relay.channel.say("kim", "길게")
    await relay.texts("kim", 3)
    [button] = relay.channel.quick_replies["kim"]

    said = await relay.channel.say("kim", button["messageText"])

    assert (said.is_valid, said.uses_callback) == (True, False)
    assert (await relay.texts("kim", 4))[3] == "가" * 500
    assert len(instance.messages) == 1


async def test_a_replay_is_answered_by_a_real_instance_and_kakao_hears_nothing(relay: Relay):
    instance = await relay.instance()
    await relay.channel.say("kim", "안녕")
    await relay.texts("kim", 1)
    async with relay.web.app.services.changes.transaction() as tx:
        original = await relay.world.newest()
        made = await replaying.replay(tx, ENGINE, original.uid, account_id=relay.account.account.id)

    [_, sent] = await instance.wait_for_replies(2)

    assert (sent.status, sent.body["delivery"]) == (200, "shown")
    found = (await (await relay.client()).get(f"/openclaw/replies/{made.uid}")).json()
    assert (found["status"], found["delivery"], found["reason"]) == ("ACKED", "shown", "replayed")
    assert len(relay.channel.bubbles["kim"]) == 1
    assert sum(isinstance(one, CallbackUse | EventCall) for one in relay.channel.journal.entries) == 1


async def test_an_instance_pairs_and_unpairs_its_own(relay: Relay):
    client = await relay.client()
    made = (await client.post("/openclaw/pairing/generate", json={"expiresInSeconds": 60})).json()
    await relay.channel.say("lee", f"/pair {made['code']}")

    listed = (await client.get("/openclaw/pairing/list", params={"limit": 1})).json()
    assert (listed["total"], listed["hasMore"]) == (2, True)
    gone = await client.post("/openclaw/pairing/unpair", json={"conversationKey": "simbot:lee"})
    assert gone.json()["success"] is True
    async with relay.db.transaction() as tx:
        [lee] = (await list_conversations(tx, HOUSE, q=":lee")).items
    assert lee.state == "unpaired"


async def test_how_a_reply_ended_can_be_asked_for(relay: Relay):
    instance = await relay.instance()
    await relay.channel.say("kim", "안녕")
    await relay.texts("kim", 1)
    await ended(relay)

    found = (await (await relay.client()).get(f"/openclaw/replies/{instance.messages[0].id}")).json()

    assert (found["status"], found["delivery"], found["reason"]) == ("ACKED", "sent", "called_back")
    assert found["replies"][0]["state"] == "sent"


async def test_a_move_takes_a_conversation_to_another_instance(relay: Relay):
    other = await add_account(relay.db, relay.tree.haeundae.id, "다른 비서")
    instance = await relay.instance(other)
    async with relay.db.transaction() as tx:
        [kim] = (await list_conversations(tx, HOUSE, q=":kim")).items
        await conversations.move(tx, ENGINE, kim.id, account_id=other.account.id)

    await relay.channel.say("kim", "안녕")

    assert await relay.texts("kim", 1) == ["안녕"]
    assert len(instance.messages) == 1
