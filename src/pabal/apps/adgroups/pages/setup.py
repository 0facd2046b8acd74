"""What an ad group shows where: creatives and inventory, added and taken out while it is being set up."""

from typing import Annotated

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.apps.adgroups.actions import adgroups
from pabal.apps.adgroups.errors import BadCreative, CreativeNotFound, InventoryNotFound, SetupLocked
from pabal.apps.adgroups.pages.group import Filters, show_group
from pabal.apps.adgroups.pages.listing import LIST
from pabal.apps.adgroups.store.adgroups import hold_ad_group, list_inventories_of
from pabal.apps.adgroups.store.campaigns import find_inventories
from pabal.base.database import Tx
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId, Word
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/ads/groups/{ad_group_id}", include_in_schema=False)
_KNOWN = (BadCreative, CreativeNotFound, InventoryNotFound, SetupLocked)


@router.post("/creatives")
async def add_creative(
    visit: Visitor,
    ad_group_id: RowId,
    name: Annotated[Word, Form()] = "",
    url: Annotated[str, Form(max_length=4000)] = "",
) -> Response:
    try:
        async with visit.change() as tx:
            await adgroups.add_creative(tx, visit.actor, ad_group_id, name=name, url=url.replace("\0", ""))
    except _KNOWN as error:
        return await show_group(visit, ad_group_id, Filters(), failed=error, typed={"name": name, "url": url})
    return _back(visit, ad_group_id, "creatives")


@router.post("/creatives/{creative_id}/remove")
async def remove_creative(visit: Visitor, ad_group_id: RowId, creative_id: RowId) -> Response:
    async with visit.change() as tx:
        await adgroups.remove_creative(tx, visit.actor, ad_group_id, creative_id)
    return _back(visit, ad_group_id, "creatives")


@router.post("/inventory")
async def add_inventory(visit: Visitor, ad_group_id: RowId, code: Annotated[Word, Form()] = "") -> Response:
    try:
        async with visit.change() as tx:
            used = await _list_used(tx, visit, ad_group_id)
            found = await find_inventories(tx, visit.scope, codes=[code])
            if not found:
                raise InventoryNotFound(code)
            await adgroups.set_inventories(tx, visit.actor, ad_group_id, [*used, found[0].id])
    except _KNOWN as error:
        return await show_group(visit, ad_group_id, Filters(), failed=error, typed={"code": code})
    return _back(visit, ad_group_id, "inventory")


@router.post("/inventory/{inventory_id}/remove")
async def remove_inventory(visit: Visitor, ad_group_id: RowId, inventory_id: RowId) -> Response:
    async with visit.change() as tx:
        used = await _list_used(tx, visit, ad_group_id)
        await adgroups.set_inventories(tx, visit.actor, ad_group_id, [one for one in used if one != inventory_id])
    return _back(visit, ad_group_id, "inventory")


async def _list_used(tx: Tx, visit: Visit, ad_group_id: int) -> list[int]:
    group = await hold_ad_group(tx, visit.scope, ad_group_id)
    return [one.id for one in await list_inventories_of(tx, group.id)]


def _back(visit: Visit, ad_group_id: int, where: str) -> Response:
    return visit.go(f"{LIST}/{ad_group_id}#{where}")
