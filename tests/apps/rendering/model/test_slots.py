from datetime import UTC, datetime

import pytest

from pabal.apps.rendering.model.slots import BadHours, read_hours
from pabal.apps.rendering.startup import slot_uuid, worker_uuid

# a Tuesday, 10:20 in Seoul
TUESDAY = datetime(2026, 11, 17, 1, 20, tzinfo=UTC)


def hours(days: list[int], begins: str, ends: str) -> dict[str, object]:
    return {"days": days, "begins": begins, "ends": ends, "zone": "Asia/Seoul"}


def test_hours_hold_on_their_days_and_times():
    assert read_hours(hours([2], "09:00", "18:00")).hold(TUESDAY)
    assert not read_hours(hours([1, 3], "09:00", "18:00")).hold(TUESDAY)
    assert not read_hours(hours([2], "10:21", "18:00")).hold(TUESDAY)


def test_hours_over_midnight_belong_to_the_day_they_begin_on():
    late = read_hours(hours([1], "22:00", "11:00"))

    assert late.hold(TUESDAY)
    assert not late.hold(TUESDAY.replace(hour=2, minute=0))
    assert late.to_json() == hours([1], "22:00", "11:00")


@pytest.mark.parametrize(
    "bad",
    [{}, hours([], "09:00", "18:00"), hours([8], "09:00", "18:00"), hours([1], "09:00", "09:00"), hours([1], "9", "x")],
)
def test_what_is_no_hours_is_refused(bad: dict[str, object]):
    with pytest.raises(BadHours):
        read_hours(bad)


@pytest.mark.req("B-28", "B-91")
def test_each_slot_has_a_uuid_of_its_own_made_of_its_worker_and_number():
    given = "8e1d3f6c-52f8-4b0e-9b44-0a8b6d1f6f11"

    assert str(worker_uuid(given)) == given
    assert slot_uuid(given, 1) == slot_uuid(given, 1)
    assert (
        len({slot_uuid(given, 1), slot_uuid(given, 2), slot_uuid("render-pc-1", 1), slot_uuid("render-pc-2", 1)}) == 4
    )
