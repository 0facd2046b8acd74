"""Who speaks where and when, what the words in braces become, and how long it all takes. Pure."""

from datetime import UTC, datetime, timedelta

import pytest

from pabal.apps.messaging.model.bulks import Audience, BulkRoom, BulkSend, Speaker, choose_bots, list_turns
from pabal.apps.messaging.model.capacity import Measured, Turn, estimate, need_of
from pabal.apps.messaging.model.content import Content, Pace, Picture, plan_parts
from pabal.apps.messaging.model.variables import fill, list_unknown, values_of

NINE = datetime(2026, 7, 3, 0, 0, tzinfo=UTC)
FIVE = timedelta(minutes=5)


def room(number: int, *speakers: Speaker) -> BulkRoom:
    return BulkRoom(number, f"방 {number}", 1, "해운대점", str(number), "production", {}, speakers)


ONE, TWO = Speaker(1, "busan1", is_connected=True), Speaker(2, "busan2", is_connected=True)
AWAY = Speaker(1, "busan1", turn=1)
SECOND, THIRD = Speaker(3, "busan3", 2, is_connected=True), Speaker(2, "busan2", 3, is_connected=True)


@pytest.mark.parametrize(
    ("speakers", "share", "takes_over", "chosen"),
    [
        pytest.param((ONE, TWO), False, True, 1, id="the wanted one"),
        pytest.param((TWO,), False, True, 2, id="the room's first where the wanted one is not"),
        pytest.param((AWAY, TWO), False, True, 1, id="without a turn nobody takes over"),
        pytest.param((AWAY, Speaker(2, "busan2", 2, is_connected=True)), False, True, 2, id="with a turn one does"),
        pytest.param((AWAY, Speaker(2, "busan2", 2, is_connected=True)), False, False, 1, id="not if nobody may"),
        pytest.param((AWAY, THIRD, SECOND), False, True, 3, id="the next of the order and not of the alphabet"),
        pytest.param((THIRD, SECOND), False, False, 3, id="the first of the order where the wanted one is not"),
        pytest.param((TWO, SECOND), False, False, 3, id="one with a turn before one without"),
        pytest.param((AWAY, TWO), True, True, 2, id="shared among those that are connected"),
        pytest.param((Speaker(1, "busan1", is_excluded=True), TWO), False, False, 2, id="never an excluded one"),
        pytest.param((), False, True, 1, id="where no bot is, the wanted one says so"),
    ],
)
def test_who_speaks(speakers: tuple[Speaker, ...], share: bool, takes_over: bool, chosen: int):
    assert choose_bots([room(7, *speakers)], 1, share=share, takes_over=takes_over) == [chosen]


def test_turns_are_never_alike_and_never_taken():
    at_once = list_turns(NINE, 3, timedelta(0), [NINE])
    spread = list_turns(NINE, 4, timedelta(minutes=40))

    assert at_once == [NINE + timedelta(microseconds=n) for n in (1, 2, 3)]
    assert spread == [NINE + timedelta(minutes=n) for n in (0, 10, 20, 30)]


def test_the_window_holds_the_spread():
    assert Audience().closes_at(NINE, late=FIVE) == NINE + FIVE
    assert Audience(window_minutes=20).closes_at(NINE, late=FIVE) == NINE + timedelta(minutes=20)
    assert Audience(spread_minutes=60, window_minutes=20).closes_at(NINE, late=FIVE) == NINE + timedelta(minutes=65)


def test_a_summary_says_what_is_missing():
    counts = {"sent": 142, "missed": 3, "unknown": 5}
    bulk = BulkSend(1, 1, 1, "공지", NINE, "schedule", None, 150, NINE, None, NINE, NINE, counts)

    assert bulk.summary == ("142 of 150, 3 missed, 5 unknown", "150곳 중 142곳, 놓침 3, 확인 필요 5")
    assert bulk.missing == 3


