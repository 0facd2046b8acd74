"""What is typed is kept as it was typed, and understood."""

from datetime import UTC, datetime
from typing import Any

import pytest

from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.apps.adgroups.pages.drafting import Draft, understand

NOW = datetime(2026, 11, 16, 1, 0, tzinfo=UTC)
FILLED = {"name": "여름 음료", "campaign_id": "3", "start_at": "2026-11-20T09:00", "end_at": "2026-12-20T09:00"}


def test_a_whole_form_is_an_ad_group_on_the_clock_of_its_zone() -> None:
    week = {"hours": "parts", "mon": "9-18", "fri": "09:30–12:00, 22:00~02:00", "off": "2026-12-25 2026-11-23"}

    understood = understand(Draft(**FILLED, **week))

    assert understood.faults == {}
    assert understood.new is not None
    schedule = understood.new.schedule
    assert schedule.start_at == datetime(2026, 11, 20, 0, 0, tzinfo=UTC)
    assert schedule.dayparts == DayParts.from_json(
        {
            "mon": [["09:00", "18:00"]],
            "fri": [["09:30", "12:00"], ["22:00", "02:00"]],
            "off": ["2026-11-23", "2026-12-25"],
        }
    )


@pytest.mark.parametrize(
    ("changed", "fields"),
    [
        ({"name": ""}, {"name"}),
        ({"name": "가" * 201}, {"name"}),
        ({"campaign_id": "nine"}, {"campaign_id"}),
        ({"zone": "Mars/Olympus"}, {"zone"}),
        ({"start_at": "tomorrow", "end_at": ""}, {"start_at", "end_at"}),
        ({"end_at": "2026-11-20T09:00"}, {"end_at"}),
        ({"end_at": "9999-01-01T00:00"}, {"end_at"}),
        ({"hours": "parts"}, {"hours"}),
        ({"hours": "parts", "mon": "9-18", "tue": "25:00-26:00"}, {"tue"}),
        ({"hours": "parts", "mon": "9:75-18", "sun": "night"}, {"mon", "sun"}),
        ({"hours": "parts", "mon": "9-18", "off": "Christmas"}, {"off"}),
    ],
)
def test_what_does_not_fit_is_said_at_its_field(changed: dict[str, Any], fields: set[str]) -> None:
    understood = understand(Draft(**{**FILLED, **changed}))

    assert understood.new is None
    assert set(understood.faults) == fields


def test_hours_survive_being_shown_and_read_again() -> None:
    dayparts = DayParts.from_json({"wed": [["09:00", "12:30"], ["20:00", "00:00"]], "off": ["2027-01-01"]})

    again = understand(Draft(**FILLED).with_hours(dayparts))

    assert again.dayparts == dayparts


def test_a_preset_fills_the_week_and_an_unknown_one_clears_it() -> None:
    weekdays = Draft(**FILLED, sun="10-12").with_preset("weekdays")

    assert (weekdays.hours, weekdays.mon, weekdays.fri, weekdays.sun) == ("parts", "09:00-18:00", "09:00-18:00", "")
    assert weekdays.with_preset("clear").mon == ""
    assert Draft.fresh(NOW).start_at == "2026-11-17T00:00"
