"""Servers: which run, what each carries, and letting one empty itself before it stops. They are the house's."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.base.database import Tx
from pabal.engine import ids, listing, routes, workers
from pabal.engine.listing import ServerSeen
from pabal.engine.listing.facts import Wanted as WantedFacts
from pabal.engine.listing.jobs import Wanted as WantedJobs
from pabal.platform import operating, tenants
from pabal.platform.actor import Right
from pabal.platform.operating.servers import AREA
from pabal.platform.tenants import Scope
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import back_to
from pabal.platform.web.visit import Visit

router = APIRouter()
LOST_WITHIN = timedelta(days=7)
LOST = "server.lost"


@dataclass(frozen=True, slots=True)
class Row:
    """A server as its row shows it."""

    seen: ServerSeen
    shown: str
    uptime: timedelta

    @property
    def is_late(self) -> bool:
        """It has missed a beat or two; not given up yet."""
        return self.seen.heard_seconds > 2 * workers.BEAT.total_seconds()


@dataclass(frozen=True, slots=True)
class LostServer:
    """A life that ended without a goodbye; `is_back`: its host has begun another one since."""

    host: str
    shown: str
    at: datetime
    started_at: datetime | None
    is_back: bool


@router.get("/servers")
async def servers(visit: Visitor) -> Response:
    async with visit.read() as tx:
        scope = await _house(tx, visit)
        found = await operating.list_servers(tx, scope)
        lost = await _list_lost(tx, found)
    return await visit.show(
        "servers.html",
        rows=[_row(visit, server) for server in found],
        totals=_count(found),
        versions=sorted({server.version for server in found if server.version}),
        lost=lost,
        ttl=workers.TTL,
        live_topics="server.*",
    )


@router.get("/servers/{wrk_id}")
async def server(visit: Visitor, wrk_id: str) -> Response:
    async with visit.read() as tx:
        scope = await _house(tx, visit)
        seen = await operating.get_server(tx, scope, wrk_id)
        running = await listing.list_jobs(tx, WantedJobs(units=None, worker=seen.id, veiled=scope.veiled))
        held = await routes.list_routes(tx, worker=seen.id)
        lost = [one for one in await _list_lost(tx, [seen]) if one.host == seen.host]
    return await visit.show(
        "server.html",
        row=_row(visit, seen),
        jobs=[(ids.show("job", job.id), job, visit.site.link(job.about)) for job in running.items],
        has_more=running.cursor is not None,
        routes=sorted(held),
        lost=lost,
        ttl=workers.TTL,
        live_topics="server.*",
    )


@router.post("/servers/{wrk_id}/drain")
async def drain(visit: Visitor, wrk_id: str, back: Annotated[str, Form()] = "/servers") -> Response:
    async with visit.change() as tx:
        await operating.drain_server(tx, visit.actor, wrk_id)
    said = ("It takes nothing more and finishes what it has.", "새 일을 받지 않고, 하던 일만 마칩니다.")
    return visit.go(back_to(back, "/servers"), said=said)


@router.post("/servers/{wrk_id}/undrain")
async def undrain(visit: Visitor, wrk_id: str, back: Annotated[str, Form()] = "/servers") -> Response:
    async with visit.change() as tx:
        await operating.undrain_server(tx, visit.actor, wrk_id)
    return visit.go(back_to(back, "/servers"), said=("It takes work again.", "다시 일을 받습니다."))


async def _house(tx: Tx, visit: Visit) -> Scope:
    """A server is no unit's, so which unit the chip narrows to does not matter here; who asks does."""
    await tenants.require_house(tx, visit.actor, Right.READ, AREA)
    return await tenants.visible_to(tx, visit.actor)


async def _list_lost(tx: Tx, alive: Sequence[ServerSeen]) -> list[LostServer]:
    wanted = WantedFacts(units=None, names=(LOST,), since=tx.now - LOST_WITHIN)
    page = await listing.list_facts(tx, wanted, limit=20)
    return [_lost(fact.subject, fact.at, fact.data, alive) for fact in page.items]


def _lost(subject: str, at: datetime, data: dict[str, Any], alive: Sequence[ServerSeen]) -> LostServer:
    host, began = str(data.get("host", "")), data.get("started_at")
    number = subject.partition(":")[2]
    return LostServer(
        host=host,
        shown=ids.show("wrk", int(number)) if number.isdigit() else subject,
        at=at,
        started_at=datetime.fromisoformat(began) if isinstance(began, str) else None,
        is_back=any(one.host == host and one.is_alive and one.started_at >= at for one in alive),
    )


def _row(visit: Visit, server: ServerSeen) -> Row:
    return Row(server, ids.show("wrk", server.id), server.uptime(visit.now))


def _count(found: Sequence[ServerSeen]) -> dict[str, int]:
    alive = [server for server in found if server.is_alive]
    return {
        "alive": len(alive),
        "silent": len(found) - len(alive),
        "draining": sum(server.drain_at is not None for server in alive),
        "running": sum(server.running for server in found),
        "slots": sum(server.slots or 0 for server in alive if server.drain_at is None),
        "routes": sum(server.routes for server in found),
    }
