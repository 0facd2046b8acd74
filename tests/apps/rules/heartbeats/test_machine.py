"""Every move of a heartbeat, and every one that there is not."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from pabal.apps.rules.heartbeats.machine import HEARTBEAT, HeartbeatEvent, while_late, while_up
from pabal.apps.rules.heartbeats.model import Heartbeat, HeartbeatState

TEN = datetime(2026, 11, 17, 1, 0, tzinfo=UTC)
MINUTE = timedelta(minutes=1)
MOVES = {
    ("new", "succeed"): "up",
    ("late", "succeed"): "up",
    ("down", "succeed"): "up",
    ("new", "fail"): "down",
    ("up", "fail"): "down",
    ("late", "fail"): "down",
    ("up", "run_late"): "late",
    ("up", "miss"): "down",
    ("late", "miss"): "down",
    ("new", "pause"): "paused",
    ("up", "pause"): "paused",
    ("late", "pause"): "paused",
    ("down", "pause"): "paused",
    ("paused", "resume"): "new",
}


def heartbeat(*, started_at: datetime | None = None, grace: timedelta = 10 * MINUTE) -> Heartbeat:
    seconds = int(grace.total_seconds())
    return Heartbeat(
        id=1,
        unit_id=1,
        key=uuid4(),
        name="백업",
        cron="0 10 * * *",
        every_seconds=None,
        zone="Asia/Seoul",
        grace_seconds=seconds,
        state="up",
        version=2,
        reported_at=TEN - timedelta(days=1),
        started_at=started_at,
        due_at=TEN,
        created_at=TEN - timedelta(days=9),
    )


@pytest.mark.parametrize("state", list(HeartbeatState))
@pytest.mark.parametrize("event", list(HeartbeatEvent))
def test_a_move_is_there_or_it_is_not(state: HeartbeatState, event: HeartbeatEvent):
    found = HEARTBEAT.find_move(state, event)

    assert (None if found is None else found.target) == MOVES.get((str(state), str(event)))


def test_up_it_is_late_a_minute_after_it_was_due():
    assert while_up.function(heartbeat(), TEN) == {"run_late": TEN + MINUTE, "miss": None}
    assert while_up.function(heartbeat(grace=MINUTE), TEN)["run_late"] == TEN + MINUTE / 2


def test_one_that_began_is_missed_when_its_grace_time_is_over():
    began = TEN - 2 * MINUTE

    assert while_up.function(heartbeat(started_at=began), TEN)["miss"] == began + 10 * MINUTE
    assert while_late.function(heartbeat(started_at=began), TEN) == {"miss": began + 10 * MINUTE}


def test_late_it_is_missed_its_grace_time_after_it_was_due():
    assert while_late.function(heartbeat(), TEN) == {"miss": TEN + 10 * MINUTE}
