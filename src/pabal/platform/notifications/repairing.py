"""What a person does about a webhook or a mailbox: see its tries, replace its secret, open it again, send it again.

Each verb asks for the right, changes, and writes the audit in one commit. `call` is for apps.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from pabal.base.database import Tx
from pabal.engine import ids
from pabal.platform import audit
from pabal.platform.actor import Actor
from pabal.platform.notifications import actions, attempts, signing, store, ways
from pabal.platform.notifications.attempts import Attempt
from pabal.platform.notifications.model import (
    Channel,
    ChannelStopped,
    DeliveryNotFound,
    DeliveryOnItsWay,
    Message,
    NoSecret,
)
from pabal.platform.secrets import Vault

OVERLAP = timedelta(hours=24)
MOST_REPLAYED = 1000


async def call(tx: Tx, channel_id: int, name: str, data: dict[str, Any]) -> int:
    """An app's own call through a webhook, told if the caller commits: `{"type": name, "data": …}`, signed, retried.

    The app has asked whether the caller may use this channel. Answers the delivery's id.
    """
    channel = await store.get_channel(tx, channel_id)
    if channel.kind != ways.WEBHOOK:
        raise NoSecret(channel.name)
    message = Message(ways.write_event(name, tx.now, data), is_call=True)
    if channel.is_active and channel.stopped_at is None:
        return await actions.send(tx, channel, message)
    return await attempts.insert_missed(tx, channel.id, message, "the channel is off or stopped")


async def list_attempts(tx: Tx, actor: Actor, channel_id: int, delivery_id: int) -> list[Attempt]:
    """In order."""
    channel = await actions.get_channel(tx, actor, channel_id)
    if await attempts.find_said(tx, channel.id, delivery_id) is None:
        raise DeliveryNotFound(ids.show("dlv", delivery_id))
    return await attempts.list_attempts(tx, delivery_id)


async def rotate_secret(
    tx: Tx, actor: Actor, channel_id: int, *, vault: Vault, overlap: timedelta = OVERLAP
) -> Channel:
    """The new secret is in this answer alone. Until the overlap is over, all is signed with both."""
    channel = await actions.manageable(tx, actor, channel_id)
    if channel.kind != ways.WEBHOOK:
        raise NoSecret(channel.name)
    await store.hold_channel(tx, channel_id)
    old: str = await tx.value(attempts.SQL.find_secret, id=channel_id)
    secret, until = signing.make_secret(), tx.now + overlap
    await tx.run(
        attempts.SQL.update_secret,
        id=channel_id,
        sealed_token=vault.seal(secret),
        token_tail=secret[-4:],
        sealed_before=old if overlap else None,
        before_until=until if overlap else None,
    )
    about = f"channel:{channel.id}"
    after = {"secret": f"…{secret[-4:]}", "old_until": until.isoformat()}
    await audit.record(tx, actor, "channels.rotate", about, unit_id=channel.unit_id, after=after)
    return replace(await store.get_channel(tx, channel_id), secret=secret)


async def open_channel(tx: Tx, actor: Actor, channel_id: int) -> Channel:
    """Lets it try again from now on. What it missed is sent with `replay`."""
    channel = await actions.manageable(tx, actor, channel_id)
    await tx.run(attempts.SQL.open_channel, id=channel_id)
    await audit.record(tx, actor, "channels.open", f"channel:{channel.id}", unit_id=channel.unit_id)
    return await store.get_channel(tx, channel_id)


async def replay_delivery(tx: Tx, actor: Actor, channel_id: int, delivery_id: int) -> int:
    """Says one thing again, under its own id: a receiver that has it already knows it. Answers the new delivery's."""
    channel = await _replayable(tx, actor, channel_id)
    said = await attempts.find_said(tx, channel.id, delivery_id)
    if said is None:
        raise DeliveryNotFound(ids.show("dlv", delivery_id))
    if said.is_open:
        raise DeliveryOnItsWay(ids.show("dlv", delivery_id))
    made = await actions.send(tx, channel, said.message)
    await _audit(tx, actor, channel, {"delivery": ids.show("dlv", delivery_id)})
    return made


async def replay_since(tx: Tx, actor: Actor, channel_id: int, since: datetime, *, also_sent: bool = False) -> list[int]:
    """What did not arrive since then, and with `also_sent` what did; the oldest first, 1,000 at most."""
    channel = await _replayable(tx, actor, channel_id)
    found = await attempts.list_said(tx, channel.id, since, also_sent=also_sent, limit=MOST_REPLAYED)
    made = [await actions.send(tx, channel, one.message) for one in found]
    await _audit(tx, actor, channel, {"since": since.isoformat(), "also_sent": also_sent, "count": len(made)})
    return made


async def _replayable(tx: Tx, actor: Actor, channel_id: int) -> Channel:
    """Locked: two that ask at once must not both find the same thing unsent."""
    await actions.manageable(tx, actor, channel_id)
    await store.hold_channel(tx, channel_id)
    channel = await store.get_channel(tx, channel_id)
    if not channel.is_active or channel.stopped_at is not None:
        raise ChannelStopped(channel.name)
    return channel


async def _audit(tx: Tx, actor: Actor, channel: Channel, after: dict[str, Any]) -> None:
    await audit.record(tx, actor, "channels.replay", f"channel:{channel.id}", unit_id=channel.unit_id, after=after)
