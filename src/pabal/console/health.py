"""Health: the components of the house, everything that is measured, and what is normal for each."""

import asyncio
import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response
from pydantic import BaseModel

from pabal.base.clock import elapsed
from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.base.sql import load
from pabal.base.telemetry import REGISTRY
from pabal.console.measured import RANGES, Range, Seen, bars, chart_of, draw, look, show_norm
from pabal.engine import listing
from pabal.platform import alerts, backup, tenants
from pabal.platform.actor import Right
from pabal.platform.alerts import Alert, AlertRule, Level, Measure, Series
from pabal.platform.backup import Backup
from pabal.platform.language.pairs import Pair
from pabal.platform.language.values import show_value
from pabal.platform.operating.servers import AREA
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word
from pabal.platform.web.visit import Visit

SQL = load(__file__)

BARS = 20
SLOW_MS = 50
BACKUP_EVERY = timedelta(hours=26)
LITTLE_FREE, NO_FREE = 0.10, 0.03
_GIB = 2**30
_HOUR = RANGES["1h"]


@dataclass(frozen=True, slots=True)
class Component:
    """`state` is a word of the family `check`, or idle: there is nothing to measure just now."""

    key: str
    title: str
    state: str
    now: str
    norm: str = ""
    at: datetime | None = None
    href: str = ""
    bars: str = ""
    note: str = ""


async def list_house(tx: Tx, visit: Visit, seen: Seen) -> list[Component]:
    """What belongs to no unit."""
    found = [await _database(tx, visit, seen), await _servers(tx, visit), await _queue(tx, visit)]
    if visit.may("read", backup.AREA):
        found.append(await _backup(tx, visit))
    return [*found, await _disk(visit)]


async def list_ruled(tx: Tx, visit: Visit, seen: Seen) -> list[Component]:
    """One for each rule, of the engine and of the apps, whose measure was ever taken in this scope."""
    return [
        await _ruled(tx, visit, seen, rule, _foremost(seen, rule)) for rule in seen.rules if seen.of(rule.measure.name)
    ]


def _foremost(seen: Seen, rule: AlertRule) -> Series:
    """What fires, if something does; otherwise the worst."""
    known = seen.worst_first(rule.measure.name)
    burning = [one.about for one in seen.burning(rule)]
    return next((one for one in known if one.about in burning), known[0])


async def _ruled(tx: Tx, visit: Visit, seen: Seen, rule: AlertRule, worst: Series) -> Component:
    limit, unit = seen.limits[rule.name], rule.measure.unit
    state = judge(seen, rule, worst)
    chart = chart_of(rule.measure.name, worst.about, _HOUR, seen.now, step=_HOUR.length / BARS)
    points = await alerts.read_series(tx, visit.scope, chart)
    value = show_value(worst.last_value, unit, visit.lang)
    if state == "idle":
        value = visit.say("nothing to measure", "잴 것이 없음")
    return Component(
        key=f"rule-{rule.name}",
        title=visit.say(*rule.measure.label),
        state=state,
        now=value,
        norm=show_norm(limit, unit, visit.lang),
        at=worst.last_at,
        href=f"/health/measures/{rule.measure.name}",
        bars=bars(points, limit, chart),
        note=worst.about,
    )


def judge(seen: Seen, rule: AlertRule, worst: Series) -> str:
    """What fires has its level; what is beyond the limit but not for long enough wants a look."""
    if seen.burning(rule):
        return "failed" if rule.level == Level.FAILURE else "warning"
    if not seen.is_fresh(worst):
        return "idle" if seen.is_sampled else "unknown"
    return "warning" if seen.limits[rule.name].is_broken_by(worst.last_value) else "ok"


async def _database(tx: Tx, visit: Visit, seen: Seen) -> Component:
    """That it answered is what makes this page; the number is of this very moment, from this server."""
    began = elapsed()
    version: str = await tx.value(SQL.read_version)
    answered = 1000 * (elapsed() - began)
    said = [show_value(answered, "ms", visit.lang)]
    said += [show_value(one.last_value, "MB", visit.lang) for one in seen.of("database.size") if seen.is_fresh(one)]
    for one in seen.of("database.connections"):
        if seen.is_fresh(one):
            said.append(visit.say("{n} connection|{n} connections", "연결 {n}개", n=round(one.last_value)))
    return Component(
        key="database",
        title=f"PostgreSQL {version.split(maxsplit=1)[0]}",
        state="ok" if answered <= SLOW_MS else "warning",
        now=" · ".join(said),
        norm=visit.say("answers within {n} ms", "응답 {n} ms 이하", n=SLOW_MS),
        at=seen.now,
        href="/health/measures/database.round_trip",
    )


