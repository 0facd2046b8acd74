"""What belongs to one ad group: its creatives and inventory, its events, what became of it and what will."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import Response

from pabal.apps.adgroups.actions import adgroups as actions
from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.actions.delayed import DelayedEvent
from pabal.apps.adgroups.actions.events import explain_one
from pabal.apps.adgroups.api.readings import BASE, AdGroupId, Number, OnlySay, noun
from pabal.apps.adgroups.foresight import foresee
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import AREA, AdGroup, Event
from pabal.apps.adgroups.resources import views
from pabal.apps.adgroups.resources.campaigns import InventoryView
from pabal.apps.adgroups.resources.events import (
    MOST_DAYS,
    ChangeView,
    DelayedView,
    EventAsk,
    EventSentView,
    ExplainedView,
    ExplanationView,
    StatusAtView,
    StretchView,
)
from pabal.apps.adgroups.resources.groups import GROUP, CreativeAsk, CreativeView, InventoryChoice
from pabal.apps.adgroups.resources.names import read_event, show_id, show_status
from pabal.apps.adgroups.store import adgroups as store
from pabal.apps.adgroups.store import campaigns
from pabal.base.database import Tx
from pabal.engine import listing, timers, transitions
from pabal.engine.listing.history import Wanted
from pabal.engine.transitions import GuardRefused, MoveNotAllowed, Transition
from pabal.platform.actor import Right
from pabal.platform.operating.model import tried
from pabal.platform.resources import View, plain
from pabal.platform.tenants import visible_to
from pabal.platform.web.endpoints import no_content
from pabal.platform.web.filters import Listed, Moment, Text
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of, read_body
from pabal.platform.web.paging import Page, Source, answer_all, answer_json, answer_list
from pabal.platform.web.rest import DryRun, find_row, match_row, viewer_of
from pabal.platform.web.visit import Visit

router = noun()
At = Annotated[Moment | None, Query(description="Without it, now.")]
CreativeBody = Annotated[CreativeAsk, read_body(CreativeAsk)]
InventoryBody = Annotated[InventoryChoice, read_body(InventoryChoice)]
EventBody = Annotated[EventAsk, read_body(EventAsk)]


def page_of(view: type[View]) -> Any:
    return Page[model_of(view)]  # type: ignore[misc]  # made from the view


async def match(tx: Tx, visit: Visit, ad_group_id: int) -> None:
    """As the caller read it, if they say which that was. The action locks it."""
    visit.actor.require(Right.WRITE, AREA)
    await match_row(tx, visit, GROUP, ad_group_id)


async def explain_group(tx: Tx, visit: Visit, group: AdGroup, event: Event) -> ExplainedView:
    [subject] = await load_subjects(tx, [group.id])
    return views.view_explained(explain_one(subject, event, tx.now, visit.actor), group, viewer_of(visit))


@asynccontextmanager
async def reporting(tx: Tx, visit: Visit, ad_group_id: int, event: Event) -> AsyncIterator[None]:
    """A refusal says all that its guard found. What was refused has locked the row, and changed nothing of it."""
    try:
        yield
    except (MoveNotAllowed, GuardRefused) as error:
        effect = await explain_group(tx, visit, await find_row(tx, visit, GROUP, ad_group_id), event)
        # an error says its members to the web: see platform/web/problems.py
        said = {name: plain(getattr(effect, name)) for name in ("event", "guard", "report")}
        error.members = said  # type: ignore[union-attr]
        raise


@router.delete("/{id}", status_code=204)
async def delete_ad_group(
    visit: Visitor,
    id: AdGroupId,
    reason: Annotated[Text | None, Query(description="Why.")] = None,
    dry_run: DryRun = False,
) -> Response:
    """Sends the event DELETE: it is delivered no more, and its history stays."""
    async with visit.change() as tx, tried(tx, dry_run=dry_run):
        await match(tx, visit, id)
        await events.send(tx, visit.actor, id, Event.DELETE, reason=reason)
    return no_content()


@router.get("/{id}/creatives", response_model=page_of(CreativeView))
async def list_creatives(visit: Visitor, id: AdGroupId) -> Response:
    """Lists what it shows."""
    async with visit.read() as tx:
        await find_row(tx, visit, GROUP, id)
        found = await store.list_creatives(tx, id)
    return answer_all([CreativeView.of(one) for one in found])


@router.post("/{id}/creatives", response_model=model_of(CreativeView), status_code=201)
async def add_creative(
    visit: Visitor, once: OnceOnly, id: AdGroupId, asked: CreativeBody, dry_run: DryRun = False
) -> Response:
    """Adds a creative, while it is a draft or ready."""

    async def act(tx: Tx) -> Response:
        await match(tx, visit, id)
        made = await actions.add_creative(tx, visit.actor, id, name=asked.name, url=asked.url)
        [found] = [one for one in await store.list_creatives(tx, id) if one.id == made]
        return answer_json(CreativeView.of(found), 201, {"Location": f"{BASE}/{show_id(id)}/creatives"})

    return await once.run(act, dry_run=dry_run)


@router.delete("/{id}/creatives/{creative}", status_code=204)
async def remove_creative(visit: Visitor, id: AdGroupId, creative: Number, dry_run: DryRun = False) -> Response:
    """Takes a creative out, while it is a draft or ready."""
    async with visit.change() as tx, tried(tx, dry_run=dry_run):
        await match(tx, visit, id)
        await actions.remove_creative(tx, visit.actor, id, creative)
    return no_content()


@router.get("/{id}/inventory", response_model=page_of(InventoryView))
async def list_ad_group_inventory(visit: Visitor, id: AdGroupId) -> Response:
    """Lists where it is shown, by code."""
    async with visit.read() as tx:
        await find_row(tx, visit, GROUP, id)
        found = await store.list_inventories_of(tx, id)
    return answer_all([InventoryView.of(one) for one in found])


@router.put("/{id}/inventory", response_model=page_of(InventoryView))
async def set_ad_group_inventory(
    visit: Visitor, once: OnceOnly, id: AdGroupId, asked: InventoryBody, dry_run: DryRun = False
) -> Response:
    """Says where it is shown, while it is a draft or ready: these and no others."""

    async def act(tx: Tx) -> Response:
        await match(tx, visit, id)
        await find_row(tx, visit, GROUP, id)
        found = await campaigns.get_inventories(tx, await visible_to(tx, visit.actor), asked.codes)
        await actions.set_inventories(tx, visit.actor, id, [one.id for one in found])
        return answer_all([InventoryView.of(one) for one in await store.list_inventories_of(tx, id)])

    return await once.run(act, dry_run=dry_run)


@router.post("/{id}/events", response_model=model_of(EventSentView))
async def send_ad_group_event(
    visit: Visitor, once: OnceOnly, id: AdGroupId, asked: EventBody, dry_run: OnlySay = False
) -> Response:
    """Sends an event. Refused, it answers 409 with `report`: every condition of its guard and the values compared."""
    event = read_event(asked.event)

    async def act(tx: Tx) -> Response:
        await match(tx, visit, id)
        if dry_run:
            effect = await explain_group(tx, visit, await find_row(tx, visit, GROUP, id), event)
            return answer_json(EventSentView(effect=effect, ad_group=None))
        before = await events.hold(tx, visit.actor, id, event)
        effect = await explain_group(tx, visit, before, event)
        async with reporting(tx, visit, id, event):
            after = await events.send_held(tx, visit.actor, before, event, reason=asked.reason)
        return answer_json(EventSentView(effect=effect, ad_group=views.view_group(after, viewer_of(visit))))

    return await once.run(act)


@router.get("/{id}/allowed-events", response_model=page_of(ExplainedView))
async def list_allowed_ad_group_events(visit: Visitor, id: AdGroupId) -> Response:
    """Lists the events that would lead somewhere now."""
    async with visit.read() as tx:
        group = await find_row(tx, visit, GROUP, id)
        found = await events.explain(tx, visit.actor, id)
    return answer_all([views.view_explained(one, group, viewer_of(visit)) for one in found if one.is_allowed])


@router.get("/{id}/explain", response_model=model_of(ExplanationView))
async def explain_ad_group(visit: Visitor, id: AdGroupId, at: At = None) -> Response:
    """Says for every event whether it is allowed, condition by condition with the values compared."""
    async with visit.read() as tx:
        group = await find_row(tx, visit, GROUP, id)
        [subject] = await load_subjects(tx, [id])
        moment = at or tx.now
    found = [explain_one(subject, Event(event), moment, visit.actor) for event in AD_GROUP.events]
    viewer = replace(viewer_of(visit), now=moment)
    shown = [views.view_explained(one, group, viewer) for one in found]
    return answer_json(ExplanationView(at=moment, status=show_status(subject.state), events=shown))


@router.get("/{id}/forecast", response_model=page_of(StretchView))
async def forecast_ad_group(
    visit: Visitor,
    id: AdGroupId,
    days: Annotated[int, Query(ge=1, le=MOST_DAYS, description="How far ahead.")] = 7,
) -> Response:
    """Says in which state it will be when, in the days ahead, without a gap."""
    async with visit.read() as tx:
        await find_row(tx, visit, GROUP, id)
        [subject] = await load_subjects(tx, [id])
        now = tx.now
    return answer_all([views.view_stretch(one) for one in foresee(subject, now, now + timedelta(days=days))])


@router.get("/{id}/history", response_model=page_of(ChangeView))
async def list_ad_group_history(visit: Visitor, id: AdGroupId, wanted: Annotated[Listed, Query()]) -> Response:
    """Lists every transition of an ad group with who, when and why, the newest first."""
    async with visit.read() as tx:
        await find_row(tx, visit, GROUP, id)

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Transition]:
        whole = Wanted(None, AD_GROUP.name, id)
        return await listing.list_transitions(tx, whole, limit=limit, cursor=cursor)

    return await answer_list(visit, wanted, Source("ad_group_history", ChangeView, load, views.view_change))


@router.get("/{id}/state", response_model=model_of(StatusAtView))
async def get_ad_group_state_at(visit: Visitor, id: AdGroupId, at: At = None) -> Response:
    """Says in which state it was at a moment."""
    async with visit.read() as tx:
        group = await find_row(tx, visit, GROUP, id)
        moment = at or tx.now
        state = await transitions.state_at(tx, AD_GROUP, id, moment)
    return answer_json(views.view_status_at(group, moment, state))


@router.get("/{id}/timers", response_model=page_of(DelayedView))
async def list_ad_group_timers(visit: Visitor, id: AdGroupId) -> Response:
    """Lists the delayed events it waits for, the next one first: the seed's set `adgroup:scheduled:{id}`."""
    async with visit.read() as tx:
        group = await find_row(tx, visit, GROUP, id)
        found = await timers.list_timers(tx, AD_GROUP, id)
    return answer_all([views.view_delayed(DelayedEvent(one, group), viewer_of(visit)) for one in found])
