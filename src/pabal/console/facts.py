"""Facts: what happened, newest first, and those a subscriber could not take."""

from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.errors import Invalid
from pabal.engine import listing
from pabal.engine.listing.facts import Wanted
from pabal.platform import operating
from pabal.platform.actor import Right
from pabal.platform.operating.facts import AREA
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId, Word, turn
from pabal.platform.web.visit import Visit

router = APIRouter()


class Filters(BaseModel):
    name: Word = ""
    subject: Word = ""
    cursor: Word = ""

    def wanted(self, visit: Visit) -> Wanted:
        names = (self.name,) if self.name else ()
        return Wanted(units=visit.scope.listed, names=names, subject=self.subject or None, veiled=visit.scope.veiled)


@router.get("/facts")
async def facts(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        try:
            page = await listing.list_facts(tx, filters.wanted(visit), cursor=filters.cursor or None)
        except Invalid:  # a cursor somebody mistyped: the first page
            page = await listing.list_facts(tx, filters.wanted(visit))
        aside = await operating.list_aside(tx, visit.scope)
    links = {fact.subject: visit.site.link(fact.subject) for fact in page.items}
    return await visit.show(
        "facts.html",
        facts=page.items,
        links=links,
        filters=filters,
        aside=aside.items,
        pager=turn(visit, page.cursor),
        live_topics="*",
    )


@router.get("/facts/{seq}")
async def fact(visit: Visitor, seq: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        found = await operating.get_fact(tx, visit.scope, seq)
    return await visit.show("fact.html", fact=found, link=visit.site.link(found.subject))


@router.post("/facts/{seq}/retry")
async def retry(visit: Visitor, seq: RowId, subscriber: Annotated[str, Form(max_length=200)]) -> Response:
    known = operating.find_subscriber((one for each in visit.site.slices for one in each.subscribers), subscriber)
    async with visit.change() as tx:
        await operating.retry_aside(tx, visit.actor, known, seq)
    return visit.go("/facts", said=("It was taken this time.", "이번에는 받았습니다."))
