"""The wait before the next attempt grows, has a ceiling, and moves a little by chance."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.engine.retry import Backoff, fixed

SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(("failures", "seconds"), [(1, 5), (2, 10), (3, 20), (4, 40), (11, 3600), (32000, 3600)])
def test_each_failure_doubles_the_wait_up_to_the_most(failures: int, seconds: int) -> None:
    assert Backoff().wait(failures, 0.5) == seconds * SECOND


@given(st.integers(1, 32000), st.floats(0, 1))
def test_chance_moves_the_wait_by_no_more_than_the_jitter(failures: int, chance: float) -> None:
    plain = Backoff(jitter=0.0).wait(failures, chance)

    wait = Backoff(jitter=0.1).wait(failures, chance)

    assert plain * 0.899 <= wait <= plain * 1.101


def test_two_chances_give_two_waits_so_that_a_crowd_does_not_come_back_together() -> None:
    assert Backoff().wait(3, 0.0) < Backoff().wait(3, 1.0)


@given(st.integers(1, 100), st.floats(0, 1))
def test_a_fixed_wait_is_always_the_same(failures: int, chance: float) -> None:
    assert fixed(7 * SECOND).wait(failures, chance) == 7 * SECOND
