"""From calculated to stored: how far it is, flags set and cleared, old ad groups planned, their rows and the report."""

from typing import Annotated, Any

from fastapi import Path, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import Field

from pabal.apps.adgroups.api.groups import page_of
from pabal.apps.adgroups.api.readings import Number, OptionalAdGroup, OptionalCampaign, noun
from pabal.apps.adgroups.legacy import actions, flags, shadow
from pabal.apps.adgroups.legacy.model import FlagKind, FromFile, FromTable, Row
from pabal.apps.adgroups.model.adgroups import AREA, Source
from pabal.apps.adgroups.resources import views
from pabal.apps.adgroups.resources.migration import (
    RUN,
    FlagAsk,
    FlagChangedView,
    FlagName,
    LegacyView,
    RunAsk,
    RunRowView,
    RunView,
)
from pabal.base.database import Tx
from pabal.engine.listing import Page as Rows
from pabal.platform import storage
from pabal.platform.actor import Right
from pabal.platform.operating.model import tried
from pabal.platform.resources import BadParameter
from pabal.platform.web import paging
from pabal.platform.web.etags import is_known
from pabal.platform.web.filters import Listed, Word
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of, read_body
from pabal.platform.web.paging import CSV, answer_json, answer_list
from pabal.platform.web.rest import DryRun, view_row, viewer_of

router = noun()
FlagBody = Annotated[FlagAsk, read_body(FlagAsk)]
RunBody = Annotated[RunAsk, read_body(RunAsk)]
_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {CSV: {}}}}


class RowQuery(Listed):
    only: Annotated[Word | None, Field(description="suspicious, refused, a mark or a refusal.")] = None


@router.get("/legacy", response_model=model_of(LegacyView))
async def describe_legacy(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Says how many show their stored state and how many the calculated one, and how often both differ."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        sources = await flags.count_sources(tx, visit.actor)
        found = await shadow.count_open(tx, visit.scope)
        last = await shadow.last_pass(tx)
    shown = LegacyView(
        machine=sources[Source.MACHINE],
        calculator=sources[Source.CALCULATOR],
        mismatches={str(cause): count for cause, count in found.items()},
        compared=last.compared if last is not None and visit.scope.units is None else None,
        began_at=None if last is None else last.began_at,
        finished_at=None if last is None else last.finished_at,
    )
    return answer_json(shown)


@router.put("/legacy/flags", response_model=model_of(FlagChangedView))
async def set_state_flag(visit: Visitor, once: OnceOnly, asked: FlagBody, dry_run: DryRun = False) -> Response:
    """Says whose state is shown: of one ad group, a campaign, so many of a hundred, or new ones."""

    async def act(tx: Tx) -> Response:
        changed = await flags.set_flag(tx, visit.actor, **asked.arguments())
        return answer_json(FlagChangedView(changed=changed))

    return await once.run(act, dry_run=dry_run)


@router.delete("/legacy/flags/{kind}", response_model=model_of(FlagChangedView))
async def clear_state_flag(
    visit: Visitor,
    kind: Annotated[FlagName, Path(description="Of which kind.")],
    ad_group: Annotated[OptionalAdGroup, Query(description="Of the kind ID.")] = None,
    campaign: Annotated[OptionalCampaign, Query(description="Of the kind CAMPAIGN.")] = None,
    dry_run: DryRun = False,
) -> Response:
    """Takes a flag back: what the next one in order says holds again."""
    value = {FlagName.ID: ad_group, FlagName.CAMPAIGN: campaign}.get(kind, 0)
    if value is None:
        raise BadParameter("ad_group or campaign")
    async with visit.change() as tx, tried(tx, dry_run=dry_run):
        changed = await flags.clear_flag(tx, visit.actor, FlagKind(kind.lower()), value)
    return answer_json(FlagChangedView(changed=changed))


@router.post("/legacy/calculator/off", response_model=model_of(FlagChangedView))
async def switch_off_calculator(visit: Visitor, once: OnceOnly, dry_run: DryRun = False) -> Response:
    """Shows every ad group's stored state from now on, whatever was said before. Only the head office."""

    async def act(tx: Tx) -> Response:
        return answer_json(FlagChangedView(changed=await flags.switch_off_calculator(tx, visit.actor)))

    return await once.run(act, dry_run=dry_run)


@router.post("/legacy/runs", response_model=model_of(RunView), status_code=201)
async def plan_migration(visit: Visitor, asked: RunBody) -> Response:
    """Reads and maps everything and reports every row. No ad group is made or changed."""
    origin = FromTable() if asked.file is None else FromFile(asked.file)
    run = await actions.dry_run(visit.services, visit.actor, origin, asked.unit_id)
    return answer_json(view_row(visit, RUN, run), 201, {"Location": f"{visit.path}/{run.id}"})


@router.get("/legacy/runs/{id}/rows", response_model=page_of(RunRowView))
async def list_migration_rows(visit: Visitor, id: Number, wanted: Annotated[RowQuery, Query()]) -> Response:
    """Lists its rows in the order they were read; with `only`, those somebody should look at."""

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Row]:
        return await actions.list_rows(tx, visit.actor, id, only=wanted.only, cursor=cursor, limit=limit)

    def show(row: Row) -> RunRowView:
        return views.view_run_row(row, viewer_of(visit))

    return await answer_list(visit, wanted, paging.Source("legacy_rows", RunRowView, load, show))


@router.get("/legacy/runs/{id}/report", response_class=Response, responses=_CSV)
async def get_migration_report(visit: Visitor, id: Number) -> Response:
    """Sends its report as CSV: what was planned, or once it has ended, what became of every row."""
    async with visit.read() as tx:
        file = await actions.get_report(tx, visit.actor, id)
    tag = f'"{file.sha256[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if is_known(visit, tag):
        return Response(status_code=304, headers=headers)
    content = await storage.read(visit.services.files, file)
    headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return StreamingResponse(content.chunks, 200, headers, media_type=CSV)
