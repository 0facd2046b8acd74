"""Templates and mapping: which field goes into which layer; import with a check, a try with data, the cache."""

import json
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.rendering.actions import compositions as actions
from pabal.apps.rendering.api.mappings import MEDIA
from pabal.apps.rendering.errors import ImportRefused
from pabal.apps.rendering.exporting import write_file
from pabal.apps.rendering.model.renders import AREA
from pabal.apps.rendering.pages.page_texts import TEMPLATES
from pabal.apps.rendering.resources.compositions import KIND_WORDS, CompositionFilter
from pabal.apps.rendering.resources.rows import get_composition, list_compositions
from pabal.apps.rendering.resources.verbs import TestRun, find_sample, import_mappings, try_mapping
from pabal.apps.rendering.samples import sample_csv
from pabal.apps.rendering.store import compositions, showing
from pabal.base.errors import Invalid
from pabal.platform import tenants
from pabal.platform.actor import Right
from pabal.platform.findings import FieldsRefused, Finding
from pabal.platform.language.pairs import Pair
from pabal.platform.operating.model import tried
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, turn
from pabal.platform.web.posted import Posted, open_posted
from pabal.platform.web.tree import load_tree
from pabal.platform.web.uploads import FilePart, PartLimits
from pabal.platform.web.visit import Visit

# a composition may be called whatever somebody likes, so what is no composition has another address
router = APIRouter(prefix="/render", include_in_schema=False)
PAGE = 50
LARGEST_FILE = 2 * 1024 * 1024
LIMITS = PartLimits(LARGEST_FILE + 64 * 1024, max_parts=8, max_field=LARGEST_FILE)
Upload = Annotated[Posted, Depends(open_posted(LIMITS))]


class MappingFileTooLarge(Invalid, code="mapping_file_too_large"):
    """A file of mappings has at most 2 MB of text in UTF-8."""


class Filters(BaseModel):
    q: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.q)


@dataclass(frozen=True, slots=True)
class Sent:
    """What a visitor sent to be imported: a file, or the text of one."""

    content: str = ""
    name: str = ""
    is_check: bool = False

    @property
    def format(self) -> str:
        is_json = self.name.lower().endswith(".json") or self.content.lstrip()[:1] in ("{", "[")
        return "json" if is_json else "csv"


