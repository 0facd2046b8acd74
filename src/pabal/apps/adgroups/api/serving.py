"""What ad servers read from Redis: how it stands, compared now, written again. It is of the whole house."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from pabal.apps.adgroups.api.readings import noun
from pabal.apps.adgroups.resources.serving import ServingJobView, ServingView
from pabal.apps.adgroups.resources.views import view_serving
from pabal.apps.adgroups.serving import actions
from pabal.base.database import Tx
from pabal.engine.queue import Enqueued
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import answer_json
from pabal.platform.web.rest import DryRun

router = noun()


@router.get("/serving", response_model=model_of(ServingView))
async def describe_serving(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Says how what ad servers read stands, and what the last comparisons found. Only the head office."""
    async with visit.read() as tx:
        found = await actions.describe(tx, visit.actor)
    return answer_json(view_serving(found))


@router.post("/serving/check", response_model=model_of(ServingJobView), status_code=202)
async def check_serving(visit: Visitor, once: OnceOnly, dry_run: DryRun = False) -> Response:
    """Compares Redis with the database now and fixes what differs. Only administrators of the head office."""

    async def act(tx: Tx) -> Response:
        return _answer(await actions.check_now(tx, visit.actor))

    return await once.run(act, dry_run=dry_run)


@router.post("/serving/rebuild", response_model=model_of(ServingJobView), status_code=202)
async def rebuild_serving(visit: Visitor, once: OnceOnly, dry_run: DryRun = False) -> Response:
    """Writes all that ad servers read again; nothing that runs is missing meanwhile. Only the head office."""

    async def act(tx: Tx) -> Response:
        return _answer(await actions.rebuild_now(tx, visit.actor))

    return await once.run(act, dry_run=dry_run)


def _answer(asked: Enqueued) -> Response:
    shown = ServingJobView(job=str(asked), is_new=asked.is_new)
    return answer_json(shown, 202, {"Location": f"/api/v1/jobs/{asked}"})
