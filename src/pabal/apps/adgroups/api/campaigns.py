"""Campaigns and inventory, as far as ad groups need them."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import Field, ValidationError

from pabal.apps.adgroups.actions import campaigns as actions
from pabal.apps.adgroups.api.names import BASE, CampaignId, CampaignStatus, Id, noun, show_campaign_id
from pabal.apps.adgroups.api.parts import may_read
from pabal.apps.adgroups.model.adgroups import Campaign, CampaignState
from pabal.apps.adgroups.store import campaigns as store
from pabal.apps.adgroups.store.campaigns import Inventory, NewCampaign
from pabal.base.database import Tx
from pabal.engine.listing import Page as Rows
from pabal.platform.tenants import visible_to
from pabal.platform.web.endpoints import Asked, Shown, answer, fill
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Listed, Moment, Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list

router = noun()
CODE = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"


class CampaignShown(Shown):
    """PLANNED and OPEN ones let their ad groups be approved; CLOSED ones do not. `end_at` null: it does not end."""

    id: str = Field(examples=["cmp_01h2xcejqtf2n"])
    unit_id: int = Field(examples=[3])
    status: CampaignStatus = Field(examples=["OPEN"])
    name: str = Field(examples=["2026 여름"])
    start_at: datetime
    end_at: datetime | None
    created_at: datetime
    updated_at: datetime


class CampaignAsked(Asked):
    """Without a unit it is your own."""

    name: Word = Field(examples=["2026 여름"])
    start_at: Moment
    end_at: Moment | None = Field(default=None, examples=["2026-09-01T00:00:00Z"])
    status: CampaignStatus = "OPEN"
    unit_id: Id | None = Field(default=None, examples=[3])

    def as_new(self) -> NewCampaign:
        return NewCampaign(self.name, self.start_at, self.end_at, CampaignState(self.status.lower()))


class CampaignChange(Asked):
    """JSON merge patch: only what is given changes."""

    name: Word | None = Field(default=None, examples=["2026 여름"])
    start_at: Moment | None = None
    end_at: Moment | None = Field(default=None, examples=[None])
    status: CampaignStatus | None = Field(default=None, examples=["CLOSED"])

    def apply(self, campaign: Campaign) -> NewCampaign:
        """Raises what FastAPI raises of a body that does not fit."""
        given = {name: getattr(self, name) for name in self.model_fields_set}
        shown = _show(campaign)
        kept: dict[str, Any] = {name: getattr(shown, name) for name in type(self).model_fields}
        whole = {name: value for name, value in {**kept, **given}.items() if value is not None}
        try:
            return CampaignAsked(**whole).as_new()
        except ValidationError as error:
            raise RequestValidationError(error.errors()) from error


class InventoryShown(Shown):
    """Where ads are shown; its code is what ad servers ask for."""

    code: str = Field(examples=["seoul-1"])
    name: str = Field(examples=["서울역 1번 화면"])
    unit_id: int = Field(examples=[3])
    created_at: datetime


class InventoryAsked(Asked):
    """Without a unit it is your own."""

    code: Annotated[str, Field(pattern=CODE, examples=["seoul-1"])]
    name: Word = Field(examples=["서울역 1번 화면"])
    unit_id: Id | None = Field(default=None, examples=[3])


@router.get("/campaigns", response_model=Page[CampaignShown])
async def list_campaigns(visit: Visitor, wanted: Annotated[Listed, Query()]) -> Response:
    """Lists campaigns, the newest first."""
    may_read(visit)

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Campaign]:
        return await store.list_campaigns(tx, visit.scope, cursor, limit)

    return await answer_list(visit, wanted, Source("campaigns", CampaignShown, load, _show))


@router.post("/campaigns", response_model=CampaignShown, status_code=201)
async def create_campaign(visit: Visitor, once: OnceOnly, asked: CampaignAsked) -> Response:
    """Makes a campaign. Its ad groups belong to its unit."""

    async def act(tx: Tx) -> Response:
        made = await actions.create_campaign(tx, visit.actor, asked.as_new(), unit_id=asked.unit_id)
        shown = _show(made)
        return answer(shown, 201, location=f"{BASE}/campaigns/{shown.id}")

    return await once.run(act)


@router.get("/campaigns/{id}", response_model=CampaignShown)
async def get_campaign(visit: Visitor, id: CampaignId) -> Response:
    """Shows one campaign."""
    may_read(visit)
    async with visit.read() as tx:
        found = await store.get_campaign(tx, await visible_to(tx, visit.actor), id)
    return answer_one(visit, _show(found))


@router.patch("/campaigns/{id}", response_model=CampaignShown)
async def edit_campaign(visit: Visitor, once: OnceOnly, id: CampaignId, asked: CampaignChange) -> Response:
    """Changes only what is given. Closing it stops no ad group that was approved; it lets no other be."""

    async def act(tx: Tx) -> Response:
        may_read(visit)
        old = await store.get_campaign(tx, await visible_to(tx, visit.actor), id, hold=True)
        check_match(visit, _show(old))
        return answer_one(visit, _show(await actions.edit_campaign(tx, visit.actor, id, asked.apply(old))))

    return await once.run(act)


@router.get("/inventory", response_model=Page[InventoryShown])
async def list_inventory(visit: Visitor, wanted: Annotated[Listed, Query()]) -> Response:
    """Lists the places where ads are shown, the newest first."""
    may_read(visit)

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Inventory]:
        return await store.list_inventories(tx, visit.scope, cursor, limit)

    return await answer_list(visit, wanted, Source("inventory", InventoryShown, load, InventoryShown.model_validate))


@router.post("/inventory", response_model=InventoryShown, status_code=201)
async def add_inventory(visit: Visitor, once: OnceOnly, asked: InventoryAsked) -> Response:
    """Adds a place where ads are shown. Each code is used once in the whole house."""

    async def act(tx: Tx) -> Response:
        made = await actions.add_inventory(tx, visit.actor, code=asked.code, name=asked.name, unit_id=asked.unit_id)
        return answer(InventoryShown.model_validate(made), 201, location=f"{BASE}/inventory")

    return await once.run(act)


def _show(campaign: Campaign) -> CampaignShown:
    return fill(CampaignShown, campaign, id=show_campaign_id(campaign.id), status=campaign.state.upper())
