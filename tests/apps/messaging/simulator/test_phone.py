"""The script's own rules about time and dialect."""

import pytest

from pabal.apps.messaging.simulator.phone import Phone, backoff_seconds, media_seconds
from pabal.apps.messaging.simulator.witness import Dialect

MB = 1024 * 1024


@pytest.mark.parametrize(
    ("sizes", "given_ms", "seconds"),
    [
        ([MB], 8000, 9.2),
        ([100], 0, 5.2),
        ([2 * MB], 0, 6.7),
        ([9 * MB], 0, 7.2),
        ([100, 100], 0, 4.2),
        ([MB, MB, MB], 0, 9.3),
        ([9 * MB, 9 * MB], 0, 16.2),
    ],
)
def test_it_sleeps_over_media_as_told_or_by_its_own_rule(sizes: list[int], given_ms: int, seconds: float) -> None:
    assert media_seconds(sizes, given_ms) == pytest.approx(seconds)


def test_it_waits_longer_after_each_failure_up_to_a_minute() -> None:
    assert [backoff_seconds(failures) for failures in (1, 2, 3, 4, 5, 99)] == [4, 8, 16, 32, 60, 60]


@pytest.mark.parametrize(
    ("version", "dialect"),
    [("3.3.3", "3.3"), ("3.10", "3.3"), ("4.0", "3.3"), ("3.2.9", "3.2"), ("2.9", "3.2"), ("?", "3.2")],
)
def test_the_version_decides_the_dialect(version: str, dialect: str) -> None:
    assert Phone("bot", "device", version=version).dialect is Dialect(dialect)
