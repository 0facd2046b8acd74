"""Servers: which run, what they do, and letting one empty itself before it is stopped."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import ServerId, Shown, answer, fill, may_read, noun, show_worker
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.listing import ServerSeen
from pabal.platform import operating
from pabal.platform.web.etags import answer_one
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, answer_all

router = noun("servers")
AREA = "servers"


class ServerShown(Shown):
    """One life of one process. `state` is ok, silent, draining or drained."""

    id: str = Field(examples=["wrk_01h2xcejqtf2n"])
    host: str = Field(examples=["server-1"])
    state: str = Field(examples=["ok"])
    roles: list[str] = Field(examples=[["web", "worker"]])
    kinds: list[str] = Field(examples=[["messaging.send"]])
    version: str | None = Field(examples=["0.1.0"])
    running: int = Field(examples=[2])
    slots: int | None = Field(examples=[50])
    routes: int = Field(examples=[0])
    started_at: datetime
    drain_at: datetime | None
    heard_seconds: float = Field(description="How long ago it was heard.", examples=[0.8])


@router.get("/servers", response_model=Page[ServerShown])
async def list_servers(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Lists the servers. They belong to the house: who sees only a part of it sees none."""
    may_read(visit, AREA)
    async with visit.read() as tx:
        found = await operating.list_servers(tx, visit.scope)
    return answer_all([_show(one) for one in found])


@router.get("/servers/{id}", response_model=ServerShown)
async def get_server(visit: Visitor, id: ServerId) -> Response:
    """Shows one server."""
    may_read(visit, AREA)
    async with visit.read() as tx:
        found = await operating.get_server(tx, visit.scope, ids.show("wrk", id))
    return answer_one(visit, _show(found))


@router.post("/servers/{id}/drain", response_model=ServerShown, status_code=202)
async def drain_server(visit: Visitor, once: OnceOnly, id: ServerId) -> Response:
    """Lets a server finish what it has and take nothing more."""

    async def act(tx: Tx) -> Response:
        seen = await operating.drain_server(tx, visit.actor, ids.show("wrk", id))
        return answer(_show(seen), 202, location=f"/servers/{ids.show('wrk', id)}")

    return await once.run(act)


@router.post("/servers/{id}/undrain", response_model=ServerShown)
async def undrain_server(visit: Visitor, once: OnceOnly, id: ServerId) -> Response:
    """Lets a server take work again."""

    async def act(tx: Tx) -> Response:
        return answer(_show(await operating.undrain_server(tx, visit.actor, ids.show("wrk", id))))

    return await once.run(act)


def _show(server: ServerSeen) -> ServerShown:
    return fill(ServerShown, server, id=show_worker(server.id))
