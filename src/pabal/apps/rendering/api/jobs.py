"""Of render jobs, what is not described: all failed of a filter again, and what one job leaves behind."""

import json
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import PlainTextResponse, Response
from pydantic import Field

from pabal.apps.rendering.actions import renders as actions
from pabal.apps.rendering.api.readings import JobId, noun
from pabal.apps.rendering.errors import RenderNotFound
from pabal.apps.rendering.farm import farm_of
from pabal.apps.rendering.machine import RENDER
from pabal.apps.rendering.model.renders import AREA, Render, Stage
from pabal.apps.rendering.preflights import find_problems
from pabal.apps.rendering.resources.compositions import MappingTestView, view_test
from pabal.apps.rendering.resources.jobs import FailedToRetry, RenderToMake, RetriedRendersView
from pabal.apps.rendering.resources.rows import open_gfx
from pabal.apps.rendering.resources.traces import (
    RenderAttemptView,
    RenderLogView,
    RenderQueueAuditView,
    RenderStageView,
    view_attempt,
    view_change,
    view_line,
    view_stage,
)
from pabal.apps.rendering.resources.verbs import try_mapping
from pabal.apps.rendering.store import renders, traces
from pabal.apps.rendering.store.renders import Filter
from pabal.base.database import Tx
from pabal.engine import transitions
from pabal.platform.actor import Right
from pabal.platform.resources import View
from pabal.platform.web.filters import Bare
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of, read_body
from pabal.platform.web.paging import Page, answer_all, answer_json
from pabal.platform.web.rest import DryRun, viewer_of
from pabal.platform.web.visit import Visit

router = noun()
MOST_LINES = 1000
RetryBody = Annotated[FailedToRetry, read_body(FailedToRetry)]
CheckBody = Annotated[RenderToMake, read_body(RenderToMake)]
Number = Annotated[int, Query(ge=1, le=10_000, description="Which attempt; the last one if left out.", examples=[1])]
_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


class LogQuery(Bare):
    after: Annotated[int, Field(ge=0, lt=2**63, description="Only lines behind this number.", examples=[118])] = 0


def page_of(view: type[View]) -> Any:
    return Page[model_of(view)]  # type: ignore[misc]  # made from the view


@router.post("/jobs/retry-failed", response_model=model_of(RetriedRendersView))
async def retry_failed_render_jobs(
    visit: Visitor, once: OnceOnly, asked: RetryBody, dry_run: DryRun = False
) -> Response:
    """Tries all failed jobs of a filter again, at most 500 at once, the oldest first."""
    wanted = Filter(composition_id=asked.composition, since=asked.since, until=asked.until)

    async def act(tx: Tx) -> Response:
        done = await actions.retry_failed(
            tx, visit.actor, wanted, error_code=asked.error_code, stage=Stage(asked.stage)
        )
        return answer_json(RetriedRendersView(retried=len(done), ids=[one.id for one in done]))

    return await once.run(act, dry_run=dry_run)


@router.post("/jobs/check", response_model=model_of(MappingTestView))
async def check_render_job(visit: Visitor, asked: CheckBody) -> Response:
    """Checks whether a render could succeed, and makes none: its data, its mapping, and the template, the pictures, the
    disk and the NAS as far as this server sees them. Everything that is wrong is named at once in `findings`."""
    visit.actor.require(Right.WRITE, AREA)
    farm = farm_of(visit.services)
    folder = farm.startup.aep_template_dir
    async with visit.read() as tx:
        run = await try_mapping(tx, visit.actor, asked.composition_id, gfx_data=asked.gfx_data, templates=folder)
    found = await find_problems(farm, run.placed, run.assigned)
    return answer_json(view_test(replace(run, findings=tuple(found)), viewer_of(visit)))


@router.get("/jobs/{id}/audit", response_model=page_of(RenderQueueAuditView))
async def get_render_job_audit(visit: Visitor, id: JobId) -> Response:
    """Lists every change of state of a job, the first one first: its rows of `render_queue_audit`."""
    async with visit.read() as tx:
        await find_render(tx, visit, id)
        made = await transitions.history(tx, RENDER, id)
    return answer_all([view_change(one, viewer_of(visit)) for one in made])


@router.get("/jobs/{id}/attempts", response_model=page_of(RenderAttemptView))
async def list_render_attempts(visit: Visitor, id: JobId) -> Response:
    """Lists each time it was rendered: by which worker, with which mapping, and how that ended."""
    async with visit.read() as tx:
        await find_render(tx, visit, id)
        found = await traces.list_attempts(tx, id)
    return answer_all([view_attempt(one) for one in found])


@router.get("/jobs/{id}/stages", response_model=page_of(RenderStageView))
async def list_render_stages(visit: Visitor, id: JobId) -> Response:
    """Lists the stages it went through, and how long each took."""
    async with visit.read() as tx:
        await find_render(tx, visit, id)
        found = await traces.list_stages(tx, id)
    return answer_all([view_stage(one) for one in found])


@router.get("/jobs/{id}/log", response_model=page_of(RenderLogView), responses=_TEXT)
async def list_render_log(visit: Visitor, id: JobId, wanted: Annotated[LogQuery, Query()]) -> Response:
    """Lists its log, at most 1,000 lines; with `Accept: text/plain` as a text."""
    async with visit.read() as tx:
        await find_render(tx, visit, id)
        found = await traces.list_lines(tx, id, after=wanted.after, most=MOST_LINES)
    if "text/plain" in visit.request.headers.get("Accept", ""):
        return PlainTextResponse("".join(f"{one.text}\n" for one in found))
    return answer_all([view_line(one) for one in found])


@router.get("/jobs/{id}/nexrender", response_class=Response, responses={200: {"content": {"application/json": {}}}})
async def get_nexrender_job(visit: Visitor, id: JobId, attempt: Number | None = None) -> Response:
    """Answers what was sent to nexrender. No secret is part of it."""
    async with visit.read() as tx:
        render = await find_render(tx, visit, id)
        sealed = await traces.read_sent(tx, id, attempt or render.attempt)
    sent = open_gfx(visit.services.vault, sealed)
    if sent is None:
        raise RenderNotFound(f"{id}, attempt {attempt or render.attempt}")
    return Response(json.dumps(sent, ensure_ascii=False), media_type="application/json")


async def find_render(tx: Tx, visit: Visit, render_id: int) -> Render:
    visit.actor.require(Right.READ, AREA)
    return await renders.get_render(tx, visit.scope, render_id)
