"""What an old row is here: every mapping of CE-05 and CE-12, every doubt, and every reason to leave it (E-85)."""

import pytest

from pabal.apps.adgroups.legacy.mapping import plan_row
from tests.apps.adgroups.actions.world import DAY, START
from tests.apps.adgroups.legacy.olds import (
    BEGUN,
    BY_DAY,
    BY_NIGHT,
    CONFIRMED,
    OVER,
    SEOUL,
    TO_COME,
    Old,
    an_old,
)

READY = {"ready_at": START - DAY}


@pytest.mark.req("E-85")
@pytest.mark.parametrize(
    ("old", "calculated", "state", "marks"),
    [
        (an_old(1, TO_COME), "DRAFT", "draft", []),
        (an_old(2, TO_COME, READY), "READY", "ready", []),
        (an_old(3, TO_COME, CONFIRMED), "READY_CONFIRM", "approved", []),
        (an_old(4, CONFIRMED), "RUNNING", "running", []),
        (an_old(5, CONFIRMED, BY_NIGHT), "RUNNING", "running", []),
        (an_old(6, CONFIRMED, BY_DAY), "RUNNING", "pending", []),
        (an_old(7), "RUNNING", "running", ["running_unconfirmed"]),
        (an_old(8, OVER, CONFIRMED), "EXPIRED", "expired", []),
        (an_old(9, CONFIRMED, end_at=START), "RUNNING", "expired", []),
        (an_old(10, CONFIRMED, deleted_at=START - DAY), "UNKNOWN", "deleted", []),
        (an_old(11, CONFIRMED, status="PENDING"), "RUNNING", "paused", ["was_paused"]),
        (an_old(12, CONFIRMED, TO_COME, status="pending"), "READY_CONFIRM", "paused", ["was_paused"]),
        (an_old(13, OVER, status="PENDING"), "EXPIRED", "expired", ["status_differs"]),
        (an_old(14, CONFIRMED, BY_DAY, status="RUNNING"), "RUNNING", "pending", []),
        (an_old(15, CONFIRMED, status="DRAFT"), "RUNNING", "running", ["status_differs"]),
        (an_old(16, CONFIRMED, creatives="https://a.example/1|3"), "RUNNING", "running", ["creatives_not_listed"]),
        (an_old(17, CONFIRMED, inventory="a|b c"), "RUNNING", "running", ["bad_inventory"]),
        (an_old(18, CONFIRMED, name="이" * 201), "RUNNING", "running", ["name_cut"]),
    ],
)
def test_an_old_row_has_its_state_here(old: Old, calculated: str, state: str, marks: list[str]):
    planned = plan_row(1, shown(old), START)

    assert (planned.calculated, planned.state, planned.marks, planned.refusal) == (calculated, state, marks, None)


@pytest.mark.parametrize(
    ("old", "refusal"),
    [
        (an_old("", id=" "), "no_id"),
        (an_old(1, campaign=None), "no_campaign"),
        (an_old(1, end_at=""), "no_dates"),
        (an_old(1, start_at=None), "no_dates"),
        (an_old(1, start_at=START, end_at=START), "end_before_start"),
        (an_old(1, start_at="last week"), "bad_moment"),
        (an_old(1, end_at="9999-12-31 23:59:59", zone="America/New_York"), "bad_moment"),
        (an_old(1, daily_start_time="25:00", daily_end_time="03:00"), "bad_hours"),
        (an_old(1, zone="Seoul"), "bad_zone"),
        (an_old(1, zone="Seoul", start_at="2035-01-01T00:00:00Z", end_at="2036-01-01T00:00:00Z"), "bad_zone"),
    ],
)
def test_what_cannot_be_kept_says_why(old: Old, refusal: str):
    planned = plan_row(1, shown(old), START)

    assert (planned.refusal, planned.state, planned.old) == (refusal, None, None)


def test_moments_are_of_the_rows_zone_unless_they_say_otherwise():
    """02:30 does not exist in Berlin on that night, and twice on the other: as the engine's recurrences have it."""
    times = [
        ("2035-06-04 08:00:00", "Asia/Seoul", "2035-06-03T23:00:00+00:00"),
        ("2035-06-04T08:00:00+01:00", "Asia/Seoul", "2035-06-04T07:00:00+00:00"),
        ("2035-03-25 02:30:00", "Europe/Berlin", "2035-03-25T01:00:00+00:00"),
        ("2035-10-28 02:30:00", "Europe/Berlin", "2035-10-28T00:30:00+00:00"),
    ]

    for text, zone, instant in times:
        planned = plan_row(1, an_old(1, end_at="2036-01-01", start_at=text, zone=zone), START)
        assert planned.old is not None, text
        assert planned.old.dates.start_at is not None
        assert planned.old.dates.start_at.isoformat() == instant


def test_hours_of_one_bound_reach_to_midnight():
    for start, end, spans in [("09:00", None, ["09:00", "00:00"]), (None, "24:00", ["00:00", "00:00"])]:
        planned = plan_row(1, shown(an_old(1, BEGUN, daily_start_time=start, daily_end_time=end)), START)

        assert planned.old is not None
        assert f'"mon": [["{spans[0]}", "{spans[1]}"]]' in str(planned.old.dayparts)


def shown(old: Old) -> dict[str, object]:
    return {
        name: f"{value + SEOUL:%Y-%m-%d %H:%M:%S}" if hasattr(value, "hour") else value for name, value in old.items()
    }
