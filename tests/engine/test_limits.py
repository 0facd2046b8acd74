"""In any window the weight started per key stays within its limit; a refusal names the first allowed moment (I8)."""

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pabal.base.database import Database
from pabal.engine import limits
from pabal.engine.kinds import Job
from pabal.engine.limits import BadLimit, Limit, Window, least_gap
from pabal.engine.outcome import Limited
from tests.support.work import PLAIN, SQL, advance, begin_blocked, undone

SECOND = timedelta(seconds=1)
MINUTE = Window("minute", 5, 60 * SECOND)
HOUR = Window("hour", 8, 3600 * SECOND)
GAP = least_gap(10 * SECOND)
Starts = list[tuple[datetime, int]]


def job(number: int = 1) -> Job:
    return Job(number, 1, PLAIN, {}, PLAIN, None, None, None, 0, 0, 0, 5, 3, None, None)


async def take(db: Database, *wanted: Limit, number: int = 1) -> Limited | None:
    async with db.transaction() as tx:
        return await limits.take(tx, job(number), wanted)


async def starts(db: Database, key: str) -> Starts:
    async with db.transaction() as tx:
        return [(row["at"], row["weight"]) for row in await tx.rows(SQL.list_starts, key=key)]


def used(window: Window, started: Starts, at: datetime) -> int:
    inside = [weight for moment, weight in started if at - window.span < moment <= at]
    return len(inside) if window.counts_starts else sum(inside)


def fits(limit: Limit, window: Window, started: Starts, at: datetime) -> bool:
    return used(window, started, at) + (1 if window.counts_starts else limit.weight) <= window.most


def first_allowed(limit: Limit, started: Starts, after: datetime) -> datetime:
    """By trying: something changes only at the moments when a start leaves a window."""
    moments = sorted(at + window.span for at, _ in started for window in limit.windows if at + window.span > after)
    return next(at for at in [after, *moments] if all(fits(limit, window, started, at) for window in limit.windows))


def assert_kept(windows: Sequence[Window], started: Starts) -> None:
    for window in windows:
        assert all(used(window, started, at) <= window.most for at, _ in started), window


numbers = count(1)
STEPS = st.lists(st.tuples(st.floats(0, 50), st.integers(1, 4)), min_size=5, max_size=25)
WINDOWS = st.lists(st.sampled_from([MINUTE, HOUR, GAP, Window("day", 20, 86400 * SECOND)]), min_size=1, unique=True)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(windows=WINDOWS, steps=STEPS)
async def test_a_start_is_taken_exactly_when_it_fits_and_a_refusal_tells_when_it_will(
    db: Database, windows: list[Window], steps: list[tuple[float, int]]
) -> None:
    key = f"room:{next(numbers)}"
    for wait, weight in steps:
        await advance(db, wait)
        limit = Limit(key, tuple(windows), weight)
        before = await starts(db, key)
        async with undone(db) as tx:
            now = tx.now
            refused = await limits.take(tx, job(), [limit])  # undone, so that no promise moves the next answer
        if refused is None:
            await take(db, limit)
            [*_, (at, _)] = await starts(db, key)
            assert first_allowed(limit, before, at) == at
        else:
            assert refused.until == first_allowed(limit, before, now)

    assert_kept(windows, await starts(db, key))


async def test_connections_that_take_together_while_time_moves_stay_within_every_window(db: Database) -> None:
    windows = (MINUTE, HOUR, least_gap(2 * SECOND))

    async def taker(number: int) -> None:
        for turn in range(12):
            await take(db, Limit("room:1", windows, weight=1 + turn % 2), number=number)
            if number == 0:
                await advance(db, 1.3 + 8 * turn)

    await asyncio.gather(*(taker(number) for number in range(6)))

    started = await starts(db, "room:1")
    assert_kept(windows, started)
    assert len(started) >= 5


async def test_a_start_counts_from_when_it_got_the_key_and_not_from_when_its_transaction_began(db: Database) -> None:
    async with db.transaction() as early:
        assert await take(db, Limit("room:1", (MINUTE,), weight=1)) is None
        assert await limits.take(early, job(2), [Limit("room:1", (MINUTE,), weight=2)]) is None

    assert [weight for _, weight in await starts(db, "room:1")] == [1, 2]


async def test_many_in_one_commit_take_as_if_each_came_alone(db: Database) -> None:
    pair = Window("pair", 2, 60 * SECOND)
    asked = [("room:1", "x"), ("room:2", "x"), ("room:1", "y"), ("room:2", "z"), ("room:1", "z")]
    wanted = [(job(n), [Limit(room, (pair,)), Limit(other, (GAP,))]) for n, (room, other) in enumerate(asked)]

    async with undone(db) as tx:
        together = await limits.take_all(tx, [*wanted, (job(9), [])])
    async with undone(db) as tx:
        alone = [await limits.take(tx, one, limits_of) for one, limits_of in wanted]

    # x was taken by the first; room:1 by the first, third and so not by the fifth
    assert [None if one is None else one.limit for one in together] == [None, "x gap", None, None, "room:1 pair", None]
    assert [one and one.limit for one in alone] == [one and one.limit for one in together[:-1]]


