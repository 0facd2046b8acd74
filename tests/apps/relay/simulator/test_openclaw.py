"""The simulated instance over real sockets, against a relay that is not ours."""

import json
from pathlib import Path
from typing import Any

import pytest

from pabal.apps.relay.simulator.openclaw import (
    ConnectionChange,
    EventBlock,
    OpenClaw,
    StreamEvent,
    backoff_ms,
    parse_block,
    read_text,
)
from pabal.apps.relay.simulator.options import InstanceBehaviour, InstanceOptions, ReadingMode
from pabal.apps.relay.simulator.skills import simple_text
from tests.apps.relay.simulator.tiny_relay import CREATED, Heard, TinyRelay, event, letter
from tests.support.servers import until

PAIRED = {"kakaoUserId": "u1", "pairedAt": "2026-11-17T08:00:00Z", "accountId": "a1"}


def quick(**given: Any) -> InstanceOptions:
    return InstanceOptions(**{"backoff_ms": 1, "status_seconds": 0.005, **given})


def mail(*letters: dict[str, Any], cursor: str | None = None) -> tuple[int, Any]:
    return 200, {"messages": list(letters), "hasMore": False, "cursor": cursor}


def states(instance: OpenClaw) -> list[str]:
    return [one.state for one in instance.journal.entries if isinstance(one, ConnectionChange)]


def texts(relay: TinyRelay) -> list[str]:
    return [one.body["response"]["template"]["outputs"][0]["simpleText"]["text"] for one in relay.of("reply")]


async def test_a_message_of_the_stream_is_echoed_as_the_plugin_answers() -> None:
    async with TinyRelay() as relay, OpenClaw(f"{relay.url}/", "t0ken", quick()) as instance:
        await instance.wait_until_connected()
        stream = await relay.until("events")
        stream.send(b": ping\n\n", event("connected", {"status": "paired"}), event("message", letter("안녕"), "r-1"))
        [message] = await instance.wait_for_messages(1)
        [reply] = await instance.wait_for_replies(1)

    assert stream.headers["authorization"] == "Bearer t0ken"
    assert stream.headers["accept"] == "text/event-stream"
    assert stream.headers["cache-control"] == "no-cache"
    assert "last-event-id" not in stream.headers
    assert (message.text, message.conversation_key, message.position) == ("안녕", "simbot:u1", "r-1")
    assert relay.of("reply")[0].headers["authorization"] == "Bearer t0ken"
    assert relay.of("reply")[0].body == {"messageId": letter("안녕")["id"], "response": simple_text("안녕")}
    assert (reply.status, reply.body, reply.is_taken) == (200, {"success": True}, True)
    assert [one.name for one in instance.journal.entries if isinstance(one, StreamEvent)] == ["connected"]


@pytest.mark.parametrize(
    ("block", "parsed"),
    [
        ("event: message\ndata: {}\nid: 7", EventBlock("message", "{}", "7")),
        ("event:message\ndata:1\ndata:2", EventBlock("message", "2")),
        (": ping", EventBlock()),
        ("data: 1", EventBlock("", "1")),
        ("retry: 5\nevent: x", EventBlock("x")),
    ],
)
def test_a_block_is_read_by_the_plugins_rules(block: str, parsed: EventBlock) -> None:
    assert parse_block(block) == parsed


async def test_events_come_in_any_pieces_but_end_with_two_line_feeds_alone() -> None:
    whole = event("message", letter("나뉜 글", 2))

    async with TinyRelay() as relay, OpenClaw(relay.url, "t", quick()) as instance:
        stream = await relay.until("events")
        stream.send(b"event: message\n\n", b'data: {"id":"alone"}\n\n')
        for byte in whole:
            stream.send(bytes([byte]))
        stream.send(event("message", letter("crlf", 3)).replace(b"\n", b"\r\n"))
        stream.close()
        await relay.until("events", 2)

    assert [one.text for one in instance.messages] == ["나뉜 글"]


