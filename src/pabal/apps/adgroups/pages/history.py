"""The whole history of one ad group as a file, for when its state at some moment is in dispute."""

from collections.abc import Sequence
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.pages.listing import AREA
from pabal.apps.adgroups.store.adgroups import get_ad_group
from pabal.engine import listing
from pabal.engine.listing import Page
from pabal.engine.listing.history import Wanted
from pabal.engine.transitions import Transition
from pabal.platform.actor import Right
from pabal.platform.web.actors import name_actors
from pabal.platform.web.exports import stream_csv
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId

router = APIRouter(prefix="/ads/groups", include_in_schema=False)
COLUMNS = ("version", "at", "event", "from", "to", "actor", "name", "reason", "cause")
MANY = 200


@router.get("/{ad_group_id}/history.csv")
async def export(visit: Visitor, ad_group_id: RowId) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        group = await get_ad_group(tx, visit.scope, ad_group_id)
    wanted = Wanted(visit.scope.listed, AD_GROUP.name, subject=group.id)

    async def read(cursor: str | None) -> Page[Sequence[Any]]:
        async with visit.read() as tx:
            page = await listing.list_transitions(tx, wanted, cursor=cursor, limit=MANY)
            names = await name_actors(tx, visit, {one.actor for one in page.items})
        return Page([_row(one, names.get(one.actor, one.actor)) for one in page.items], page.cursor)

    return stream_csv(f"adgroup-{group.id}-history", COLUMNS, read)


def _row(one: Transition, name: str) -> Sequence[Any]:
    source = "" if one.source is None else one.source.upper()
    return (
        *(one.version, one.at.isoformat(), one.event.upper(), source, one.target.upper()),
        *(one.actor, name, one.reason or "", one.cause or ""),
    )
