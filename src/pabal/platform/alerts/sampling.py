"""Samples: one server at a time reads every measure and forgets what is old; pages read a series or part of one."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.base.database import ConnectionFailure, Database, Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.platform import settings
from pabal.platform.alerts.hysteresis import INTERVALS_IN_GAP
from pabal.platform.alerts.model import KEEP_SAMPLES, SAMPLE_EVERY, Measure, Reading
from pabal.platform.tenants import Scope

SQL = load(__file__)

BATCH = 10_000

declare("alerts.sampled", "Samples taken", amount="count", level=logging.DEBUG)
declare("alerts.measure_failed", "Measures that could not be read", labels=("measure",), level=logging.WARNING)
declare("alerts.forgot", "Samples deleted after their time", amount="count", level=logging.DEBUG)


async def sample_once(database: Database, measures: Sequence[Measure], *, host: str = "") -> int:
    """One round, if it is time for one; answers how many samples it took. Every server may call it at once.

    Without a host it is the house's round; with one, that host's, and the samples are about it.
    """
    async with database.transaction() as tx:
        if not measures or not await _take_round(tx, host):
            return 0
        await tx.run(SQL.hurry)
        taken = [(measure.name, *reading) for measure in measures for reading in await _read(tx, measure, host)]
        names, values, abouts, units = ([row[column] for row in taken] for column in range(4))
        await tx.run(SQL.insert_samples, measures=names, abouts=abouts, units=units, values=values, at=tx.now)
    emit("alerts.sampled", count=len(taken))
    return len(taken)


async def prune_once(database: Database) -> int:
    """Up to 10,000 samples past their time, then series nobody measures any more."""
    async with database.transaction() as tx:
        before = tx.now - await settings.value(tx, KEEP_SAMPLES)
        forgotten = await tx.run(SQL.forget_samples, before=before, batch=BATCH)
        if forgotten < BATCH:
            await tx.run(SQL.forget_series, before=before)
            await tx.run(SQL.forget_rounds, before=before)
    emit("alerts.forgot", count=forgotten)
    # Fewer than a batch: there is nothing left, and the loop may rest.
    return forgotten if forgotten == BATCH else 0


async def read_gap(tx: Tx) -> timedelta:
    """Longer than this without a sample is a gap."""
    return INTERVALS_IN_GAP * await settings.value(tx, SAMPLE_EVERY)


async def _take_round(tx: Tx, host: str) -> bool:
    if not await tx.value(SQL.lock_round, place=host):
        return False
    every = await settings.value(tx, SAMPLE_EVERY)
    gap = INTERVALS_IN_GAP * every
    return await tx.value(SQL.take_round, place=host, now=tx.now, every=every, gap=gap) is not None


async def _read(tx: Tx, measure: Measure, host: str) -> list[Reading]:
    """A measure that fails is left out and said; the others are read. Of two values for one thing the last counts."""
    try:
        async with tx.savepoint():
            answer = await measure.read(tx)
    except ConnectionFailure:
        raise
    except Exception as error:  # noqa: BLE001 -- an app's measure may fail in any way; the rest must still be seen
        emit("alerts.measure_failed", measure=measure.name, error=repr(error))
        return []
    if answer is None:
        return []
    readings = [Reading(float(answer), host)] if isinstance(answer, int | float) else answer
    by_about = {reading.about: reading for reading in readings if math.isfinite(reading.value)}
    return list(by_about.values())


MOST_POINTS = 2000


class BadChart(Invalid, code="bad_chart"):
    """A chart begins before it ends and has 1 to 2,000 points."""


@dataclass(frozen=True, slots=True)
class Series:
    measure: str
    about: str
    unit_id: int | None
    last_at: datetime
    last_value: float


@dataclass(frozen=True, slots=True)
class Chart:
    """Which stretch of which series, and in how many buckets at most."""

    measure: str
    since: datetime
    until: datetime
    points: int = 240
    about: str = ""

    def __post_init__(self) -> None:
        if self.since >= self.until or not 1 <= self.points <= MOST_POINTS:
            raise BadChart(f"{self.since} … {self.until}, {self.points}")


@dataclass(frozen=True, slots=True)
class Point:
    """A bucket that begins at `at`. One without a sample is not there: a line breaks where nothing is known."""

    at: datetime
    low: float
    mean: float
    high: float


async def list_series(tx: Tx, scope: Scope, *, measure: str | None = None) -> list[Series]:
    """With their newest values; `last_at` tells how old those are."""
    return await tx.all(Series, SQL.list_series, units=scope.listed, measure=measure)


async def read_series(tx: Tx, scope: Scope, chart: Chart) -> list[Point]:
    return await tx.all(
        Point,
        SQL.read_series,
        units=scope.listed,
        measure=chart.measure,
        about=chart.about,
        since=chart.since,
        until=chart.until,
        step=(chart.until - chart.since) / chart.points,
    )
