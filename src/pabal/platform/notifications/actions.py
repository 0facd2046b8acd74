"""Channels: add, edit, remove, test. Each verb asks for the right, changes, and writes the audit in one commit."""

from typing import Any

from pabal.base.database import ConstraintBroken, Tx
from pabal.platform import audit, tenants
from pabal.platform.actor import ENGINE, Actor, Right
from pabal.platform.language import put
from pabal.platform.notifications import store
from pabal.platform.notifications.console import AREA
from pabal.platform.notifications.model import (
    BadToken,
    Channel,
    ChannelForm,
    ChannelNameTaken,
    ChannelNotFound,
    Delivery,
    Message,
    read_bot_id,
)
from pabal.platform.notifications.notifying import send
from pabal.platform.secrets import Vault
from pabal.platform.tenants import UnitNotFound

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
