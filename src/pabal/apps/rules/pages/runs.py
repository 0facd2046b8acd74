"""Runs of rules: the list, and one run with its failure first."""

from typing import Annotated, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from pabal.apps.rules import artifacts
from pabal.apps.rules.actions.runs import cancel_run
from pabal.apps.rules.labels import REASONS, TRIGGERS, WAYS
from pabal.apps.rules.model.rules import AREA, RuleRunState, Run
from pabal.apps.rules.pages.rules import PAGE, TOPICS
from pabal.apps.rules.settings import KEEP_ARTIFACTS, KEEP_RUNS
from pabal.apps.rules.store import rules, runs
from pabal.apps.rules.store.runs import RunFilter
from pabal.apps.rules.wording import tell_failure, tell_problem
from pabal.engine import ids
from pabal.platform import settings, storage
from pabal.platform.actor import Right
from pabal.platform.storage import ANY_MEDIA_TYPE, FileNotFound
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, turn
from pabal.platform.web.ranges import disposition, headers_of

router = APIRouter(prefix="/rules/runs", include_in_schema=False)
AsFile = Annotated[Literal["inline", "attachment"], Query()]
# with their beginning; the list of the rest is REST's
MOST_SHOWN = 20


class RunFilters(BaseModel):
    status: Word = ""
    reason: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.status or self.reason)

    def read(self) -> RunFilter:
        states = [one.value for one in RuleRunState if one.value == self.status] or None
        return RunFilter(states=states, reason=self.reason if self.reason in REASONS else None)


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[RunFilters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await read_page(
            lambda cursor: runs.list_runs(tx, visit.scope, filters.read(), cursor=cursor, limit=PAGE), filters.cursor
        )
        cleaned = await runs.find_cleaned(tx, visit.scope)
        keep = await settings.value(tx, KEEP_RUNS), await settings.value(tx, KEEP_ARTIFACTS)
    return await visit.show(
        "rules/runs.html",
        runs=page.items,
        filters=filters,
        reasons=REASONS,
        triggers=TRIGGERS,
        pager=turn(visit, page.cursor),
        cleaned=cleaned,
        keep=keep,
        live_topics=TOPICS,
    )


@router.get("/by-number/{number}")
async def by_number(visit: Visitor, number: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        run = await runs.get_numbered(tx, visit.scope, number)
    return visit.go(f"/rules/runs/{run.id}")


@router.get("/{run_id}")
async def show(visit: Visitor, run_id: UUID) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        run = await runs.get_run(tx, visit.scope, run_id)
        [rule] = await rules.load_rules(tx, [run.rule_number])
        found = await artifacts.find_files(tx, visit.scope, run)
        earlier = await artifacts.find_earlier(tx, visit.scope, run)
    job = None if run.work_id is None or not visit.actor.may(Right.READ, "jobs") else ids.show("job", run.work_id)
    return await visit.show(
        "rules/run.html",
        run=run,
        rule=rule,
        job=job,
        told=tell_failure(run.log_summary),
        artifacts=await artifacts.show(visit.services.files, run, found[:MOST_SHOWN], earlier),
        reasons=REASONS,
        triggers=TRIGGERS,
        ways=WAYS,
        tell_problem=tell_problem,
        telegram=_find_telegram(visit, run),
        live_topics=TOPICS,
    )


def _find_telegram(visit: Visitor, run: Run) -> str:
    """In a demo nothing leaves the house: where to see what would be in somebody's chat."""
    is_there = any(one["is_sent"] and one["type"] in ("telegram", "approval", "notify") for one in run.captured)
    return visit.services.settings.telegram_url if visit.site.is_demo and is_there else ""


@router.get("/{run_id}/artifacts/{file}")
async def get_artifact(visit: Visitor, run_id: UUID, file: str, show: AsFile = "attachment") -> Response:
    """A file that the run made. Only pictures are shown: everything else is a download, whatever it says of itself."""
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        run = await runs.get_run(tx, visit.scope, run_id)
        found = next((one for one in await artifacts.find_files(tx, visit.scope, run) if one.shown_id == file), None)
    if found is None:
        raise FileNotFound(file[:100])
    is_shown = show == "inline" and found.width is not None
    content = await storage.read(visit.services.files, found)
    named = {"Content-Disposition": disposition("inline" if is_shown else "attachment", found.name)}
    media_type = found.media_type if is_shown else ANY_MEDIA_TYPE
    return StreamingResponse(content.chunks, 200, named | headers_of(content, is_part=False), media_type=media_type)


@router.post("/{run_id}/cancel")
async def cancel(visit: Visitor, run_id: UUID) -> Response:
    async with visit.change() as tx:
        await cancel_run(tx, visit.actor, run_id)
    return visit.go(f"/rules/runs/{run_id}", said=("It is being stopped.", "실행을 멈추고 있습니다."))
