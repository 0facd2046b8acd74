import pytest
from hypothesis import given
from hypothesis import strategies as st
from kakao_chatbot.response import KakaoResponse
from kakao_chatbot.response.components import SimpleTextComponent

from pabal.apps.relay.model.outputs import (
    LONGEST_TEXT,
    MOST_OUTPUTS,
    Bubbles,
    Unshowable,
    compose,
    read_answer,
    shorten,
    size,
    split_text,
)
from tests.support.relay import skill


def read(response: object) -> Bubbles:
    found = read_answer(response)
    assert isinstance(found, Bubbles)
    return found


def refuse(response: object) -> list[str]:
    found = read_answer(response)
    assert isinstance(found, Unshowable)
    return [one.code for one in found.findings]


def outputs_of(*outputs: object) -> dict[str, object]:
    return {"version": "2.0", "template": {"outputs": list(outputs)}}


@pytest.mark.parametrize("response", ["안녕", {"text": "안녕"}, skill("안녕")])
def test_an_instance_answers_with_a_skill_response_or_a_text(response: object):
    assert read(response).outputs == ({"simpleText": {"text": "안녕"}},)


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ("", "answer_empty"),
        ({"template": {"outputs": []}}, "outputs_missing"),
        ({}, "outputs_missing"),
        (None, "outputs_missing"),
        (outputs_of({"hologram": {}}), "output_unknown"),
        (outputs_of("text"), "output_unknown"),
        (outputs_of({"simpleText": {}}), "answer_empty"),
        (outputs_of({"simpleImage": {"altText": "x"}}), "part_missing"),
        (outputs_of({"basicCard": {"title": "x"}}), "part_missing"),
        (outputs_of({"textCard": {}}), "part_missing"),
        (outputs_of({"commerceCard": {"price": 1, "thumbnails": [{}], "discountRate": 3}}), "part_missing"),
        (outputs_of({"itemCard": {"itemList": [{}], "head": {"a": 1}, "profile": {"a": 1}}}), "part_missing"),
        (outputs_of({"carousel": {"type": "simpleText", "items": [{}]}}), "carousel_incomplete"),
        (outputs_of({"listCard": 3}), "wrong_type"),
    ],
)
def test_what_kakao_could_not_show_is_refused_with_its_reason(response: object, code: str):
    assert code in refuse(response)


def test_everything_that_is_wrong_is_said_at_once_and_where():
    found = read_answer(outputs_of({"simpleText": {"text": ""}}, {"basicCard": {}}))

    assert isinstance(found, Unshowable)
    assert [one.field for one in found.findings] == [
        "response/template/outputs/0/simpleText/text",
        "response/template/outputs/1/basicCard/thumbnail",
    ]


@pytest.mark.parametrize(
    ("card", "field", "most"),
    [
        ({"textCard": {"title": "가" * 60, "description": "나"}}, "title", 50),
        ({"basicCard": {"thumbnail": {"imageUrl": "x"}, "description": "가" * 300}}, "description", 230),
        ({"simpleImage": {"imageUrl": "x", "altText": "가" * 60}}, "altText", 50),
        ({"commerceCard": {"price": 1, "thumbnails": [{}], "title": "가" * 40}}, "title", 30),
        ({"commerceCard": {"price": 1, "thumbnails": [{}], "description": "가" * 50}}, "description", 40),
    ],
)
def test_texts_of_cards_are_shortened_to_what_kakao_shows_and_noted(card: dict, field: str, most: int):
    answer = read(outputs_of(card))

    [made] = answer.outputs[0].values()
    assert size(made[field]) == most
    assert made[field].endswith("…")
    assert [note.code for note in answer.notes] == ["shortened"]


def test_title_and_description_share_their_limit():
    answer = read(outputs_of({"textCard": {"title": "가" * 50, "description": "나" * 400}}))

    assert size(answer.outputs[0]["textCard"]["description"]) == 350


def test_lists_and_carousels_are_cut_to_what_kakao_takes():
    item = {"title": "가", "description": "나" * 200}
    carousel = {"carousel": {"type": "textCard", "items": [item] * 12}}
    items = {"listCard": {"header": {"title": "목록"}, "items": [{"title": "가"}] * 7}}

    answer = read(outputs_of(carousel, items))

    cards = answer.outputs[0]["carousel"]["items"]
    assert (len(cards), size(cards[0]["description"])) == (10, 128)
    assert len(answer.outputs[1]["listCard"]["items"]) == 5
    assert {note.code for note in answer.notes} == {"left_out", "shortened"}


def test_quick_replies_and_labels_keep_kakaos_limits():
    quick = [{"label": "아주 긴 이름의 빠른 답장 버튼", "action": "message", "messageText": "네"}] * 12
    answer = read({"version": "2.0", "template": {"outputs": [{"simpleText": {"text": "가"}}], "quickReplies": quick}})

    assert len(answer.quick_replies) == 10
    assert all(size(one["label"]) <= 14 for one in answer.quick_replies)


@given(st.text(min_size=1, max_size=4000))
def test_a_long_text_is_split_without_losing_a_word(text: str):
    pieces = split_text(text)

    assert all(0 < size(piece) <= LONGEST_TEXT for piece in pieces if piece.strip())
    assert "".join("".join(pieces).split()) == "".join(text.split())


def test_a_split_comes_at_the_end_of_a_sentence():
    text = "첫 문장입니다. " * 130

    first, *_ = split_text(text)

    assert first.endswith(".")


@given(st.text(max_size=300), st.integers(2, 100))
def test_what_is_shortened_fits(text: str, longest: int):
    assert size(shorten(text, longest)) <= longest


@given(
    st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=1500).filter(str.strip), min_size=1, max_size=6)
)
def test_whatever_is_answered_kakao_gets_one_to_three_bubbles_of_a_thousand(texts: list[str]):
    made = compose([read(skill(*texts))])

    assert 1 <= len(made.outputs) <= MOST_OUTPUTS
    assert all(size(one["simpleText"]["text"]) <= LONGEST_TEXT for one in made.outputs)


def test_pieces_that_came_one_by_one_are_joined_where_there_are_too_many():
    """Published clients cut at 400 characters and send each piece by itself."""
    made = compose([read(skill(letter * 400)) for letter in "가나다라마"])

    together = "".join(one["simpleText"]["text"] for one in made.outputs)
    assert [together.count(letter) for letter in "가나다라마"] == [400] * 5
    assert made.left_out == 0


def test_what_does_not_fit_is_counted():
    made = compose([read(skill("가" * 5000))])

    assert (len(made.outputs), made.left_out) == (3, 2)


def test_what_does_not_fit_is_offered_by_a_button_in_the_place_of_the_last_quick_reply():
    labels = [{"label": f"버튼 {number}", "action": "message", "messageText": "x"} for number in range(10)]
    answer = Bubbles((*read(skill("가" * 3000, "나" * 500)).outputs,), tuple(labels))

    made, short = (
        compose([answer], more="아주 길어서 다 보이지 않는 버튼"),
        compose([read(skill("가"))], more="더 보기"),
    )

    assert (made.has_more, made.rest) == (True, [{"simpleText": {"text": "나" * 500}}])
    assert [one["label"] for one in made.quick_replies[:9]] == [f"버튼 {number}" for number in range(9)]
    [button] = made.quick_replies[9:]
    assert (button["label"], button["messageText"]) == ("아주 길어서 다 보이지…", "아주 길어서 다 보이지 않는 버튼")
    assert (short.has_more, short.quick_replies) == (False, [])


def test_a_late_answer_comes_first_behind_its_mark_and_leaves_room_for_the_fresh_one():
    late, fresh = read(skill("늦은" * 900, "둘째", "셋째")), read(skill("지금"))

    made = compose([fresh], [late], mark="[늦은 답]")

    texts = [one["simpleText"]["text"] for one in made.outputs]
    assert texts[0].startswith("[늦은 답]")
    assert texts[-1] == "지금"
    assert len(texts) == 3


def test_what_is_composed_others_accept_too():
    made = compose([read(skill("가" * 2500))])

    response = KakaoResponse([SimpleTextComponent(one["simpleText"]["text"]) for one in made.outputs])
    response.validate()
