"""Statistics: how well and how late messages went out, where and by whom, and what they were followed by."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel, Field

from pabal.apps.messaging.actions import reports
from pabal.apps.messaging.actions.reports import EffectReport, EffectRow, Heat, Row, Summary, Totals, Usage
from pabal.apps.messaging.errors import StatisticsNotFound
from pabal.apps.messaging.model.reasons import name_limit, name_reason
from pabal.apps.messaging.pages.page_texts import AREA
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


@dataclass(frozen=True, slots=True)
class Table:
    """`rows` hold plain values: words first, numbers after them. `links` has an address for some rows' first cell."""

    key: str
    title: Pair
    columns: tuple[Pair, ...]
    rows: list[list[Any]]
    links: tuple[str, ...] = ()


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
        weekdays=WEEKDAYS,
        today=today(visit),
        most=SHOWN,
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
        return Shown(list_effects(visit, effect), effect=effect)
    units = await load_tree(tx, visit.scope)
    if filters.shown == "places":
        usage = await reports.read_usage(tx, visit.scope, period)
        return Shown(list_places(visit, usage, units), usage=usage)
    if filters.shown == "usage":
        return await _read_usage(tx, visit, period, units)
    summary = await reports.read_summary(tx, visit.scope, period, visit.zone)
    return Shown(summarise(visit, summary), summary=summary, round_trip_ms=await _round_trip(tx, visit))


async def _read_usage(tx: Tx, visit: Visit, period: Period, units: Tree) -> Shown:
    usage = await reports.read_usage(tx, visit.scope, period)
    heat = await reports.read_heat(tx, visit.scope, period, visit.zone)
    return Shown(list_usage(visit, usage, heat, units), usage=usage)


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
            "series": draw_series(visit, summary.series),
            "minutes": draw_minutes(summary),
            "grid": summary.heat.due,
            "shades": shade(summary.heat.due),
        }
    if shown.effect is not None:
        cells = shown.effect.cells
        changes = [[cells[day, hour].change if (day, hour) in cells else 0.0 for hour in range(24)] for day in range(7)]
        return {"grid": [[round(value, 1) for value in row] for row in changes], "shades": shade(changes)}
    return {}


WEEKDAYS: tuple[Pair, ...] = (
    *(("Mon", "월"), ("Tue", "화"), ("Wed", "수"), ("Thu", "목"), ("Fri", "금"), ("Sat", "토"), ("Sun", "일")),
)
TYPES: dict[str, Pair] = {"once": ("once", "한 번"), "daily": ("daily", "매일"), "weekly": ("weekly", "매주")}
CAUSES: dict[str, Pair] = {
    "schedule": ("by schedule", "예약"),
    "now": ("sent by hand", "지금 보내기"),
    "test": ("test", "테스트"),
}
STATES = ("sent", "partial", "failed", "unknown", "missed")
COUNTS: tuple[Pair, ...] = (
    *(("processed", "처리"), ("success", "성공"), ("partial", "일부"), ("failed", "실패")),
    *(("unknown", "확인 필요"), ("missed", "놓침"), ("success rate (%)", "성공률 (%)")),
)
SHOWN = 100


def summarise(visit: Visit, summary: Summary) -> list[Table]:
    tables = [
        Table("over_time", ("Over time", "시간에 따라"), (("from", "부터"), *COUNTS), _by_time(visit, summary.series)),
        Table("delays", ("Delay after the moment due", "예정 시각보다 늦은 정도"), _DELAYS, _delays(visit, summary)),
        Table("week", ("Weekday and hour", "요일과 시간"), _WEEK, _week(visit, summary)),
        Table("limits", ("Limits that put sends off", "발송을 미룬 제한"), _LIMITS, _limits(visit, summary)),
        Table("minutes", ("The last hour by the minute", "지난 한 시간, 분마다"), _MINUTES, _minutes(visit, summary)),
    ]
    if summary.duplicates is not None:
        rows: list[list[Any]] = [[one.label or "–", one.times] for one in summary.duplicates]
        tables.append(Table("duplicates", ("Duplicates prevented", "막은 중복 발송"), _DUPLICATES, rows))
    return tables


