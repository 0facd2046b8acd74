"""Dates and hours as people write them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pabal.apps.adgroups.cli.timing import Timed, read_end, read_hours, read_schedule
from pabal.apps.adgroups.errors import BadAdGroup, BadDayParts
from pabal.apps.adgroups.model.adgroups import Schedule

NOW = datetime(2026, 11, 18, 3, tzinfo=UTC)
DAY, EVENING = ["09:00", "18:00"], ["20:00", "02:00"]
WEEK = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("mon-fri 09:00-18:00", {key: [DAY] for key in WEEK[:5]}),
        ("월-금 09:00-18:00", {key: [DAY] for key in WEEK[:5]}),
        ("Monday,목요일 09:00-18:00, 20:00-02:00", {"mon": [DAY, EVENING], "thu": [DAY, EVENING]}),
        ("sat-mon 20:00-02:00", {key: [EVENING] for key in ("sat", "sun", "mon")}),
        ("매일 09:00-18:00; off 2026-12-25", {**{key: [DAY] for key in WEEK}, "off": ["2026-12-25"]}),
        ("daily 00:00-24:00", {key: [["00:00", "24:00"]] for key in WEEK}),
    ],
)
def test_hours_are_read(text: str, days: dict[str, list[list[str]]]) -> None:
    read = read_hours(text)

    assert read is not None
    assert read.to_json() == days


@pytest.mark.parametrize("text", ["always", "항상", ""])
def test_no_hours_are_all_hours(text: str) -> None:
    assert read_hours(text) is None


@pytest.mark.parametrize("text", ["mon", "09:00-18:00", "xyz 09:00-18:00", "mon 9-18", "mon 09:00", "off 2026-12-25"])
def test_hours_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(BadDayParts):
        read_hours(text)


def test_a_day_is_in_it_to_its_end_also_where_the_clock_is_put_back() -> None:
    berlin = ZoneInfo("Europe/Berlin")

    seoul_end = read_end("2026-12-31", NOW, ZoneInfo("Asia/Seoul"))
    long_day = read_end("2026-10-25", NOW, berlin)

    assert seoul_end == datetime(2026, 12, 31, 15, tzinfo=UTC)
    assert long_day == datetime(2026, 10, 25, 23, tzinfo=UTC)


def test_what_is_not_said_anew_stays() -> None:
    old = Schedule(NOW, NOW + timedelta(days=3), "UTC", read_hours("daily 09:00-18:00"))

    read = read_schedule(Timed(until="+5d"), NOW, old)

    assert read == Schedule(NOW, NOW + timedelta(days=5), "UTC", old.dayparts)


def test_a_new_one_needs_an_end() -> None:
    with pytest.raises(BadAdGroup):
        read_schedule(Timed(since="+1d"), NOW, None)
