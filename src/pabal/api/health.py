"""Health: how the house stands, in numbers."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

import pabal
from pabal.api.parts import Shown, answer, may_read, noun
from pabal.engine import listing
from pabal.platform import alerts
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.identify import Visitor

router = noun("health")


class Depths(Shown):
    """Counted up to 10,000; 10001 means more."""

    ready: int = Field(examples=[3])
    delayed: int = Field(examples=[12])
    waiting: int = Field(examples=[0])
    running: int = Field(examples=[2])


class AlertCounts(Shown):
    firing: int = Field(examples=[0])
    acknowledged: int = Field(examples=[0])
    silenced: int = Field(examples=[0])


class Health(Shown):
    """`jobs` and `servers` are of the whole house, and null for those who see only a part of it."""

    now: datetime
    version: str = Field(examples=["0.1.0"])
    alerts: AlertCounts
    jobs: Depths | None
    servers: dict[str, int] | None = Field(description="How many are in each state.", examples=[{"ok": 2}])


@router.get("/health", response_model=Health)
async def get_health(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Says how the house stands: jobs, servers, alerts."""
    may_read(visit, "servers")
    sees_all = visit.scope.holds(None)
    async with visit.read() as tx:
        counts = await alerts.count_open(tx, visit.scope)
        depths = Depths.model_validate(await listing.read_depths(tx)) if sees_all else None
        states = [one.state for one in await listing.list_servers(tx)] if sees_all else []
        now = tx.now
    servers = {state: states.count(state) for state in dict.fromkeys(states)} if sees_all else None
    shown = AlertCounts.model_validate(counts)
    return answer(Health(now=now, version=pabal.__version__, alerts=shown, jobs=depths, servers=servers))
