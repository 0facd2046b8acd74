"""Payloads as Kakao makes them, and what Kakao would take for an answer."""

from typing import Any

import pytest

from pabal.apps.relay.simulator.skills import (
    Utterance,
    find_answer_fault,
    find_skill_fault,
    make_payload,
    name_bot_user,
    read_output,
    simple_text,
)

CALLBACK = "http://127.0.0.1:9100/v1/bots/simbot/callback/abc"
TEXT = {"simpleText": {"text": "x"}}


def test_a_payload_is_one_for_independent_models_too() -> None:
    models = pytest.importorskip("kakao_chatbot")

    parsed = models.Payload.from_dict(make_payload(Utterance("u1", "안녕", callback_url=CALLBACK)))

    assert parsed.user_request.utterance == "안녕"
    assert parsed.user_request.callback_url == CALLBACK
    assert parsed.bot.id == "simbot"


def test_a_payload_has_every_field_of_the_guide() -> None:
    payload = make_payload(Utterance("u1", "안녕", "other", "kr", CALLBACK, "event-1"))

    request = payload["userRequest"]
    assert list(payload) == ["intent", "userRequest", "contexts", "bot", "action", "flow"]
    assert list(request)[:7] == ["callbackUrl", "timezone", "lang", "utterance", "params", "block", "user"]
    assert (request["lang"], request["eventId"], payload["bot"]["id"]) == ("kr", "event-1", "other")
    assert request["user"]["properties"]["plusfriendUserKey"] == "u1"
    assert request["user"]["properties"]["isFriend"] is True
    assert request["user"]["id"] == name_bot_user("other", "u1") != name_bot_user("simbot", "u1")
    assert payload["flow"]["trigger"]["type"] == "TEXT_INPUT"


def test_what_is_not_there_is_absent_or_null() -> None:
    plain, nulls = (make_payload(Utterance("u1", "x", has_nulls=has_nulls)) for has_nulls in (False, True))

    assert "callbackUrl" not in plain["userRequest"]
    assert "eventId" not in plain["userRequest"]
    assert nulls["userRequest"]["callbackUrl"] is None
    assert [nulls["action"][name] for name in ("params", "detailParams", "clientExtra")] == [None] * 3
    assert (nulls["userRequest"]["params"], nulls["contexts"], nulls["flow"]) == (None, None, None)
    assert "isFriend" not in nulls["userRequest"]["user"]["properties"]


@pytest.mark.parametrize(
    "skill",
    [
        simple_text("one", "둘", "x" * 1000),
        {"version": "2.0", "template": {"outputs": [{"simpleImage": {"imageUrl": "https://a.test/1.png"}}]}},
        {"version": "2.0", "template": {"outputs": [{"textCard": {"description": "x" * 400}}]}},
        {"version": "2.0", "template": {"outputs": [{"basicCard": {"thumbnail": {"imageUrl": "x"}}}]}},
        {"version": "2.0", "template": {"outputs": [{"itemCard": {"itemList": [{"title": "a"}]}}]}},
        {"version": "2.0", "template": {"outputs": [{"commerceCard": {"price": 1, "thumbnails": [{}]}}]}},
        {"version": "2.0", "template": {"outputs": [{"listCard": {"header": {"title": "a"}, "items": [{}]}}]}},
        {"version": "2.0", "template": {"outputs": [{"carousel": {"type": "textCard", "items": [{}]}}]}},
        {"version": "2.0", "template": {"outputs": [TEXT], "quickReplies": [{"label": "네"}] * 10}},
    ],
)
def test_a_valid_response_has_no_fault(skill: Any) -> None:
    assert find_skill_fault(skill) == ""


def _outputs(*outputs: Any, **template: Any) -> dict[str, Any]:
    return {"version": "2.0", "template": {"outputs": list(outputs), **template}}


@pytest.mark.parametrize(
    "skill",
    [
        None,
        "text",
        {},
        {**simple_text("x"), "version": "1.0"},
        {"version": "2.0"},
        {"version": "2.0", "template": []},
        _outputs(),
        _outputs(TEXT, TEXT, TEXT, TEXT),
        _outputs("text"),
        _outputs({}),
        _outputs({**TEXT, "simpleImage": {}}),
        _outputs({"unknown": {}}),
        _outputs({"simpleText": "x"}),
        simple_text(""),
        simple_text("x" * 1001),
        _outputs({"simpleImage": {"altText": "x"}}),
        _outputs({"simpleImage": {"imageUrl": "x", "altText": "x" * 51}}),
        _outputs({"textCard": {}}),
        _outputs({"textCard": {"title": "x" * 51}}),
        _outputs({"textCard": {"title": "x", "buttons": [{"label": "x"}] * 4}}),
        _outputs({"textCard": {"title": "x", "buttons": [{"label": "x" * 15}]}}),
        _outputs({"basicCard": {"title": "x"}}),
        _outputs({"basicCard": {"thumbnail": {}, "description": "x" * 231}}),
        _outputs({"commerceCard": {"price": "1", "thumbnails": [{}]}}),
        _outputs({"listCard": {"header": {"title": "a"}, "items": [{}] * 6}}),
        _outputs({"itemCard": {"itemList": []}}),
        _outputs({"carousel": {"type": "simpleText", "items": [{}]}}),
        _outputs({"carousel": {"type": "listCard", "items": [{}] * 6}}),
        _outputs(TEXT, quickReplies=[{"label": "네"}] * 11),
        _outputs(TEXT, quickReplies=["네"]),
    ],
)
def test_an_invalid_response_has_one(skill: Any) -> None:
    assert find_skill_fault(skill)


@pytest.mark.parametrize(
    ("answer", "has_callback", "is_valid"),
    [
        ({"version": "2.0", "useCallback": True, "data": {"text": "…"}}, True, True),
        ({"version": "2.0", "useCallback": True}, False, False),
        ({"version": "1.0", "useCallback": True}, True, False),
        ({**simple_text("x"), "useCallback": True}, True, False),
        ({**simple_text("x"), "useCallback": False}, True, True),
        ({"version": "2.0", "useCallback": "true"}, True, False),
    ],
)
def test_a_promise_to_call_back_has_no_template_and_needs_an_address(
    answer: Any, has_callback: bool, is_valid: bool
) -> None:
    assert (find_answer_fault(answer, has_callback=has_callback) == "") == is_valid


def test_what_can_be_read_of_an_output_is_its_text() -> None:
    assert read_output(TEXT) == ("simpleText", "x")
    assert read_output({"textCard": {"title": "제목", "description": "설명"}}) == ("textCard", "제목\n설명")
