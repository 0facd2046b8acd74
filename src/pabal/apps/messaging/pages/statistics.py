"""Statistics: how well and how late messages went out, where and by whom, and what they were followed by."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from pabal.apps.messaging.actions import reports
from pabal.apps.messaging.actions.reports import EffectReport, Summary, Usage
from pabal.apps.messaging.errors import StatisticsNotFound
from pabal.apps.messaging.pages import charts
from pabal.apps.messaging.pages.charts import Table
from pabal.apps.messaging.pages.listing import AREA
from pabal.apps.messaging.store.statistics import Period
from pabal.base.database import Tx
from pabal.platform import alerts
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.exports import answer_csv
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, keep_filters, midnight, read_day, today
from pabal.platform.web.tree import Tree, load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
PERIODS: dict[str, tuple[Pair, int]] = {
    "today": (("Today", "오늘"), 1),
    "7d": (("7 days", "7일"), 7),
    "30d": (("30 days", "30일"), 30),
}
VIEWS: dict[str, Pair] = {
    "summary": ("Summary", "요약"),
    "places": ("Organisations and rooms", "조직·톡방"),
    "effect": ("Effect", "효과"),
    "usage": ("Usage", "이용"),
}
LONGEST = timedelta(days=400)
ROUND_TRIP = "database.round_trip"


class Filters(BaseModel):
    """What the address says; what is not known is not minded."""

    view: Word = "summary"
    period: Word = "7d"
    since: Annotated[Word, Field(alias="from")] = ""
    until: Annotated[Word, Field(alias="to")] = ""
    table: Word = ""

    @property
    def shown(self) -> str:
        return self.view if self.view in VIEWS else "summary"

    @property
    def days(self) -> tuple[date, date] | None:
        """Both included; None when they are not given whole."""
        first, last = read_day(self.since), read_day(self.until)
        if first is None or last is None:
            return None
        first, last = min(first, last), max(first, last)
        return (max(first, last - LONGEST), last)

    def read_period(self, visit: Visit) -> Period:
        """Days are the visitor's. What is still going on ends now."""
        if self.days is not None:
            until = midnight(visit, self.days[1], days=1)
            return Period(midnight(visit, self.days[0]), until)
        _, days = PERIODS.get(self.period, PERIODS["7d"])
        return Period(midnight(visit, today(visit), days=1 - days), visit.now)

    @property
    def chosen(self) -> str:
        return "" if self.days is not None else self.period if self.period in PERIODS else "7d"


@dataclass(frozen=True, slots=True)
class Shown:
    """What one view holds; only what it needs was read."""

    tables: list[Table]
    summary: Summary | None = None
    usage: Usage | None = None
    effect: EffectReport | None = None
    round_trip_ms: float | None = None

    def table(self, key: str) -> Table:
        for one in self.tables:
            if one.key == key:
                return one
        raise StatisticsNotFound(key[:50])


@router.get("/messages/statistics")
async def statistics(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    period = filters.read_period(visit)
    async with visit.read() as tx:
        shown = await _read(tx, visit, filters, period)
    return await visit.show(
        "messaging/statistics.html",
        shown=shown,
        filters=filters,
        period=period,
        views=VIEWS,
        periods=PERIODS,
        weekdays=charts.WEEKDAYS,
        today=today(visit),
        most=charts.SHOWN,
        export=lambda table: keep_filters(visit, "/messages/statistics.csv", table=table),
        **_draw(visit, shown),
    )


@router.get("/messages/statistics.csv")
async def export(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    """One table of a view, whole."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        table = (await _read(tx, visit, filters, filters.read_period(visit))).table(filters.table)
    return answer_csv(f"messages-{table.key}", [[visit.say(*column) for column in table.columns], *table.rows])


async def _read(tx: Tx, visit: Visit, filters: Filters, period: Period) -> Shown:
    if filters.shown == "effect":
        effect = await reports.read_effect(tx, visit.scope, period, visit.zone)
        return Shown(charts.list_effects(visit, effect), effect=effect)
    units = await load_tree(tx, visit.scope)
    if filters.shown == "places":
        usage = await reports.read_usage(tx, visit.scope, period)
        return Shown(charts.list_places(visit, usage, units), usage=usage)
    if filters.shown == "usage":
        return await _read_usage(tx, visit, period, units)
    summary = await reports.read_summary(tx, visit.scope, period, visit.zone)
    return Shown(charts.summarise(visit, summary), summary=summary, round_trip_ms=await _round_trip(tx, visit))


async def _read_usage(tx: Tx, visit: Visit, period: Period, units: Tree) -> Shown:
    usage = await reports.read_usage(tx, visit.scope, period)
    heat = await reports.read_heat(tx, visit.scope, period, visit.zone)
    return Shown(charts.list_usage(visit, usage, heat, units), usage=usage)


async def _round_trip(tx: Tx, visit: Visit) -> float | None:
    """The slowest answer of the database to a server, as the platform last measured it; it is the house's."""
    if visit.scope.units is not None:
        return None
    found = [one.last_value for one in await alerts.list_series(tx, visit.scope) if one.measure == ROUND_TRIP]
    return max(found, default=None)


def _draw(visit: Visit, shown: Shown) -> dict[str, Any]:
    if shown.summary is not None:
        summary = shown.summary
        return {
            "series": charts.draw_series(visit, summary.series),
            "minutes": charts.draw_minutes(summary),
            "grid": summary.heat.due,
            "shades": charts.shade(summary.heat.due),
        }
    if shown.effect is not None:
        cells = shown.effect.cells
        changes = [[cells[day, hour].change if (day, hour) in cells else 0.0 for hour in range(24)] for day in range(7)]
        return {"grid": [[round(value, 1) for value in row] for row in changes], "shades": charts.shade(changes)}
    return {}
