"""What was measured, as pages show it: the newest values, what is normal, and stretches of series for charts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

from pabal.base.database import Tx
from pabal.platform import alerts
from pabal.platform.alerts import Alert, AlertRule, Chart, Limit, Measure, Point, Series
from pabal.platform.alerts.sampling import read_gap
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.language.values import show_value
from pabal.platform.web.visit import Visit

MOST_LINES = 4
_EPOCH = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Range:
    """A stretch up to now: the step of its chart, the coarser one of its table, and how often it is drawn anew."""

    key: str
    label: Pair
    length: timedelta
    step: timedelta
    row: timedelta
    every: int


RANGES = {
    one.key: one
    for one in (
        Range("1h", ("1 hour", "1시간"), timedelta(hours=1), timedelta(seconds=15), timedelta(minutes=1), 15),
        Range("24h", ("24 hours", "24시간"), timedelta(days=1), timedelta(minutes=5), timedelta(minutes=30), 60),
        Range("7d", ("7 days", "7일"), timedelta(days=7), timedelta(minutes=30), timedelta(hours=3), 300),
    )
}


@dataclass(frozen=True, slots=True)
class Seen:
    """The newest values in a scope, what the rules allow, and what fires. Longer ago than `gap` is not now."""

    now: datetime
    gap: timedelta
    series: list[Series]
    limits: dict[str, Limit]
    rules: tuple[AlertRule, ...]
    open: list[Alert]

    def of(self, measure: str) -> list[Series]:
        return [one for one in self.series if one.measure == measure]

    def is_fresh(self, one: Series) -> bool:
        return self.now - one.last_at <= self.gap

    @property
    def is_sampled(self) -> bool:
        """Somebody measures; a measure without a value then had nothing to say."""
        return any(self.is_fresh(one) for one in self.series)

    def burning(self, rule: AlertRule) -> list[Alert]:
        return [one for one in self.open if one.rule == rule.name and one.state in ("firing", "acknowledged")]

    def rule_of(self, measure: str) -> AlertRule | None:
        """The first one declared is the one a chart draws."""
        return next((rule for rule in self.rules if rule.measure.name == measure), None)

    def limit_of(self, measure: str) -> Limit | None:
        rule = self.rule_of(measure)
        return None if rule is None else self.limits[rule.name]

    def worst_first(self, measure: str) -> list[Series]:
        """Fresh before stale; the one nearest to the limit, or furthest beyond it, at the head."""
        limit = self.limit_of(measure)
        sign = -1 if limit is not None and limit.beyond == "below" else 1
        return sorted(self.of(measure), key=lambda one: (not self.is_fresh(one), -sign * one.last_value, one.about))


async def look(tx: Tx, visit: Visit) -> Seen:
    rules = visit.site.rules
    return Seen(
        now=tx.now,
        gap=await read_gap(tx),
        series=await alerts.list_series(tx, visit.scope),
        limits=await alerts.read_limits(tx, rules),
        rules=rules,
        open=await alerts.list_open(tx, visit.scope),
    )


def show_norm(limit: Limit | None, unit: str, lang: Lang) -> str:
    if limit is None:
        return ""
    if limit.beyond == "above" and limit.threshold == 0:
        return put(lang, ("none", "없음"))
    said: Pair = ("{value} or less", "{value} 이하") if limit.beyond == "above" else ("{value} or more", "{value} 이상")
    return put(lang, said, value=show_value(limit.threshold, unit, lang))


def chart_of(name: str, about: str, span: Range, now: datetime, *, step: timedelta | None = None) -> Chart:
    """Buckets begin at round moments, so that they do not shift with every look."""
    each = step or span.step
    since = _floor(now - span.length, each)
    until = _floor(now, each) + each
    return Chart(name, since, until, (until - since) // each, about)


async def draw(tx: Tx, visit: Visit, measure: Measure, span: Range, *, about: str | None = None) -> dict[str, Any]:
    """For the chart's script: the worst few series of a measure, or the one about something."""
    seen = await look(tx, visit)
    limit = seen.limit_of(measure.name)
    chosen = [one for one in seen.worst_first(measure.name) if about in (None, one.about)][:MOST_LINES]
    lines = []
    for one in chosen:
        chart = chart_of(measure.name, one.about, span, tx.now)
        points = await alerts.read_series(tx, visit.scope, chart)
        line = _line(points, limit, chart, max(seen.gap, 2 * span.step))
        lines.append({"name": one.about if len(chosen) > 1 else "", "kind": "line", "points": line})
    drawn: dict[str, Any] = {"series": lines, "unit": measure.unit}
    if limit is not None:
        drawn["limit"] = {"value": limit.threshold, "label": _limit_word(limit, measure.unit, visit.lang)}
    return drawn


def peak(point: Point, limit: Limit | None) -> float:
    """Of a bucket the value that matters: the one nearest to the limit."""
    if limit is None:
        return point.mean
    return point.high if limit.beyond == "above" else point.low


def bars(points: Sequence[Point], limit: Limit, chart: Chart) -> str:
    """As `ui.spark` reads it: a height, m beyond the limit, - where nothing is known."""
    by_place = {(point.at - chart.since) // ((chart.until - chart.since) / chart.points): point for point in points}
    top = max([limit.threshold, *(point.high for point in points)], default=0.0) or 1.0
    return "".join(_bar(by_place.get(place), limit, top) for place in range(chart.points))


def _bar(point: Point | None, limit: Limit, top: float) -> str:
    if point is None:
        return "-"
    value = peak(point, limit)
    return "m" if limit.is_broken_by(value) else str(min(max(round(9 * value / top), 0), 9))


def _line(points: Iterable[Point], limit: Limit | None, chart: Chart, gap: timedelta) -> list[tuple[str, float | None]]:
    """The whole stretch is drawn, and the line breaks where nothing is known."""
    line: list[tuple[datetime, float | None]] = [(point.at, round(peak(point, limit), 3)) for point in points]
    known = [chart.since, *(at for at, _ in line), chart.until]
    # a hole begins right after the last value before it; the first one at the edge, so that the axis begins there
    line += [
        (earlier + (timedelta(milliseconds=1) if earlier > chart.since else timedelta(0)), None)
        for earlier, later in pairwise(known)
        if later - earlier > gap
    ]
    if line and chart.until - known[-2] > gap:
        line.append((chart.until, None))
    return [(at.isoformat(), value) for at, value in sorted(line, key=lambda one: one[0])]


def _limit_word(limit: Limit, unit: str, lang: Lang) -> str:
    said = show_value(limit.threshold, unit, lang)
    pair = ("alert > {value}", "경보 > {value}") if limit.beyond == "above" else ("alert < {value}", "경보 < {value}")
    return put(lang, pair, value=said)


def _floor(moment: datetime, step: timedelta) -> datetime:
    return moment - (moment - _EPOCH) % step
