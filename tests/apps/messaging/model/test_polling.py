"""How long the scheduler rests by the hour: the seed's busy, quiet and other hours (CA-03, CA-19)."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from pabal.apps.messaging import settings
from pabal.apps.messaging.errors import BadHours
from pabal.apps.messaging.model.polling import Polling, parse_ranges

SEOUL = ZoneInfo("Asia/Seoul")
POLLING = Polling(
    settings.POLL_BASE.default,
    settings.POLL_BUSY.default,
    settings.POLL_IDLE.default,
    parse_ranges(settings.BUSY_HOURS.default),
    parse_ranges(settings.IDLE_HOURS.default),
)


@pytest.mark.req("A-31", "A-188", "A-189")
@pytest.mark.parametrize(
    ("wall", "seconds"),
    [
        ("00:00", 120),
        ("06:59", 120),
        ("07:00", 60),
        ("08:59", 60),
        ("09:00", 30),
        ("12:59", 30),
        ("13:00", 60),
        ("17:59", 60),
        ("18:00", 30),
        ("21:59", 30),
        ("22:00", 60),
        ("23:59", 60),
    ],
)
def test_the_hour_decides_how_long_the_scheduler_rests(wall: str, seconds: int) -> None:
    at = datetime.fromisoformat(f"2026-11-16T{wall}").replace(tzinfo=SEOUL)

    assert POLLING.interval(at) == timedelta(seconds=seconds)


def test_a_range_may_go_over_midnight_and_both_ends_count() -> None:
    polling = Polling(timedelta(1), timedelta(2), timedelta(3), parse_ranges("22:30-01:15"), ())

    at = {wall: polling.interval(datetime.fromisoformat(f"2026-11-16T{wall}+09:00")) for wall in HOURS}

    assert [wall for wall, rest in at.items() if rest == timedelta(2)] == ["22:30", "00:00", "01:15"]


@pytest.mark.parametrize(
    "text", ["9-12", "09:00", "24:00-25:00", "09:60-10:00", "가:나-다:라", "09:00-12:59;18:00-21:59"]
)
def test_hours_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(BadHours):
        parse_ranges(text)


HOURS = ("22:29", "22:30", "00:00", "01:15", "01:16")
