"""Bringing old ad groups over: planned without a change, done, gone on with, taken back; every row can be looked at."""

from datetime import datetime
from typing import Annotated, Any, Literal, cast

from fastapi import Path, Query
from fastapi.responses import Response, StreamingResponse
from pydantic import Field, model_validator

from pabal.apps.adgroups.api.names import BASE, Id, Status, noun, show_id, show_status
from pabal.apps.adgroups.errors import RunNotFound
from pabal.apps.adgroups.legacy import actions
from pabal.apps.adgroups.legacy.model import FromFile, FromTable, Mode, Row, Run
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.listing import Page as Rows
from pabal.platform import storage
from pabal.platform.tenants import visible_to
from pabal.platform.web.endpoints import LAST, Asked, Shown, answer, case, fill, long_id, no_content, rules
from pabal.platform.web.etags import answer_one, is_known
from pabal.platform.web.filters import Listed, Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list

router = noun()
RunNumber = Annotated[int, Path(ge=1, le=LAST, description="The migration's number.", examples=[1])]
ModeName = Literal["ONE_TRANSACTION", "BATCHES"]
_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}


class RunShown(Shown):
    """A migration. `states`, `marks` and `refusals` count what the dry run found; `counts` what was done since."""

    id: int = Field(examples=[1])
    unit_id: int = Field(examples=[3])
    state: str = Field(examples=["planned"])
    mode: ModeName | None = Field(examples=["ONE_TRANSACTION"])
    source: str = Field(examples=["csv"])
    file: str | None = Field(examples=["file_01h2xcejqtf2n"])
    rows: int = Field(examples=[1200])
    checkpoint: int = Field(description="Up to which row it is done.", examples=[0])
    counts: dict[str, int] = Field(examples=[{"made": 1190, "refused": 10}])
    states: dict[str, int] = Field(examples=[{"RUNNING": 800, "EXPIRED": 390}])
    marks: dict[str, int] = Field(examples=[{"running_unconfirmed": 3}])
    refusals: dict[str, int] = Field(examples=[{"no_dates": 10}])
    error: str | None = Field(examples=[None])
    created_by: str = Field(examples=["user:12"])
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    rolled_back_at: datetime | None = Field(examples=[None])


class RowShown(Shown):
    """One old ad group: what it was, what it would be, and what became of it."""

    n: int = Field(examples=[1])
    legacy_id: str | None = Field(examples=["AG001"])
    name: str | None = Field(examples=["여름 행사"])
    campaign: str | None = Field(examples=["2026 여름"])
    start_at: datetime | None
    end_at: datetime | None
    old_status: str | None = Field(examples=["RUNNING"])
    calculated: str | None = Field(examples=["RUNNING"])
    status: Status | None = Field(examples=["RUNNING"])
    marks: list[str] = Field(examples=[["running_unconfirmed"]])
    refusal: str | None = Field(examples=[None])
    problem: str | None = Field(examples=[None])
    outcome: str | None = Field(examples=["made"])
    ad_group: str | None = Field(examples=["adg_01h2xcejqtf2n"])


class RunAsked(Asked):
    """From a CSV uploaded to /api/v1/files?kind=any, or from the table legacy_ad_groups of the same database."""

    model_config = rules(
        {
            "oneOf": [
                case("file", source={"const": "csv"}, file={"type": "string"}),
                case(source={"const": "table"}, file={"type": "null"}),
            ]
        }
    )

    source: Literal["csv", "table"] = Field(examples=["csv"])
    file: Annotated[int, *long_id("file")] | None = Field(default=None, examples=["file_01h2xcejqtf2n"])
    unit_id: Id | None = Field(default=None, description="Whose they become; yours if not said.", examples=[None])

    @model_validator(mode="after")
    def fits(self) -> "RunAsked":
        if (self.source == "csv") != (self.file is not None):
            raise ValueError("a csv has a file, a table has none")
        return self


class StartAsked(Asked):
    """Without a mode the setting decides: one transaction up to 10,000 rows."""

    mode: ModeName | None = Field(default=None, examples=[None])


class RollbackAsked(Asked):
    """What people changed since is kept, unless `even_touched`."""

    even_touched: bool = False


class RowFilter(Listed):
    only: Annotated[Word | None, Field(description="suspicious, refused, a mark or a refusal.")] = None


@router.get("/legacy/runs", response_model=Page[RunShown])
async def list_migrations(visit: Visitor, wanted: Annotated[Listed, Query()]) -> Response:
    """Lists migrations, the newest first."""

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Run]:
        return await actions.list_runs(tx, visit.actor, cursor, limit)

    return await answer_list(visit, wanted, Source("legacy_runs", RunShown, load, _show))


