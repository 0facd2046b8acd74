"""One migration: what the dry run found, row by row; started, gone on with, taken back; its report as a file."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from pabal.apps.adgroups.errors import RunBusy, WrongRunState
from pabal.apps.adgroups.labels import MARKS, OUTCOMES, REFUSALS
from pabal.apps.adgroups.legacy import actions
from pabal.apps.adgroups.legacy.model import Mode, Row, Run, RunState
from pabal.apps.adgroups.pages.migration import HERE
from pabal.apps.adgroups.pages.page_texts import TOPICS, Fault
from pabal.apps.adgroups.settings import ONE_TRANSACTION_ROWS
from pabal.base.database import Tx
from pabal.engine import ids, listing
from pabal.engine.listing import JobLine, Page
from pabal.engine.listing.jobs import OPEN, Wanted
from pabal.platform import settings, storage
from pabal.platform.findings import find_wrong
from pabal.platform.language.pairs import Pair
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix=HERE + "/{run_id}", include_in_schema=False)
_STOPPED = (RunBusy, WrongRunState)
_ON_ITS_WAY: Pair = ("It is on its way; this page follows it.", "시작했습니다. 이 화면에서 진행을 볼 수 있습니다.")


class Filters(BaseModel):
    only: Word = ""
    cursor: str = ""


@router.get("")
async def show(visit: Visitor, run_id: RowId, filters: Annotated[Filters, Query()]) -> Response:
    return await _show(visit, run_id, filters)


@router.get("/report")
async def report(visit: Visitor, run_id: RowId) -> Response:
    """What was planned, or once it has ended, what became of every row; as CSV."""
    async with visit.read() as tx:
        file = await actions.get_report(tx, visit.actor, run_id)
    content = await storage.read(visit.services.files, file)
    headers = {"Content-Disposition": f'attachment; filename="{file.name}"', "Cache-Control": "no-store"}
    return StreamingResponse(content.chunks, 200, headers, media_type="text/csv")


@router.get("/{verb}")
async def look_again(visit: Visitor, run_id: RowId, verb: Word) -> Response:
    """Where one stands after a refusal; reloading looks, and changes nothing."""
    return visit.go(f"{HERE}/{run_id}")


@router.post("/start")
async def start(visit: Visitor, run_id: RowId, mode: Annotated[Word, Form()] = "") -> Response:
    chosen = Mode(mode) if mode in set(Mode) else None

    async def act(tx: Tx) -> Run:
        return await actions.start(tx, visit.actor, run_id, chosen)

    return await _do(visit, run_id, act, ("It did not start", "시작하지 못했습니다"))


@router.post("/resume")
async def resume(visit: Visitor, run_id: RowId) -> Response:
    async def act(tx: Tx) -> Run:
        return await actions.resume(tx, visit.actor, run_id)

    return await _do(visit, run_id, act, ("It did not go on", "이어 하지 못했습니다"))


@router.post("/rollback")
async def rollback(visit: Visitor, run_id: RowId, even_touched: Annotated[Word, Form()] = "") -> Response:
    async def act(tx: Tx) -> Run:
        return await actions.rollback(tx, visit.actor, run_id, even_touched=bool(even_touched))

    return await _do(visit, run_id, act, ("It was not taken back", "되돌리지 못했습니다"))


@router.post("/discard")
async def discard(visit: Visitor, run_id: RowId) -> Response:
    try:
        async with visit.change() as tx:
            await actions.discard(tx, visit.actor, run_id)
    except _STOPPED as error:
        return await _show(
            visit, run_id, Filters(), Fault(("It was not discarded", "버리지 못했습니다"), find_wrong(error))
        )
    return visit.go(HERE, said=("The plan was discarded.", "계획을 버렸습니다."))


async def _do(visit: Visit, run_id: int, act: Callable[[Tx], Awaitable[Run]], what: Pair) -> Response:
    try:
        async with visit.change() as tx:
            await act(tx)
    except _STOPPED as error:
        return await _show(visit, run_id, Filters(), Fault(what, find_wrong(error)))
    return visit.go(f"{HERE}/{run_id}", said=_ON_ITS_WAY)


async def _show(visit: Visit, run_id: int, filters: Filters, fault: Fault | None = None) -> Response:
    async with visit.read() as tx:
        run = await actions.get_run(tx, visit.actor, run_id)
        page = await _load_rows(tx, visit, run, filters)
        job = await _find_job(tx, visit, run)
        names = await name_actors(tx, visit, {run.created_by})
        path = (await load_tree(tx, visit.scope)).names(run.unit_id)
        in_one = await settings.value(tx, ONE_TRANSACTION_ROWS)
    return await visit.show(
        "adgroups/run.html",
        200 if fault is None else 409,
        run=run,
        rows=page.items,
        filters=filters,
        job=None if job is None else ids.show("job", job.id),
        names=names,
        path=path,
        in_one=in_one,
        fault=fault,
        marks=MARKS,
        refusals=REFUSALS,
        outcomes=OUTCOMES,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


async def _load_rows(tx: Tx, visit: Visit, run: Run, filters: Filters) -> Page[Row]:
    only = filters.only if filters.only in {"suspicious", "refused", *MARKS, *REFUSALS} else None
    return await read_page(
        lambda cursor: actions.list_rows(tx, visit.actor, run.id, only=only, cursor=cursor), filters.cursor
    )


async def _find_job(tx: Tx, visit: Visit, run: Run) -> JobLine | None:
    """The one that does it now. Where there is none and it has not ended, it stands still."""
    if run.state not in (RunState.RUNNING, RunState.ROLLING_BACK):
        return None
    found = await listing.list_jobs(tx, Wanted(visit.scope.listed, OPEN, about=run.about), limit=1)
    return found.items[0] if found.items else None
