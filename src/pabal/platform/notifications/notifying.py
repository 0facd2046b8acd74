"""notify: durable, in the caller's commit. A row for the console, and a job for each channel that wants it."""

from datetime import timedelta

from pabal.base.database import Tx
from pabal.base.telemetry import declare, emit
from pabal.engine import queue
from pabal.engine.queue import NewJob
from pabal.platform import tenants
from pabal.platform.notifications import store
from pabal.platform.notifications.model import Channel, Message, Notice
from pabal.platform.tenants import Unit

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
