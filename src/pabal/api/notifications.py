"""Notifications: what people were told, and the channels it goes through."""

from typing import Annotated, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import Field

from pabal.api.parts import Asked, Number, Shown, answer, by_id, no_content, noun, read_id
from pabal.base.database import Tx
from pabal.engine import ids, listing
from pabal.platform import notifications
from pabal.platform.actor import Right
from pabal.platform.notifications import Channel, ChannelForm, Delivery, Level
from pabal.platform.web.filters import Listed, Word
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.models import model_of
from pabal.platform.web.paging import Page, Source, answer_list
from pabal.platform.web.rest import answer_row, match_row, rest, view_row, viewer_of
from pabal.resources.notifications import CHANNEL, NOTIFICATION, ChannelView, DeliveryView, view_delivery

router = noun("notifications")
AREA = notifications.AREA
PREFIX = "ntf"
rest(router, NOTIFICATION)
rest(router, CHANNEL)


class Read(Asked):
    upto: Annotated[str, Field(pattern="^ntf_[0-9a-z]{13}$", examples=["ntf_01h2xcejqtf2n"])]


class Unread(Shown):
    """Counted up to 100."""

    unread: int = Field(examples=[0])


class NewChannel(Asked):
    """A Telegram chat. Without a unit it belongs to your own."""

    name: Word = Field(examples=["당직방"])
    chat_id: Word = Field(examples=["-1001234567890"])
    token: Word = Field(examples=["123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc"])
    lang: Literal["ko", "en"] = "ko"
    least_level: Level = Field(default=Level.ATTENTION, examples=["attention"])
    wants: list[Word] = Field(default=[], max_length=20, examples=[["alert.*"]])
    is_active: bool = True
    unit_id: int | None = Field(default=None, ge=1, lt=2**63, examples=[3])


class ChannelChange(Asked):
    """Only what is given changes (JSON merge patch)."""

    name: Word = Field(default="", examples=["당직방"])
    chat_id: Word = Field(default="", examples=["-1001234567890"])
    token: Word | None = Field(default=None, examples=[None])
    lang: Literal["ko", "en"] = "ko"
    least_level: Level = Field(default=Level.ATTENTION, examples=["failure"])
    wants: list[Word] = Field(default=[], max_length=20, examples=[["alert.*"]])
    is_active: bool = True


class TestSent(Shown):
    delivery: str = Field(examples=["dlv_01h2xcejqtf2n"])


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


@router.post("/channels", response_model=model_of(ChannelView), status_code=201)
async def add_channel(visit: Visitor, once: OnceOnly, asked: NewChannel) -> Response:
    """Adds a channel."""

    async def act(tx: Tx) -> Response:
        form = ChannelForm(**{**asked.model_dump(exclude={"unit_id"}), "wants": tuple(asked.wants)})
        unit_id = asked.unit_id or visit.scope.unit_id or 0
        made = await notifications.add_channel(tx, visit.actor, visit.services.vault, form, unit_id=unit_id)
        return answer(view_row(visit, CHANNEL, made), 201, location=f"/channels/{made.id}")

    return await once.run(act)


@router.patch("/channels/{id}", response_model=model_of(ChannelView))
async def edit_channel(visit: Visitor, once: OnceOnly, id: Number, asked: ChannelChange) -> Response:
    """Changes a channel: what is not given stays."""

    async def act(tx: Tx) -> Response:
        visit.actor.require(Right.MANAGE, AREA)
        await match_row(tx, visit, CHANNEL, id)
        before = await notifications.get_channel(tx, visit.actor, id)
        form = _form(before, asked)
        made = await notifications.edit_channel(tx, visit.actor, visit.services.vault, id, form)
        return answer_row(visit, CHANNEL, made)

    return await once.run(act)


@router.post("/channels/{id}/test", response_model=TestSent, status_code=202)
async def test_channel(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Sends a test line through a channel; its deliveries tell how it went."""

    async def act(tx: Tx) -> Response:
        made = await notifications.send_test(tx, visit.actor, id)
        shown = TestSent(delivery=ids.show("dlv", made))
        return answer(shown, 202, location=f"/channels/{id}/deliveries")

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


def _form(before: Channel, asked: ChannelChange) -> ChannelForm:
    kept = {name: getattr(before, name) for name in ("name", "chat_id", "lang", "least_level", "wants", "is_active")}
    given = {**kept, **asked.model_dump(exclude_unset=True)}
    return ChannelForm(**{**given, "wants": tuple(given["wants"])})
