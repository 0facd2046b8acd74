"""Which clients this server hears now, in memory: a restart forgets them, and they connect again by themselves."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from pabal.apps.messaging.listener.handshake import Handshake
from pabal.apps.messaging.listener.wire import host_moment

PING_TIMEOUT = 60.0

Address = tuple[str, int]


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """`last_ping` and `busy_until` are seconds of the steady clock."""

    bot_name: str
    device_id: str
    version: str
    connected_at: datetime
    last_ping: float
    busy_until: float = 0.0
    monitoring: dict[str, Any] = field(default_factory=dict)

    def is_active(self, now: float, timeout: float) -> bool:
        # While a phone sends media it hears no ping: its silence counts from when that ends.
        return now - max(self.last_ping, self.busy_until) < timeout


class ClientStatusManager:
    """Clients by address. The ping timeout is one value for the whole system."""

    def __init__(self, now: Callable[[], float], timeout: Callable[[], float] = lambda: PING_TIMEOUT) -> None:
        self._now = now
        self._timeout = timeout
        self._clients: dict[Address, ClientInfo] = {}

    def register_client(self, addr: Address, handshake: Handshake) -> None:
        """The handshake counts as a ping."""
        self._clients[addr] = ClientInfo(
            bot_name=handshake.bot_name,
            device_id=handshake.device_id,
            version=handshake.version,
            connected_at=host_moment(),
            last_ping=self._now(),
        )

    def get_all_clients(self) -> dict[Address, ClientInfo]:
        return dict(self._clients)

    def update_ping_time(self, addr: Address, monitoring: dict[str, Any] | None = None) -> None:
        client = self._clients.get(addr)
        if client is not None:
            seen = client.monitoring if monitoring is None else monitoring
            self._clients[addr] = replace(client, last_ping=self._now(), monitoring=seen)

    def push_busy(self, addr: Address, seconds: float) -> None:
        """Media wait for each other on the phone, so their times add up."""
        client = self._clients.get(addr)
        if client is not None:
            self._clients[addr] = replace(client, busy_until=max(client.busy_until, self._now()) + seconds)

    def remove_client(self, addr: Address) -> None:
        self._clients.pop(addr, None)

    def get_active_bots(self) -> list[str]:
        now, timeout = self._now(), self._timeout()
        names = {client.bot_name for client in self._clients.values() if client.is_active(now, timeout)}
        return sorted(names - {""})

    def is_bot_connected(self, name: str) -> bool:
        now, timeout = self._now(), self._timeout()
        return any(client.bot_name == name and client.is_active(now, timeout) for client in self._clients.values())

    def find_client(self, addr: Address) -> ClientInfo | None:
        return self._clients.get(addr)

    def is_active(self, addr: Address) -> bool:
        client = self._clients.get(addr)
        return client is not None and client.is_active(self._now(), self._timeout())
