"""Published events are signals to runs of the event's unit, and of every unit above it."""

from typing import Any

from pabal.base.database import Tx
from pabal.engine.workflows import signals
from pabal.platform import tenants
from pabal.platform.events import Consumer, PublishedEvent


async def pass_on(tx: Tx, published: list[PublishedEvent]) -> None:
    for event in published:
        path = await tenants.list_path(tx, event.unit_id) if event.unit_id is not None else []
        units: list[int | None] = [*(unit.id for unit in path), None]
        data: dict[str, Any] = {"name": event.name, "key": event.key, "data": dict(event.data)}
        names = [signals.event_signal(event.name, None, unit) for unit in units]
        if event.key:
            names += [signals.event_signal(event.name, event.key, unit) for unit in units]
        await signals.send_many(tx, dict.fromkeys(names, data))


CONSUMER = Consumer("workflows", ("*",), pass_on)
