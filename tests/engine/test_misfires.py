"""What becomes of moments that are due: a function of values, one rule at a time."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.engine.misfires import LONGEST_LIST, Decision, Misfire, Overlap, Policy, decide, shorten, withhold

NOW = datetime(2035, 6, 4, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def ago(*minutes: float) -> list[datetime]:
    return [NOW - minute * MINUTE for minute in minutes]


def told(decisions: list[Decision]) -> list[str]:
    return [f"{one.verdict} {one.reason}" for one in decisions]


@pytest.mark.parametrize("misfire", list(Misfire))
def test_a_moment_up_to_thirty_seconds_ago_is_on_time_whatever_the_policy(misfire: Misfire):
    policy = Policy(misfire, window=timedelta(seconds=1), most=1)

    assert told(decide(ago(0.5, 0), NOW, policy)) == ["enqueued on_time", "enqueued on_time"]


def test_skip_leaves_out_what_is_late():
    assert told(decide(ago(2, 1, 0.2), NOW, Policy(Misfire.SKIP))) == [
        "skipped late",
        "skipped late",
        "enqueued on_time",
    ]


def test_latest_runs_the_newest_late_one_for_all_of_them():
    decisions = decide(ago(3, 2, 1), NOW, Policy())

    assert told(decisions) == ["coalesced late", "coalesced late", "enqueued late"]
    assert [one.into_at for one in decisions] == [NOW - MINUTE, NOW - MINUTE, None]


def test_latest_runs_no_late_one_when_a_newer_one_is_on_time():
    decisions = decide(ago(2, 1, 0.1), NOW, Policy())

    assert told(decisions) == ["coalesced late", "coalesced late", "enqueued on_time"]
    assert decisions[0].into_at == NOW - 0.1 * MINUTE


def test_all_runs_the_newest_n_late_ones_beside_those_on_time():
    decisions = decide(ago(4, 3, 2, 0.1), NOW, Policy(Misfire.ALL, window=None, most=2))

    assert told(decisions) == ["skipped misfire_max", "enqueued late", "enqueued late", "enqueued on_time"]


@pytest.mark.parametrize(
    ("misfire", "expected"),
    [(Misfire.SKIP, "skipped late"), (Misfire.LATEST, "enqueued late"), (Misfire.ALL, "enqueued late")],
)
def test_what_is_older_than_the_window_is_skipped_whatever_the_policy(misfire: Misfire, expected: str):
    decisions = decide(ago(60, 6, 5), NOW, Policy(misfire, window=5 * MINUTE, most=10))

    assert told(decisions) == ["skipped misfire_window", "skipped misfire_window", expected]


def test_what_would_be_expired_on_arrival_is_not_enqueued():
    decisions = decide(ago(20, 10, 9), NOW, Policy(Misfire.ALL, window=15 * MINUTE, most=10, expires_after=10 * MINUTE))

    assert told(decisions) == ["skipped misfire_window", "skipped expired", "enqueued late"]


def test_overlap_skip_lets_one_run_and_skips_those_due_with_it():
    policy = Policy(Misfire.ALL, most=3, overlap=Overlap.SKIP)

    assert told(decide(ago(3, 2, 0), NOW, policy)) == ["enqueued late", "skipped overlap", "skipped overlap"]


def test_overlap_skip_lets_none_run_while_an_earlier_job_is_open():
    policy = Policy(overlap=Overlap.SKIP)

    assert told(decide(ago(2, 1), NOW, policy, has_open=True)) == ["coalesced late", "skipped overlap"]


def test_of_those_due_together_only_the_newest_replaces_the_run_before():
    policy = Policy(Misfire.ALL, most=3, overlap=Overlap.CANCEL_PREVIOUS)

    decisions = decide(ago(3, 2, 0), NOW, policy, has_open=True)

    assert told(decisions) == ["coalesced overlap", "coalesced overlap", "enqueued on_time"]
    assert [one.into_at for one in decisions] == [NOW, NOW, None]


@pytest.mark.parametrize("overlap", [Overlap.ALLOW, Overlap.QUEUE, Overlap.CANCEL_PREVIOUS])
def test_other_overlap_policies_do_not_ask_what_is_open(overlap: Overlap):
    assert told(decide(ago(0), NOW, Policy(overlap=overlap), has_open=True)) == ["enqueued on_time"]


def test_withheld_moments_are_skipped_with_the_reason():
    assert withhold(ago(2, 0), "paused") == [Decision(moment, "skipped", "paused") for moment in ago(2, 0)]


@given(
    misfire=st.sampled_from(Misfire),
    window=st.none() | st.integers(1, 200).map(lambda minutes: minutes * MINUTE),
    most=st.integers(1, 5),
    ages=st.sets(st.integers(0, 300), min_size=1, max_size=40).map(lambda found: sorted(found, reverse=True)),
    look=st.integers(6, 20),
)
def test_looking_at_some_at_a_time_decides_as_looking_at_all(
    misfire: Misfire, window: timedelta | None, most: int, ages: list[int], look: int
):
    policy, due = Policy(misfire, window, most), ago(*ages)
    decided: list[Decision] = []

    while len(decided) < len(due):
        left = due[len(decided) :]
        decided += decide(left[:look], NOW, policy, has_more=len(left) > look)

    assert [one[:3] for one in decided] == [one[:3] for one in decide(due, NOW, policy)]


def test_a_thousand_alike_stay_single_and_one_more_makes_them_a_run():
    many = [NOW - number * MINUTE for number in range(LONGEST_LIST + 1, 0, -1)]

    assert list(shorten(withhold(many[1:], "paused"))) == withhold(many[1:], "paused")
    assert list(shorten(withhold(many, "paused"))) == [
        Decision(many[0], "skipped", "paused", through=many[-1], number=LONGEST_LIST + 1)
    ]


def test_a_run_ends_where_the_decision_changes_and_at_a_moment_apart():
    first = [NOW - number * MINUTE for number in range(9000, 6000, -1)]
    second = [NOW - number * MINUTE for number in range(5999, 3000, -1)]
    third = [NOW - number * MINUTE for number in range(3000, 0, -1)]

    runs = list(shorten(withhold(first + second, "a") + withhold(third, "b"), apart=[NOW - 6000 * MINUTE]))

    assert [(one.fire_at, one.through, one.number) for one in runs] == [
        (first[0], first[-1], 3000),
        (second[0], second[-1], 2999),
        (third[0], third[-1], 3000),
    ]


def test_what_is_enqueued_is_never_hidden_in_a_run():
    many = [Decision(NOW + number * MINUTE, "enqueued", "late") for number in range(LONGEST_LIST + 1)]

    assert list(shorten(many)) == many
