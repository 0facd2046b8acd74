"""The tables of notifications, channels and deliveries."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.platform.notifications import ways
from pabal.platform.notifications.model import (
    Channel,
    ChannelForm,
    ChannelNotFound,
    Delivery,
    Document,
    Level,
    Message,
    Notice,
    Notification,
    read_mailboxes,
)

SQL = load(__file__)
NEWEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Errand:
    """A delivery on its way and the channel it goes through, as one attempt sees them."""

    id: int
    channel_id: int
    is_test: bool
    text: str
    link: str | None
    document: Document | None
    parts_sent: int
    chat_id: str
    bot_id: int
    sealed_token: str = field(repr=False)
    is_open: bool
    # of a card: it is asked no more
    is_over: bool
    buttons: list[list[str]] | None
    is_card: bool


async def repeat_notification(tx: Tx, notice: Notice) -> int | None:
    """Counts it on the same one said lately, if there is one."""
    await tx.run(SQL.lock_key, key=f"{notice.unit_id} {notice.key}")
    found: int | None = await tx.value(
        SQL.repeat_notification,
        key=notice.key,
        unit_id=notice.unit_id,
        levels=notice.level.and_above,
        since=tx.now - notice.quiet,
        now=tx.now,
    )
    return found


async def insert_notification(tx: Tx, notice: Notice) -> int:
    made: int = await tx.value(
        SQL.insert_notification,
        unit_id=notice.unit_id,
        name=notice.name,
        level=notice.level.value,
        title=[notice.say_title("en"), notice.say_title("ko")],
        text=[notice.say_text("en"), notice.say_text("ko")],
        about=notice.about,
        link=notice.link,
        **_as_columns(notice.document),
        key=notice.key,
        now=tx.now,
    )
    return made


async def list_notifications(
    tx: Tx, units: list[int] | None, *, levels: list[str] | None, before: int, limit: int
) -> list[Notification]:
    rows = await tx.rows(SQL.list_notifications, units=units, levels=levels, before=before, most=limit)
    return [_as_notification(row) for row in rows]


async def list_channels(tx: Tx, units: list[int] | None) -> list[Channel]:
    return [_as_channel(row) for row in await tx.rows(SQL.list_channels, units=units)]


async def get_channel(tx: Tx, channel_id: int) -> Channel:
    rows = await tx.rows(SQL.find_channel, id=channel_id)
    if not rows:
        raise ChannelNotFound(str(channel_id))
    return _as_channel(rows[0])


async def hold_channel(tx: Tx, channel_id: int) -> None:
    """Locked until the commit."""
    await tx.run(SQL.hold_channel, id=channel_id)


async def insert_channel(tx: Tx, unit_id: int, form: ChannelForm, token: dict[str, Any]) -> int:
    made: int = await tx.value(
        SQL.insert_channel, unit_id=unit_id, kind=form.kind, now=tx.now, **_columns(form), **token
    )
    return made


async def update_channel(tx: Tx, channel_id: int, form: ChannelForm) -> None:
    await tx.run(SQL.update_channel, id=channel_id, **_columns(form))


async def insert_delivery(tx: Tx, channel: Channel, message: Message) -> int:
    card = message.card
    made: int = await tx.value(
        SQL.insert_delivery,
        channel_id=channel.id,
        approval_id=None if card is None else card.approval_id,
        buttons=None if card is None else card.to_json(channel.lang),
        notification_id=message.notification_id,
        text=message.text,
        link=message.link,
        **_as_columns(message.document),
        is_call=message.is_call,
        replay_of=message.replay_of,
        now=tx.now,
    )
    return made


async def list_deliveries(tx: Tx, channel_id: int, *, before: int, limit: int) -> list[Delivery]:
    return await tx.all(Delivery, SQL.list_deliveries, channel_id=channel_id, before=before, most=limit)


async def find_errand(tx: Tx, delivery_id: int) -> Errand | None:
    rows = await tx.rows(SQL.find_errand, id=delivery_id)
    return Errand(**_with_document(rows[0])) if rows else None


async def end_delivery(tx: Tx, delivery_id: int, *, result: str, detail: str | None = None) -> int | None:
    """Answers its channel, or None when it had ended or went with its channel."""
    found: int | None = await tx.value(SQL.end_delivery, id=delivery_id, result=result, detail=detail, now=tx.now)
    return found


async def list_cards(tx: Tx, approval_id: int) -> list[Row]:
    """Messages about it that were sent or wait, with where each goes."""
    return await tx.rows(SQL.list_cards, approval_id=approval_id)


async def find_card(tx: Tx, delivery_id: int) -> Row | None:
    """None: it did not arrive."""
    rows = await tx.rows(SQL.find_card, id=delivery_id)
    return rows[0] if rows else None


async def forget(tx: Tx, before: datetime) -> int:
    return await tx.run(SQL.forget_notifications, before=before) + await tx.run(SQL.forget_deliveries, before=before)


def _columns(form: ChannelForm) -> dict[str, Any]:
    return {
        "name": form.name.strip(),
        "chat_id": form.chat_id if form.kind == ways.TELEGRAM else "",
        "address": _address(form),
        "lang": form.lang,
        "least_level": form.least_level.value,
        "wants": list(form.wants),
        "is_active": form.is_active,
        "is_two_way": form.is_two_way,
    }


def _address(form: ChannelForm) -> str | None:
    if form.kind == ways.TELEGRAM:
        return None
    return form.address if form.kind == ways.WEBHOOK else ", ".join(read_mailboxes(form.address))


def _as_notification(row: Row) -> Notification:
    (title_en, title_ko), (text_en, text_ko) = row["title"], row["text"]
    typed = {"level": Level(row["level"]), "title": (title_en, title_ko), "text": (text_en, text_ko)}
    return Notification(**{**_with_document(row), **typed})


def _as_channel(row: Row) -> Channel:
    return Channel(**{**row, "least_level": Level(row["least_level"]), "wants": tuple(row["wants"])})


def _as_columns(document: Document | None) -> dict[str, str | None]:
    if document is None:
        return {"document_key": None, "document_name": None}
    return {"document_key": document.key, "document_name": document.name}


def _with_document(row: Row) -> dict[str, Any]:
    fields = dict(row)
    key, name = fields.pop("document_key"), fields.pop("document_name")
    return {**fields, "document": None if key is None else Document(key, name)}
