"""Asking for a render: a composition, its data, when it is needed. The check says everything that is wrong at once."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Form
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict
from pydantic.functional_validators import AfterValidator

from pabal.apps.rendering import input_files
from pabal.apps.rendering.actions import requesting
from pabal.apps.rendering.actions.requesting import LARGEST_DATA, RenderRequest, read_priority
from pabal.apps.rendering.errors import BadPriority, BadRender
from pabal.apps.rendering.farm import farm_of
from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.pages.page_texts import QUEUE, Typed, read_local
from pabal.apps.rendering.preflights import find_problems
from pabal.apps.rendering.resources.names import PRIORITIES
from pabal.apps.rendering.resources.rows import list_usable_units
from pabal.apps.rendering.resources.verbs import TestRun, find_sample, try_mapping
from pabal.apps.rendering.store import showing
from pabal.base.errors import NotFound
from pabal.platform.actor import Right
from pabal.platform.findings import FieldsRefused, Finding, find_wrong, texts_by_field
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, read_day
from pabal.platform.web.visit import Visit

router = APIRouter(prefix=f"{QUEUE}/new", include_in_schema=False)
FIELDS = ("composition_id", "gfx_data", "on_air_at", "broadcast_date", "priority", "cue_item_id")
NO_JSON: Pair = ("This is not JSON: {why}.", "JSON 형식이 아닙니다: {why}.")
NO_OBJECT: Pair = ("Write a JSON object.", "JSON 객체로 적어 주세요.")
NO_MOMENT: Pair = ("A moment reads 2026-07-03T20:15.", "날짜와 시각은 2026-07-03T20:15처럼 적어 주세요.")
NO_DAY: Pair = ("A day reads 2026-07-03.", "날짜는 2026-07-03처럼 적어 주세요.")
CHOOSE: Pair = ("Choose a composition.", "컴포지션을 고르세요.")


class Draft(BaseModel):
    """Every field as it was typed."""

    model_config = ConfigDict(frozen=True)

    composition_id: Typed = ""
    gfx_data: Annotated[str, AfterValidator(lambda text: text.replace("\0", "")[: 2 * LARGEST_DATA])] = ""
    on_air_at: Typed = ""
    broadcast_date: Typed = ""
    priority: Typed = "normal"
    cue_item_id: Typed = ""
    again: Typed = ""
    go: Typed = "render"


@dataclass(frozen=True, slots=True)
class Checked:
    """What the form says, and what is wrong with it."""

    request: RenderRequest | None
    findings: list[Finding]


@router.get("")
async def show(visit: Visitor, composition: Word = "", sample: Word = "") -> Response:
    visit.actor.require(Right.WRITE, AREA)
    data = find_sample(composition) if composition and sample else None
    text = "" if data is None else json.dumps(data, ensure_ascii=False, indent=2)
    return await _show(visit, Draft(composition_id=composition, gfx_data=text))


@router.post("")
async def create(visit: Visitor, draft: Annotated[Draft, Form()]) -> Response:
    """`check` only says what would come of it."""
    visit.actor.require(Right.WRITE, AREA)
    checked = _read(visit, draft)
    if checked.request is None or checked.findings:
        return await _show(visit, draft, checked.findings, status=422)
    if draft.go == "check":
        return await _check(visit, draft, checked.request)
    wanted = await _with_files(visit, checked.request)
    try:
        async with visit.change() as tx:
            made = await requesting.request(tx, visit.actor, visit.services.vault, wanted)
    except FieldsRefused as refused:
        return await _show(visit, draft, list(refused.findings), status=422)
    except BadRender as error:
        return await _show(visit, draft, [find_wrong(error, "gfx_data")], status=422)
    said: Pair = ("In the queue.", "대기열에 넣었습니다.")
    if not made.is_new:
        said = (
            "The same was rendered before: this is that film.",
            "같은 데이터로 이미 만든 영상이 있어 그 작업을 열었습니다.",
        )
    return visit.go(f"{QUEUE}/jobs/{made.render.id}", said=said)


async def _with_files(visit: Visit, wanted: RenderRequest) -> RenderRequest:
    farm = farm_of(visit.services)
    async with visit.read() as tx:
        planned = await input_files.plan(tx, visit.actor, farm, [wanted])
    [found] = await input_files.look_at_files(farm, planned)
    return found


async def _check(visit: Visit, draft: Draft, wanted: RenderRequest) -> Response:
    farm = farm_of(visit.services)
    folder = farm.startup.aep_template_dir
    try:
        async with visit.read() as tx:
            run = await try_mapping(tx, visit.actor, wanted.composition_id, gfx_data=wanted.gfx_data, templates=folder)
    except FieldsRefused as refused:
        return await _show(visit, draft, list(refused.findings), status=422)
    except NotFound as error:
        return await _show(visit, draft, [find_wrong(error, "composition_id")], status=422)
    findings = await find_problems(farm, run.placed, run.assigned)
    return await _show(visit, draft, findings, run=run)


async def _show(
    visit: Visit, draft: Draft, findings: Sequence[Finding] = (), *, run: TestRun | None = None, status: int = 200
) -> Response:
    async with visit.read() as tx:
        known = await showing.list_names(tx, await list_usable_units(tx, visit.scope))
    return await visit.show(
        "rendering/new.html",
        status_code=status,
        draft=draft,
        compositions=known,
        priorities=PRIORITIES,
        summary=[(_field_of(one), visit.say(*one.text)) for one in findings],
        errors={name: visit.say(*text) for name, text in texts_by_field([_at_field(one) for one in findings]).items()},
        run=run,
        warnings=[] if run is None else [visit.say(*one.text) for one in run.warnings],
    )


def _read(visit: Visit, draft: Draft) -> Checked:
    findings: list[Finding] = []
    data = _read_data(draft.gfx_data, findings)
    on_air = read_local(visit, draft.on_air_at) if draft.on_air_at else None
    if draft.on_air_at and on_air is None:
        findings.append(Finding("unreadable", "on_air_at", NO_MOMENT))
    day: date | None = read_day(draft.broadcast_date) if draft.broadcast_date else None
    if draft.broadcast_date and day is None:
        findings.append(Finding("unreadable", "broadcast_date", NO_DAY))
    if not draft.composition_id:
        findings.insert(0, Finding("not_offered", "composition_id", CHOOSE))
    try:
        priority = read_priority(draft.priority)
    except BadPriority as error:
        return Checked(None, [*findings, find_wrong(error, "priority")])
    request = RenderRequest(
        draft.composition_id, data, draft.cue_item_id or None, day, priority, on_air, again=bool(draft.again)
    )
    return Checked(request, findings)


def _read_data(text: str, findings: list[Finding]) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        why = f"{error.msg}, {error.lineno}:{error.colno}" if isinstance(error, json.JSONDecodeError) else "…"
        findings.append(Finding("unreadable", "gfx_data", (NO_JSON[0].format(why=why), NO_JSON[1].format(why=why))))
        return {}
    if not isinstance(found, dict):
        findings.append(Finding("unreadable", "gfx_data", NO_OBJECT))
        return {}
    return found


def _field_of(finding: Finding) -> str:
    """The field of the form that a finding is about: what is in the data, is in the data."""
    name = finding.field.partition("/")[0]
    return name if name in FIELDS else "composition_id" if name == "template_src" else ""


def _at_field(finding: Finding) -> Finding:
    return Finding(finding.code, _field_of(finding), finding.text)
