"""Health: the components of the house, everything that is measured, and what is normal for each."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.base.telemetry import REGISTRY
from pabal.console.components import Component, list_house, list_ruled
from pabal.console.measured import RANGES, Range, Seen, chart_of, draw, look, show_norm
from pabal.console.values import show_value
from pabal.platform import alerts, tenants
from pabal.platform.actor import Right
from pabal.platform.alerts import Alert, AlertRule, Measure
from pabal.platform.language.pairs import Pair
from pabal.platform.operating.servers import AREA
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word
from pabal.platform.web.visit import Visit

router = APIRouter()
_FIRST = "1h"
_ENGINE: dict[str, tuple[str, Pair]] = {
    "work": ("jobs", ("Jobs", "작업")),
    "schedules": ("schedules", ("Schedules and timers", "스케줄·타이머")),
    "timers": ("schedules", ("Schedules and timers", "스케줄·타이머")),
    "facts": ("facts", ("Facts", "사실")),
    "servers": ("servers", ("Servers", "서버")),
    "clock": ("servers", ("Servers", "서버")),
    "database": ("database", ("Database", "데이터베이스")),
}


class Filters(BaseModel):
    """What the address says; what is not known is not minded."""

    range: Word = _FIRST
    area: Word = ""
    measure: Word = ""
    about: Word | None = None

    @property
    def span(self) -> Range:
        return RANGES.get(self.range, RANGES[_FIRST])


@dataclass(frozen=True, slots=True)
class Panel:
    """A measure as its chart's frame says it; `at` is when the shown value was taken, None while that is now."""

    name: str
    label: str
    value: str
    norm: str
    count: int
    at: datetime | None


@dataclass(frozen=True, slots=True)
class Group:
    key: str
    label: str
    panels: list[Panel]


@dataclass(frozen=True, slots=True)
class RuleLine:
    rule: AlertRule
    norm: str
    held_for: timedelta


@dataclass(frozen=True, slots=True)
class Firing:
    alert: Alert
    label: str
    advice: str
    value: str
    norm: str


@router.get("/health")
async def health(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        seen = await look(tx, visit)
        sees_house = (await tenants.visible_to(tx, visit.actor)).units is None
        components = await _list_components(tx, visit, seen)
    groups = _group(visit, seen)
    told = seen.open if visit.may("read", alerts.AREA) else []
    return await visit.show(
        "health.html",
        components=components,
        alive=sum(one.state == "ok" for one in components),
        firing=[_firing(visit, seen, alert) for alert in told if alert.state != "silenced"],
        groups=[one for one in groups if filters.area in ("", one.key)] or groups,
        areas=[(one.key, one.label) for one in groups],
        filters=filters,
        ranges=RANGES,
        sees_house=sees_house,
        is_narrow=visit.scope.units is not None,
        metrics=_list_metrics(),
        live_topics="alerts.*,server.*",
    )


@router.get("/health/series")
async def series(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    """The points of a chart; the page that holds it does not wait for them."""
    visit.actor.require(Right.READ, AREA)
    measure = _find(visit, filters.measure)
    async with visit.read() as tx:
        drawn = await draw(tx, visit, measure, filters.span, about=filters.about)
    return JSONResponse(drawn, headers={"Cache-Control": "no-store"})


@router.get("/health/measures/{name}")
async def measure(visit: Visitor, name: str, filters: Annotated[Filters, Query()]) -> Response:
    """One measure: its chart, the same as a table, and the rules on it."""
    visit.actor.require(Right.READ, AREA)
    found = _find(visit, name)
    async with visit.read() as tx:
        seen = await look(tx, visit)
        known = seen.worst_first(name)
        if not known:
            raise NotFound(name)
        chosen = next((one for one in known if one.about == filters.about), known[0])
        chart = chart_of(name, chosen.about, filters.span, seen.now, step=filters.span.row)
        points = await alerts.read_series(tx, visit.scope, chart)
    return await visit.show(
        "health_measure.html",
        panel=_panel(visit, seen, found),
        chosen=chosen,
        known=known,
        is_fresh=seen.is_fresh,
        points=points[::-1],
        limit=seen.limit_of(name),
        rules=_list_rules(visit, seen, found),
        show=lambda value: show_value(value, found.unit, visit.lang),
        filters=filters,
        ranges=RANGES,
        live_topics="alerts.*",
    )


def _list_rules(visit: Visit, seen: Seen, measure: Measure) -> list[RuleLine]:
    limits = [(rule, seen.limits[rule.name]) for rule in seen.rules if rule.measure == measure]
    return [RuleLine(rule, show_norm(limit, measure.unit, visit.lang), limit.held_for) for rule, limit in limits]


async def _list_components(tx: Tx, visit: Visit, seen: Seen) -> list[Component]:
    house = await list_house(tx, visit, seen) if visit.scope.units is None else []
    return [*house, *await list_ruled(tx, visit, seen)]


def _find(visit: Visit, name: str) -> Measure:
    for one in visit.site.measures:
        if one.name == name:
            return one
    raise NotFound(name)


def _group(visit: Visit, seen: Seen) -> list[Group]:
    """By app; the engine's own by what they are about. Only what was measured."""
    groups: dict[str, Group] = {}
    for one in visit.site.slices:
        for each in one.measures:
            if seen.of(each.name):
                own = (one.name, one.label)
                key, label = _ENGINE.get(each.name.partition(".")[0], own) if one.name == "platform" else own
                group = groups.setdefault(key, Group(key, visit.say(*label), []))
                group.panels.append(_panel(visit, seen, each))
    return list(groups.values())


def _panel(visit: Visit, seen: Seen, measure: Measure) -> Panel:
    known = seen.worst_first(measure.name)
    worst = known[0]
    return Panel(
        name=measure.name,
        label=visit.say(*measure.label),
        value=show_value(worst.last_value, measure.unit, visit.lang),
        norm=show_norm(seen.limit_of(measure.name), measure.unit, visit.lang),
        count=len(known),
        at=None if seen.is_fresh(worst) else worst.last_at,
    )


def _firing(visit: Visit, seen: Seen, alert: Alert) -> Firing:
    """A rule that is not in this server's code any more still has its name."""
    rule = next((rule for rule in seen.rules if rule.name == alert.rule), None)
    unit = "" if rule is None else rule.measure.unit
    return Firing(
        alert=alert,
        label=alert.rule if rule is None else visit.say(*rule.label),
        advice="" if rule is None else visit.say(*rule.advice),
        value=show_value(alert.value, unit, visit.lang),
        norm="" if rule is None else show_norm(seen.limits[rule.name], unit, visit.lang),
    )


def _list_metrics() -> list[tuple[str, str]]:
    """What /metrics of this server tells, by name."""
    endings = {"counter": "_total"}
    return sorted((one.name + endings.get(one.type, ""), one.documentation) for one in REGISTRY.collect())
