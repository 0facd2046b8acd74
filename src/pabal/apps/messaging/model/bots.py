"""Bots and the devices that say they are one. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from ipaddress import ip_address, ip_network
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


def network_of(address: str) -> str:
    """What counts as the same place: a phone gets another address of its network every day. Without a port, or with."""
    host = address.rpartition(":")[0] if address.count(":") == 1 or "]" in address else address
    try:
        found = ip_address(host.strip("[]").partition("%")[0])
    except ValueError:
        return host
    mapped = found.ipv4_mapped if found.version == 6 else found
    return str(ip_network((mapped, 24), strict=False) if mapped else ip_network((found, 64), strict=False))


@dataclass(frozen=True, slots=True)
class Device:
    """`worker` is the life it is connected to, None when it is away (or that life is over).

    `device_id` is None for those who may not know it. `asks_from`: it is approved, but not where it called from last.
    `is_unproven`: it is connected and does not sign with its bot's secret. `role`: it sends, or is in reserve.
    """

    id: int
    unit_id: int | None
    bot_id: int
    bot_name: str
    device_id: str | None
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
    networks: list[str]
    asks_from: str | None
    is_unproven: bool = False
    role: str | None = None

    @property
    def is_asking(self) -> bool:
        return self.state == DeviceState.APPROVED and self.asks_from is not None

    @property
    def waits(self) -> bool:
        """For somebody to decide about it."""
        return self.state == DeviceState.PENDING or self.is_asking

    def without_id(self) -> "Device":
        """For who may not know it: without a secret, whoever knows it may pose as the phone."""
        return replace(self, device_id=None)

    @property
    def network(self) -> str:
        """The one that is approved with it."""
        return network_of(self.asks_from if self.is_asking and self.asks_from else self.address)


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
    # when what waits for it would be through, at the pace it was seen to have
    through_at: datetime | None = None
    devices: tuple[Device, ...] = ()

    @property
    def is_connected(self) -> bool:
        return self.worker is not None

    @property
    def is_waiting(self) -> bool:
        """Nothing sends for it, but a phone is connected that somebody has to decide about."""
        return not self.is_connected and any(device.waits and device.worker is not None for device in self.devices)

    @property
    def state(self) -> str:
        """online, offline, excluded; waiting: its phone is connected and nobody has approved it yet; wrong_secret: its
        phone is connected, and does not sign as it must."""
        if self.excluded_at:
            return "excluded"
        if self.is_connected:
            return "online"
        if any(device.is_unproven for device in self.devices):
            return "wrong_secret"
        return "waiting" if self.is_waiting else "offline"

    @property
    def route(self) -> str:
        return route_of(self.name)

    def without_ids(self) -> "Bot":
        return replace(self, devices=tuple(device.without_id() for device in self.devices))


@dataclass(frozen=True, slots=True)
class BotServer:
    """What one server of bots said of itself last."""

    worker: int
    host: str
    port: int
    active_bots: int
    total_connections: int
    memory_mb: float
    cpu_percent: float
    refused: int
    started_at: datetime
    at: datetime

    @property
    def address(self) -> str:
        return f"{self.host}:{self.port}"
