"""Notifications: what people were told, and the channels it goes through."""

from typing import Annotated

from fastapi import Path, Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Asked, Number, Shown, answer, by_id, no_content, noun, read_id
from pabal.base.database import Tx
from pabal.engine import ids, listing
from pabal.platform import notifications
from pabal.platform.notifications import Attempt, Delivery
from pabal.platform.web.filters import Listed
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, Source, answer_list
from pabal.platform.web.rest import rest, viewer_of
from pabal.resources.notifications import CHANNEL, NOTIFICATION, DeliveryView, TryView, view_delivery

router = noun("notifications")
AREA = notifications.AREA
PREFIX = "ntf"
DeliveryId = Annotated[str, Path(pattern="^dlv_[0-9a-z]{13}$", examples=["dlv_01h2xcejqtf2n"])]
rest(router, NOTIFICATION)
rest(router, CHANNEL)


class Read(Asked):
    upto: Annotated[str, Field(pattern="^ntf_[0-9a-z]{13}$", examples=["ntf_01h2xcejqtf2n"])]


class Unread(Shown):
    """Counted up to 100."""

    unread: int = Field(examples=[0])


@router.get("/notifications/unread", response_model=Unread)
async def count_unread(visit: Visitor) -> Response:
    """Counts what you have not read."""
    async with visit.read() as tx:
        return answer(Unread(unread=await notifications.count_unread(tx, visit.actor)))


@router.post("/notifications/read", status_code=204)
async def mark_notifications_read(visit: Visitor, once: OnceOnly, asked: Read) -> Response:
    """Marks everything up to one notification as read by you."""

    async def act(tx: Tx) -> Response:
        await notifications.mark_read(tx, visit.actor, upto=min(ids.read(PREFIX, asked.upto), 2**63 - 1))
        return no_content()

    return await once.run(act)


@router.get("/channels/{id}/deliveries", response_model=Page[model_of(DeliveryView)])  # type: ignore[misc]  # made from the view
async def list_deliveries(visit: Visitor, id: Number, wanted: Annotated[Listed, Query()]) -> Response:
    """Lists what went through a channel, the newest first."""

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Delivery]:
        found = await notifications.list_deliveries(tx, visit.actor, id, before=read_id(cursor), limit=limit + 1)
        return by_id(found, limit, lambda one: one.id)

    return await answer_list(
        visit, wanted, Source("deliveries", DeliveryView, load, lambda one: view_delivery(one, viewer_of(visit)))
    )


@router.get("/channels/{id}/deliveries/{delivery}/attempts", response_model=Page[model_of(TryView)])  # type: ignore[misc]  # made from the view
async def list_delivery_attempts(
    visit: Visitor, id: Number, delivery: DeliveryId, wanted: Annotated[Listed, Query()]
) -> Response:
    """Lists the tries of one delivery by webhook or e-mail, in order."""

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Attempt]:
        delivery_id = min(ids.read("dlv", delivery), 2**63 - 1)
        found = await notifications.list_attempts(tx, visit.actor, id, delivery_id)
        return listing.Page(found, None)

    return await answer_list(visit, wanted, Source("delivery_attempts", TryView, load, TryView.of))