async def test_who_takes_together_takes_one_after_the_other(db: Database) -> None:
    async with db.transaction() as tx:
        assert await limits.take(tx, job(1), [Limit("room:1", (GAP,))]) is None
        other = await begin_blocked(db, take(db, Limit("room:1", (GAP,)), number=2))
    refused = await other

    [(first, _)] = await starts(db, "room:1")
    assert refused == Limited(first + GAP.span, "room:1 gap")


async def test_who_takes_a_key_that_is_known_waits_for_whoever_has_it(db: Database) -> None:
    room = Limit("room:1", (MINUTE,))
    assert await take(db, room) is None
    async with db.transaction() as tx:
        assert await limits.take(tx, job(2), [room]) is None
        other = await begin_blocked(db, take(db, room, number=3))
    await other

    assert len(await starts(db, "room:1")) == 3


async def test_a_refusal_names_the_limit_that_lets_go_last(db: Database) -> None:
    limit = Limit("room:1", (GAP, MINUTE))
    for _ in range(5):
        assert await take(db, limit) is None
        await advance(db, 10)
    [(first, _), *_] = await starts(db, "room:1")

    refused = await take(db, limit)

    assert refused == Limited(first + MINUTE.span, "room:1 minute")


async def test_a_least_gap_counts_starts_whatever_they_weigh(db: Database) -> None:
    limit = Limit("room:1", (GAP,), weight=50)
    assert await take(db, limit) is None
    [(first, _)] = await starts(db, "room:1")

    refused = await take(db, limit)

    assert refused == Limited(first + GAP.span, "room:1 gap")


async def test_a_crowd_is_told_moments_of_its_own_so_that_it_does_not_wake_together(db: Database) -> None:
    answers = [await take(db, Limit("room:1", (MINUTE,)), number=number) for number in range(12)]

    waits = [answer.until for answer in answers if answer is not None]
    [(first, _), *_] = await starts(db, "room:1")
    assert answers[:5] == [None] * 5
    assert waits == [first + MINUTE.span + n * MINUTE.span / 5 for n in range(7)]


async def test_a_crowd_that_comes_when_it_was_told_gets_through_within_the_limit(db: Database) -> None:
    limit = Limit("room:1", (MINUTE,))
    waiting: dict[int, datetime] = {}
    async with db.transaction() as tx:
        began = tx.now
    for number in range(14):
        if (answer := await take(db, limit, number=number)) is not None:
            waiting[number] = answer.until
    while waiting:
        number, until = min(waiting.items(), key=lambda item: item[1])
        del waiting[number]
        async with db.transaction() as tx:
            wait = until - tx.now
        await advance(db, max(wait.total_seconds(), 0))
        if (answer := await take(db, limit, number=number)) is not None:
            waiting[number] = answer.until

    started = await starts(db, "room:1")
    assert len(started) == 14
    assert_kept([MINUTE], started)
    assert max(at for at, _ in started) - began < 4 * MINUTE.span


async def test_a_full_key_does_not_hold_up_another(db: Database) -> None:
    for _ in range(6):
        refused = await take(db, Limit("room:1", (MINUTE,)))

    assert refused is not None
    assert await take(db, Limit("room:2", (MINUTE,))) is None


async def test_several_keys_are_taken_all_or_none(db: Database) -> None:
    full, free = Limit("room:1", (GAP,)), Limit("bot:1", (MINUTE,))
    await take(db, full)

    refused = await take(db, free, full)

    assert refused is not None
    assert refused.limit == "room:1 gap"
    assert await starts(db, "bot:1") == []


async def test_a_key_named_twice_counts_each_start_once(db: Database) -> None:
    twice = [Limit("room:1", (MINUTE,)), Limit("room:1", (HOUR,))]

    assert await take(db, *twice) is None

    assert len(await starts(db, "room:1")) == 1


async def test_takers_of_the_same_keys_in_different_orders_do_not_lock_each_other_out(db: Database) -> None:
    one, other = Limit("a", (MINUTE,)), Limit("b", (MINUTE,))

    await asyncio.gather(*(take(db, *pair) for pair in [(one, other), (other, one)] * 8))

    assert len(await starts(db, "a")) == len(await starts(db, "b")) == 5


async def test_a_start_that_rolls_back_took_nothing(db: Database) -> None:
    async with undone(db) as tx:
        assert await limits.take(tx, job(), [Limit("room:1", (GAP,))]) is None

    assert await take(db, Limit("room:1", (GAP,))) is None


async def test_the_use_of_each_window_can_be_shown(db: Database) -> None:
    limit = Limit("room:1", (MINUTE, HOUR), weight=2)
    await take(db, limit)
    await advance(db, 61)
    await take(db, limit)
    [(first, _), (second, _)] = await starts(db, "room:1")

    async with db.transaction() as tx:
        minute, hour = await limits.list_use(tx, [limit])

    assert (minute.weight, minute.starts, minute.oldest_at) == (2, 1, second)
    assert (hour.weight, hour.starts, hour.oldest_at) == (4, 2, first)


NO_ROOM, NO_TIME = Window("none", 0, SECOND), Window("never", 1, 0 * SECOND)


@pytest.mark.parametrize(
    ("windows", "weight"), [((), 1), ((MINUTE,), 0), ((MINUTE,), 6), ((NO_ROOM,), 1), ((NO_TIME,), 1)]
)
def test_a_limit_that_could_never_be_met_is_refused(windows: tuple[Window, ...], weight: int) -> None:
    with pytest.raises(BadLimit):
        Limit("room:1", windows, weight)
