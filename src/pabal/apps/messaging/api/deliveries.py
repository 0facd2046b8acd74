"""Deliveries: what was sent, what is under way, what was missed, and what can still be done about it."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import BeforeValidator, Field

from pabal.apps.messaging.actions import deliveries as actions
from pabal.apps.messaging.api.parts import (
    BASE,
    Asked,
    DeliveryId,
    Id,
    Shown,
    answer,
    fill,
    may_read,
    no_content,
    noun,
)
from pabal.apps.messaging.api.sends import MessageDeliveryShown, MessageDeliveryWhole, show_delivery, show_whole
from pabal.apps.messaging.model.deliveries import Delivery
from pabal.apps.messaging.store import deliveries as store
from pabal.apps.messaging.store.deliveries import OpenSend, Recent, Wanted
from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.listing import Page as Rows
from pabal.platform.tenants import visible_to
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Between, Moment, Word, split_commas
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_all, answer_list
from pabal.platform.web.problems import BadParameter
from pabal.platform.web.visit import Visit

router = noun()
State = Literal["open", "sent", "partial", "failed", "unknown", "missed"]
RECENT, LONGEST_RECENT = timedelta(minutes=5), timedelta(days=1)


class DeliveryFilter(Between):
    """From and to are of the moment it was due."""

    state: Annotated[
        tuple[State, ...], BeforeValidator(split_commas), Field(description="Any of these, separated by commas.")
    ] = ()
    schedule: Annotated[Id | None, Field(description="Only of this schedule.", examples=[12])] = None
    room: Annotated[Id | None, Field(description="Only to this room.", examples=[3])] = None
    bot: Annotated[Id | None, Field(description="Only by this bot.", examples=[1])] = None
    cause: Annotated[Literal["schedule", "now", "test"] | None, Field(description="What led to it.")] = None
    q: Annotated[Word | None, Field(description="A part of the text, the schedule's title or the room's name.")] = None


class SinceWhen(Plain):
    since: Annotated[
        Moment | None, Field(alias="from", description="Due from then on; without it, in the last five minutes.")
    ] = None


class OpenShown(Shown):
    """A send under way. `delivery` is null until somebody has taken it; `until` is when a deferred one goes on."""

    delivery: str | None = Field(examples=["dlv_01h2xcejqtf2n"])
    job: str | None = Field(examples=["job_01h2xcejqtf2n"])
    place: str = Field(examples=["waiting_for_bot"])
    unit_id: int = Field(examples=[3])
    schedule_id: int = Field(examples=[12])
    schedule_title: str = Field(examples=["아침 공지"])
    room_id: int = Field(examples=[3])
    room_name: str = Field(examples=["부산-운영"])
    bot_id: int = Field(examples=[1])
    bot_name: str = Field(examples=["busan1"])
    scheduled_at: datetime
    cause: str = Field(examples=["schedule"])
    deferred_by: str | None = Field(examples=[None])
    until: datetime | None
    parts: int = Field(examples=[4])
    written: int = Field(examples=[1])


class RecentShown(Shown):
    """What became of what was due. `verdict` is not_sent, retry_needed or sent."""

    schedule_id: int = Field(examples=[12])
    unit_id: int = Field(examples=[3])
    schedule_title: str = Field(examples=["아침 공지"])
    scheduled_at: datetime
    delivery: str | None = Field(examples=["dlv_01h2xcejqtf2n"])
    state: str | None = Field(examples=["missed"])
    reason: str | None = Field(examples=["bot_offline"])
    verdict: str = Field(examples=["not_sent"])


class Resume(Asked):
    """A part of which nobody knows whether it arrived is sent again only with `resend_unknown`."""

    resend_unknown: bool = False


@router.get("/deliveries", response_model=Page[MessageDeliveryShown], responses={200: {"content": {"text/csv": {}}}})
async def list_message_deliveries(visit: Visitor, wanted: Annotated[DeliveryFilter, Query()]) -> Response:
    """Lists deliveries, the newest first."""
    may_read(visit)
    filters = Wanted(
        units=visit.scope.listed,
        states=wanted.state or None,
        schedule_id=wanted.schedule,
        room_id=wanted.room,
        bot_id=wanted.bot,
        cause=wanted.cause,
        from_at=wanted.since,
        to_at=wanted.until,
        q=wanted.q,
    )

    async def load(tx: Tx, limit: int, cursor: str | None) -> Rows[Delivery]:
        return await store.list_deliveries(tx, filters, cursor, limit)

    def show(delivery: Delivery) -> MessageDeliveryShown:
        return show_delivery(delivery, visit)

    return await answer_list(visit, wanted, Source("deliveries", MessageDeliveryShown, load, show), has_csv=True)


@router.get("/deliveries/open", response_model=Page[OpenShown])
async def list_open_deliveries(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Lists what is under way: waiting for its bot, queued, deferred by a limit, being sent. The longest due first."""
    may_read(visit)
    async with visit.read() as tx:
        found = await store.list_open(tx, visit.scope.listed)
    return answer_all([_open(one) for one in found])


