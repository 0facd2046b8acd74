"""Which server holds which live connection. Routed work runs only there, and writes only while its epoch is current."""

from collections.abc import Sequence
from dataclasses import dataclass

from pabal.base.database import Tx
from pabal.base.errors import Conflict
from pabal.base.sql import load
from pabal.base.telemetry import declare, emit
from pabal.engine import workers

SQL = load(__file__)

declare("routes.held", "Live connections taken by a server", labels=())
declare("routes.released", "Live connections let go", labels=())


class LifeOver(Conflict, code="life_over"):
    """This server's life has lapsed; it begins a new one and must take its connections again."""


class ServerDraining(Conflict, code="server_draining"):
    """This server drains and takes no more connections; another server takes them."""


@dataclass(frozen=True, slots=True)
class Route:
    """A route has no time of its own: it lives as long as its worker's heartbeat."""

    route: str
    worker: int
    epoch: int


async def hold_route(tx: Tx, route: str, *, worker: int) -> Route:
    """Whoever held it before may write nothing more for it; its running jobs are handed back, nothing counted."""
    if not await workers.hold_life(tx, worker):
        raise LifeOver(f"worker {worker}")
    if await workers.is_draining(tx, worker):
        raise ServerDraining(f"worker {worker}")
    epoch = await tx.value(SQL.hold_route, route=route, worker=worker)
    tx.hint(f"queue:{route}", tx.now)
    tx.hint("signals")
    emit("routes.held", route=route, worker=worker, epoch=epoch)
    return Route(route, worker, epoch)


async def release_route(tx: Tx, held: Route) -> bool:
    """False when another server has taken it over already."""
    released = await tx.run(SQL.release_route, route=held.route, epoch=held.epoch) == 1
    if released:
        emit("routes.released", route=held.route)
    return released


async def find_route(tx: Tx, route: str) -> Route | None:
    return await tx.one(Route, SQL.find_route, route=route)


async def list_routes(tx: Tx, *, worker: int) -> list[str]:
    return [row["route"] for row in await tx.rows(SQL.list_routes, worker=worker)]


async def list_priorities(tx: Tx, names: Sequence[str]) -> list[int]:
    """Those of which some of these routes has a job."""
    return [row["priority"] for row in await tx.rows(SQL.list_priorities, routes=list(names))]