async def test_an_instance_goes_on_from_the_last_id_when_the_server_closes() -> None:
    async with TinyRelay() as relay, OpenClaw(relay.url, "t", quick()) as instance:
        stream = await relay.until("events")
        stream.send(event("message", letter("하나"), "r-1"), b"id: r-2\n\n")
        await instance.wait_for_replies(1)
        stream.close()
        again = await relay.until("events", 2)

    assert again.headers["last-event-id"] == "r-2"
    assert states(instance)[:2] == ["connected", "closed"]


async def test_pairing_makes_it_connect_again_once_however_often_it_is_told() -> None:
    async with TinyRelay() as relay, OpenClaw(relay.url, "t", quick()) as instance:
        (await relay.until("events")).send(event("pairing_complete", PAIRED))
        second = await relay.until("events", 2)
        second.send(event("pairing_complete", PAIRED), event("message", letter("안녕")))
        await instance.wait_for_replies(1)

    assert instance.is_paired
    assert len(relay.of("events")) == 2
    assert states(instance) == ["connected", "paired", "connected"]


@pytest.mark.parametrize("status", [401, 410])
@pytest.mark.parametrize("mode", list(ReadingMode))
async def test_a_token_that_is_refused_is_the_end(mode: ReadingMode, status: int) -> None:
    refusal = (status, {"error": "Invalid token"})

    async with (
        TinyRelay(events=refusal, messages=refusal) as relay,
        OpenClaw(relay.url, "t", quick(mode=mode)) as instance,
    ):
        await instance.wait_until_over()

    assert states(instance) == ["dead"]
    assert len(relay.heard) == 1


@pytest.mark.parametrize("status", [401, 410])
async def test_a_reply_that_is_refused_so_is_the_end_too(status: int) -> None:
    async with (
        TinyRelay(reply=(status, {"error": {"message": "gone"}})) as relay,
        OpenClaw(relay.url, "t", quick(behaviour=InstanceBehaviour.PIECES)) as instance,
    ):
        (await relay.until("events")).send(event("message", letter("안녕")))
        await instance.wait_until_over()

    assert states(instance)[-1] == "dead"
    assert len(relay.of("reply")) == 1


async def test_another_error_of_a_reply_changes_nothing() -> None:
    late = (400, {"error": "Callback URL expired", "code": "CALLBACK_EXPIRED"})

    async with (
        TinyRelay(reply=[late, (200, {"success": True})]) as relay,
        OpenClaw(relay.url, "t", quick()) as instance,
    ):
        (await relay.until("events")).send(event("message", letter("1")), event("message", letter("2", 2)))
        first, second = await instance.wait_for_replies(2)

    assert (first.status, first.is_taken, second.is_taken) == (400, False, True)


@pytest.mark.parametrize("mode", list(ReadingMode))
async def test_other_errors_are_waited_out(mode: ReadingMode) -> None:
    trouble: list[Any] = [(503, {"message": "busy"}), (429, b"slow down")]

    async with (
        TinyRelay(events=[*trouble, None], messages=[*trouble, mail()]) as relay,
        OpenClaw(relay.url, "t", quick(mode=mode)) as instance,
    ):
        await instance.wait_until_connected()

    assert states(instance)[:3] == ["failed", "failed", "connected"]


async def test_an_instance_gives_up_after_so_many_failures() -> None:
    async with OpenClaw("http://127.0.0.1:1", "t", quick(most_attempts=3)) as instance:
        await instance.wait_until_over()

    assert states(instance) == ["failed", "failed", "failed", "gave_up"]


def test_waits_double_up_to_a_ceiling() -> None:
    waits = [backoff_ms(attempt, 1000, 30_000, 0.0) for attempt in (1, 2, 3, 4, 5, 5000)]

    assert waits == [2000, 4000, 8000, 16_000, 30_000, 30_000]
    assert backoff_ms(1, 1000, 30_000, 1.0) == 2400


