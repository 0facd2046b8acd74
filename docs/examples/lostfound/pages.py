"""The page: a list that keeps itself fresh, a form, and a button on each row."""

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from lostfound import actions, store
from lostfound.model import AREA
from pabal.platform.actor import Right
from pabal.platform.web.identify import Visitor

router = APIRouter(prefix="/lostfound", include_in_schema=False)


@router.get("")
async def items(visit: Visitor) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        found = (await store.list_items(tx, visit.scope)).items
    return await visit.show("lostfound.html", items=found, live_topics="lostfound.*")


@router.post("")
async def hand_in(visit: Visitor, what: Annotated[str, Form(max_length=1000)]) -> Response:
    async with visit.change() as tx:
        await actions.hand_in(tx, visit.actor, what=what, unit_id=visit.scope.unit_id)
    return visit.go("/lostfound", said=("Noted.", "적었습니다."))


@router.post("/{item_id}/fetch")
async def fetch(visit: Visitor, item_id: int) -> Response:
    async with visit.change() as tx:
        item = await actions.fetch(tx, visit.actor, item_id)
    return visit.go("/lostfound", said=("{what}: fetched.", "{what}: 찾아갔습니다."), what=item.what)
