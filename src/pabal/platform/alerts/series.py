"""What was measured, for pages: the newest value of each series, and a stretch of one as a chart draws it."""

from dataclasses import dataclass
from datetime import datetime

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.base.sql import load
from pabal.platform.tenants import Scope

SQL = load(__file__)
MOST_POINTS = 2000


class BadChart(Invalid):
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
