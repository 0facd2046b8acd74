"""Campaigns: the list, one with its ad groups, and the form for a new one or a change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel, ConfigDict

from pabal.apps.adgroups.actions import campaigns as actions
from pabal.apps.adgroups.model.adgroups import Campaign, CampaignState
from pabal.apps.adgroups.pages.drafting import MOST_NAME, NEEDED, Typed
from pabal.apps.adgroups.pages.listing import AREA, TOPICS
from pabal.apps.adgroups.pages.local import read_local, show_local
from pabal.apps.adgroups.pages.rows import make_rows
from pabal.apps.adgroups.store.adgroups import Wanted, list_ad_groups
from pabal.apps.adgroups.store.campaigns import NewCampaign, get_campaign, list_campaigns
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import RowId, midnight, read_number, today, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/ads/campaigns", include_in_schema=False)
LIST = "/ads/campaigns"
_MOMENT: Pair = ("A moment reads 2026-07-03T09:20.", "날짜와 시각은 2026-07-03T09:20처럼 적으세요.")


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
    faults: dict[str, Pair] = field(default_factory=dict)


@router.get("")
async def show_list(visit: Visitor, paged: Annotated[Paged, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await read_page(lambda cursor: list_campaigns(tx, visit.scope, cursor), paged.cursor)
        tree = await load_tree(tx, visit.scope)
    return await visit.show(
        "adgroups/campaigns.html",
        rows=[(one, tree.names(one.unit_id)) for one in page.items],
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


@router.get("/new")
async def new(visit: Visitor) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    draft = Draft(start_at=show_local(visit, midnight(visit, today(visit))), unit_id=str(visit.scope.unit_id or ""))
    return await _show_form(visit, draft, None)


@router.post("/new")
async def create(visit: Visitor, draft: Annotated[Draft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    understood = _understand(visit, draft, None)
    if understood.new is None:
        return await _show_form(visit, draft, None, understood.faults)
    async with visit.change() as tx:
        owner = read_number(draft.unit_id)
        made = await actions.create_campaign(tx, visit.actor, understood.new, unit_id=owner)
    return visit.go(f"{LIST}/{made.id}", said=("Made: {name}", "만들었습니다: {name}"), name=made.name)


@router.get("/{campaign_id}")
async def show(visit: Visitor, campaign_id: RowId, paged: Annotated[Paged, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        campaign = await get_campaign(tx, visit.scope, campaign_id)
        wanted = Wanted(visit.scope.listed, campaign_id=campaign_id)
        page = await read_page(lambda cursor: list_ad_groups(tx, wanted, cursor), paged.cursor)
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


@router.get("/{campaign_id}/edit")
async def edit(visit: Visitor, campaign_id: RowId) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        campaign = await get_campaign(tx, visit.scope, campaign_id)
    return await _show_form(visit, _draft_of(visit, campaign), campaign)


@router.post("/{campaign_id}/edit")
async def change(visit: Visitor, campaign_id: RowId, draft: Annotated[Draft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        campaign = await get_campaign(tx, visit.scope, campaign_id)
    understood = _understand(visit, draft, campaign)
    if understood.new is None:
        return await _show_form(visit, draft, campaign, understood.faults)
    async with visit.change() as tx:
        done = await actions.edit_campaign(tx, visit.actor, campaign_id, understood.new)
    return visit.go(f"{LIST}/{campaign_id}", said=("Saved: {name}", "저장했습니다: {name}"), name=done.name)


async def _show_form(
    visit: Visit, draft: Draft, campaign: Campaign | None, faults: Mapping[str, Pair] | None = None
) -> Response:
    async with visit.read() as tx:
        tree = await load_tree(tx, visit.scope)
    return await visit.show(
        "adgroups/campaign_form.html",
        422 if faults else 200,
        draft=draft,
        campaign=campaign,
        faults=dict(faults or {}),
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
    faults: dict[str, Pair] = {}
    if not 1 <= len(draft.name) <= MOST_NAME:
        faults["name"] = NEEDED if not draft.name else ("At most 200 signs.", "200자까지 적을 수 있습니다.")
    start_at = _read(visit, draft.start_at, None if before is None else before.start_at)
    if start_at is None:
        faults["start_at"] = _MOMENT if draft.start_at else NEEDED
    end_at = _read(visit, draft.end_at, None if before is None else before.end_at) if draft.end_at else None
    if draft.end_at and end_at is None:
        faults["end_at"] = _MOMENT
    elif start_at is not None and end_at is not None and end_at <= start_at:
        faults["end_at"] = ("It must end after it starts.", "종료는 시작보다 늦어야 합니다.")
    if draft.state not in set(CampaignState):
        faults["state"] = ("Choose one.", "하나를 고르세요.")
    if faults or start_at is None:
        return Understood(None, faults)
    return Understood(NewCampaign(draft.name, start_at, end_at, CampaignState(draft.state)))


def _read(visit: Visit, typed: str, before: datetime | None) -> datetime | None:
    return before if before is not None and show_local(visit, before) == typed else read_local(visit, typed)
