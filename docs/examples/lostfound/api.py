"""The endpoints. They call the same actions as the page, so there is one behaviour."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict, Field

from lostfound import actions, store
from lostfound.store import Item
from pabal.base.database import Tx
from pabal.engine.listing import Page as Rows
from pabal.engine.listing import paging
from pabal.platform.actor import Right
from pabal.platform.web.filters import Listed, refuse_unknown
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor, open_visit
from pabal.platform.web.limits import limit_rate
from pabal.platform.web.paging import Page, Source, answer_list

# who it is, how often, and whether the question makes sense: as for every endpoint
router = APIRouter(
    prefix="/api/v1/lostfound",
    tags=["lostfound"],
    dependencies=[Depends(open_visit), Depends(limit_rate), Depends(refuse_unknown)],
)
ItemId = Annotated[int, Path(ge=1, le=store.LAST, examples=[1])]


class HandIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    what: str = Field(min_length=1, max_length=200, examples=["a black umbrella"])


class ItemShown(BaseModel):
    """An item. `state` is waiting or fetched."""

    id: int = Field(examples=[1])
    unit_id: int = Field(examples=[3])
    what: str = Field(examples=["a black umbrella"])
    state: str = Field(examples=["waiting"])
    found_at: datetime


@router.get("", response_model=Page[ItemShown])
async def list_lost_items(visit: Visitor, listed: Annotated[Listed, Query()]) -> Response:
    """Lists what was found, newest first."""
    visit.actor.require(Right.READ, actions.AREA)

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Item]:
        before = store.LAST if cursor is None else paging.read_cursor(cursor, int)[0]
        found = await store.list_items(tx, visit.scope, before=before, limit=paging.one_more(limit))
        return paging.cut(found, limit, lambda item: paging.show_cursor(item.id))

    return await answer_list(visit, listed, Source("lostfound", ItemShown, load, _show), has_csv=True)


@router.post("", response_model=ItemShown, status_code=201)
async def hand_in_item(visit: Visitor, once: OnceOnly, asked: HandIn) -> Response:
    """Notes what was found, in the caller's own unit."""

    async def act(tx: Tx) -> Response:
        return _answer(await actions.hand_in(tx, visit.actor, visit.scope.unit_id, asked.what), 201)

    return await once.run(act)


@router.post("/{id}/fetch", response_model=ItemShown)
async def fetch_item(visit: Visitor, once: OnceOnly, id: ItemId) -> Response:
    """Says that somebody has fetched it."""

    async def act(tx: Tx) -> Response:
        return _answer(await actions.fetch(tx, visit.actor, id))

    return await once.run(act)


def _answer(item: Item, status: int = 200) -> Response:
    return Response(_show(item).model_dump_json(), status, media_type="application/json")


def _show(item: Item) -> ItemShown:
    return ItemShown(id=item.id, unit_id=item.unit_id, what=item.what, state=item.state, found_at=item.found_at)
