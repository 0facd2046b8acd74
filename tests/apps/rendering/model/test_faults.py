from datetime import UTC, datetime, timedelta

import pytest

from pabal.apps.rendering.model.faults import Clocks, Ladder
from pabal.apps.rendering.model.renders import Reason

SECONDS = timedelta(seconds=1)
NOW = datetime(2026, 11, 17, tzinfo=UTC)
CLOCKS = Clocks(1800 * SECONDS, 600 * SECONDS)


@pytest.mark.req("B-76")
def test_nexrender_is_tried_again_after_one_two_and_four_minutes():
    ladder = Ladder(60 * SECONDS, 3, factor=2)

    assert [ladder.wait(count) for count in (1, 2, 3, 4)] == [60 * SECONDS, 120 * SECONDS, 240 * SECONDS, None]


@pytest.mark.req("B-74")
def test_the_nas_is_tried_again_every_thirty_seconds():
    ladder = Ladder(30 * SECONDS, 3)

    assert [ladder.wait(count) for count in (1, 2, 3, 4)] == [30 * SECONDS] * 3 + [None]


@pytest.mark.req("B-50", "B-72")
def test_both_clocks_begin_when_nexrender_has_started():
    assert CLOCKS.judge(NOW, None, None) is None
    assert CLOCKS.judge(NOW, NOW - 1799 * SECONDS, NOW) is None
    assert CLOCKS.judge(NOW, NOW - 1800 * SECONDS, NOW) is Reason.RENDER_TIMEOUT
    assert CLOCKS.judge(NOW, NOW - 700 * SECONDS, NOW - 599 * SECONDS) is None
    assert CLOCKS.judge(NOW, NOW - 700 * SECONDS, NOW - 600 * SECONDS) is Reason.STALLED


def test_progress_from_before_the_start_counts_from_the_start():
    assert CLOCKS.judge(NOW, NOW - 10 * SECONDS, NOW - 900 * SECONDS) is None
