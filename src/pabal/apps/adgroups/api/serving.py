"""What ad servers read from Redis: how it stands, compared now, written anew. It is of the whole house."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.apps.adgroups.api.names import noun
from pabal.apps.adgroups.serving import actions
from pabal.base.database import Tx
from pabal.engine.queue import Enqueued
from pabal.platform.web.endpoints import Shown, answer, fill
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor

router = noun()


class ServingCheck(Shown):
    """One comparison of Redis with the database. `error` says why it did not come to its end."""

    id: int = Field(examples=[12])
    at: datetime
    took_ms: int = Field(examples=[140])
    asked_by: str = Field(examples=["engine"])
    compared: int = Field(examples=[1200])
    differences: dict[str, int] = Field(examples=[{"missing": 0, "stale": 1}])
    mended: int = Field(examples=[1])
    remaining: int = Field(examples=[0])
    error: str | None = Field(examples=[None])


class ServingShown(Shown):
    """Not wanted: no server has PABAL_SERVING_URL, and nothing is written. `running`: how many Redis should hold."""

    is_wanted: bool = Field(examples=[True])
    running: int = Field(examples=[1200])
    refreshed_at: datetime | None
    rebuilt_at: datetime | None
    away_since: datetime | None = Field(examples=[None])
    away_error: str | None = Field(examples=[None])
    checks: list[ServingCheck]


class ServingAsked(Shown):
    """The job that does it: /api/v1/jobs/{job} says where it is."""

    job: str = Field(examples=["job_01h2xcejqtf2n"])


@router.get("/serving", response_model=ServingShown)
async def describe_serving(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Says how what ad servers read stands, and what the last comparisons found. Only the head office."""
    async with visit.read() as tx:
        found = await actions.describe(tx, visit.actor)
    checks = [ServingCheck.model_validate(one) for one in found.checks]
    return answer(fill(ServingShown, found.standing, running=found.running, checks=checks))


@router.post("/serving/check", response_model=ServingAsked, status_code=202)
async def check_serving(visit: Visitor, once: OnceOnly) -> Response:
    """Compares Redis with the database now and mends what differs. Only administrators of the head office."""

    async def act(tx: Tx) -> Response:
        return _asked(await actions.check_now(tx, visit.actor))

    return await once.run(act)


@router.post("/serving/rebuild", response_model=ServingAsked, status_code=202)
async def rebuild_serving(visit: Visitor, once: OnceOnly) -> Response:
    """Writes all that ad servers read anew; nothing that runs is missing meanwhile. Only the head office."""

    async def act(tx: Tx) -> Response:
        return _asked(await actions.rebuild_now(tx, visit.actor))

    return await once.run(act)


def _asked(asked: Enqueued) -> Response:
    return answer(ServingAsked(job=str(asked)), 202, location=f"/api/v1/jobs/{asked}")
