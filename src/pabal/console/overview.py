"""The front page: what waits for a person, the next hour, a card per app, and the line of the system's health."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.base.clock import elapsed
from pabal.base.database import Tx
from pabal.engine import listing
from pabal.platform import operating
from pabal.platform.needs import list_needs
from pabal.platform.operating import Coming
from pabal.platform.overview import Card, FirstStep, Need
from pabal.platform.slice import Slice
from pabal.platform.web.diagrams import name_machine
from pabal.platform.web.identify import Visitor
from pabal.platform.web.visit import Visit

router = APIRouter()
AHEAD = timedelta(hours=1)
SHOWN = 8
CALM, WATCH, ALERT, SEVERE, NOW = range(1, 6)
_LEVELS = {"attention": WATCH, "failure": ALERT, "down": SEVERE, "missing": NOW}


@dataclass(frozen=True, slots=True)
class AppCard:
    app: Slice
    card: Card


@dataclass(frozen=True, slots=True)
class AppStep:
    app: Slice
    step: FirstStep


@dataclass(frozen=True, slots=True)
class System:
    """The line at the bottom."""

    alive: int
    silent: int
    ready: int
    oldest_seconds: float | None
    database_ms: float
    late_seconds: float


@router.get("/")
async def overview(visit: Visitor) -> Response:
    started = elapsed()
    async with visit.read() as tx:
        answered = (elapsed() - started) * 1000
        needs = await gather_needs(tx, visit)
        coming = await operating.list_upcoming(
            tx, visit.actor, visit.scope, tx.now + AHEAD, controls=visit.site.controls, limit=50
        )
        cards, steps = await _cards(tx, visit)
        sees_house = visit.scope.units is None and visit.may("read", "servers")
        system = await _system(tx, answered) if sees_house else None
    lines = _group(visit, coming)
    return await visit.show(
        "overview.html",
        needs=needs,
        level=beacon_level(needs, system),
        coming=lines[:SHOWN],
        more=len(lines) - SHOWN,
        marks=[_place(one.at, visit.now) for one in coming],
        until=visit.now + AHEAD,
        cards=cards,
        steps=steps,
        system=system,
        live_topics="*",
    )


async def gather_needs(tx: Tx, visit: Visit) -> list[Need]:
    """The loudest first, then the newest."""
    found = await list_needs(tx, visit.actor, visit.scope, visit.site.slices)
    return sorted(found, key=lambda need: (-_LEVELS[need.severity], -need.at.timestamp()))


def beacon_level(needs: list[Need], system: System | None) -> int:
    """Derived, never set by hand."""
    levels = [_LEVELS[need.severity] for need in needs]
    if system is not None and not system.alive:
        levels.append(SEVERE)
    return max(levels, default=CALM)


async def _cards(tx: Tx, visit: Visit) -> tuple[list[AppCard], list[AppStep]]:
    shown = [
        (one, await one.card(tx, visit.scope))
        for one in visit.site.slices
        if one.card is not None and visit.may("read", one.name)
    ]
    cards = [AppCard(one, card) for one, card in shown if isinstance(card, Card)]
    return cards, [AppStep(one, step) for one, step in shown if isinstance(step, FirstStep)]


async def _system(tx: Tx, answered: float) -> System:
    servers = await listing.list_servers(tx)
    depths = await listing.read_depths(tx)
    queues = await listing.list_queues(tx)
    oldest = min((queue.oldest_at for queue in queues if queue.oldest_at is not None), default=None)
    coming = await listing.read_next_moments(tx)
    late = [tx.now - at for at in (coming.schedule_at, coming.timer_at, coming.delayed_at) if at and at < tx.now]
    return System(
        alive=sum(server.is_alive for server in servers),
        silent=sum(not server.is_alive for server in servers),
        ready=depths.ready,
        oldest_seconds=None if oldest is None else max(0.0, (tx.now - oldest).total_seconds()),
        database_ms=answered,
        late_seconds=max(late, default=timedelta(0)).total_seconds(),
    )


@dataclass(frozen=True, slots=True)
class Next:
    """One line of the next hour."""

    at: datetime
    icon: str
    title: str
    href: str
    times: int


def _group(visit: Visit, coming: list[Coming]) -> list[Next]:
    """A schedule of every ten seconds is one line, not the whole list."""
    times = Counter((one.what, one.id) for one in coming)
    first = {(one.what, one.id): one for one in reversed(coming)}
    lines = [_next(visit, one, times[key]) for key, one in first.items()]
    return sorted(lines, key=lambda line: (line.at, line.title))


def _next(visit: Visit, one: Coming, times: int) -> Next:
    if one.what == "schedule":
        return Next(one.at, "calendar-event", one.note or one.kind, f"/schedules/{one.id}", times)
    if one.what == "job":
        return Next(one.at, "list", one.kind, f"/jobs/{one.id}", times)
    machine, _, subject = one.id.partition(":")
    name = name_machine(visit, visit.site.machines[machine])
    said = f"{name} {subject}: {visit.voice.status_word(f'{machine}_event', one.kind)}"
    return Next(one.at, "route", said, visit.site.link(one.id) or f"/machines/{machine}/{subject}", times)


def _place(moment: datetime, now: datetime) -> float:
    """Where on the hour's line it stands, in percent."""
    return round(min(max((moment - now) / AHEAD * 100, 0), 100), 1)
