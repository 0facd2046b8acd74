"""Templates of messages: list, new, edit, delete. Those of units above may be used, not changed."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.messaging.actions import templates
from pabal.apps.messaging.errors import TemplateNameTaken
from pabal.apps.messaging.model.content import NewTemplate, Template
from pabal.apps.messaging.pages.form import MOVES, change_draft
from pabal.apps.messaging.pages.form_draft import Draft
from pabal.apps.messaging.pages.form_post import PostedDraft, PostedForm, receive
from pabal.apps.messaging.pages.form_view import QUIET, FormMessages, load_form
from pabal.apps.messaging.pages.page_texts import AREA
from pabal.apps.messaging.resources.templates import MessageTemplateFilter
from pabal.apps.messaging.store.templates import get_template, list_templates
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform.actor import Right
from pabal.platform.findings import FieldsRefused, Finding
from pabal.platform.language.errors import explain
from pabal.platform.tenants import visible_to
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, turn
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/messages/templates", include_in_schema=False)
LIST = "/messages/templates"


class Filters(BaseModel):
    q: Word = ""
    cursor: str = ""


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load_page(tx, visit, filters)
    own = {one.id for one in page.items if visit.scope.holds(one.unit_id)}
    return await visit.show(
        "messaging/templates.html", templates=page.items, own=own, filters=filters, pager=turn(visit, page.cursor)
    )


@router.get("/new")
async def new(visit: Visitor) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    return await _show(visit, Draft.fresh(visit.now))


@router.post("/new")
async def create(posted: PostedForm) -> Response:
    return await _keep(posted, None)


@router.post("/preview")
async def preview(posted: PostedForm) -> Response:
    sent = await receive(posted)
    async with posted.visit.read() as tx:
        form = await load_form(tx, posted.visit, sent.draft)
    return await posted.visit.show("messaging/_phone.html", form=form)


@router.get("/{template_id}")
async def edit(visit: Visitor, template_id: RowId) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        found = await get_template(tx, visit.scope, template_id)
    draft = replace(Draft.fresh(visit.now), template_id=str(template_id), template_name=found.name)
    return await _show(visit, draft.with_content(found.content), template_id=template_id)


@router.post("/{template_id}")
async def change(posted: PostedForm, template_id: RowId) -> Response:
    return await _keep(posted, template_id)


@router.post("/{template_id}/delete")
async def delete(visit: Visitor, template_id: RowId) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.change() as tx:
        gone = await get_template(tx, await visible_to(tx, visit.actor), template_id)
        await templates.delete(tx, visit.actor, template_id)
    return visit.go(LIST, said=("Deleted: {name}", "지웠습니다: {name}"), name=gone.name)


async def _keep(posted: PostedForm, template_id: int | None) -> Response:
    visit, sent = posted.visit, await receive(posted)
    if sent.do.partition(":")[0] in (*MOVES, "upload", "look") or sent.refused:
        redisplay = await change_draft(visit, replace(sent, do="look" if sent.do == "save" else sent.do))
        return await _show(visit, redisplay.draft, redisplay.messages, redisplay.status, template_id=template_id)
    try:
        made = await _write(visit, sent, template_id)
    except FieldsRefused as error:
        return await _refuse(visit, sent, error.findings, template_id)
    except TemplateNameTaken as error:
        found = Finding(error.code, "template_name", (explain(error, "en"), explain(error, "ko")))
        return await _refuse(visit, sent, (found,), template_id)
    return visit.go(LIST, said=("Saved: {name}", "저장했습니다: {name}"), name=made.name)


async def _write(visit: Visit, sent: PostedDraft, template_id: int | None) -> Template:
    draft = sent.draft
    wanted = NewTemplate(draft.template_name.strip(), draft.text, draft.images_1, draft.images_2)
    async with visit.change() as tx:
        if template_id is None:
            return await templates.save(tx, visit.actor, wanted)
        return await templates.edit(tx, visit.actor, template_id, wanted)


async def _refuse(visit: Visit, sent: PostedDraft, findings: tuple[Finding, ...], template_id: int | None) -> Response:
    told = tuple(replace(one, field="template_name") if one.field == "name" else one for one in findings)
    return await _show(visit, sent.draft, FormMessages(more=told), 422, template_id=template_id)


async def _show(
    visit: Visit, draft: Draft, messages: FormMessages = QUIET, status: int = 200, *, template_id: int | None = None
) -> Response:
    async with visit.read() as tx:
        form = await load_form(tx, visit, draft, messages)
        own = template_id is None or await _is_own(tx, visit, template_id)
    values = {"form": form, "template_id": template_id, "is_own": own}
    return await visit.show("messaging/template.html", status, **values)


async def _is_own(tx: Tx, visit: Visit, template_id: int) -> bool:
    scope = await visible_to(tx, visit.actor)
    return scope.holds((await get_template(tx, scope, template_id)).unit_id)


async def _load_page(tx: Tx, visit: Visit, filters: Filters) -> Page[Template]:
    return await read_page(
        lambda cursor: list_templates(tx, visit.scope, MessageTemplateFilter(q=filters.q or None), cursor=cursor),
        filters.cursor,
    )
