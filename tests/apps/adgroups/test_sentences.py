"""What an ad group says for itself, in both languages."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from pabal.apps.adgroups.machine import Checked
from pabal.apps.adgroups.model.adgroups import AdGroup, Event, Schedule, Source, State
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.apps.adgroups.sentences import (
    describe_hours,
    explain_state,
    next_event,
    show_brief,
    tell_condition,
    tell_refusal,
)
from pabal.engine.machine import Refusal

# Monday, 08:59 in Seoul
NOW = datetime(2026, 11, 15, 23, 59, tzinfo=UTC)
NINE = NOW + timedelta(minutes=1)
END = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)
OFFICE = DayParts.from_json({day: [["09:00", "18:00"]] for day in ("mon", "tue", "wed", "thu", "fri")})


def group(state: State, **changed: Any) -> AdGroup:
    schedule = Schedule(NOW - timedelta(days=1), END, dayparts=OFFICE)
    made = AdGroup(
        id=7,
        unit_id=1,
        state=state,
        version=3,
        name="여름",
        campaign_id=1,
        campaign_name="가을",
        schedule=schedule,
        schedule_version=1,
        creatives=1,
        inventories=1,
        source=Source.MACHINE,
        ready_at=None,
        ready_confirmed_at=None,
        deleted_at=NOW,
        legacy_id=None,
        created_by="user:1",
        created_at=NOW,
        updated_at=NOW,
    )
    return replace(made, **changed)


def later(**changed: Any) -> Schedule:
    return Schedule(**{"start_at": NINE, "end_at": END, **changed})


SAID = [
    (group(State.DRAFT, creatives=0, inventories=0), "no creative and no inventory yet", "소재와 인벤토리가 아직 없음"),
    (group(State.DRAFT, creatives=0), "no creative yet", "소재가 아직 없음"),
    (group(State.DRAFT, inventories=0), "no inventory yet", "인벤토리가 아직 없음"),
    (group(State.DRAFT), "all set: complete its setup", "설정할 것이 다 있음: 설정 완료를 누르세요"),
    (group(State.READY), "waiting for approval", "승인을 기다림"),
    (group(State.APPROVED, schedule=later()), "waiting until 09:00 KST", "09:00 KST까지 대기"),
    (group(State.PENDING), "waiting until 09:00 KST", "09:00 KST까지 대기"),
    (
        group(State.PENDING, schedule=later(start_at=NOW - timedelta(days=1), end_at=NINE, dayparts=OFFICE)),
        "outside its hours until it ends 09:00 KST",
        "남은 시간대 없이 09:00 KST에 끝남",
    ),
    (
        group(State.RUNNING, schedule=later(dayparts=None)),
        "running until it ends Mon 30 Nov 18:00 KST",
        "11월 30일 (월) 18:00 KST에 끝날 때까지 송출",
    ),
    (group(State.EXPIRED, schedule=later(end_at=NOW)), "ended 08:59 KST", "08:59 KST에 끝남"),
    (group(State.DELETED), "deleted 08:59 KST", "08:59 KST에 삭제됨"),
]


@pytest.mark.parametrize(("one", "english", "korean"), SAID)
def test_a_state_says_why_and_until_when(one: AdGroup, english: str, korean: str) -> None:
    sentence = explain_state(one, NOW)

    assert sentence.tell("en", lambda moment: show_brief(moment, NOW, "Asia/Seoul", "en")) == english
    assert sentence.tell("ko", lambda moment: show_brief(moment, NOW, "Asia/Seoul", "ko")) == korean


def test_what_can_be_done_is_said_where_nothing_comes_by_itself() -> None:
    over = later(start_at=NOW - timedelta(days=2), end_at=NOW - timedelta(days=1))

    def said(one: AdGroup) -> str:
        return explain_state(one, NOW).tell("en", str)

    assert "give it new dates" in said(group(State.READY, schedule=over))
    assert "give it new dates" in said(group(State.DRAFT, schedule=over))
    assert "move it or delete it" in said(group(State.APPROVED, schedule=later(is_held=True)))
    assert "until somebody resumes it" in said(group(State.PAUSED))


def test_the_next_event_is_what_its_timers_are_armed_for() -> None:
    assert next_event(group(State.PENDING), NOW) == (Event.DAILY_START, NINE)
    assert next_event(group(State.RUNNING), NINE) == (Event.DAILY_END, NINE + timedelta(hours=9))
    assert next_event(group(State.PAUSED), NOW) == (Event.EXPIRE, END)
    assert next_event(group(State.DRAFT), NOW) is None


@pytest.mark.parametrize(
    ("days", "english", "korean"),
    [
        (None, "all day, every day", "매일 온종일"),
        (OFFICE.to_json(), "Mon–Fri 09:00–18:00 KST", "월–금 09:00–18:00 KST"),
        (
            {"mon": [["09:00", "12:00"], ["22:00", "02:00"]], "sat": [["00:00", "24:00"]], "sun": [["00:00", "24:00"]]},
            "Mon 09:00–12:00, 22:00–02:00 the next day; Sat, Sun all day KST",
            "월 09:00–12:00, 22:00–다음 날 02:00; 토·일 온종일 KST",
        ),
        (
            {key: [["18:00", "00:00"]] for key in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")},
            "every day 18:00–24:00 KST",
            "매일 18:00–24:00 KST",
        ),
    ],
)
def test_hours_are_said_in_words(days: Any, english: str, korean: str) -> None:
    dayparts = None if days is None else DayParts.from_json(days)

    assert describe_hours(dayparts, "Asia/Seoul", NOW) == (english, korean)


def test_a_guard_says_what_it_compared() -> None:
    def show(moment: datetime) -> str:
        return show_brief(moment, NOW, "Asia/Seoul", "en")

    begun = Refusal("has_begun", {"now": NOW, "start_at": NINE})
    allowed = Checked("may_do_it", False, {"right": "manage", "actor": "user:1"})

    assert tell_refusal(begun, "en", show) == "now 08:59 KST < start 09:00 KST"
    assert tell_refusal(begun, "ko", show) == "지금 08:59 KST < 시작 09:00 KST"
    assert tell_condition(allowed, "ko", show) == "관리 권한이 필요함"
    assert tell_condition(Checked("is_in_hours", False, {"now": NOW, "next_start_at": None}), "en", show).endswith("–")
    assert tell_condition(Checked("something_new", True, {}), "en", show) == "something new"
