"""One server samples at a time, each interval once; a measure that fails costs the others nothing."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.platform import alerts
from pabal.platform.alerts import KEEP_SAMPLES, SAMPLE_EVERY, Chart, Measure, Reading, Series
from tests.platform.alerts.house import EVERY, EVERYTHING, Dial, House


async def series(db: Database, measure: str | None = None) -> list[Series]:
    async with db.transaction() as tx:
        return await alerts.list_series(tx, EVERYTHING, measure=measure)


async def count_samples(db: Database, measure: str, about: str = "") -> int:
    async with db.transaction() as tx:
        since, until = tx.now - timedelta(days=30), tx.now + EVERY
        points = await alerts.read_series(tx, EVERYTHING, Chart(measure, since, until, 2000, about))
    return len(points)


async def fail(tx: Tx) -> float:
    return float(1 / int(tx.now.year < 0))


async def test_a_round_is_taken_once_in_an_interval(db: Database) -> None:
    house = House(db)

    taken = [await house.sample(), await house.sample()]
    await clock.advance(db, EVERY)
    taken += [await house.sample(), await house.sample()]

    assert taken == [1, 0, 1, 0]


async def test_servers_that_sample_at_once_take_one_round_together(db: Database) -> None:
    house = House(db)

    taken = await asyncio.gather(*(house.sample() for _ in range(5)))

    assert sum(taken) == 1
    assert await count_samples(db, "test.dial") == 1


async def test_a_changed_interval_holds_from_the_next_round_on(db: Database) -> None:
    house = House(db)
    await house.sample()
    await house.set(SAMPLE_EVERY, "5m")

    await clock.advance(db, EVERY)
    too_early = await house.sample()
    await clock.advance(db, timedelta(minutes=5))

    assert (too_early, await house.sample()) == (0, 1)


async def test_a_measure_that_fails_leaves_the_others_alone(db: Database) -> None:
    good = Dial("test.good", 3.0)
    broken = Measure("test.broken", ("Broken", "고장"), fail)

    taken = await alerts.sample_once(db, [broken, good.measure()])

    assert taken == 1
    assert [(one.measure, one.last_value) for one in await series(db)] == [("test.good", 3.0)]


async def test_nothing_to_say_leaves_no_sample(db: Database) -> None:
    shown: list[float | Sequence[Reading] | None] = [None, float("nan"), float("inf"), []]
    dials = [Dial(f"test.d{n}", shows) for n, shows in enumerate(shown)]

    taken = await alerts.sample_once(db, [dial.measure() for dial in dials])

    assert taken == 0


async def test_a_measure_of_several_things_has_a_series_for_each(db: Database) -> None:
    dial = Dial("test.bots", [Reading(1, "bot:1", 7), Reading(2, "bot:2"), Reading(3, "bot:2")])

    await alerts.sample_once(db, [dial.measure()])

    found = [(one.about, one.unit_id, one.last_value) for one in await series(db, "test.bots")]
    assert found == [("bot:1", 7, 1.0), ("bot:2", None, 3.0)]


async def test_each_host_has_rounds_and_series_of_its_own(db: Database) -> None:
    measure = Dial("test.here", 1.0).measure(is_per_host=True)

    taken = [await alerts.sample_once(db, [measure], host=host) for host in ("a", "b", "a")]

    assert taken == [1, 1, 0]
    assert [one.about for one in await series(db, "test.here")] == ["a", "b"]


async def test_samples_past_their_time_are_forgotten_and_then_their_series(db: Database) -> None:
    old, kept = Dial("test.old", 1.0).measure(), Dial("test.kept", 1.0).measure()
    await alerts.sample_once(db, [old, kept])
    await clock.advance(db, timedelta(days=5))
    await alerts.sample_once(db, [kept])
    await clock.advance(db, timedelta(days=4))

    left = await alerts.prune_once(db)

    assert left == 0
    assert [one.measure for one in await series(db)] == ["test.kept"]
    assert await count_samples(db, "test.kept") == 1


async def test_how_long_samples_are_kept_is_a_setting(db: Database) -> None:
    house = House(db)
    await house.sample()
    await house.set(KEEP_SAMPLES, "2d")
    await clock.advance(db, timedelta(days=3))

    await alerts.prune_once(db)

    assert await series(db) == []
