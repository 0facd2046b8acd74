"""Message templates: a text and images to begin a schedule with. Those of units above may be used, not changed."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.apps.messaging.actions import templates as actions
from pabal.apps.messaging.api.fields import Images, ImageShown, Prose, Title, show_image
from pabal.apps.messaging.api.parts import (
    BASE,
    Asked,
    Id,
    Number,
    Shown,
    answer,
    fill,
    may_read,
    naming,
    no_content,
    noun,
)
from pabal.apps.messaging.model.content import NewTemplate, Template
from pabal.apps.messaging.store import templates as store
from pabal.base.database import Tx
from pabal.engine.listing import Page as Rows
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Listed, Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list
from pabal.platform.web.visit import Visit

router = noun()


class TemplateFilter(Listed):
    q: Annotated[Word | None, Field(description="A part of the name or the text.")] = None


class TemplateAsked(Asked):
    """Without a unit it belongs to yours."""

    name: Title = Field(examples=["주말 행사"])
    text: Prose | None = None
    images_1: Images = ()
    images_2: Images = ()
    unit_id: Id | None = Field(default=None, examples=[3])

    def as_new(self) -> NewTemplate:
        return NewTemplate(self.name, self.text, self.images_1, self.images_2, self.unit_id)


class TemplateShown(Shown):
    """`schedules` use it now; `sends` went out with it."""

    id: int = Field(examples=[5])
    unit_id: int = Field(examples=[3])
    unit_name: str = Field(examples=["해운대점"])
    name: str = Field(examples=["주말 행사"])
    text: str | None = Field(examples=["이번 주말에 만나요"])
    images_1: list[ImageShown]
    images_2: list[ImageShown]
    schedules: int = Field(examples=[2])
    sends: int = Field(examples=[14])
    created_by: str = Field(examples=["user:12"])
    created_at: datetime
    updated_at: datetime


@router.get("/templates", response_model=Page[TemplateShown])
async def list_message_templates(visit: Visitor, wanted: Annotated[TemplateFilter, Query()]) -> Response:
    """Lists the templates you may use, by name: your own, those below you and those of units above."""
    may_read(visit)

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Template]:
        return await store.list_templates(tx, visit.scope, q=wanted.q, cursor=cursor, limit=limit)

    return await answer_list(visit, wanted, Source("message_templates", TemplateShown, load, _show))


@router.post("/templates", response_model=TemplateShown, status_code=201)
async def save_message_template(visit: Visitor, once: OnceOnly, asked: TemplateAsked) -> Response:
    """Saves a new template."""

    async def act(tx: Tx) -> Response:
        with naming(visit, {}):
            made = await actions.save(tx, visit.actor, asked.as_new())
        return answer(_show(made), 201, location=f"{BASE}/templates/{made.id}")

    return await once.run(act)


@router.get("/templates/{id}", response_model=TemplateShown)
async def get_message_template(visit: Visitor, id: Number) -> Response:
    """Shows one template."""
    async with visit.read() as tx:
        found = await _find(tx, visit, id)
    return answer_one(visit, _show(found))


@router.put("/templates/{id}", response_model=TemplateShown)
async def replace_message_template(visit: Visitor, once: OnceOnly, id: Number, asked: TemplateAsked) -> Response:
    """Replaces a template. Schedules made from it keep what they have."""

    async def act(tx: Tx) -> Response:
        await _hold(tx, visit, id)
        with naming(visit, {}):
            edited = await actions.edit(tx, visit.actor, id, asked.as_new())
        return answer_one(visit, _show(edited))

    return await once.run(act)


@router.delete("/templates/{id}", status_code=204)
async def delete_message_template(visit: Visitor, id: Number) -> Response:
    """Deletes a template. Schedules made from it stay as they are."""
    async with visit.change() as tx:
        await _hold(tx, visit, id)
        await actions.delete(tx, visit.actor, id)
    return no_content()


async def _find(tx: Tx, visit: Visit, template_id: int) -> Template:
    may_read(visit)
    return await store.get_template(tx, await visible_to(tx, visit.actor), template_id)


async def _hold(tx: Tx, visit: Visit, template_id: int) -> None:
    await store.lock_template(tx, template_id)
    check_match(visit, _show(await _find(tx, visit, template_id)))


def _show(template: Template) -> TemplateShown:
    groups = {name: [show_image(one) for one in getattr(template, name)] for name in ("images_1", "images_2")}
    return fill(TemplateShown, template, **groups)