@router.get("/deliveries/recent", response_model=Page[RecentShown])
async def list_recent_deliveries(visit: Visitor, wanted: Annotated[SinceWhen, Query()]) -> Response:
    """Says what became of everything due in the last five minutes: not_sent, retry_needed or sent."""
    may_read(visit)
    async with visit.read() as tx:
        since = wanted.since or tx.now - RECENT
        if since < tx.now - LONGEST_RECENT:
            raise BadParameter("from: at most a day ago")
        found = await store.list_recent(tx, visit.scope.listed, since)
    return answer_all([_recent(one) for one in found])


@router.get("/deliveries/{id}", response_model=MessageDeliveryWhole)
async def get_message_delivery(visit: Visitor, id: DeliveryId) -> Response:
    """Shows one delivery with its parts, as it was sent."""
    async with visit.read() as tx:
        found = await _find(tx, visit, id)
    return answer_one(visit, show_whole(found, visit))


@router.post("/deliveries/{id}/resume", response_model=MessageDeliveryWhole, status_code=202)
async def resume_message_delivery(visit: Visitor, once: OnceOnly, id: DeliveryId, asked: Resume) -> Response:
    """Sends the rest of a delivery, or one that was missed. What is out already is not sent again."""

    async def act(tx: Tx) -> Response:
        check_match(visit, show_whole(await _find(tx, visit, id), visit))
        done = await actions.resume(tx, visit.actor, id, resend_unknown=asked.resend_unknown)
        shown = show_whole(done, visit)
        return answer(shown, 202, location=f"{BASE}/deliveries/{shown.id}")

    return await once.run(act)


@router.post("/deliveries/{id}/dismiss", status_code=204)
async def dismiss_message_delivery(visit: Visitor, once: OnceOnly, id: DeliveryId) -> Response:
    """Says that nobody needs to look at it any more. It stays in the log as it is."""

    async def act(tx: Tx) -> Response:
        check_match(visit, show_whole(await _find(tx, visit, id), visit))
        await actions.dismiss(tx, visit.actor, id)
        return no_content()

    return await once.run(act)


async def _find(tx: Tx, visit: Visit, delivery_id: int) -> Delivery:
    may_read(visit)
    return await store.get_delivery(tx, await visible_to(tx, visit.actor), delivery_id)


def _open(one: OpenSend) -> OpenShown:
    return fill(OpenShown, one, delivery=_show("dlv", one.delivery_id), job=_show("job", one.job_id))


def _recent(one: Recent) -> RecentShown:
    return fill(RecentShown, one, delivery=_show("dlv", one.delivery_id))


def _show(prefix: str, number: int | None) -> str | None:
    return None if number is None else ids.show(prefix, number)
