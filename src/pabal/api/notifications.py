"""Notifications: what people were told, and the channels it goes through."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import Query
from fastapi.responses import Response
from pydantic import BeforeValidator, Field

from pabal.api.parts import Asked, Number, Shown, UnitId, answer, by_id, fill, no_content, noun, read_id
from pabal.base.database import Tx
from pabal.engine import ids, listing
from pabal.platform import notifications
from pabal.platform.language.pairs import put
from pabal.platform.notifications import Channel, ChannelForm, Delivery, Level, Notification
from pabal.platform.web.etags import answer_one, check_match
from pabal.platform.web.filters import Listed, Word, split_commas
from pabal.platform.web.filters import Query as Plain
from pabal.platform.web.idempotency import OnceOnly
from pabal.platform.web.identify import Visitor
from pabal.platform.web.paging import Page, Source, answer_all, answer_list
from pabal.platform.web.visit import Visit

router = noun("notifications")
AREA = notifications.AREA
PREFIX = "ntf"


class NotificationFilter(Listed):
    level: Annotated[
        tuple[Level, ...], BeforeValidator(split_commas), Field(description="Any of these, separated by commas.")
    ] = ()


class NotificationShown(Shown):
    """`times` counts it and its repetitions."""

    id: str = Field(examples=["ntf_01h2xcejqtf2n"])
    unit_id: UnitId
    name: str = Field(examples=["alert.fired"])
    level: str = Field(examples=["failure"])
    title: str = Field(examples=["Work is stuck"])
    text: str = Field(examples=[""])
    about: str | None = Field(examples=["alert:7"])
    link: str | None = Field(examples=["/alerts"])
    times: int = Field(examples=[1])
    at: datetime
    last_at: datetime


class Read(Asked):
    upto: Annotated[str, Field(pattern="^ntf_[0-9a-z]{13}$", examples=["ntf_01h2xcejqtf2n"])]


class Unread(Shown):
    """Counted up to 100."""

    unread: int = Field(examples=[0])


class ChannelShown(Shown):
    """Of its token only the last four characters are shown."""

    id: int = Field(examples=[3])
    unit_id: UnitId
    kind: str = Field(examples=["telegram"])
    name: str = Field(examples=["당직방"])
    chat_id: str = Field(examples=["-1001234567890"])
    token_tail: str = Field(examples=["x9Qz"])
    lang: str = Field(examples=["ko"])
    least_level: str = Field(examples=["attention"])
    wants: list[str] = Field(examples=[["alert.*"]])
    is_active: bool = Field(examples=[True])
    stopped_at: datetime | None
    last_ok_at: datetime | None
    last_error: str | None = Field(examples=[None])
    last_error_at: datetime | None
    created_at: datetime


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


class DeliveryShown(Shown):
    """One message through one channel; `result` is null while it is on its way."""

    id: str = Field(examples=["dlv_01h2xcejqtf2n"])
    result: str | None = Field(examples=["sent"])
    detail: str | None = Field(examples=[None])
    parts_sent: int = Field(examples=[1])
    is_test: bool = Field(examples=[True])
    created_at: datetime
    ended_at: datetime | None


class TestSent(Shown):
    delivery: str = Field(examples=["dlv_01h2xcejqtf2n"])


@router.get("/notifications", response_model=Page[NotificationShown])
async def list_notifications(visit: Visitor, wanted: Annotated[NotificationFilter, Query()]) -> Response:
    """Lists notifications, the newest first."""

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Notification]:
        found = await notifications.list_notifications(
            tx,
            visit.actor,
            within=wanted.org,
            levels=list(wanted.level) or None,
            before=read_id(cursor),
            limit=limit + 1,
        )
        return by_id(found, limit, lambda one: one.id)

    def show(one: Notification) -> NotificationShown:
        return _show(visit, one)

    return await answer_list(visit, wanted, Source("notifications", NotificationShown, load, show))


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


@router.get("/channels", response_model=Page[ChannelShown])
async def list_channels(visit: Visitor, wanted: Annotated[Plain, Query()]) -> Response:
    """Lists the channels notifications go through."""
    async with visit.read() as tx:
        found = await notifications.list_channels(tx, visit.actor, within=wanted.org)
    shown = [ChannelShown.model_validate(one) for one in found]
    return answer_all(shown)


@router.get("/channels/{id}", response_model=ChannelShown)
async def get_channel(visit: Visitor, id: Number) -> Response:
    """Shows one channel."""
    async with visit.read() as tx:
        found = await notifications.get_channel(tx, visit.actor, id)
    return answer_one(visit, ChannelShown.model_validate(found))


@router.post("/channels", response_model=ChannelShown, status_code=201)
async def add_channel(visit: Visitor, once: OnceOnly, asked: NewChannel) -> Response:
    """Adds a channel."""

    async def act(tx: Tx) -> Response:
        form = ChannelForm(**{**asked.model_dump(exclude={"unit_id"}), "wants": tuple(asked.wants)})
        unit_id = asked.unit_id or visit.scope.unit_id or 0
        made = await notifications.add_channel(tx, visit.actor, visit.services.vault, form, unit_id=unit_id)
        return answer(ChannelShown.model_validate(made), 201, location=f"/channels/{made.id}")

    return await once.run(act)


@router.patch("/channels/{id}", response_model=ChannelShown)
async def edit_channel(visit: Visitor, once: OnceOnly, id: Number, asked: ChannelChange) -> Response:
    """Changes a channel: what is not given stays."""

    async def act(tx: Tx) -> Response:
        before = await notifications.get_channel(tx, visit.actor, id)
        check_match(visit, ChannelShown.model_validate(before))
        form = _form(before, asked)
        made = await notifications.edit_channel(tx, visit.actor, visit.services.vault, id, form)
        return answer_one(visit, ChannelShown.model_validate(made))

    return await once.run(act)


@router.delete("/channels/{id}", status_code=204)
async def remove_channel(visit: Visitor, id: Number) -> Response:
    """Removes a channel, with what was still to go through it."""
    async with visit.change() as tx:
        check_match(visit, ChannelShown.model_validate(await notifications.get_channel(tx, visit.actor, id)))
        await notifications.remove_channel(tx, visit.actor, id)
    return no_content()


@router.post("/channels/{id}/test", response_model=TestSent, status_code=202)
async def test_channel(visit: Visitor, once: OnceOnly, id: Number) -> Response:
    """Sends a test line through a channel; its deliveries tell how it went."""

    async def act(tx: Tx) -> Response:
        made = await notifications.send_test(tx, visit.actor, id)
        shown = TestSent(delivery=ids.show("dlv", made))
        return answer(shown, 202, location=f"/channels/{id}/deliveries")

    return await once.run(act)


@router.get("/channels/{id}/deliveries", response_model=Page[DeliveryShown])
async def list_deliveries(visit: Visitor, id: Number, wanted: Annotated[Listed, Query()]) -> Response:
    """Lists what went through a channel, the newest first."""

    async def load(tx: Tx, limit: int, cursor: str | None) -> listing.Page[Delivery]:
        found = await notifications.list_deliveries(tx, visit.actor, id, before=read_id(cursor), limit=limit + 1)
        return by_id(found, limit, lambda one: one.id)

    return await answer_list(visit, wanted, Source("deliveries", DeliveryShown, load, _delivery))


def _show(visit: Visit, one: Notification) -> NotificationShown:
    title, text = put(visit.lang, one.title), put(visit.lang, one.text)
    return fill(NotificationShown, one, id=ids.show(PREFIX, one.id), title=title, text=text)


def _form(before: Channel, asked: ChannelChange) -> ChannelForm:
    kept = {name: getattr(before, name) for name in ("name", "chat_id", "lang", "least_level", "wants", "is_active")}
    given = {**kept, **asked.model_dump(exclude_unset=True)}
    return ChannelForm(**{**given, "wants": tuple(given["wants"])})


def _delivery(one: Delivery) -> DeliveryShown:
    return DeliveryShown(
        id=ids.show("dlv", one.id),
        result=one.result,
        detail=one.detail,
        parts_sent=one.parts_sent,
        is_test=one.notification_id is None,
        created_at=one.created_at,
        ended_at=one.ended_at,
    )
