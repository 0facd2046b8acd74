"""A condition must hold, or be gone, for the whole duration, without a gap in what is known."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from pabal.platform.alerts.hysteresis import Judged, Judgement, Sample, judge
from pabal.platform.alerts.model import Limit

NOW = datetime(2026, 7, 3, tzinfo=UTC)
GAP = timedelta(seconds=60)
EVERY = timedelta(seconds=15)
LIMIT = Limit("above", 10, timedelta(minutes=5))


def backwards(steps: list[tuple[int, float]]) -> list[Sample]:
    """Each sample so many seconds before the one after it, the last so many before now."""
    ago = list(accumulate(seconds for seconds, _ in steps))
    return [Sample(NOW - timedelta(seconds=s), value) for s, (_, value) in zip(ago, steps, strict=True)][::-1]


# mostly of one mind and without gaps, so that runs as long as the durations are common
samples = st.lists(
    st.tuples(st.sampled_from([5, 15, 15, 15, 15, 30, 60, 61]), st.sampled_from([15.0] * 8 + [5.0, 10.0])), max_size=60
).map(backwards)
limits = st.builds(
    Limit, st.sampled_from(["above", "below"]), st.just(10.0), st.integers(0, 900).map(lambda s: timedelta(seconds=s))
)


def steady(value: float, *, since: timedelta, until: timedelta = timedelta(0)) -> list[Sample]:
    count = int((since - until) / EVERY)
    return [Sample(NOW - since + n * EVERY, value) for n in range(count + 1)]


def judged(series: Sequence[Sample], limit: Limit = LIMIT) -> Judged:
    return judge(series, limit, NOW, gap=GAP)


@given(samples, limits)
def test_it_says_what_the_plain_definition_says(series: list[Sample], limit: Limit) -> None:
    def agrees(is_broken: bool) -> bool:
        return any(
            series[first].at <= NOW - limit.held_for
            and all(limit.is_broken_by(sample.value) == is_broken for sample in series[first:])
            and all(
                later - earlier <= GAP
                for earlier, later in zip(
                    [sample.at for sample in series[first:]], [*(s.at for s in series[first + 1 :]), NOW], strict=True
                )
            )
            for first in range(len(series))
        )

    expected = Judgement.HELD if agrees(True) else Judgement.GONE if agrees(False) else Judgement.OPEN

    assert judged(series, limit).judgement is expected


@given(samples, limits, st.integers(0, 899))
def test_one_sample_to_the_contrary_within_the_duration_settles_nothing(
    series: list[Sample], limit: Limit, ago: int
) -> None:
    before = judged(series, limit).judgement
    at = NOW - timedelta(seconds=ago, milliseconds=500)
    other = Sample(at, 5.0 if (before is Judgement.HELD) == (limit.beyond == "above") else 15.0)
    if before is Judgement.OPEN or at < NOW - limit.held_for:
        return

    after = judged(sorted([*series, other]), limit).judgement

    assert after is not before


def test_it_holds_from_the_moment_the_duration_is_full() -> None:
    full = steady(15, since=LIMIT.held_for)

    assert judged(full).judgement is Judgement.HELD
    assert judged(full[1:]).judgement is Judgement.OPEN
    assert judged(full).since == NOW - LIMIT.held_for


def test_the_threshold_itself_is_no_breach() -> None:
    assert judged(steady(10, since=LIMIT.held_for)).judgement is Judgement.GONE


def test_no_samples_say_nothing() -> None:
    assert judged([]) == Judged(Judgement.OPEN, None)


def test_old_samples_say_nothing_however_bad_they_are() -> None:
    away = steady(15, since=timedelta(minutes=30), until=GAP + EVERY)

    assert judged(away).judgement is Judgement.OPEN


def test_what_was_before_a_gap_does_not_count() -> None:
    before, after = (
        steady(15, since=timedelta(minutes=9), until=timedelta(minutes=4)),
        steady(15, since=timedelta(minutes=2)),
    )

    found = judged([*before, *after])

    assert found == Judged(Judgement.OPEN, NOW - timedelta(minutes=2))


def test_without_a_duration_one_fresh_sample_is_enough() -> None:
    at_once = Limit("below", 90, timedelta(0))

    assert judged([Sample(NOW, 89)], at_once).judgement is Judgement.HELD
    assert judged([Sample(NOW, 90)], at_once).judgement is Judgement.GONE


def test_values_that_swing_faster_than_the_duration_are_never_settled() -> None:
    swinging = [Sample(NOW - n * EVERY, 15.0 if n // 8 % 2 else 5.0) for n in range(100)][::-1]

    assert {judge(swinging[: n + 1], LIMIT, swinging[n].at, gap=GAP).judgement for n in range(100)} == {Judgement.OPEN}
