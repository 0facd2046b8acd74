from datetime import timedelta

import pytest

from pabal.apps.rendering.model.polling import Intervals, Polling

SECONDS = timedelta(seconds=1)


def waits(*found: bool) -> list[float]:
    polling, seen = Polling(), []
    for one in found:
        polling = polling.after(found=one)
        seen.append(polling.wait(Intervals()) / SECONDS)
    return seen


@pytest.mark.req("B-04")
def test_a_slot_begins_with_ten_seconds():
    assert Polling().wait(Intervals()) == 10 * SECONDS


@pytest.mark.req("B-08", "B-27", "B-84")
def test_work_makes_it_five_and_the_tenth_empty_look_thirty():
    assert waits(True) == [5]
    assert waits(*[False] * 11) == [10] * 9 + [30, 30]
    assert waits(*[False] * 12, True, False) == [10] * 9 + [30] * 3 + [5, 10]
