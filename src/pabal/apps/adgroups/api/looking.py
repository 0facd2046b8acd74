"""What became of an ad group and what will: history, its state at any moment, its delayed events, the days ahead."""

from datetime import datetime, timedelta
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.apps.adgroups.api.delayed import DelayedShown, show_delayed
from pabal.apps.adgroups.api.names import AdGroupId, Status, noun, show_status
from pabal.apps.adgroups.api.parts import find
from pabal.apps.adgroups.foresight import Stretch, foresee
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.base.database import Tx
from pabal.engine import listing, timers, transitions
from pabal.engine.listing.history import Wanted
from pabal.engine.transitions import Transition
from pabal.platform.web.endpoints import Shown, answer, fill
from pabal.platform.web.filters import Listed, Moment
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_all, answer_list

router = noun()
# foresight walks event by event
MOST_DAYS = 31


class StretchShown(Shown):
    """In this state from `since` to `until` unless somebody interferes; `event` began it, null where it already was."""

    status: Status = Field(examples=["RUNNING"])
    since: datetime
    until: datetime
    event: str | None = Field(examples=["DAILY_START"])


class ChangeShown(Shown):
    """One transition: who, when, why. `cause` is the job or fact that led to it."""

    version: int = Field(examples=[2])
    event: str = Field(examples=["COMPLETE_SETUP"])
    source: Status | None = Field(examples=["DRAFT"])
    target: Status = Field(examples=["READY"])
    actor: str = Field(examples=["user:12"])
    reason: str | None = Field(examples=[None])
    cause: str | None = Field(examples=[None])
    at: datetime


class StatusAt(Shown):
    """`status` is null before it was made."""

    at: datetime
    status: Status | None = Field(examples=["RUNNING"])


@router.get("/{id}/forecast", response_model=Page[StretchShown])
async def forecast_ad_group(
    visit: Visitor,
    id: AdGroupId,
    days: Annotated[int, Query(ge=1, le=MOST_DAYS, description="How far ahead.")] = 7,
) -> Response:
    """Says in which state it will be when, in the days ahead, without a gap."""
    async with visit.read() as tx:
        await find(tx, visit, id)
        [subject] = await load_subjects(tx, [id])
        now = tx.now
    return answer_all([_stretch(one) for one in foresee(subject, now, now + timedelta(days=days))])


@router.get("/{id}/history", response_model=Page[ChangeShown])
async def list_ad_group_history(visit: Visitor, id: AdGroupId, wanted: Annotated[Listed, Query()]) -> Response:
    """Lists every transition of an ad group with who, when and why, the newest first."""
    async with visit.read() as tx:
        await find(tx, visit, id)

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Transition]:
        whole = Wanted(None, AD_GROUP.name, id)
        return await listing.list_transitions(tx, whole, limit=limit, cursor=cursor)

    return await answer_list(visit, wanted, Source("ad_group_history", ChangeShown, load, _change))


@router.get("/{id}/state", response_model=StatusAt)
async def get_ad_group_state_at(
    visit: Visitor, id: AdGroupId, at: Annotated[Moment | None, Query(description="Without it, now.")] = None
) -> Response:
    """Says in which state it was at a moment."""
    async with visit.read() as tx:
        await find(tx, visit, id)
        moment = at or tx.now
        state = await transitions.state_at(tx, AD_GROUP, id, moment)
    return answer(StatusAt(at=moment, status=None if state is None else show_status(state)))


@router.get("/{id}/timers", response_model=Page[DelayedShown])
async def list_ad_group_timers(visit: Visitor, id: AdGroupId) -> Response:
    """Lists the delayed events it waits for, the next one first: the seed's set `adgroup:scheduled:{id}`."""
    async with visit.read() as tx:
        group = await find(tx, visit, id)
        found = await timers.list_timers(tx, AD_GROUP, id)
    return answer_all([show_delayed(one, group, visit.now) for one in found])


def _stretch(one: Stretch) -> StretchShown:
    event = None if one.by is None else one.by.upper()
    return StretchShown(status=show_status(one.state), since=one.since, until=one.until, event=event)


def _change(one: Transition) -> ChangeShown:
    source = None if one.source is None else show_status(one.source)
    return fill(ChangeShown, one, event=one.event.upper(), source=source, target=show_status(one.target))