@router.post("/legacy/runs", response_model=RunShown, status_code=201)
async def plan_migration(visit: Visitor, asked: RunAsked) -> Response:
    """Reads and maps everything and reports every row. No ad group is made or changed."""
    origin = FromTable() if asked.file is None else FromFile(asked.file)
    run = await actions.dry_run(visit.services, visit.actor, origin, asked.unit_id)
    return answer(_show(run), 201, location=f"{BASE}/legacy/runs/{run.id}")


@router.get("/legacy/runs/{id}", response_model=RunShown)
async def get_migration(visit: Visitor, id: RunNumber) -> Response:
    """Shows one migration and how far it is."""
    async with visit.read() as tx:
        run = await actions.get_run(tx, visit.actor, id)
    return answer_one(visit, _show(run))


@router.get("/legacy/runs/{id}/rows", response_model=Page[RowShown])
async def list_migration_rows(visit: Visitor, id: RunNumber, wanted: Annotated[RowFilter, Query()]) -> Response:
    """Lists its rows in the order they were read; with `only`, those somebody should look at."""

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Row]:
        return await actions.list_rows(tx, visit.actor, id, only=wanted.only, cursor=cursor, limit=limit)

    return await answer_list(visit, wanted, Source("legacy_rows", RowShown, load, _row))


@router.get("/legacy/runs/{id}/report", response_class=Response, responses=_CSV)
async def get_migration_report(visit: Visitor, id: RunNumber) -> Response:
    """Sends its report as CSV: what was planned, or once it has ended, what became of every row."""
    async with visit.read() as tx:
        run = await actions.get_run(tx, visit.actor, id)
        wanted = run.report_file_id or run.plan_file_id
        if wanted is None:
            raise RunNotFound(f"{run.about} has no report yet")
        file = await storage.get_file(tx, await visible_to(tx, visit.actor), wanted)
    tag = f'"{file.sha256[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, no-cache"}
    if is_known(visit, tag):
        return Response(status_code=304, headers=headers)
    content = await storage.read(visit.services.files, file)
    headers["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return StreamingResponse(content.chunks, 200, headers, media_type="text/csv")


@router.post("/legacy/runs/{id}/start", response_model=RunShown, status_code=202)
async def start_migration(visit: Visitor, once: OnceOnly, id: RunNumber, asked: StartAsked) -> Response:
    """Does what was planned, by a job: in one transaction, or in batches with checkpoints."""

    async def act(tx: Tx) -> Response:
        mode = None if asked.mode is None else Mode(asked.mode.lower())
        return answer(_show(await actions.start(tx, visit.actor, id, mode)), 202)

    return await once.run(act)


@router.post("/legacy/runs/{id}/resume", response_model=RunShown, status_code=202)
async def resume_migration(visit: Visitor, once: OnceOnly, id: RunNumber) -> Response:
    """Goes on after the last checkpoint."""

    async def act(tx: Tx) -> Response:
        return answer(_show(await actions.resume(tx, visit.actor, id)), 202)

    return await once.run(act)


@router.post("/legacy/runs/{id}/rollback", response_model=RunShown, status_code=202)
async def roll_back_migration(visit: Visitor, once: OnceOnly, id: RunNumber, asked: RollbackAsked) -> Response:
    """Removes what it made and restores what it changed, by a job."""

    async def act(tx: Tx) -> Response:
        return answer(_show(await actions.rollback(tx, visit.actor, id, even_touched=asked.even_touched)), 202)

    return await once.run(act)


@router.delete("/legacy/runs/{id}", status_code=204)
async def discard_migration(visit: Visitor, id: RunNumber) -> Response:
    """Drops a plan that was not started."""
    async with visit.change() as tx:
        await actions.discard(tx, visit.actor, id)
    return no_content()


def _show(run: Run) -> RunShown:
    return fill(
        RunShown,
        run,
        state=str(run.state),
        mode=None if run.mode is None else cast(ModeName, run.mode.upper()),
        file=None if run.file_id is None else ids.show("file", run.file_id),
        states={state.upper(): count for state, count in run.states.items()},
    )


def _row(row: Row) -> RowShown:
    return fill(
        RowShown,
        row,
        status=None if row.state is None else show_status(row.state),
        outcome=None if row.outcome is None else str(row.outcome),
        ad_group=None if row.ad_group_id is None else show_id(row.ad_group_id),
    )
