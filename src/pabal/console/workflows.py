"""Workflows: the list, one with its graph and its YAML, and a run with the state of each step."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel

from pabal.base.errors import Conflict, Invalid
from pabal.engine.listing import Page
from pabal.engine.workflows import listing, yaml_form
from pabal.engine.workflows.definitions import StoredWorkflow
from pabal.engine.workflows.listing import NoteRow, RunRow, StepRow, WantedRuns
from pabal.engine.workflows.machine import OPEN, RunState
from pabal.engine.workflows.model import Workflow
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.findings import FieldsRefused
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair, put
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, turn
from pabal.platform.web.visit import Visit
from pabal.platform.web.workflow_graph import Graph, draw_workflow
from pabal.platform.workflows import AREA, KEEP_RUNS, find_cleaned, list_starts, roles_below
from pabal.platform.workflows.reasons import tell_reason
from pabal.resources import workflow_rows
from pabal.resources.workflow_rows import RunSeen, StepSeen
from pabal.resources.workflows import ROLES, WAITS

router = APIRouter(prefix="/workflows")
TOPICS = "workflow_run.*,workflow_question.*"
PAGE = 20
Reason = Annotated[str, Form(max_length=500)]
CAUSES: dict[str, Pair] = {"rule_run": ("A rule", "룰"), "event": ("An event", "이벤트")}
EXAMPLE = """name: hello
title: 처음 만든 워크플로우
input:
  who: {type: string, default: 여러분}
steps:
  - name: ask
    kind: platform.approval
    input:
      title: {text: "{input.who}에게 인사할까요?"}
  - name: tell
    kind: platform.notify
    input:
      title: {text: "안녕하세요, {input.who}"}
"""


class RunFilters(BaseModel):
    state: Word = ""
    cursor: str = ""

    @property
    def states(self) -> tuple[str, ...]:
        return (self.state,) if self.state in list(RunState) else ()


class BadInput(Invalid, code="workflow_input_unreadable"):
    """Write what the workflow is given as a JSON object, such as {"limit": 500}."""


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[RunFilters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        found = await listing.list_workflows(tx, visit.scope.listed, seen_by=roles_below(visit.actor))
        wanted = WantedRuns(visit.scope.listed, None, filters.states, roles_below(visit.actor))
        cleaned = await find_cleaned(tx, visit.scope, roles_below(visit.actor))
        keep = await settings.value(tx, KEEP_RUNS)
        page: Page[RunRow] = await read_page(lambda cursor: listing.list_runs(tx, wanted, cursor, PAGE), filters.cursor)
    return await visit.show(
        "workflows.html",
        workflows=found,
        runs=page.items,
        reason_of=workflow_rows.tell_run_reason,
        filters=filters,
        states=[state.value for state in RunState],
        pager=turn(visit, page.cursor),
        cleaned=cleaned,
        keep=keep,
        live_topics=TOPICS,
    )


@router.get("/new")
async def show_new(visit: Visitor) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    return await _show_form(visit, EXAMPLE)


@router.post("/new")
async def save(visit: Visitor, yaml: Annotated[str, Form(max_length=200_000)] = "") -> Response:
    try:
        async with visit.change() as tx:
            saved = await workflow_rows.save_workflow(
                tx, visit.actor, yaml=yaml, workflows=visit.site.workflows, reader=visit.actor
            )
    except FieldsRefused as error:
        return await _show_form(visit, yaml, [put(visit.lang, one.text) for one in error.findings])
    return visit.go(f"/workflows/{saved.id}", said=("Saved.", "저장했습니다."))


@router.get("/runs/{run_id}")
async def show_run(visit: Visitor, run_id: RowId) -> Response:
    return await _show_run(visit, run_id)


@router.post("/runs/{run_id}/pause")
async def pause(visit: Visitor, run_id: RowId) -> Response:
    async with visit.change() as tx:
        await visit.site.workflows.pause(tx, visit.actor, run_id)
    return visit.go(f"/workflows/runs/{run_id}", said=("Paused.", "일시정지했습니다."))


@router.post("/runs/{run_id}/resume")
async def resume(visit: Visitor, run_id: RowId) -> Response:
    async with visit.change() as tx:
        await visit.site.workflows.resume(tx, visit.actor, run_id)
    return visit.go(f"/workflows/runs/{run_id}", said=("It goes on.", "다시 진행합니다."))


@router.post("/runs/{run_id}/cancel")
async def cancel(visit: Visitor, run_id: RowId, reason: Reason = "") -> Response:
    async with visit.change() as tx:
        await visit.site.workflows.cancel(tx, visit.actor, run_id, reason or visit.say("in the console", "콘솔에서"))
    return visit.go(f"/workflows/runs/{run_id}", said=("It is being stopped.", "실행을 멈추고 있습니다."))


@router.post("/runs/{run_id}/retry")
async def retry(visit: Visitor, run_id: RowId, step: Annotated[str, Form(max_length=60)]) -> Response:
    async with visit.change() as tx:
        await visit.site.workflows.retry_from(tx, visit.actor, run_id, step)
    return visit.go(f"/workflows/runs/{run_id}", said=("It goes on from there.", "그 단계부터 다시 진행합니다."))


@router.post("/runs/{run_id}/skip")
async def skip(
    visit: Visitor, run_id: RowId, step: Annotated[str, Form(max_length=60)], reason: Reason = ""
) -> Response:
    async with visit.change() as tx:
        why = reason or visit.say("in the console", "콘솔에서")
        await visit.site.workflows.skip_step(tx, visit.actor, run_id, step, why)
    return visit.go(f"/workflows/runs/{run_id}", said=("Skipped.", "건너뛰었습니다."))


@router.post("/runs/{run_id}/again")
async def again(visit: Visitor, run_id: RowId, given: Annotated[str, Form(max_length=65_536)] = "") -> Response:
    """With the same input, or with the one that was written."""
    try:
        async with visit.change() as tx:
            asked = _read_input(given) if given else None
            made = await visit.site.workflows.again(tx, visit.actor, run_id, asked)
    except (Invalid, Conflict) as error:
        return await _show_run(visit, run_id, given=given, error=explain(error, visit.lang))
    return visit.go(f"/workflows/runs/{made}", said=("Started again.", "다시 시작했습니다."))


@router.get("/{workflow_id}")
async def show(visit: Visitor, workflow_id: RowId) -> Response:
    return await _show(visit, workflow_id)


@router.get("/{workflow_id}/yaml")
async def export(visit: Visitor, workflow_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        found = await visit.site.workflows.get(tx, visit.actor, workflow_id)
    named = {"Content-Disposition": f'attachment; filename="{found.name}.yaml"'}
    return PlainTextResponse(yaml_form.show_workflow(found.workflow), headers=named, media_type="application/yaml")


@router.get("/{workflow_id}/edit")
async def show_edit(visit: Visitor, workflow_id: RowId) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        found = await visit.site.workflows.get(tx, visit.actor, workflow_id)
    return await _show_form(visit, yaml_form.show_workflow(found.workflow))


@router.post("/{workflow_id}/start")
async def start(visit: Visitor, workflow_id: RowId, given: Annotated[str, Form(max_length=65_536)] = "") -> Response:
    try:
        asked = _read_input(given)
        async with visit.change() as tx:
            made = await visit.site.workflows.start(tx, visit.actor, workflow_id, asked)
    except (Invalid, Conflict) as error:
        return await _show(visit, workflow_id, given=given, error=explain(error, visit.lang))
    return visit.go(f"/workflows/runs/{made}", said=("Started.", "시작했습니다."))


@router.post("/{workflow_id}/archive")
async def archive(visit: Visitor, workflow_id: RowId) -> Response:
    async with visit.change() as tx:
        await visit.site.workflows.archive(tx, visit.actor, workflow_id)
    return visit.go("/workflows", said=("Put away.", "보관했습니다."))


async def _show_form(visit: Visit, yaml: str, faults: list[str] | None = None) -> Response:
    kinds = sorted(visit.site.workflows.kinds, key=lambda kind: kind.full_name)
    status = 422 if faults else 200
    return await visit.show("workflow_form.html", status, yaml=yaml, faults=faults or [], kinds=kinds)


async def _show(visit: Visit, workflow_id: int, *, given: str | None = None, error: str = "") -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        found = await visit.site.workflows.get(tx, visit.actor, workflow_id)
        versions = await listing.list_versions(tx, workflow_id)
        starts = await list_starts(tx, workflow_id)
        wanted = WantedRuns(visit.scope.listed, workflow_id, (), roles_below(visit.actor))
        runs = await listing.list_runs(tx, wanted, None, PAGE)
    return await visit.show(
        "workflow.html",
        422 if error else 200,
        one=found,
        flow=found.workflow,
        yaml=yaml_form.show_workflow(found.workflow),
        graph=draw_workflow(found.workflow, {}),
        versions=versions,
        starts=starts,
        tell_reason=tell_reason,
        runs=runs.items,
        reason_of=workflow_rows.tell_run_reason,
        roles=ROLES,
        given=_example(found) if given is None else given,
        error=error,
        live_topics=TOPICS,
    )


async def _show_run(visit: Visit, run_id: int, *, given: str = "", error: str = "") -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        row = await visit.site.workflows.get_run(tx, visit.actor, run_id)
        seen = await workflow_rows.see_run(tx, row, visit.site.workflows, visit.actor)
        notes = [_tell_note(row, one) for one in await listing.list_notes(tx, run_id)]
    return await visit.show(
        "workflow_run.html",
        422 if error else 200,
        given=given,
        error=error,
        run=row,
        flow=row.workflow,
        steps=_failed_first(seen),
        graph=_graph(seen),
        seen=seen,
        name_steps=partial(_name_steps, row.workflow),
        cause=_link_cause(visit, row.cause),
        shown_input=seen.input,
        next_steps=seen.next,
        notes=notes,
        is_open=row.state in OPEN,
        waits=WAITS,
        dump=_dump,
        share=_TimeShare(seen, visit),
        live_topics=TOPICS,
    )


@dataclass(frozen=True, slots=True)
class Noted:
    """What happened to a run besides the ends of its steps."""

    at: datetime
    what: str
    step: str
    reason: Pair


def _tell_note(run: RunRow, one: NoteRow) -> Noted:
    reason = tell_reason(str(listing.without_secrets(run, one.data.get("reason", ""))))
    return Noted(one.at, one.what, "" if one.step is None else run.workflow.steps[one.step].name, reason)


def _link_cause(visit: Visit, cause: str | None) -> tuple[Pair, str] | None:
    """What started it, in words, and where that is seen."""
    if cause is None:
        return None
    there = next((link for app in visit.site.slices if app.link and (link := app.link(cause))), "")
    return CAUSES.get(cause.partition(":")[0], (cause, cause)), there


def _name_steps(flow: Workflow, names: str) -> str:
    """As people know them; what is no name of a step stays as it is."""
    titles = {step.name: step.title or step.name for step in flow.steps}
    return ", ".join(titles.get(name, name) for name in names.split(", "))


class _TimeShare:
    """Where the time of a run went: each step as a part of the whole."""

    def __init__(self, seen: RunSeen, visit: Visit) -> None:
        self._began = seen.run.started_at
        self._until = seen.run.ended_at or visit.now
        self._whole = max((self._until - self._began).total_seconds(), 0.001)

    def of(self, step: StepSeen) -> tuple[float, float]:
        """Begin and length in percent."""
        if step.row is None:
            return 0.0, 0.0
        begin, end = self._between(step.row)
        left = min(max(100 * (begin - self._began).total_seconds() / self._whole, 0.0), 99.0)
        return left, min(max(100 * (end - begin).total_seconds() / self._whole, 1.0), 100.0 - left)

    def took(self, step: StepSeen) -> timedelta:
        """So far, of one that is not over."""
        if step.row is None:
            return timedelta(0)
        begin, end = self._between(step.row)
        return max(end - begin, timedelta(0))

    def _between(self, row: StepRow) -> tuple[datetime, datetime]:
        return row.started_at or row.opened_at, row.ended_at or self._until


def _failed_first(seen: RunSeen) -> list[StepSeen]:
    return sorted(seen.steps, key=lambda step: step.row is None or step.row.state != "failed")


def _graph(seen: RunSeen) -> Graph:
    plain = [step for step in seen.steps if step.row is not None and step.row.item < 0 and not step.row.undo]
    return draw_workflow(seen.run.workflow, {step.label: step.row.state for step in plain if step.row is not None})


def _example(found: StoredWorkflow) -> str:
    wanted = {
        name: one.default for name, one in found.workflow.input.items() if one.required or one.default is not None
    }
    return _dump(wanted) if wanted else "{}"


def _read_input(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "{}")
    except ValueError as error:
        raise BadInput(str(error)[:200]) from error
    if not isinstance(found, dict):
        raise BadInput("no object")
    return found


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
