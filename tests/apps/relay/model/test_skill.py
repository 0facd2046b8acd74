import hashlib
import json

import pytest
from kakao_chatbot import Payload

from pabal.apps.relay.model.skill import digest_of, name_event, promise, read_request, say
from tests.support.relay import callback, payload


@pytest.mark.req("C-12", "C-13", "C-07", "C-08")
def test_who_speaks_and_what_they_say_is_read_from_a_skill_payload():
    request = read_request(payload("날씨 어때?\n", "kim"))

    assert request is not None
    assert (request.channel_id, request.user_key, request.utterance) == ("b0ts", "kim", "날씨 어때?\n")
    assert request.conversation_key == "b0ts:kim"
    assert request.normalized == {"userId": "kim", "text": "날씨 어때?\n", "channelId": "b0ts"}


def test_what_the_tests_send_is_a_payload_to_others_too():
    read = Payload.from_dict(payload("안녕", "kim", url=callback(7)))

    assert read.user_request.utterance == "안녕"
    assert read.user_request.callback_url == callback(7)


@pytest.mark.parametrize(
    ("properties", "user_key"),
    [
        ({"plusfriendUserKey": "plus", "botUserKey": "bot"}, "plus"),
        ({"plusfriendUserKey": None, "botUserKey": "bot"}, "bot"),
        ({"botUserKey": "bot"}, "bot"),
        ({}, "bot-kim"),
        (None, "bot-kim"),
    ],
)
def test_the_most_stable_key_of_a_user_is_taken(properties: object, user_key: str):
    body = payload()
    body["userRequest"]["user"]["properties"] = properties

    request = read_request(body)

    assert request is not None
    assert request.user_key == user_key


@pytest.mark.parametrize("nonsense", [None, [], "text", 3, {}, {"userRequest": None}, {"userRequest": {"user": []}}])
def test_nonsense_is_no_request(nonsense: object):
    assert read_request(nonsense) is None


def test_nulls_and_what_is_missing_are_borne():
    request = read_request(
        {"userRequest": {"user": {"id": "kim"}, "utterance": None, "callbackUrl": None}, "bot": None}
    )

    assert request is not None
    assert (request.channel_id, request.utterance, request.callback_url, request.lang) == ("default", "", None, "ko")


def test_what_a_database_cannot_keep_is_left_out():
    body = payload("가\0나\ud800")
    body["contexts"] = [{"\0": "\0x"}]

    request = read_request(body)

    assert request is not None
    assert request.utterance == "가나?"
    assert request.payload["contexts"] == [{"": "x"}]


@pytest.mark.req("C-51")
def test_an_event_id_of_kakaos_names_the_event():
    request = read_request(payload(event_id="evt-1"))

    assert request is not None
    assert name_event(request) == "evt-1"


@pytest.mark.req("C-52")
def test_without_one_the_callback_address_tells_two_requests_apart():
    first, again, other = (
        read_request(payload("네", url=callback(1))),
        read_request(payload("네", url=callback(1))),
        read_request(payload("네", url=callback(2))),
    )

    assert first is not None
    assert again is not None
    assert other is not None
    assert name_event(first) == name_event(again)
    assert name_event(first) != name_event(other)
    assert len(str(name_event(first))) == 64


@pytest.mark.req("C-52")
def test_it_is_the_sha_256_of_bot_user_utterance_timestamp_and_address():
    body = payload("네", url=callback(1))
    body["userRequest"]["timestamp"] = 1706700005000
    request = read_request(body)

    assert request is not None
    named = {"channelId": "b0ts", "userId": "bot-kim", "utterance": "네", "timestamp": 1706700005000}
    told = json.dumps({**named, "callbackUrl": callback(1)}, ensure_ascii=False, sort_keys=True)
    assert name_event(request) == hashlib.sha256(told.encode()).hexdigest()


def test_with_neither_nothing_is_taken_for_a_repetition():
    request = read_request(payload("네", url=None))

    assert request is not None
    assert name_event(request) is None
    assert len(digest_of(request)) == 64


@pytest.mark.req("C-17")
def test_an_answer_that_comes_later_is_promised_without_a_template():
    assert promise("") == {"version": "2.0", "useCallback": True}
    assert promise("생각 중…") == {"version": "2.0", "useCallback": True, "data": {"text": "생각 중…"}}


def test_a_direct_answer_always_has_an_output():
    assert say("가", "", "나")["template"]["outputs"] == [
        {"simpleText": {"text": "가"}},
        {"simpleText": {"text": "나"}},
    ]
    assert len(say("")["template"]["outputs"]) == 1