async def _servers(tx: Tx, visit: Visit) -> Component:
    found = await listing.list_servers(tx)
    alive = sum(server.is_alive for server in found)
    silent = len(found) - alive
    said = visit.say("{n} alive", "{n}대 살아 있음", n=alive)
    if silent:
        said += " · " + visit.say("{n} silent", "응답 없음 {n}대", n=silent)
    workers = [server for server in found if server.is_alive and "worker" in server.roles]
    return Component(
        key="servers",
        title=visit.say("Servers", "서버"),
        state="failed" if not workers else "warning" if silent else "ok",
        now=said,
        norm=visit.say("one that works at least, none silent", "일하는 서버 1대 이상, 응답 없음 0"),
        at=tx.now,
        href="/servers",
        note="" if workers else visit.say("no server takes jobs", "작업을 맡는 서버가 없습니다"),
    )


async def _queue(tx: Tx, visit: Visit) -> Component:
    depths = await listing.read_depths(tx)
    said = visit.say(
        "{ready} ready · {running} running · {waiting} in lanes · {delayed} delayed",
        "준비 {ready} · 진행 {running} · 줄 {waiting} · 예약 {delayed}",
        ready=_capped(depths.ready),
        running=_capped(depths.running),
        waiting=_capped(depths.waiting),
        delayed=_capped(depths.delayed),
    )
    return Component("queue", visit.say("Queue", "작업 큐"), "ok", said, at=tx.now, href="/jobs")


async def _backup(tx: Tx, visit: Visit) -> Component:
    good = await backup.find_newest_good(tx)
    last = next(iter(await backup.list_backups(tx, visit.actor, limit=1)), None)
    at = None if good is None else good.ended_at
    return Component(
        key="backup",
        title=visit.say("Backup", "백업"),
        state=_judge_backup(good, last, tx.now),
        now=_say_backup(visit, good),
        norm=visit.say("one a day", "하루 한 번"),
        at=at,
        href="/backup",
        note=visit.say("the last try failed", "마지막 시도가 실패했습니다") if last and last.ending == "failed" else "",
    )


def _judge_backup(good: Backup | None, last: Backup | None, now: datetime) -> str:
    """Before the first night there is none, and nothing is wrong."""
    if good is None or good.ended_at is None:
        return "failed" if last is not None and last.ending == "failed" else "unknown"
    is_old = now - good.ended_at > BACKUP_EVERY
    return "warning" if is_old or (last is not None and last.ending == "failed") else "ok"


def _say_backup(visit: Visit, good: Backup | None) -> str:
    if good is None or good.ended_at is None:
        return visit.say("none yet", "아직 없음")
    said = [visit.voice.relative(good.ended_at), show_value((good.size or 0) / 2**20, "MB", visit.lang)]
    if good.check_result == "good":
        said.append(visit.say("restore checked", "복원 검사함"))
    return " · ".join(said)


async def _disk(visit: Visit) -> Component:
    """Of the server that makes this page: files and backups lie there."""
    folder: Path = visit.services.settings.data_dir
    usage = await asyncio.to_thread(shutil.disk_usage, folder)
    free = usage.free / usage.total
    said = visit.say(
        "{free} GB of {total} GB free",
        "{total} GB 중 {free} GB 비어 있음",
        free=f"{usage.free / _GIB:,.1f}",
        total=f"{usage.total / _GIB:,.1f}",
    )
    return Component(
        key="disk",
        title=visit.say("Storage of this server", "이 서버의 저장 공간"),
        state="failed" if free < NO_FREE else "warning" if free < LITTLE_FREE else "ok",
        now=said,
        norm=visit.say("{n}% free or more", "{n}% 이상 비어 있음", n=round(100 * LITTLE_FREE)),
        at=visit.now,
    )


def _capped(count: int) -> str:
    return f"{listing.CAP:,}+" if count > listing.CAP else f"{count:,}"


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
