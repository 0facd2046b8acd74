"""Moments as people write them."""

from datetime import UTC, datetime, timedelta

import pytest

from pabal.platform.commands.moments import BadMoment, read_moment

NOW = datetime(2026, 7, 3, 3, 4, 5, tzinfo=UTC)


def local(day: int, hour: int = 0, minute: int = 0) -> datetime:
    """On this machine's wall clock."""
    return datetime(2026, 7, day, hour, minute).astimezone()


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("+2h", NOW + timedelta(hours=2)),
        ("-30m", NOW - timedelta(minutes=30)),
        ("내일 09:00", local(NOW.astimezone().day + 1, 9)),
        ("어제", local(NOW.astimezone().day - 1)),
        ("today 18:30", local(NOW.astimezone().day, 18, 30)),
        ("7:05", local(NOW.astimezone().day, 7, 5)),
        ("2026-07-01", local(1)),
        ("2026-07-01T09:00+09:00", datetime(2026, 7, 1, 0, 0, tzinfo=UTC)),
        ("2026-07-01T00:00:00Z", datetime(2026, 7, 1, 0, 0, tzinfo=UTC)),
    ],
)
def test_a_moment_is_read_as_it_is_meant(text: str, moment: datetime) -> None:
    assert read_moment(text, NOW) == moment


@pytest.mark.parametrize("text", ["", "soon", "2h", "25:00", "내일 아침", "+9999999999d", "2026-13-01", "+"])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadMoment):
        read_moment(text, NOW)
