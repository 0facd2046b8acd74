"""What an ad group shows and where: its creatives and its inventory, while it is being set up."""

from datetime import datetime
from typing import Annotated

from fastapi.responses import Response
from pydantic import Field

from pabal.apps.adgroups.actions import adgroups as actions
from pabal.apps.adgroups.api.campaigns import InventoryShown
from pabal.apps.adgroups.api.names import BASE, AdGroupId, CreativeNumber, noun, show_id
from pabal.apps.adgroups.api.parts import find, hold
from pabal.apps.adgroups.errors import InventoryNotFound
from pabal.apps.adgroups.store import adgroups as store
from pabal.apps.adgroups.store import campaigns
from pabal.base.database import Tx
from pabal.platform.tenants import visible_to
from pabal.platform.web.endpoints import Asked, Shown, answer, no_content
from pabal.platform.web.filters import Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, answer_all

router = noun()
MOST = 1000


class CreativeShown(Shown):
    id: int = Field(examples=[5])
    name: str = Field(examples=["포스터"])
    url: str = Field(examples=["https://cdn.example.com/poster.png"])
    created_at: datetime


class CreativeAsked(Asked):
    name: Word = Field(examples=["포스터"])
    url: Annotated[str, Field(max_length=2000, pattern=r"^https?://[^\s\x00]+$")] = Field(
        examples=["https://cdn.example.com/poster.png"]
    )


class InventoryChosen(Asked):
    """By their codes; those not named are taken out."""

    codes: Annotated[tuple[Word, ...], Field(max_length=MOST, examples=[["seoul-1"]])]


@router.get("/{id}/creatives", response_model=Page[CreativeShown])
async def list_creatives(visit: Visitor, id: AdGroupId) -> Response:
    """Lists what it shows."""
    async with visit.read() as tx:
        await find(tx, visit, id)
        found = await store.list_creatives(tx, id)
    return answer_all([CreativeShown.model_validate(one) for one in found])


@router.post("/{id}/creatives", response_model=CreativeShown, status_code=201)
async def add_creative(visit: Visitor, once: OnceOnly, id: AdGroupId, asked: CreativeAsked) -> Response:
    """Adds a creative, while it is a draft or ready."""

    async def act(tx: Tx) -> Response:
        await hold(tx, visit, id)
        made = await actions.add_creative(tx, visit.actor, id, name=asked.name, url=asked.url)
        [found] = [one for one in await store.list_creatives(tx, id) if one.id == made]
        location = f"{BASE}/{show_id(id)}/creatives"
        return answer(CreativeShown.model_validate(found), 201, location=location)

    return await once.run(act)


@router.delete("/{id}/creatives/{creative}", status_code=204)
async def remove_creative(visit: Visitor, id: AdGroupId, creative: CreativeNumber) -> Response:
    """Takes a creative out, while it is a draft or ready."""
    async with visit.change() as tx:
        await hold(tx, visit, id)
        await actions.remove_creative(tx, visit.actor, id, creative)
    return no_content()


@router.get("/{id}/inventory", response_model=Page[InventoryShown])
async def list_ad_group_inventory(visit: Visitor, id: AdGroupId) -> Response:
    """Lists where it is shown, by code."""
    async with visit.read() as tx:
        await find(tx, visit, id)
        found = await store.list_inventories_of(tx, id)
    return answer_all([InventoryShown.model_validate(one) for one in found])


@router.put("/{id}/inventory", response_model=Page[InventoryShown])
async def set_ad_group_inventory(visit: Visitor, once: OnceOnly, id: AdGroupId, asked: InventoryChosen) -> Response:
    """Says where it is shown, while it is a draft or ready: these and no others."""

    async def act(tx: Tx) -> Response:
        await hold(tx, visit, id)
        found = await campaigns.find_inventories(tx, await visible_to(tx, visit.actor), codes=set(asked.codes))
        missing = set(asked.codes) - {one.code for one in found}
        if missing:
            raise InventoryNotFound(", ".join(sorted(missing))[:200])
        await actions.set_inventories(tx, visit.actor, id, [one.id for one in found])
        return answer_all([InventoryShown.model_validate(one) for one in await store.list_inventories_of(tx, id)])

    return await once.run(act)