@router.get("/templates")
async def show_list(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        wanted = CompositionFilter(q=filters.q or None)
        page = await read_page(
            lambda cursor: list_compositions(tx, visit.scope, wanted, cursor=cursor, limit=PAGE), filters.cursor
        )
        tree = await load_tree(tx, visit.scope)
        own = await tenants.visible_to(tx, visit.actor)
    return await visit.show(
        "rendering/templates.html",
        lines=[(one, tree.names(one.unit_id)) for one in page.items],
        filters=filters,
        pager=turn(visit, page.cursor),
        is_house=own.units is None,
        live_topics="",
    )


@router.get("/mapping/import")
async def show_import(visit: Visitor, sample: Word = "") -> Response:
    visit.actor.require(Right.MANAGE, AREA)
    return await _show_import(visit, Sent(sample_csv() if sample else ""))


@router.post("/mapping/import")
async def import_file(posted: Upload) -> Response:
    visit = posted.visit
    visit.actor.require(Right.MANAGE, AREA)
    sent = await _read(posted)
    try:
        async with visit.change() as tx, tried(tx, dry_run=sent.is_check):
            made = await import_mappings(tx, visit.actor, format=sent.format, content=sent.content)
    except ImportRefused as refused:
        return await _show_import(visit, sent, list(refused.findings), status=422)
    if sent.is_check:
        return await _show_import(visit, sent, counted=(made.compositions, made.mappings))
    said: Pair = (
        "Taken in: {compositions} compositions, {mappings} fields.",
        "컴포지션 {compositions}개, 항목 {mappings}개를 가져왔습니다.",
    )
    return visit.go(TEMPLATES, said=said, compositions=made.compositions, mappings=made.mappings)


@router.get("/mapping/export.{format}")
async def export(visit: Visitor, format: Word) -> Response:
    visit.actor.require(Right.READ, AREA)
    kind = "json" if format == "json" else "csv"
    async with visit.read() as tx:
        content = await write_file(tx, visit.scope, kind)  # type: ignore[arg-type]  # one of two words
    named = {"Content-Disposition": f'attachment; filename="aep_field_mapping.{kind}"'}
    return Response(content, headers=named, media_type=MEDIA[kind])


@router.post("/mapping/cache")
async def clear_cache(visit: Visitor) -> Response:
    async with visit.change() as tx:
        await actions.clear_template_cache(tx, visit.actor)
    said = ("Every worker reads templates and mappings again.", "모든 워커가 템플릿과 매핑을 다시 읽습니다.")
    return visit.go(TEMPLATES, said=said)


@router.get("/templates/{composition_id:path}")
async def show(visit: Visitor, composition_id: Word) -> Response:
    visit.actor.require(Right.READ, AREA)
    return await _show_one(visit, composition_id)


@router.post("/templates/{composition_id:path}/test")
async def try_data(visit: Visitor, composition_id: Word, gfx_data: Annotated[str, Form()] = "") -> Response:
    """Nothing is rendered and nothing saved."""
    visit.actor.require(Right.READ, AREA)
    return await _show_one(visit, composition_id, gfx_data.replace("\0", "")[: 512 * 1024])


@router.post("/templates/{composition_id:path}/remove")
async def remove(visit: Visitor, composition_id: Word) -> Response:
    async with visit.change() as tx:
        await actions.remove_composition(tx, visit.actor, composition_id)
    return visit.go(TEMPLATES, said=("Removed.", "지웠습니다."))


async def _show_one(visit: Visit, composition_id: str, typed: str | None = None) -> Response:
    sample = find_sample(composition_id)
    text = typed if typed is not None else "" if sample is None else json.dumps(sample, ensure_ascii=False, indent=2)
    run: TestRun | None = None
    findings: list[Finding] = []
    async with visit.read() as tx:
        row = await get_composition(tx, visit.scope, composition_id)
        mappings = await compositions.list_mappings(tx, [row.id])
        tree = await load_tree(tx, visit.scope)
        recent = await showing.list_recent_of(tx, visit.scope, row.id)
        if typed is not None:
            try:
                run = await try_mapping(tx, visit.actor, row.id, gfx_data=_read_data(typed))
            except FieldsRefused as refused:
                findings = list(refused.findings)
    return await visit.show(
        "rendering/template.html",
        one=row,
        mappings=mappings,
        kinds=KIND_WORDS,
        path=tree.names(row.unit_id),
        owns=visit.scope.holds(row.unit_id),
        typed=text,
        run=run,
        recent=recent,
        findings=[visit.say(*one.text) for one in (findings if run is None else run.findings)],
        warnings=[] if run is None else [visit.say(*one.text) for one in run.warnings],
        job="" if run is None else json.dumps(run.job, ensure_ascii=False, indent=2),
    )


def _read_data(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise FieldsRefused([Finding("unreadable", "gfx_data", _NO_JSON)]) from error
    if not isinstance(found, dict):
        raise FieldsRefused([Finding("unreadable", "gfx_data", _NO_JSON)])
    return found


_NO_JSON: Pair = ("Write a JSON object.", "JSON 객체로 적어 주세요.")


async def _show_import(
    visit: Visit,
    sent: Sent,
    findings: list[Finding] | None = None,
    *,
    counted: tuple[int, int] | None = None,
    status: int = 200,
) -> Response:
    return await visit.show(
        "rendering/import.html",
        status_code=status,
        sent=sent,
        summary=[("", visit.say(*one.text)) for one in findings or []],
        counted=counted,
    )


async def _read(posted: Posted) -> Sent:
    """A file comes before what was pasted."""
    pasted, content, name, is_check = "", b"", "", False
    async for part in posted.parts:
        if isinstance(part, FilePart):
            name = part.filename or name
            async for chunk in part.chunks:
                content += chunk
                if len(content) > LARGEST_FILE:
                    raise MappingFileTooLarge(name[:100])
        elif part.name == "content":
            pasted = part.value.replace("\0", "")
        elif part.name == "go":
            is_check = part.value == "check"
    try:
        return Sent(content.decode("utf-8-sig") or pasted, name, is_check)
    except UnicodeDecodeError as error:
        raise MappingFileTooLarge(name[:100]) from error
