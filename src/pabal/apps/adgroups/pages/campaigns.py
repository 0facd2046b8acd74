"""Campaigns and the inventory ads are shown in: lists, one campaign with its ad groups, and the forms."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from pabal.apps.adgroups.actions import campaigns as actions
from pabal.apps.adgroups.errors import BadInventory, InventoryCodeTaken
from pabal.apps.adgroups.labels import CAMPAIGN_STATES
from pabal.apps.adgroups.model.adgroups import (
    AREA,
    Campaign,
    CampaignState,
    NewCampaign,
    list_campaign_problems,
    list_name_problems,
    needed,
)
from pabal.apps.adgroups.pages.groups import make_rows
from pabal.apps.adgroups.pages.page_texts import (
    CHOOSE,
    NO_MOMENT,
    TOPICS,
    Typed,
    at,
    read_local,
    show_local,
    still_says,
)
from pabal.apps.adgroups.resources.groups import AdGroupFilter
from pabal.apps.adgroups.store.adgroups import list_ad_groups
from pabal.apps.adgroups.store.campaigns import get_campaign, list_campaigns, list_inventories
from pabal.platform.actor import Right
from pabal.platform.findings import Finding, find_wrong, texts_by_field
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, midnight, read_number, today, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
CAMPAIGNS = "/ads/campaigns"
INVENTORY = "/ads/inventory"


class Paged(BaseModel):
    cursor: str = ""


class Draft(BaseModel):
    """Every field as it was typed. Moments are on the visitor's own clock."""

    model_config = ConfigDict(frozen=True)

    name: Typed = ""
    start_at: Typed = ""
    end_at: Typed = ""
    state: Typed = CampaignState.OPEN
    unit_id: Typed = ""


@dataclass
class Understood:
    new: NewCampaign | None = None
    faults: list[Finding] = field(default_factory=list)