def list_places(visit: Visit, usage: Usage, units: Tree) -> list[Table]:
    rooms = [[usage.names.rooms.get(row.key, str(row.key)), *_numbers(row)] for row in usage.rooms]
    links = tuple(f"/messages/rooms/{row.key}" for row in usage.rooms)
    return [
        _of_units(usage, units),
        Table("rooms", ("By room", "톡방마다"), (("room", "톡방"), *COUNTS, *_TIMES), rooms, links),
    ]


def list_usage(visit: Visit, usage: Usage, heat: Heat, units: Tree) -> list[Table]:
    def name_kind(key: tuple[str, str]) -> list[Any]:
        return [visit.say(*TYPES.get(key[0], (key[0], key[0]))), visit.say(*CAUSES.get(key[1], (key[1], key[1])))]

    def name_template(key: int | None) -> str:
        return (
            visit.say("without a template", "템플릿 없이") if key is None else usage.names.templates.get(key, str(key))
        )

    kinds = [[*name_kind(row.key), *_numbers(row)] for row in usage.kinds]
    templates = [[name_template(row.key), *_numbers(row)] for row in usage.templates]
    reasons: list[list[Any]] = [
        [visit.voice.status_word("delivery", state), visit.say(*name_reason(reason)), times]
        for (state, reason), times in usage.reasons
    ]
    hours: list[list[Any]] = [
        [f"{hour:02}", count] for hour in range(24) if (count := sum(day[hour] for day in heat.due))
    ]
    return [
        _of_units(usage, units),
        Table("kinds", ("By kind", "종류마다"), (("schedule", "스케줄"), ("cause", "까닭"), *COUNTS, *_TIMES), kinds),
        Table("templates", ("By template", "템플릿마다"), (("template", "템플릿"), *COUNTS, *_TIMES), templates),
        Table("hours", ("By hour of the day", "시간대마다"), (("hour", "시"), ("sends", "발송")), hours),
        Table("reasons", ("What did not go out, by reason", "보내지 못한 까닭"), _REASONS, reasons),
    ]


def list_effects(visit: Visit, report: EffectReport) -> list[Table]:
    cells = [
        [visit.say(*WEEKDAYS[day]), f"{hour:02}", *_effect(row)] for (day, hour), row in sorted(report.cells.items())
    ]
    rooms = [[report.names.rooms.get(row.key, str(row.key)), *_effect(row)] for row in report.rooms]
    links = tuple(f"/messages/rooms/{row.key}" for row in report.rooms)
    return [
        Table("effect_week", ("By weekday and hour of the send", "보낸 요일과 시간마다"), _EFFECT_WEEK, cells),
        Table("effect_rooms", ("By room", "톡방마다"), (("room", "톡방"), *_EFFECT), rooms, links),
    ]


def draw_series(visit: Visit, series: Sequence[Row]) -> dict[str, Any]:
    """Bars of what was processed, and what of it did not go out."""
    good = [(row.key.isoformat(), row.totals.processed) for row in series]
    bad = [(row.key.isoformat(), row.totals.processed - row.totals.sent) for row in series]
    return {
        "series": [
            {"name": visit.say("processed", "처리"), "points": good, "kind": "line"},
            {"name": visit.say("not sent", "못 보냄"), "points": bad, "kind": "line", "colour": "fail"},
        ]
    }


def draw_minutes(summary: Summary) -> dict[str, Any]:
    points = [(one.minute.isoformat(), one.deliveries) for one in summary.minutes[:-1]]
    return {"series": [{"name": "", "points": points, "kind": "line"}]}


def draw_traffic(visit: Visit, points: Iterable[tuple[datetime, int]], sends: Iterable[datetime]) -> dict[str, Any]:
    said = [(at.isoformat(), count) for at, count in points]
    top = max((count for _, count in said), default=0) or 1
    marks = [(at.isoformat(), top) for at in sends]
    series: list[dict[str, Any]] = [{"name": visit.say("messages", "메시지"), "points": said, "kind": "line"}]
    if marks:
        series.append({"name": visit.say("sent", "보냄"), "points": marks, "kind": "bar", "colour": "ember"})
    return {"series": series}


