"""What messaging asks people: may this device be its bot, and shall a message that was missed be sent now?

Requests are opened and settled in the commit of what they are about, by effects of the machines and by the actions.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from pabal.apps.messaging.model.bots import network_of
from pabal.apps.messaging.settings.messages import ASK_MISSED_FOR
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.platform import approvals, settings
from pabal.platform.actor import ENGINE
from pabal.platform.approvals import Asked, Kind

SQL = load(__file__)
DEVICE = Kind("messaging.device", machine="bot_device", approve="approve", reject="deny")
# a no is no move: the delivery stays missed, and waits for nobody
MISSED = Kind("messaging.missed", machine="delivery", approve="resume", reject="dismiss")


async def ask_devices(tx: Tx, device_ids: Iterable[int]) -> None:
    """Each is asked about at the network it called from; at another one it is another question."""
    rows = await tx.rows(SQL.list_asking_devices, ids=list(device_ids))
    asked = [
        Asked(row["id"], row["unit_id"], ENGINE.name, alike=f"bot:{row['bot_id']}", seen=network_of(row["address"]))
        for row in rows
    ]
    await approvals.ask(tx, DEVICE, asked)


async def ask_missed(tx: Tx, delivery_ids: Iterable[int]) -> None:
    """Whoever chose that late ones are skipped wants to hear nothing; nor does a test room."""
    rows = await tx.rows(SQL.list_asking_deliveries, ids=list(delivery_ids))
    if not rows:
        return
    until = tx.now + await settings.value(tx, ASK_MISSED_FOR)
    asked = [
        Asked(row["id"], row["unit_id"], ENGINE.name, alike=f"schedule:{row['schedule_id']}", deadline_at=until)
        for row in rows
    ]
    await approvals.ask(tx, MISSED, asked)


async def on_pending(tx: Tx, devices: Sequence[Any]) -> None:
    await ask_devices(tx, [device.id for device in devices])


async def on_device_decided(tx: Tx, devices: Sequence[Any]) -> None:
    await approvals.settle(tx, DEVICE, [device.id for device in devices])