@router.get(CAMPAIGNS)
async def show_list(visit: Visitor, paged: Annotated[Paged, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await read_page(lambda cursor: list_campaigns(tx, visit.scope, cursor=cursor), paged.cursor)
        tree = await load_tree(tx, visit.scope)
    return await visit.show(
        "adgroups/campaigns.html",
        rows=[(one, tree.names(one.unit_id)) for one in page.items],
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


@router.get(CAMPAIGNS + "/new")
async def new(visit: Visitor) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    draft = Draft(start_at=show_local(visit, midnight(visit, today(visit))), unit_id=str(visit.scope.unit_id or ""))
    return await _show_form(visit, draft, None)


@router.post(CAMPAIGNS + "/new")
async def create(visit: Visitor, draft: Annotated[Draft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    understood = _understand(visit, draft, None)
    if understood.new is None:
        return await _show_form(visit, draft, None, understood.faults)
    async with visit.change() as tx:
        owner = read_number(draft.unit_id)
        made = await actions.create_campaign(tx, visit.actor, understood.new, unit_id=owner)
    return visit.go(f"{CAMPAIGNS}/{made.id}", said=("Made: {name}", "만들었습니다: {name}"), name=made.name)


@router.get(CAMPAIGNS + "/{campaign_id}")
async def show(visit: Visitor, campaign_id: RowId, paged: Annotated[Paged, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        campaign = await get_campaign(tx, visit.scope, campaign_id)
        wanted = AdGroupFilter(campaign=campaign_id)
        page = await read_page(lambda cursor: list_ad_groups(tx, visit.scope, wanted, cursor), paged.cursor)
        rows = await make_rows(tx, visit, page.items)
        tree = await load_tree(tx, visit.scope)
    return await visit.show(
        "adgroups/campaign.html",
        campaign=campaign,
        path=tree.names(campaign.unit_id),
        rows=rows,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


@router.get(CAMPAIGNS + "/{campaign_id}/edit")
async def edit(visit: Visitor, campaign_id: RowId) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        campaign = await get_campaign(tx, visit.scope, campaign_id)
    return await _show_form(visit, _draft_of(visit, campaign), campaign)


@router.post(CAMPAIGNS + "/{campaign_id}/edit")
async def change(visit: Visitor, campaign_id: RowId, draft: Annotated[Draft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        campaign = await get_campaign(tx, visit.scope, campaign_id)
    understood = _understand(visit, draft, campaign)
    if understood.new is None:
        return await _show_form(visit, draft, campaign, understood.faults)
    async with visit.change() as tx:
        done = await actions.edit_campaign(tx, visit.actor, campaign_id, understood.new)
    return visit.go(f"{CAMPAIGNS}/{campaign_id}", said=("Saved: {name}", "저장했습니다: {name}"), name=done.name)


async def _show_form(visit: Visit, draft: Draft, campaign: Campaign | None, faults: Sequence[Finding] = ()) -> Response:
    async with visit.read() as tx:
        tree = await load_tree(tx, visit.scope)
    return await visit.show(
        "adgroups/campaign_form.html",
        422 if faults else 200,
        draft=draft,
        campaign=campaign,
        faults=texts_by_field(faults),
        states=[(state.value, visit.say(*word)) for state, word in CAMPAIGN_STATES.items()],
        units=tree.choices(),
    )


def _draft_of(visit: Visit, campaign: Campaign) -> Draft:
    return Draft(
        name=campaign.name,
        start_at=show_local(visit, campaign.start_at),
        end_at="" if campaign.end_at is None else show_local(visit, campaign.end_at),
        state=campaign.state,
    )


def _understand(visit: Visit, draft: Draft, before: Campaign | None) -> Understood:
    """A moment that nobody touched stays the one it was: a field shows no more than seconds."""
    faults: list[Finding] = []
    start_at = _read(visit, draft.start_at, None if before is None else before.start_at)
    if start_at is None:
        faults.append(at("start_at", NO_MOMENT) if draft.start_at else needed("start_at"))
    end_at = _read(visit, draft.end_at, None if before is None else before.end_at) if draft.end_at else None
    if draft.end_at and end_at is None:
        faults.append(at("end_at", NO_MOMENT))
    if draft.state not in set(CampaignState):
        faults.append(at("state", CHOOSE))
    new = NewCampaign(draft.name, start_at, end_at)
    if faults or list_campaign_problems(new):
        return Understood(None, [*list_campaign_problems(new), *faults])
    return Understood(replace(new, state=CampaignState(draft.state)))


def _read(visit: Visit, typed: str, before: datetime | None) -> datetime | None:
    return before if before is not None and still_says(typed, before, visit.zone) else read_local(visit, typed)


class InventoryDraft(BaseModel):
    model_config = ConfigDict(frozen=True)

    code: Typed = ""
    name: Typed = ""
    unit_id: Typed = ""


@router.get(INVENTORY)
async def show_inventory(visit: Visitor, cursor: Annotated[str, Query()] = "") -> Response:
    visit.actor.require(Right.READ, AREA)
    return await _show_inventory(visit, cursor, InventoryDraft(unit_id=str(visit.scope.unit_id or "")), ())


@router.post(INVENTORY)
async def add_inventory(visit: Visitor, draft: Annotated[InventoryDraft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    faults = [*([] if draft.code else [needed("code")]), *list_name_problems(draft.name)]
    if faults:
        return await _show_inventory(visit, "", draft, faults)
    try:
        async with visit.change() as tx:
            made = await actions.add_inventory(
                tx, visit.actor, code=draft.code, name=draft.name, unit_id=read_number(draft.unit_id)
            )
    except (BadInventory, InventoryCodeTaken) as error:
        return await _show_inventory(visit, "", draft, [find_wrong(error, "code")])
    return visit.go(INVENTORY, said=("Added: {code}", "더했습니다: {code}"), code=made.code)


async def _show_inventory(visit: Visit, cursor: str, draft: InventoryDraft, faults: Sequence[Finding]) -> Response:
    async with visit.read() as tx:
        page = await read_page(lambda at: list_inventories(tx, visit.scope, cursor=at), cursor)
        tree = await load_tree(tx, visit.scope)
    return await visit.show(
        "adgroups/inventory.html",
        422 if faults else 200,
        rows=[(one, tree.names(one.unit_id)) for one in page.items],
        draft=draft,
        faults=texts_by_field(faults),
        units=tree.choices(),
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )
