from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Any

import pytest

from pabal.apps.messaging.model import checks
from pabal.apps.messaging.model.checks import Allowed
from pabal.apps.messaging.model.content import Content, Picture, SendOrder
from pabal.apps.messaging.model.findings import SENTENCES, Finding, fill
from pabal.apps.messaging.model.rooms import RoomLimits
from pabal.apps.messaging.model.schedules import NewSchedule, ScheduleType
from pabal.engine.recurrence import Weekday
from tests.apps.messaging.asking import DAY, NINE, START, daily, once

ALLOWED = Allowed(RoomLimits(30, 50, 5, 50, 200, 1000))
PICTURE = Picture(1, "봄.png", "image/png", 1000, 8, 6)
TEXT = Content("안녕하세요")
GOOD = NewSchedule("아침 안내", 1, 1, TEXT, daily())


def found(new: NewSchedule, allowed: Allowed = ALLOWED) -> list[tuple[str, str]]:
    cleaned = checks.clean(new)
    every = [*checks.list_problems(cleaned, allowed), *checks.list_when_problems(cleaned.when, START)]
    return [(one.code, one.field) for one in every]


@pytest.mark.req("A-04")
@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, []),
        ({"title": " \n "}, [("title_missing", "title")]),
        ({"title": "가" * 256}, [("title_too_long", "title")]),
        ({"description": "가" * 2001}, [("description_too_long", "description")]),
        ({"content": Content()}, [("nothing_to_send", "text")]),
        ({"content": Content(" \r\n ")}, [("nothing_to_send", "text")]),
        (
            {"content": Content("글", send_order=SendOrder.IMAGES_ONLY)},
            [("images_only_without_images", "images_1")],
        ),
        ({"content": Content(None, (), (PICTURE,))}, []),
        (
            {"content": Content("글", (replace(PICTURE, media_type="image/webp"),))},
            [("image_format_refused", "images_1")],
        ),
        ({"content": replace(TEXT, send_interval_seconds=-1)}, [("interval_out_of_range", "send_interval_seconds")]),
        ({"content": replace(TEXT, media_wait_2=600_001)}, [("media_wait_out_of_range", "media_wait_2")]),
        ({"when": daily(schedule_type=ScheduleType.ONCE)}, [("once_without_date", "schedule_date")]),
        ({"when": once(START - timedelta(minutes=1))}, [("once_in_past", "schedule_date")]),
        ({"when": once(NINE, valid_until=NINE - timedelta(minutes=1))}, [("outside_validity", "valid_until")]),
        ({"when": daily(schedule_type=ScheduleType.WEEKLY)}, [("weekly_without_days", "schedule_weekdays")]),
        ({"when": daily(valid_until=START - 2 * DAY)}, [("validity_ends_early", "valid_until")]),
        ({"when": daily(time(7), valid_until=NINE)}, [("no_moment_ahead", "valid_until")]),
        ({"when": daily(zone="Asia/Nowhere")}, [("when_unreadable", "schedule_time")]),
        ({"when": daily(valid_from=datetime(2035, 6, 1))}, [("when_unreadable", "schedule_time")]),  # noqa: DTZ001 -- that is the case
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_at_its_field(changed: dict[str, Any], expected: list[tuple[str, str]]):
    assert found(replace(GOOD, **changed)) == expected


@pytest.mark.req("A-158")
def test_a_text_is_as_long_as_the_room_allows_and_no_longer():
    longest = replace(GOOD, content=Content("가" * 1000))
    longer = replace(GOOD, content=Content("가" * 1001))

    assert found(longest) == []
    assert found(longer) == [("text_too_long", "text")]
    assert found(longer, replace(ALLOWED, max_text_length=1001)) == []
    [said] = checks.list_content_problems(longer.content, ALLOWED)
    assert "1001" in said.text[0]
    assert said.text[1] == "글이 1001자입니다. 1000자까지라 1자를 줄여야 합니다."
    assert [one.code for one in checks.list_text_warnings(Content("가" * 401), ALLOWED)] == ["text_long"]
    assert list(checks.list_text_warnings(Content("가" * 400), ALLOWED)) == []


@pytest.mark.req("A-82")
def test_ten_images_fit_into_a_group_and_twenty_into_a_message():
    def content(first: int, second: int) -> NewSchedule:
        return replace(GOOD, content=Content(None, (PICTURE,) * first, (PICTURE,) * second))

    assert found(content(10, 10)) == []
    assert found(content(11, 0)) == [("too_many_images_in_group", "images_1")]
    assert found(content(9, 11)) == [("too_many_images_in_group", "images_2")]
    assert found(content(10, 10), replace(ALLOWED, max_images=19)) == [("too_many_images", "images_2")]


def test_more_messages_at_once_than_the_room_ever_takes_are_refused():
    three = replace(GOOD, content=Content("글", (PICTURE,), (PICTURE,)))

    assert found(three) == []
    assert found(three, replace(ALLOWED, limits=RoomLimits(messages_per_minute=2))) == [("limit_too_small", "room_id")]
    assert found(three, replace(ALLOWED, limits=RoomLimits(messages_per_minute=0, messages_per_day=2))) != []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("그대로\n두 줄", []),
        ("가족 👨‍👩‍👧‍👦, 깃발 🏴󠁧󠁢󠁥󠁮󠁧󠁿, 하트 ❤️", []),
        (" 앞 공백", ["text_has_spaces"]),
        ("뒤 빈 줄\n", ["text_has_spaces"]),
        ("보이지\u200b않는", ["text_has_unseen"]),
        ("거꾸로\u202e", ["text_has_unseen"]),
        ("채움 ㅤ문자", ["text_has_unseen"]),
    ],
)
def test_spaces_and_signs_nobody_sees_are_pointed_out(text: str, expected: list[str]):
    assert [one.code for one in checks.list_text_warnings(Content(text), ALLOWED)] == expected


def test_a_text_that_will_not_be_sent_is_pointed_out():
    content = Content("안 나감", (PICTURE,), send_order=SendOrder.IMAGES_ONLY)

    assert [one.code for one in checks.list_text_warnings(content, ALLOWED)] == ["text_left_out"]


def test_what_is_kept_is_what_a_database_can_keep_and_nothing_of_another_type():
    when = daily(schedule_weekdays=(Weekday.MON,), schedule_date=NINE.date())
    kept = checks.clean(replace(GOOD, title=" 두  칸 ", content=Content("가\r\n나\r다\0\ud800"), when=when))

    assert kept.title == "두 칸"
    assert kept.content.text == "가\n나\n다?"
    assert (kept.when.schedule_weekdays, kept.when.schedule_date) == ((), None)


@pytest.mark.parametrize(
    ("title", "expected"),
    [("테스트 발송", True), ("TEST 1", True), ("test", True), ("Latest news", False), ("아침 안내", False)],
)
def test_a_title_says_whether_it_is_a_test(title: str, expected: bool):
    assert checks.says_test(title) is expected


def test_every_sentence_is_there_in_both_languages_with_the_same_values():
    class Names(dict[str, str]):
        def __missing__(self, name: str) -> str:
            self[name] = f"<{name}>"
            return self[name]

    for code, (english, korean) in SENTENCES.items():
        values = Names()
        english.format_map(values), korean.format_map(values)
        filled = Finding(code, "text", fill((english, korean), **values)).text
        assert all(f"<{name}>" in said for said in filled for name in values), code
        assert any("가" <= sign <= "힣" for sign in korean), code
