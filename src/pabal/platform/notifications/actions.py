"""notify puts a notice before people; below it what the console shows of notices, and the verbs of channels.

Each verb asks for the right, changes, and writes the audit in one commit.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pabal.base.database import ConstraintBroken, Database, Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.platform import audit, tenants
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.language import put
from pabal.platform.notifications import attempts, signing, store, ways
from pabal.platform.notifications.model import (
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

KIND = ways.WAYS[ways.TELEGRAM].kind
_DOCUMENT_DEADLINE = timedelta(minutes=10)

declare("notifications.written", "Notifications written", labels=("level",), level=10)
declare("notifications.repeated", "Notices counted on one said lately instead of written again", level=10)


async def notify(tx: Tx, notice: Notice, *, to: Callable[[Channel], Awaitable[bool]] | None = None) -> int:
    """Told if the caller commits, never if not. Answers the notification's id, also of the one it was counted on.

    It reaches the channels of the notice's unit and of every unit above it, of these only those `to` says yes to;
    without a unit, those of the HQ.
    """
    if notice.key is not None:
        repeated = await store.repeat_notification(tx, notice)
        if repeated is not None:
            emit("notifications.repeated", notice=notice.name)
            return repeated
    notification_id = await store.insert_notification(tx, notice)
    path = await _path(tx, notice.unit_id)
    for channel in await store.list_channels(tx, [unit.id for unit in path]):
        # that a channel was stopped is no news for itself, once it is opened again
        is_open = channel.is_active and channel.wants_notice(notice) and notice.about != _about(channel)
        if is_open and (to is None or await to(channel)):
            text = ways.write_notice(channel, notice, path[-1], notification_id, tx.now)
            message = Message(text, notice.link, notice.document, notification_id, notice.card)
            await _send_or_miss(tx, channel, message)
    emit("notifications.written", level=notice.level.value, notice=notice.name)
    return notification_id


async def send(tx: Tx, channel: Channel, message: Message) -> int:
    """Writes the message down and enqueues its job, in order behind what the chat still waits for."""
    delivery_id = await store.insert_delivery(tx, channel, message)
    way = ways.WAYS[channel.kind]
    job = NewJob(
        way.kind,
        {"delivery": delivery_id},
        lane=ways.lane_of(channel),
        about=f"channel:{channel.id}",
        unit_id=channel.unit_id,
        deadline=way.deadline if message.document is None else _DOCUMENT_DEADLINE,
        expires_at=tx.now + way.stale_after,
        max_failures=way.max_failures,
    )
    await queue.enqueue(tx, job)
    return delivery_id


async def _send_or_miss(tx: Tx, channel: Channel, message: Message) -> None:
    """What a stopped webhook or mailbox misses is kept, to be sent again; Telegram's is read in the console."""
    if channel.stopped_at is None:
        await send(tx, channel, message)
    elif channel.kind != ways.TELEGRAM:
        await attempts.insert_missed(tx, channel.id, message, "the channel was stopped")


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
    """A webhook's secret is made here, and in this answer alone."""
    actor.require(Right.MANAGE, AREA)
    if not await tenants.may_see(tx, actor, unit_id):
        raise UnitNotFound(str(unit_id))
    secret = signing.make_secret() if form.kind == ways.WEBHOOK else None
    try:
        async with tx.savepoint():
            channel_id = await store.insert_channel(tx, unit_id, form, _first_seal(vault, form, secret))
    except ConstraintBroken as error:
        raise ChannelNameTaken(form.name) from error
    channel = await store.get_channel(tx, channel_id)
    await audit.record(tx, actor, "channels.add", _about(channel), unit_id=unit_id, after=_shown(channel))
    return replace(channel, secret=secret)


async def edit_channel(tx: Tx, actor: Actor, vault: Vault, channel_id: int, form: ChannelForm) -> Channel:
    """Messages that wait go to the new chat with the new token. Its kind stays."""
    before = await manageable(tx, actor, channel_id)
    form = replace(form, kind=before.kind)
    try:
        async with tx.savepoint():
            await store.update_channel(tx, channel_id, form)
    except ConstraintBroken as error:
        raise ChannelNameTaken(form.name) from error
    if form.token is not None and form.kind == ways.TELEGRAM:
        await tx.run(store.SQL.update_token, id=channel_id, **_sealed(vault, form.token))
    after = await store.get_channel(tx, channel_id)
    await audit.record(
        tx, actor, "channels.edit", _about(after), unit_id=after.unit_id, before=_shown(before), after=_shown(after)
    )
    return after


async def remove_channel(tx: Tx, actor: Actor, channel_id: int) -> None:
    """With what was still to go through it."""
    channel = await manageable(tx, actor, channel_id)
    await tx.run(store.SQL.delete_channel, id=channel_id)
    await audit.record(tx, actor, "channels.remove", _about(channel), unit_id=channel.unit_id, before=_shown(channel))


async def send_test(tx: Tx, actor: Actor, channel_id: int) -> int:
    """Sends a line the way every notice goes, also when the channel is off or stopped. Answers the delivery's id."""
    channel = await manageable(tx, actor, channel_id)
    text = put(channel.lang, _TEST, name=channel.name)
    if channel.kind == ways.WEBHOOK:
        text = ways.write_event("notifications.channel_tested", tx.now, {"channel": channel.name, "text": text})
    delivery_id = await send(tx, channel, Message(text))
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


async def manageable(tx: Tx, actor: Actor, channel_id: int) -> Channel:
    actor.require(Right.MANAGE, AREA)
    return await get_channel(tx, actor, channel_id)


def _first_seal(vault: Vault, form: ChannelForm, secret: str | None) -> dict[str, Any]:
    if form.kind == ways.TELEGRAM:
        return _sealed(vault, form.token or "")
    sealed, tail = ("", "") if secret is None else (vault.seal(secret), secret[-4:])
    return {"bot_id": 0, "sealed_token": sealed, "token_tail": tail}


def _sealed(vault: Vault, token: str) -> dict[str, Any]:
    return {"bot_id": read_bot_id(token), "sealed_token": vault.seal(token), "token_tail": token[-4:]}


def _about(channel: Channel) -> str:
    return f"channel:{channel.id}"


def _where(channel: Channel) -> dict[str, Any]:
    if channel.kind == ways.TELEGRAM:
        return {
            "chat_id": channel.chat_id,
            "token": f"…{channel.token_tail}",
            **({} if channel.is_two_way else {"is_two_way": False}),
        }
    return {"kind": channel.kind, "address": channel.leads_to}


def _shown(channel: Channel) -> dict[str, Any]:
    return {
        "name": channel.name,
        **_where(channel),
        "lang": channel.lang,
        "least_level": channel.least_level.value,
        "wants": list(channel.wants),
        "is_active": channel.is_active,
    }
