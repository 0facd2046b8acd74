"""Bots and the devices that say they are one. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from urllib.parse import quote

from pabal.apps.messaging.model.content import ImageMode

ABOUT = "bot"
DEVICE_ABOUT = "bot_device"
# what the gateway listens to: something was decided about a bot or a device
TOPIC = "messaging.bots"


class DeviceState(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    REVOKED = "revoked"
    BLOCKED = "blocked"


def route_of(bot_name: str) -> str:
    """A route is a bot name; what a route may not hold is written as in an address."""
    return "bot:" + quote(bot_name, safe="".join(sign for sign in bot_name if not sign.isspace() and sign != "%"))


@dataclass(frozen=True, slots=True)
class Device:
    """`worker` is the life it is connected to, None when it is away (or that life is over)."""

    id: int
    unit_id: int | None
    bot_id: int
    bot_name: str
    device_id: str
    state: str
    version: int
    client_version: str
    client_type: str
    info: str
    address: str
    signature: str
    worker: int | None
    connected_at: datetime | None
    last_ping_at: datetime | None
    monitoring: dict[str, Any]
    decided_by: str | None
    decided_at: datetime | None
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Bot:
    """`worker` is the life that holds its route now: it is connected there. `lane` counts what waits for it."""

    id: int
    unit_id: int | None
    name: str
    image_mode: ImageMode
    has_secret: bool
    failures: int
    excluded_at: datetime | None
    excluded_by: str | None
    excluded_reason: str | None
    created_at: datetime
    worker: int | None = None
    last_ping_at: datetime | None = None
    lane: int = 0
    devices: tuple[Device, ...] = ()

    @property
    def is_connected(self) -> bool:
        return self.worker is not None

    @property
    def state(self) -> str:
        """For the console: online, offline, excluded."""
        return "excluded" if self.excluded_at else "online" if self.is_connected else "offline"

    @property
    def route(self) -> str:
        return route_of(self.name)