def shade(values: Sequence[Sequence[float]]) -> list[list[int]]:
    """How dark each cell of a grid is, 0 to 5; 0 is nothing at all."""
    top = max((value for row in values for value in row), default=0)
    return [[0 if value <= 0 or top <= 0 else max(1, round(5 * value / top)) for value in row] for row in values]


def _of_units(usage: Usage, units: Tree) -> Table:
    rows = [[" › ".join(units.names(row.key)) or str(row.key), *_numbers(row)] for row in usage.units]
    return Table("units", ("By organisation", "조직마다"), (("organisation", "조직"), *COUNTS, *_TIMES), rows)


def _counts(totals: Totals) -> list[Any]:
    return [totals.processed, *(totals.by_state.get(state, 0) for state in STATES), round(totals.rate, 1)]


def _numbers(row: Row) -> list[Any]:
    return [*_counts(row.totals), round(row.totals.average_ms), round(row.delay_ms)]


def _by_time(visit: Visit, series: Sequence[Row]) -> list[list[Any]]:
    return [[visit.voice.moment(row.key), *_counts(row.totals)] for row in series]


def _delays(visit: Visit, summary: Summary) -> list[list[Any]]:
    def show(name: Pair, value: str) -> list[Any]:
        return [visit.say(*name), *(round(getattr(one, value)) for one in (summary.delays, summary.delays_before))]

    return [show(name, value) for name, value in _MEASURED]


def _week(visit: Visit, summary: Summary) -> list[list[Any]]:
    """Only the hours in which something was due."""
    return [
        [visit.say(*WEEKDAYS[day]), f"{hour:02}", summary.heat.due[day][hour], summary.heat.sent[day][hour]]
        for day in range(7)
        for hour in range(24)
        if summary.heat.due[day][hour]
    ]


def _limits(visit: Visit, summary: Summary) -> list[list[Any]]:
    return [[visit.say(*name_limit(one.name)), one.deliveries, one.rooms] for one in summary.limits]


def _minutes(visit: Visit, summary: Summary) -> list[list[Any]]:
    return [[visit.voice.moment(one.minute), one.deliveries] for one in summary.minutes if one.deliveries]


def _effect(row: EffectRow) -> list[Any]:
    return [row.sends, round(row.before, 1), round(row.after, 1), round(row.change, 1)]


_TIMES: tuple[Pair, ...] = (("average time (ms)", "평균 걸린 시간 (ms)"), ("average delay (ms)", "평균 지연 (ms)"))
_DELAYS: tuple[Pair, ...] = (
    *(("delay", "지연"), ("this period (ms)", "이 기간 (ms)"), ("period before (ms)", "앞 기간 (ms)")),
)
_MEASURED: tuple[tuple[Pair, str], ...] = (
    (("average", "평균"), "average_ms"),
    (("half of them at most (p50)", "절반은 이 안에 (p50)"), "p50_ms"),
    (("95 of 100 at most (p95)", "100번 중 95번은 이 안에 (p95)"), "p95_ms"),
    (("99 of 100 at most (p99)", "100번 중 99번은 이 안에 (p99)"), "p99_ms"),
    (("longest", "가장 늦은 것"), "worst_ms"),
)
_WEEK: tuple[Pair, ...] = (("weekday", "요일"), ("hour", "시"), ("due", "예정"), ("success", "성공"))
_LIMITS: tuple[Pair, ...] = (("limit", "제한"), ("sends put off", "미룬 발송"), ("rooms", "톡방"))
_MINUTES: tuple[Pair, ...] = (("minute", "분"), ("processed", "처리"))
_DUPLICATES: tuple[Pair, ...] = (("where", "어디서"), ("times", "횟수"))
_REASONS: tuple[Pair, ...] = (("state", "상태"), ("reason", "까닭"), ("sends", "발송"))
_EFFECT: tuple[Pair, ...] = (
    *(("sends", "발송"), ("messages in the hour before", "앞 한 시간 메시지")),
    *(("messages in the hour after", "뒤 한 시간 메시지"), ("change", "차이")),
)
_EFFECT_WEEK: tuple[Pair, ...] = (("weekday", "요일"), ("hour", "시"), *_EFFECT)
