"""Ad groups as the machine sees them, without a database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from pabal.apps.adgroups.machine import Subject
from pabal.apps.adgroups.model.adgroups import Schedule
from pabal.apps.adgroups.model.dayparts import DayParts

# a Wednesday, noon in Seoul
NOON = datetime(2026, 11, 18, 3, tzinfo=UTC)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
BY_DAY = DayParts.from_json({day: [["09:00", "18:00"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")})
BY_NIGHT = DayParts.from_json({day: [["18:00", "09:00"]] for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")})
# begun yesterday, ends in a week
SCHEDULE = Schedule(NOON - DAY, NOON + 7 * DAY)


def a_group(state: str, schedule: Schedule = SCHEDULE, **changes: Any) -> Subject:
    """All that guards ask for is there."""
    return replace(Subject(1, 1, state, 1, schedule, 1, 1, "open", None, False), **changes)
