"""Inventory: the places where ads are shown, by the codes ad servers ask for; a new one is made beside the list."""

from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from pabal.apps.adgroups.actions import campaigns as actions
from pabal.apps.adgroups.errors import BadInventory, InventoryCodeTaken
from pabal.apps.adgroups.pages.drafting import MOST_NAME, NEEDED, Typed
from pabal.apps.adgroups.pages.listing import AREA, TOPICS
from pabal.apps.adgroups.store.campaigns import list_inventories
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import read_number, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
LIST = "/ads/inventory"


class Draft(BaseModel):
    model_config = ConfigDict(frozen=True)

    code: Typed = ""
    name: Typed = ""
    unit_id: Typed = ""


@router.get(LIST)
async def show_list(visit: Visitor, cursor: Annotated[str, Query()] = "") -> Response:
    visit.actor.require(Right.READ, AREA)
    return await _show(visit, cursor, Draft(unit_id=str(visit.scope.unit_id or "")), {})


@router.post(LIST)
async def add(visit: Visitor, draft: Annotated[Draft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    faults: dict[str, Pair] = {name: NEEDED for name in ("code", "name") if not getattr(draft, name)}
    if len(draft.name) > MOST_NAME:
        faults["name"] = ("At most 200 signs.", "200자까지 적을 수 있습니다.")
    if faults:
        return await _show(visit, "", draft, faults)
    try:
        async with visit.change() as tx:
            made = await actions.add_inventory(
                tx, visit.actor, code=draft.code, name=draft.name, unit_id=read_number(draft.unit_id)
            )
    except (BadInventory, InventoryCodeTaken) as error:
        return await _show(visit, "", draft, {"code": (explain(error, "en"), explain(error, "ko"))})
    return visit.go(LIST, said=("Added: {code}", "더했습니다: {code}"), code=made.code)


async def _show(visit: Visit, cursor: str, draft: Draft, faults: dict[str, Pair]) -> Response:
    async with visit.read() as tx:
        page = await read_page(lambda at: list_inventories(tx, visit.scope, at), cursor)
        tree = await load_tree(tx, visit.scope)
    return await visit.show(
        "adgroups/inventory.html",
        422 if faults else 200,
        rows=[(one, tree.names(one.unit_id)) for one in page.items],
        draft=draft,
        faults=faults,
        units=tree.choices(),
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )
