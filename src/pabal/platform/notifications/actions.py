"""notify puts a notice before people; below it what the console shows of notices, and the verbs of channels.

Each verb asks for the right, changes, and writes the audit in one commit.
"""

from datetime import timedelta
from typing import Any

from pabal.base.database import ConstraintBroken, Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.platform import audit, tenants
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.language import put
from pabal.platform.notifications import store
from pabal.platform.notifications.model import (
    BadToken,
    Channel,
    ChannelForm,
    ChannelNameTaken,
    ChannelNotFound,
    Delivery,
    Level,
    Message,
    Notice,
    Notification,
    read_bot_id,
)
from pabal.platform.secrets import Vault
from pabal.platform.tenants import Unit, UnitNotFound, visible_to

KIND = "notify.telegram"
# News of yesterday's trouble is in the console; a phone need not ring for it.
STALE_AFTER = timedelta(hours=24)
# About two hours of Telegram being away, at the waits of jobs.py.
MAX_FAILURES = 18
_DEADLINE = timedelta(minutes=1)
_DOCUMENT_DEADLINE = timedelta(minutes=10)

declare("notifications.written", "Notifications written", labels=("level",), level=10)
declare("notifications.repeated", "Notices counted on one said lately instead of written again", level=10)


async def notify(tx: Tx, notice: Notice) -> int:
    """Told if the caller commits, never if not. Answers the notification's id, also of the one it was counted on.

    It reaches the channels of the notice's unit and of every unit above it; without a unit, those of the HQ.
    """
    if notice.key is not None:
        repeated = await store.repeat_notification(tx, notice)
        if repeated is not None:
            emit("notifications.repeated", notice=notice.name)
            return repeated
    notification_id = await store.insert_notification(tx, notice)
    path = await _path(tx, notice.unit_id)
    for channel in await store.list_channels(tx, [unit.id for unit in path]):
        if channel.is_active and channel.stopped_at is None and channel.wants_notice(notice):
            text = notice.as_message(channel.lang, path[-1].name)
            await send(tx, channel, Message(text, notice.link, notice.document, notification_id))
    emit("notifications.written", level=notice.level.value, notice=notice.name)
    return notification_id


async def send(tx: Tx, channel: Channel, message: Message) -> int:
    """Writes the message down and enqueues its job, in order behind what the chat still waits for."""
    delivery_id = await store.insert_delivery(tx, channel.id, message)
    job = NewJob(
        KIND,
        {"delivery": delivery_id},
        lane=f"telegram:{channel.chat_id}",
        about=f"channel:{channel.id}",
        unit_id=channel.unit_id,
        deadline=_DEADLINE if message.document is None else _DOCUMENT_DEADLINE,
        expires_at=tx.now + STALE_AFTER,
        max_failures=MAX_FAILURES,
    )
    await queue.enqueue(tx, job)
    return delivery_id


async def _path(tx: Tx, unit_id: int | None) -> list[Unit]:
    """From the HQ down; a unit that is gone meanwhile leaves the HQ."""
    path = [] if unit_id is None else await tenants.list_path(tx, unit_id)
    return path or [await tenants.ensure_hq(tx)]


AREA = "notifications"
# More than that is shown as 99+.
MOST_UNREAD = 100


async def list_notifications(
    tx: Tx,
    actor: Actor,
    *,
    within: int | None = None,
    levels: list[Level] | None = None,
    before: int = store.NEWEST,
    limit: int = 50,
) -> list[Notification]:
    """Newest first; `before` is the last id of the page before."""
    actor.require(Right.READ, AREA)
    scope = await visible_to(tx, actor, within=within)
    wanted = None if levels is None else [level.value for level in levels]
    return await store.list_notifications(tx, scope.listed, levels=wanted, before=before, limit=limit)


async def count_unread(tx: Tx, actor: Actor, *, within: int | None = None) -> int:
    """Up to 100."""
    actor.require(Right.READ, AREA)
    scope = await visible_to(tx, actor, within=within)
    count: int = await tx.value(store.SQL.count_unread, units=scope.listed, reader=actor.name, most=MOST_UNREAD)
    return count


async def find_read_upto(tx: Tx, actor: Actor) -> int:
    """What has a greater id is new to this actor."""
    return await tx.value(store.SQL.find_read_upto, reader=actor.name) or 0


async def mark_read(tx: Tx, actor: Actor, *, upto: int) -> None:
    """All up to this id, which is the newest one the actor was shown: what came since stays unread."""
    actor.require(Right.READ, AREA)
    await tx.run(store.SQL.mark_read, reader=actor.name, upto=upto)


async def forget_once(database: Database, *, keep: timedelta) -> int:
    """A step for housekeeping: drops notifications and ended deliveries older than that."""
    async with database.transaction() as tx:
        return await store.forget(tx, tx.now - keep)