async def test_a_mailbox_is_polled_from_the_cursor_it_gave() -> None:
    polls: list[Any] = [mail(letter("하나"), letter("둘", 2), cursor="r-2"), mail(), None]

    async with (
        TinyRelay(messages=polls) as relay,
        OpenClaw(relay.url, "t", quick(mode=ReadingMode.POLL, wait=7, limit=5)) as instance,
    ):
        await instance.wait_until_connected()
        await relay.until("messages", 3)

    first, second, third = (one.query for one in relay.of("messages"))
    assert first == {"wait": "0", "limit": "5"}
    assert second == third == {"wait": "7", "limit": "5", "cursor": "r-2"}
    assert texts(relay) == ["하나", "둘"]
    assert states(instance) == ["connected"]


async def test_one_that_never_answers_only_reads() -> None:
    async with TinyRelay() as relay, OpenClaw(relay.url, "t", quick(behaviour=InstanceBehaviour.NEVER)) as instance:
        stream = await relay.until("events")
        stream.send(event("message", letter("안녕")), event("message", letter("여보세요", 2)))
        await instance.wait_for_messages(2)

    assert relay.of("reply") == []


@pytest.mark.parametrize("mode", list(ReadingMode))
async def test_one_that_crashes_comes_back_without_its_place_and_answers_the_second_time(mode: ReadingMode) -> None:
    options = quick(mode=mode, behaviour=InstanceBehaviour.CRASH)
    polls: list[Any] = [mail(letter("안녕"), cursor="r-1"), mail(letter("안녕"), cursor="r-1"), None]

    async with TinyRelay(messages=polls) as relay, OpenClaw(relay.url, "t", options) as instance:
        if mode is ReadingMode.SSE:
            for number in (1, 2):
                (await relay.until("events", number)).send(event("message", letter("안녕"), "r-1"))
        first, second = await instance.wait_for_messages(2)
        await instance.wait_for_replies(1)

    again = relay.of("events" if mode is ReadingMode.SSE else "messages")[1]
    assert "last-event-id" not in again.headers
    assert "cursor" not in again.query
    assert (first.id, first.number, second.number) == (second.id, 1, 2)
    assert (texts(relay), states(instance)[:3]) == (["안녕"], ["connected", "crashed", "connected"])


async def test_one_may_answer_in_pieces_or_by_a_function_of_ones_own() -> None:
    card = {"version": "2.0", "template": {"outputs": [{"textCard": {"title": "카드"}}]}}
    pieces = quick(behaviour=InstanceBehaviour.PIECES, pieces=2, names_conversation=True)
    own = quick(answer=lambda text: [f"{text}!", card])

    async with TinyRelay() as relay, OpenClaw(relay.url, "t", pieces) as instance:
        (await relay.until("events")).send(event("message", letter("안녕")))
        await instance.wait_for_replies(2)
    async with TinyRelay() as other, OpenClaw(other.url, "t", own) as instance:
        (await other.until("events")).send(event("message", letter("안녕")))
        await instance.wait_for_replies(2)

    assert texts(relay) == ["안녕 (1/2)", "안녕 (2/2)"]
    assert relay.of("reply")[0].body["conversationKey"] == "simbot:u1"
    assert [one.body["response"] for one in other.of("reply")] == [simple_text("안녕!"), card]


async def test_a_slow_one_handles_one_message_after_the_other() -> None:
    options = quick(behaviour=InstanceBehaviour.SLOW, delay=3600)

    async with TinyRelay() as relay, OpenClaw(relay.url, "t", options) as instance:
        (await relay.until("events")).send(event("message", letter("1")), event("message", letter("2", 2)))
        await instance.wait_for_messages(1)
        late = await instance.reply("somebody else's", "by hand")

    assert (len(instance.messages), texts(relay), late.is_taken) == (1, ["by hand"], True)


async def test_a_slow_one_answers_after_its_delay() -> None:
    options = quick(behaviour=InstanceBehaviour.SLOW, delay=0.001)

    async with TinyRelay() as relay, OpenClaw(relay.url, "t", options) as instance:
        (await relay.until("events")).send(event("message", letter("1")))
        [reply] = await instance.wait_for_replies(1)

    assert reply.is_taken


