from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.rendering.model.estimates import (
    STAGES,
    WITHOUT_HISTORY,
    Past,
    QueueMember,
    expected,
    judge_on_air,
    queue_eta,
    remaining,
)

NOW = datetime(2026, 7, 3, 9, 0, tzinfo=UTC)


def past(rendering: float, **others: Any) -> Past:
    return Past({"preparing": 1, "rendering": rendering, "encoding": 30, "uploading": 9, **others})


def at(seconds: float) -> datetime:
    return NOW + timedelta(seconds=seconds)


def test_without_history_the_seeds_numbers_are_expected():
    estimate = expected([])

    assert estimate.seconds == WITHOUT_HISTORY
    assert (estimate.total, estimate.samples) == (129, 0)
    assert estimate.margin == 129


def test_one_render_that_hung_does_not_move_what_is_expected():
    usual = [past(100), past(98), past(102), past(101), past(99)]

    estimate = expected([*usual, past(1_800, uploading=600)])

    assert 99 <= estimate.seconds["rendering"] <= 102
    assert estimate.seconds["uploading"] == 9
    assert estimate.margin < 30


def test_only_the_last_twenty_count_so_a_changed_template_is_learnt():
    estimate = expected([past(20)] * 20 + [past(200)] * 500)

    assert (estimate.seconds["rendering"], estimate.samples) == (20, 20)


def test_a_resumed_render_tells_only_of_the_stages_it_went_through():
    estimate = expected([Past({"uploading": 5}), past(100)])

    assert (estimate.seconds["rendering"], estimate.seconds["uploading"]) == (100, 7)


def test_what_remains_shrinks_with_time_and_follows_the_progress():
    estimate = expected([past(100)])

    assert remaining(estimate, "preparing", 0) == 140
    assert remaining(estimate, "rendering", 40) == 60 + 39
    assert remaining(estimate, "uploading", 4) == 5
    # half way after 80 s: another 80 s by progress, 20 s by history
    assert remaining(estimate, "rendering", 80, progress=50) == 50 + 39
    assert remaining(estimate, "rendering", 500) == 10 + 39


@given(st.sampled_from(STAGES), st.floats(0, 5_000), st.integers(0, 100))
def test_something_always_remains_and_never_less_than_the_stages_ahead(stage: Any, spent: float, progress: int):
    estimate = expected([past(100)])
    ahead = sum(estimate.seconds[one] for one in STAGES[STAGES.index(stage) + 1 :])

    assert remaining(estimate, stage, spent, progress) >= ahead


def test_a_queue_over_two_slots_ends_when_its_turns_come():
    waiting = [QueueMember(1, 60), QueueMember(2, 10), QueueMember(3, 30)]

    etas = queue_eta(waiting, [20, 50], slots=2, now=NOW)

    assert [(eta.id, eta.starts_at, eta.ends_at) for eta in etas] == [
        (1, at(20), at(80)),
        (2, at(50), at(60)),
        (3, at(60), at(90)),
    ]


def test_a_slot_that_was_taken_away_makes_no_room():
    [eta] = queue_eta([QueueMember(1, 5)], [10, 20, 30], slots=1, now=NOW)

    assert eta.starts_at == at(30)


def test_without_a_slot_nothing_is_foretold():
    assert queue_eta([QueueMember(1, 5)], [10], slots=0, now=NOW) == []


TIMES = st.lists(st.floats(0, 1_000), max_size=12)


@given(waiting=TIMES, running=TIMES, slots=st.integers(1, 6))
def test_turns_keep_their_order_never_overlap_more_than_the_slots_and_more_slots_are_never_later(
    waiting: list[float], running: list[float], slots: int
):
    members = [QueueMember(n, seconds) for n, seconds in enumerate(waiting)]

    etas = queue_eta(members, running, slots=slots, now=NOW)
    wider = queue_eta(members, running, slots=slots + 1, now=NOW)

    assert [eta.starts_at for eta in etas] == sorted(eta.starts_at for eta in etas)
    assert all(more.starts_at <= less.starts_at for more, less in zip(wider, etas, strict=True))
    for eta in etas:
        assert sum(one.starts_at <= eta.starts_at < one.ends_at for one in etas) <= slots


@pytest.mark.parametrize(
    ("needed", "verdict"), [(200, "safe"), (130, "safe"), (129, "tight"), (100, "tight"), (99, "missed")]
)
def test_an_on_air_moment_is_safe_tight_or_missed(needed: float, verdict: str):
    assert judge_on_air(at(100), at(needed), margin=30) == verdict