_TEST = (
    "✅ Pabal can write here. This is a test of the channel “{name}”.",
    "✅ 파발이 여기에 쓸 수 있습니다. ‘{name}’ 채널 시험입니다.",
)


async def list_channels(tx: Tx, actor: Actor, *, within: int | None = None) -> list[Channel]:
    actor.require(Right.READ, AREA)
    return await store.list_channels(tx, (await tenants.visible_to(tx, actor, within=within)).listed)


async def get_channel(tx: Tx, actor: Actor, channel_id: int) -> Channel:
    actor.require(Right.READ, AREA)
    channel = await store.get_channel(tx, channel_id)
    if not await tenants.may_see(tx, actor, channel.unit_id):
        raise ChannelNotFound(str(channel_id))
    return channel


async def list_deliveries(
    tx: Tx, actor: Actor, channel_id: int, *, before: int = store.NEWEST, limit: int = 20
) -> list[Delivery]:
    """What went through a channel, newest first: here the result of a test is to be seen."""
    channel = await get_channel(tx, actor, channel_id)
    return await store.list_deliveries(tx, channel.id, before=before, limit=limit)


async def add_channel(tx: Tx, actor: Actor, vault: Vault, form: ChannelForm, *, unit_id: int) -> Channel:
    actor.require(Right.MANAGE, AREA)
    if not await tenants.may_see(tx, actor, unit_id):
        raise UnitNotFound(str(unit_id))
    if form.token is None:
        raise BadToken
    try:
        async with tx.savepoint():
            channel_id = await store.insert_channel(tx, unit_id, form, _sealed(vault, form.token))
    except ConstraintBroken as error:
        raise ChannelNameTaken(form.name) from error
    channel = await store.get_channel(tx, channel_id)
    await audit.record(tx, actor, "channels.add", _about(channel), unit_id=unit_id, after=_shown(channel))
    return channel


async def edit_channel(tx: Tx, actor: Actor, vault: Vault, channel_id: int, form: ChannelForm) -> Channel:
    """Messages that wait go to the new chat with the new token."""
    before = await _manageable(tx, actor, channel_id)
    try:
        async with tx.savepoint():
            await store.update_channel(tx, channel_id, form)
    except ConstraintBroken as error:
        raise ChannelNameTaken(form.name) from error
    if form.token is not None:
        await tx.run(store.SQL.update_token, id=channel_id, **_sealed(vault, form.token))
    after = await store.get_channel(tx, channel_id)
    await audit.record(
        tx, actor, "channels.edit", _about(after), unit_id=after.unit_id, before=_shown(before), after=_shown(after)
    )
    return after


async def remove_channel(tx: Tx, actor: Actor, channel_id: int) -> None:
    """With what was still to go through it."""
    channel = await _manageable(tx, actor, channel_id)
    await tx.run(store.SQL.delete_channel, id=channel_id)
    await audit.record(tx, actor, "channels.remove", _about(channel), unit_id=channel.unit_id, before=_shown(channel))


async def send_test(tx: Tx, actor: Actor, channel_id: int) -> int:
    """Sends a line the way every notice goes, also when the channel is off or stopped. Answers the delivery's id."""
    channel = await _manageable(tx, actor, channel_id)
    delivery_id = await send(tx, channel, Message(put(channel.lang, _TEST, name=channel.name)))
    await audit.record(tx, actor, "channels.test", _about(channel), unit_id=channel.unit_id)
    return delivery_id


async def follow_chat(tx: Tx, bot_id: int, *, moved_from: str, moved_to: str) -> None:
    """Telegram gave a group a new id: every channel of the bot in that chat follows."""
    channel_ids = [row["id"] for row in await tx.rows(store.SQL.list_same_chat, bot_id=bot_id, chat_id=moved_from)]
    await tx.run(store.SQL.move_channels, ids=channel_ids, chat_id=moved_to)
    for channel_id in channel_ids:
        channel = await store.get_channel(tx, channel_id)
        change = {"before": {"chat_id": moved_from}, "after": {"chat_id": moved_to}}
        await audit.record(tx, ENGINE, "channels.follow", _about(channel), unit_id=channel.unit_id, **change)


async def _manageable(tx: Tx, actor: Actor, channel_id: int) -> Channel:
    actor.require(Right.MANAGE, AREA)
    return await get_channel(tx, actor, channel_id)


def _sealed(vault: Vault, token: str) -> dict[str, Any]:
    return {"bot_id": read_bot_id(token), "sealed_token": vault.seal(token), "token_tail": token[-4:]}


def _about(channel: Channel) -> str:
    return f"channel:{channel.id}"


def _shown(channel: Channel) -> dict[str, Any]:
    return {
        "name": channel.name,
        "chat_id": channel.chat_id,
        "token": f"…{channel.token_tail}",
        "lang": channel.lang,
        "least_level": channel.least_level.value,
        "wants": list(channel.wants),
        "is_active": channel.is_active,
    }
