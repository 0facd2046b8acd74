"""Ad groups: listed, made, shown, changed, deleted."""

from typing import Annotated, Any, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import BeforeValidator, Field

from pabal.apps.adgroups.actions import adgroups as actions
from pabal.apps.adgroups.actions import events
from pabal.apps.adgroups.api.names import BASE, AdGroupId, CampaignNamed, Status, noun, show_id
from pabal.apps.adgroups.api.parts import answer_group, find, hold, may_read
from pabal.apps.adgroups.api.shown import AdGroupAsked, AdGroupChange, AdGroupShown, show_group
from pabal.apps.adgroups.model.adgroups import AdGroup, Event
from pabal.apps.adgroups.store import adgroups as store
from pabal.apps.adgroups.store.adgroups import Wanted
from pabal.base.database import Tx
from pabal.engine.listing import Page as Rows
from pabal.platform.web.endpoints import no_content
from pabal.platform.web.filters import Listed, Text, Word, split_commas
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_list

router = noun()
_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {"text/csv": {}}}}


class AdGroupFilter(Listed):
    status: Annotated[
        tuple[Status, ...],
        BeforeValidator(split_commas),
        Field(description="By the stored state: any of these, with commas. Deleted ones only when asked for."),
    ] = ()
    campaign: Annotated[CampaignNamed | None, Field(description="Only of this campaign.")] = None
    source: Annotated[
        Literal["machine", "calculator"] | None, Field(description="Only those whose state comes from it.")
    ] = None
    q: Annotated[Word | None, Field(description="A part of the name.")] = None


@router.get("", response_model=Page[AdGroupShown], responses=_CSV)
async def list_ad_groups(visit: Visitor, wanted: Annotated[AdGroupFilter, Query()]) -> Response:
    """Lists ad groups, the newest first. `org` names the unit."""
    may_read(visit)
    states = [status.lower() for status in wanted.status]
    filters = Wanted(visit.scope.listed, states, wanted.campaign, wanted.source, wanted.q)

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[AdGroup]:
        return await store.list_ad_groups(tx, filters, cursor, limit)

    def show(group: AdGroup) -> AdGroupShown:
        return show_group(group, visit.now, visit.lang)

    return await answer_list(visit, wanted, Source("ad_groups", AdGroupShown, load, show), has_csv=True)


@router.post("", response_model=AdGroupShown, status_code=201)
async def create_ad_group(visit: Visitor, once: OnceOnly, asked: AdGroupAsked) -> Response:
    """Makes a draft. It is delivered once it is set up, approved, and its start has come."""

    async def act(tx: Tx) -> Response:
        made = await actions.create(tx, visit.actor, asked.as_new())
        return answer_group(visit, made, tx.now, 201, location=f"{BASE}/{show_id(made.id)}")

    return await once.run(act)


@router.get("/{id}", response_model=AdGroupShown)
async def get_ad_group(visit: Visitor, id: AdGroupId) -> Response:
    """Shows one ad group."""
    async with visit.read() as tx:
        found = await find(tx, visit, id)
    return answer_group(visit, found, visit.now)


@router.patch("/{id}", response_model=AdGroupShown)
async def edit_ad_group(visit: Visitor, once: OnceOnly, id: AdGroupId, asked: AdGroupChange) -> Response:
    """Changes only what is given (JSON merge patch). Its delayed events follow in the same commit."""

    async def act(tx: Tx) -> Response:
        old = await hold(tx, visit, id)
        edited = await actions.edit(tx, visit.actor, id, asked.apply(old))
        return answer_group(visit, edited, tx.now)

    return await once.run(act)


@router.delete("/{id}", status_code=204)
async def delete_ad_group(
    visit: Visitor, id: AdGroupId, reason: Annotated[Text | None, Query(description="Why.")] = None
) -> Response:
    """Sends the event DELETE: it is delivered no more, and its history stays."""
    async with visit.change() as tx:
        await hold(tx, visit, id)
        await events.send(tx, visit.actor, id, Event.DELETE, reason=reason)
    return no_content()
