"""Where the old calculator and the machine differ: since when and why, and whom to believe."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.adgroups.labels import CAUSES
from pabal.apps.adgroups.legacy import shadow
from pabal.apps.adgroups.legacy import shadow as store
from pabal.apps.adgroups.legacy.model import Cause
from pabal.apps.adgroups.legacy.shadow import EXPECTED, Mismatch
from pabal.apps.adgroups.model.adgroups import AREA, Source
from pabal.apps.adgroups.pages.page_texts import TOPICS
from pabal.apps.adgroups.resources.migration import MismatchFilter, Standing
from pabal.apps.adgroups.settings import COMPARE, COMPARE_EVERY
from pabal.base.database import Tx
from pabal.engine.listing import Page
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, Word, back_to, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/ads/mismatches", include_in_schema=False)
HERE = "/ads/mismatches"
# open and still to be looked at; open and decided; over
VIEWS: dict[str, MismatchFilter] = {
    "": MismatchFilter(decided=False),
    "decided": MismatchFilter(decided=True),
    "over": MismatchFilter(state=Standing.RESOLVED),
}
_SAID: dict[Source, Pair] = {
    Source.MACHINE: ("{name}: the machine's state is shown now", "{name}: 이제 상태 기계의 상태를 보여 줍니다"),
    Source.CALCULATOR: ("{name}: the calculator's state is shown now", "{name}: 이제 계산기의 상태를 보여 줍니다"),
}


class Filters(BaseModel):
    view: Word = ""
    cause: Word = ""
    cursor: str = ""


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load(tx, visit, filters)
        tree = await load_tree(tx, visit.scope)
        counts = await store.count_open(tx, visit.scope)
        names = await name_actors(tx, visit, {one.decided_by for one in page.items})
        last = await shadow.last_pass(tx)
        is_compared, every = await settings.value(tx, COMPARE), await settings.value(tx, COMPARE_EVERY)
    return await visit.show(
        "adgroups/mismatches.html",
        rows=[(one, tree.names(one.unit_id)) for one in page.items],
        filters=filters,
        counts=counts,
        causes=CAUSES,
        expected=EXPECTED,
        names=names,
        last=last,
        is_compared=is_compared,
        every=every,
        # how many there are in all is the whole house's business
        is_house=visit.scope.units is None,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


@router.post("/{mismatch_id}/decide")
async def decide(
    visit: Visitor,
    mismatch_id: RowId,
    believe: Annotated[Source, Form()],
    back: Annotated[Word, Form()] = HERE,
) -> Response:
    """For this ad group from now on: its own flag says so."""
    async with visit.change() as tx:
        done = await store.decide(tx, visit.actor, mismatch_id, believe)
    return visit.go(back_to(back, HERE), said=_SAID[believe], name=done.name)


async def _load(tx: Tx, visit: Visit, filters: Filters) -> Page[Mismatch]:
    cause = Cause(filters.cause) if filters.cause in set(Cause) else None
    wanted = replace(VIEWS.get(filters.view, VIEWS[""]), cause=cause)
    return await read_page(lambda cursor: shadow.list_mismatches(tx, visit.scope, wanted, cursor), filters.cursor)
