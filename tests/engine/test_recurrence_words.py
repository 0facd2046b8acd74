"""What people read of a recurrence: its sentence, its warnings, its preview."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from pabal.engine import recurrence as r
from pabal.engine.recurrence import Cron, Daily, Interval, Once, Timing, Weekday, Weekly, Window

SEOUL, NEW_YORK = "Asia/Seoul", "America/New_York"
DAY = timedelta(days=1)
NINE = (time(9),)


@pytest.mark.parametrize(
    ("recurrence", "english", "korean"),
    [
        (Once(datetime(2025, 3, 1, 0, 30, tzinfo=UTC)), "Once on 2025-03-01 at 09:30", "2025-03-01 09:30 한 번"),
        (Daily((time(9), time(12), time(18))), "Every day at 09:00, 12:00 and 18:00", "매일 09:00, 12:00, 18:00"),
        (Weekly((Weekday.MON, Weekday.FRI), NINE), "Every Monday and Friday at 09:00", "매주 월·금 09:00"),
        (Weekly(tuple(Weekday)[:5], NINE), "Every Monday to Friday at 09:00", "매주 월~금 09:00"),
        (Weekly(tuple(Weekday), NINE), "Every day at 09:00", "매일 09:00"),
        (Cron("* * * * *"), "Every minute", "매분"),
        (Cron("*/15 * * * *"), "Every 15 minutes", "15분마다"),
        (Cron("5 * * * *"), "Every hour at minute 5", "매시 5분"),
        (Cron("0 */6 * * *"), "Every 6 hours at minute 0", "6시간마다 0분"),
        (Cron("30 9,18 * * *"), "Every day at 09:30 and 18:30", "매일 09:30, 18:30"),
        (Cron("0 9 * * 1-5"), "Every Monday to Friday at 09:00", "매주 월~금 09:00"),
        (Cron("0 9 * * sun,3"), "Every Wednesday and Sunday at 09:00", "매주 수·일 09:00"),
        (Cron("0 9 1 * *"), "Every month on day 1 at 09:00", "매월 1일 09:00"),
        (Cron("0 9 L * *"), "Every month on the last day at 09:00", "매월 말일 09:00"),
        (Cron("0 9 25 DEC *"), "Every year on December 25 at 09:00", "매년 12월 25일 09:00"),
        (Cron("*/5 9-17 * * *"), "Every 5 minutes from 09:00 to 17:59", "09:00~17:59 5분마다"),
        (Cron("* 9 * * 1-5"), "Every minute from 09:00 to 09:59, Monday to Friday", "매주 월~금 09:00~09:59 매분"),
        (Cron("0 * * * 1-5"), "Every hour at minute 0, Monday to Friday", "매주 월~금 매시 0분"),
        (Cron("*/5 0-5,23 * * *"), "Every 5 minutes from 23:00 to 05:59", "23:00~05:59 5분마다"),
        (
            Cron("*/5 23,0-5 * * 1-5"),
            "Every 5 minutes from 00:00 to 05:59 and from 23:00 to 23:59, Monday to Friday",
            "매주 월~금 00:00~05:59, 23:00~23:59 5분마다",
        ),
        (Cron("*/7 * * * *"), "*/7 * * * *", "*/7 * * * *"),
        (Cron("*/5 9-17 1 * *"), "*/5 9-17 1 * *", "*/5 9-17 1 * *"),
        (Cron("0 9 1-7 * MON"), "0 9 1-7 * MON", "0 9 1-7 * MON"),
        (Cron("0 9 * * MON#1"), "0 9 * * MON#1", "0 9 * * MON#1"),
        (
            Interval(timedelta(minutes=90), datetime(2025, 1, 1, tzinfo=UTC)),
            "Every 90 minutes from 2025-01-01 09:00",
            "2025-01-01 09:00부터 90분마다",
        ),
        (
            Interval(DAY, datetime(2025, 1, 1, tzinfo=UTC)),
            "Every 24 hours from 2025-01-01 09:00",
            "2025-01-01 09:00부터 24시간마다",
        ),
    ],
)
def test_a_timing_reads_as_a_sentence(recurrence: r.Recurrence, english: str, korean: str) -> None:
    timing = Timing(recurrence, SEOUL)

    assert r.describe(timing, "en") == f"{english} (Asia/Seoul)"
    assert r.describe(timing, "ko") == f"{korean} (Asia/Seoul)"


@pytest.mark.parametrize(
    ("expression", "codes"),
    [
        ("* 9 * * *", ["every_minute_of_an_hour"]),
        ("*/1 9-17 * * *", ["every_minute_of_an_hour"]),
        ("0 9 1 * MON", ["either_day_matches"]),
        ("0 9 */2 * MON", ["both_days_must_match"]),
        ("0 9 31 * *", ["months_skipped"]),
        ("0 9 15,30 * *", ["months_skipped"]),
        ("0 9 29 2 *", ["months_skipped"]),
        ("0 9 31 JAN,DEC *", []),
        ("*/7 * * * *", ["uneven_step"]),
        ("0 */5 * * *", ["uneven_step"]),
        ("* * * * *", []),
        ("0 9 L * *", []),
        ("0 9 * * MON-FRI", []),
    ],
)
def test_an_odd_cron_expression_is_pointed_out(expression: str, codes: list[str]) -> None:
    assert [warning.code for warning in r.cron_warnings(expression)] == codes


def test_a_preview_says_why_each_one_left_out_will_not_fire() -> None:
    first = datetime(2025, 6, 2, 9, tzinfo=UTC)
    timing = Timing(Daily(NINE), "UTC", Window(first + DAY, first + 4 * DAY))

    rows = r.preview(timing, first - DAY, 10, skipped=[(first + 2 * DAY).astimezone(ZoneInfo(SEOUL))])

    assert [(row.moment - first) // DAY for row in rows] == list(range(9))
    assert [row.excluded for row in rows] == ["not_yet_valid", None, "skipped", None, *["no_longer_valid"] * 5]


def test_a_preview_stops_at_the_count_that_fires() -> None:
    first = datetime(2025, 6, 2, 9, tzinfo=UTC)

    rows = r.preview(Timing(Daily(NINE), "UTC"), first - DAY, 3, skipped=[first, first + 2 * DAY])

    assert [row.excluded for row in rows] == ["skipped", None, "skipped", None, None]


def test_a_paused_preview_shows_what_would_have_fired() -> None:
    rows = r.preview(Timing(Daily(NINE), "UTC"), datetime(2025, 6, 2, tzinfo=UTC), 3, paused=True)

    assert [row.excluded for row in rows] == ["paused"] * 3


def test_a_preview_of_a_far_validity_shows_a_few_before_it_and_then_those_inside() -> None:
    begin = datetime(2030, 1, 1, tzinfo=UTC)
    timing = Timing(Cron("* * * * *"), SEOUL, Window(begin))

    rows = r.preview(timing, datetime(2025, 1, 1, tzinfo=UTC), 2)

    assert [row.excluded for row in rows] == ["not_yet_valid"] * 5 + [None, None]
    assert rows[5].moment == begin


def test_a_preview_stays_short_when_everything_is_left_out() -> None:
    first = datetime(2025, 6, 2, 9, tzinfo=UTC)

    rows = r.preview(Timing(Daily(NINE), "UTC"), first - DAY, 3, skipped=[first + DAY * n for n in range(500)])

    assert len(rows) == 50


def test_a_preview_shows_the_wall_time_that_a_gap_swallowed() -> None:
    half_past_two, gap_end = datetime.combine(date(2025, 3, 9), time(2, 30)), datetime(2025, 3, 9, 7, tzinfo=UTC)
    before = datetime(2025, 3, 9, 1, tzinfo=UTC)

    def upcoming(gap: r.Gap) -> r.Upcoming:
        return r.preview(Timing(Daily((time(2, 30),)), NEW_YORK, gap=gap), before, 1)[0]

    assert upcoming("skip") == r.Upcoming(gap_end, half_past_two, excluded="dst_gap")
    assert upcoming("shift") == r.Upcoming(gap_end, half_past_two, note="dst_shifted")


def test_a_preview_shows_one_row_for_what_shifts_onto_one_instant() -> None:
    timing = Timing(Daily((time(2), time(2, 30), time(3))), NEW_YORK)

    rows = r.preview(timing, datetime(2025, 3, 9, 1, tzinfo=UTC), 2)

    assert [row.moment for row in rows] == [datetime(2025, 3, 9, 7, tzinfo=UTC), datetime(2025, 3, 10, 6, tzinfo=UTC)]


def test_a_preview_notes_both_passes_of_a_fold() -> None:
    timing = Timing(Daily((time(1, 30),)), NEW_YORK, fold="both")

    rows = r.preview(timing, datetime(2025, 11, 2, 1, tzinfo=UTC), 3)

    assert [row.note for row in rows] == ["dst_first", "dst_second", None]


def test_a_preview_of_an_hourly_cron_loses_nothing_in_a_gap_but_one_of_fixed_hours_does() -> None:
    before = datetime(2025, 3, 9, 1, tzinfo=UTC)

    hourly = r.preview(Timing(Cron("0 * * * *"), NEW_YORK), before, 10)
    quarters = r.preview(Timing(Cron("*/15 2 * * *"), NEW_YORK), before, 1)

    assert {row.excluded for row in hourly} == {None}
    assert [row.excluded for row in quarters] == ["dst_gap"] * 4 + [None]