def test_what_one_action_sends_is_what_was_missed_failed_or_went_out_in_part_and_nothing_else():
    counts = {"sent": 90, "missed": 1, "failed": 2, "partial": 4, "unknown": 8, "open": 16}
    bulk = BulkSend(1, 1, 1, "공지", NINE, "schedule", None, 121, NINE, None, NINE, None, counts)

    assert bulk.missing == 7


def test_words_in_braces():
    values = values_of(
        "손님방", "해운대점", datetime(2026, 7, 3, 9, tzinfo=UTC), {"담당자": "김하늘", "톡방": "다른 방"}
    )

    assert fill("{톡방} {지점명} {오늘} {요일} {담당자}", values) == "손님방 해운대점 7월 3일 금요일 김하늘"
    assert fill("{{톡방}} {모름} { 톡방 } {0}", values) == "{톡방} {모름} { 톡방 } {0}"
    assert list_unknown("{톡방} {담당자} {모름} {{그대로}}", ["담당자"]) == ["모름"]
    assert list_unknown("{0} {} {1번}") == []


def test_each_day_of_a_week_has_its_name():
    monday = datetime(2026, 6, 29, tzinfo=UTC)

    named = [values_of("", "", monday + timedelta(days=n), {})["요일"] for n in range(7)]

    assert named == [f"{day}요일" for day in "월화수목금토일"]


def test_one_phone_is_too_slow_for_many_rooms():
    turns = [Turn(1, NINE)] * 150

    found = estimate(turns, {1: 4.0}, {}, begin=NINE, until=NINE + FIVE)

    assert (found.takes, found.late) == (timedelta(minutes=10), 74)
    assert found.says[0] == "150 rooms by 1 phone: about 10 minutes; 74 would miss the window of 5 minutes"
    assert found.says[1] == "톡방 150곳을 전화기 1대로: 약 10분. 74곳은 발송 시간(5분) 안에 보내지 못합니다"


@pytest.mark.parametrize(
    ("seconds", "english", "korean"),
    [
        (1, "about 1 second", "약 1초"),
        (89, "about 89 seconds", "약 89초"),
        (91, "about 2 minutes", "약 2분"),
        (119 * 60, "about 119 minutes", "약 119분"),
        (3 * 3600, "about 3 hours", "약 3시간"),
    ],
)
def test_how_long_it_takes_is_said_in_the_unit_people_would_use(seconds: int, english: str, korean: str):
    found = estimate([Turn(1, NINE)], {1: float(seconds)}, {}, begin=NINE, until=NINE + FIVE)

    assert found.says == (f"1 room by 1 phone: {english}", f"톡방 1곳을 전화기 1대로: {korean}")


def test_two_phones_share_it_and_what_else_is_due_comes_first():
    turns = [Turn(1 + n % 2, NINE) for n in range(150)]

    shared = estimate(turns, {1: 4.0, 2: 4.0}, {}, begin=NINE, until=NINE + FIVE)
    busy = estimate(turns, {1: 4.0, 2: 4.0}, {1: 60.0}, begin=NINE, until=NINE + FIVE)

    assert (shared.takes, shared.late, shared.bots) == (FIVE, 0, 2)
    assert (busy.takes, busy.busy) == (timedelta(minutes=6), timedelta(minutes=1))
    assert busy.late > 0


def test_what_a_room_needs_is_what_the_phone_was_seen_to_take():
    parts = plan_parts(Content(text="안녕", send_interval_seconds=0), Pace())

    assert need_of(parts, Measured(part=5.2, send=20.8)) == 5.2
    assert need_of(parts * 2, Measured(part=5.2, send=20.8)) == 10.4
    assert need_of(parts, None) == 1.0


def test_a_room_needs_no_less_than_the_waits_that_are_asked_for():
    picture = Picture(1, "봄.png", "image/png", 10, 8, 6)
    content = Content(text="안녕", images_1=(picture,), send_interval_seconds=5, media_wait_1=8000)

    assert need_of(plan_parts(content, Pace()), Measured(part=0.1, send=0.2)) == 13.0
