"""Events: sent to one ad group or to many, tried before, and explained guard by guard."""

from datetime import datetime
from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.apps.adgroups.actions import events as actions
from pabal.apps.adgroups.actions.events import explain_one
from pabal.apps.adgroups.api.names import (
    AdGroupId,
    DryRun,
    EventName,
    Status,
    noun,
    read_event,
    show_status,
)
from pabal.apps.adgroups.api.parts import (
    ExplainedShown,
    explain_group,
    find,
    hold,
    reporting,
    show_explained,
)
from pabal.apps.adgroups.api.shown import AdGroupShown, show_group
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import Event
from pabal.base.database import Tx
from pabal.platform.web.endpoints import Asked, Shown, answer
from pabal.platform.web.filters import Moment, Text
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, answer_all

router = noun()


class EventAsked(Asked):
    event: EventName = Field(examples=["PAUSE"])
    reason: Text | None = Field(default=None, examples=["소재 교체"])


class EventSent(Shown):
    """What the event did, or in a dry run would do; `ad_group` is null then."""

    effect: ExplainedShown
    ad_group: AdGroupShown | None


class Explanation(Shown):
    """For every event of the machine where it would lead at `at`, were it still as it is now, or why not."""

    at: datetime
    status: Status = Field(examples=["RUNNING"])
    events: list[ExplainedShown]


@router.post("/{id}/events", response_model=EventSent)
async def send_ad_group_event(
    visit: Visitor, once: OnceOnly, id: AdGroupId, asked: EventAsked, dry_run: DryRun = False
) -> Response:
    """Sends an event. Refused, it answers 409 with `report`: every condition of its guard and the values compared."""
    event = read_event(asked.event)

    async def act(tx: Tx) -> Response:
        group = await hold(tx, visit, id)
        effect = await explain_group(tx, visit, group, event)
        if dry_run:
            return answer(EventSent(effect=effect, ad_group=None))
        with reporting(effect):
            after = await actions.send(tx, visit.actor, id, event, reason=asked.reason)
        return answer(EventSent(effect=effect, ad_group=show_group(after, tx.now, visit.lang)))

    return await once.run(act)


@router.get("/{id}/allowed-events", response_model=Page[ExplainedShown])
async def list_allowed_ad_group_events(visit: Visitor, id: AdGroupId) -> Response:
    """Lists the events that would lead somewhere now."""
    async with visit.read() as tx:
        group = await find(tx, visit, id)
        found = await actions.explain(tx, visit.actor, id)
    return answer_all([show_explained(one, group, visit.now, visit) for one in found if one.is_allowed])


@router.get("/{id}/explain", response_model=Explanation)
async def explain_ad_group(
    visit: Visitor, id: AdGroupId, at: Annotated[Moment | None, Query(description="Without it, now.")] = None
) -> Response:
    """Says for every event whether it is allowed, condition by condition with the values compared."""
    async with visit.read() as tx:
        group = await find(tx, visit, id)
        [subject] = await load_subjects(tx, [id])
        moment = at or tx.now
    found = [explain_one(subject, Event(event), moment, visit.actor) for event in AD_GROUP.events]
    shown = [show_explained(one, group, moment, visit) for one in found]
    return answer(Explanation(at=moment, status=show_status(subject.state), events=shown))