async def test_without_a_token_a_session_is_created_and_watched_until_it_is_paired() -> None:
    pending: Any = (200, {"status": "pending_pairing"})
    status: list[Any] = [(500, {}), pending, (200, {"status": "paired", "kakaoUserId": "u1"})]

    async with (
        TinyRelay(create=(200, CREATED), status=status) as relay,
        OpenClaw(relay.url, options=quick()) as instance,
    ):
        code = await instance.wait_for_pairing_code()
        await instance.wait_until_paired()
        (await relay.until("events")).send(event("pairing_complete", PAIRED))
        await relay.until("events", 2)

    assert (code, relay.of("create")[0].body) == ("ABCD-2345", {})
    assert relay.of("status")[0].path == f"/v1/sessions/{'f' * 64}/status"
    assert relay.of("events")[0].headers["authorization"] == f"Bearer {'f' * 64}"
    assert states(instance).count("paired") == 1


async def test_a_session_that_expires_is_the_end_of_its_stream() -> None:
    def expire_once_followed(_: Heard) -> tuple[int, Any]:
        return 200, {"status": "expired" if relay.of("events") else "pending_pairing"}

    async with (
        TinyRelay(create=(200, CREATED), status=expire_once_followed) as relay,
        OpenClaw(relay.url, options=quick()) as instance,
    ):
        await instance.wait_until_over()
        await until(relay.of("events")[0].writer.is_closing)

    assert (states(instance)[-1], len(relay.of("events"))) == ("dead", 1)


async def test_a_session_that_expires_is_never_polled() -> None:
    async with (
        TinyRelay(create=(200, CREATED), status=(200, {"status": "expired"})) as relay,
        OpenClaw(relay.url, options=quick(mode=ReadingMode.POLL)) as instance,
    ):
        await instance.wait_until_over()

    assert (states(instance), relay.of("messages")) == (["session", "dead"], [])


async def test_the_stream_may_say_that_the_session_expired() -> None:
    async with TinyRelay() as relay, OpenClaw(relay.url, "t", quick()) as instance:
        (await relay.until("events")).send(event("pairing_expired", {"reason": "too late"}))
        await instance.wait_until_over()

    assert len(relay.of("events")) == 1


async def test_a_session_is_polled_once_it_is_paired() -> None:
    answers: dict[str, Any] = {"create": (200, CREATED), "status": (200, {"status": "paired"}), "messages": mail()}

    async with TinyRelay(**answers) as relay, OpenClaw(relay.url, options=quick(mode=ReadingMode.POLL)) as instance:
        await instance.wait_until_connected()

    assert [one.path.rpartition("/")[2] for one in relay.heard][:3] == ["create", "status", "messages"]


async def test_a_session_that_makes_no_sense_is_tried_again() -> None:
    async with (
        TinyRelay(create=[(200, {}), (200, b"<html>"), (200, CREATED)], status=(404, {})) as relay,
        OpenClaw(relay.url, options=quick()) as instance,
    ):
        await instance.wait_until_connected()

    assert states(instance)[:3] == ["failed", "failed", "session"]


async def test_the_journal_is_also_lines_in_a_file(tmp_path: Path) -> None:
    log = tmp_path / "openclaw.jsonl"

    async with TinyRelay() as relay, OpenClaw(relay.url, "t", quick(log=log)) as instance:
        (await relay.until("events")).send(event("message", letter("안녕")))
        await instance.wait_for_replies(1)
        lines = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]

    assert [line["kind"] for line in lines] == ["connection_change", "message_received", "reply_sent"]
    assert (lines[1]["id"], lines[2]["message_id"]) == (letter("")["id"], letter("")["id"])


def test_the_text_is_where_either_api_has_it() -> None:
    assert read_text(letter("안녕")) == "안녕"
    assert read_text({"payload": {"userRequest": {"utterance": "안녕\n"}}}) == "안녕"
    assert read_text({"normalized": None}) == ""
