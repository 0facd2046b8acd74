"""Which clients this server hears now, in memory: a restart forgets them, and they connect again by themselves."""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from pabal.apps.messaging.listener.handshake import Handshake
from pabal.apps.messaging.listener.protocol import Keeper
from pabal.apps.messaging.listener.refusals import REPLACED, Refusal
from pabal.apps.messaging.listener.strangers import Strangers
from pabal.apps.messaging.listener.wire import host_moment
from pabal.base.telemetry import declare, emit

if TYPE_CHECKING:
    from pabal.apps.messaging.listener.connection import Connection

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


# Refusals told one by one between two sweeps; a flood of them is told as a number.
MOST_TOLD = 20

declare("listener.refused", "Bot clients turned away", labels=("reason",), amount="count", level=logging.WARNING)


class Door(Protocol):
    """Who may come in: asked when a connection opens, and when it is known whose it is."""

    def let_in(self, connection: "Connection") -> None: ...

    def refuse(self, connection: "Connection", *, is_approved: bool, name: str) -> Refusal | None: ...


class Switchboard:
    """What all connections of a server share."""

    def __init__(self, keeper: Keeper, clients: ClientStatusManager, door: Door, *, now: Callable[[], float]) -> None:
        self.keeper = keeper
        self.clients = clients
        self.now = now
        self.strangers = Strangers(now)
        self.connections: set[Connection] = set()
        # Phones that left a part unanswered: each must answer a ping before it is sent anything again.
        self.mute: set[tuple[str, str]] = set()
        self._door = door
        self._identities: dict[tuple[str, str], set[Connection]] = {}
        self._routes: dict[str, Connection] = {}
        self._told = 0
        self._untold: Counter[str] = Counter()

    def let_in(self, connection: "Connection") -> None:
        self.connections.add(connection)
        self.strangers.add(connection)
        self._door.let_in(connection)

    def refuse(self, connection: "Connection", *, is_approved: bool, name: str = "") -> Refusal | None:
        return self._door.refuse(connection, is_approved=is_approved, name=name or connection.bot_name)

    def note_refusal(self, connection: "Connection", why: Refusal) -> None:
        self._told += 1
        if self._told > MOST_TOLD:
            self._untold[why.reason] += 1
            return
        who = {"address": str(connection.address), "bot": connection.bot_name, "said": why.message[0]}
        emit("listener.refused", reason=why.reason, count=1, **who)

    def sweep(self) -> None:
        for reason, count in self._untold.items():
            emit("listener.refused", reason=reason, count=count)
        self._told = 0
        self._untold.clear()
        self.strangers.forget_idle()

    def find(self, bot_name: str) -> "Connection | None":
        """The connection that holds the bot's route. Not before it was welcomed: the phone expects that word first."""
        found = self._routes.get(bot_name)
        return found if found is not None and found.is_welcomed else None

    def seat(self, connection: "Connection", handshake: Handshake) -> None:
        """The same bot on the same device replaces itself; one that is not trusted yet drives no trusted one out."""
        seated = self._identities.setdefault(handshake.identity, set())
        for other in seated - {connection}:
            if connection.is_trusted or not other.is_trusted:
                other.tell_and_close(REPLACED)
        # Closing took the others out, and with the last of them the set.
        self._identities.setdefault(handshake.identity, set()).add(connection)
        self.clients.register_client(connection.address, handshake)

    def route(self, connection: "Connection", bot_name: str) -> None:
        """From now on it sends. The same phone has one connection; another one stays, and sends no more."""
        previous = self._routes.get(bot_name)
        self._routes[bot_name] = connection
        if previous is None or previous is connection:
            return
        if previous.device_id == connection.device_id:
            previous.tell_and_close(REPLACED)
        else:
            previous.drop_route()

    def unroute(self, connection: "Connection", bot_name: str) -> None:
        if self._routes.get(bot_name) is connection:
            del self._routes[bot_name]

    def unseat(self, connection: "Connection", handshake: Handshake) -> None:
        self.unroute(connection, handshake.bot_name)
        self.clients.remove_client(connection.address)
        seated = self._identities.get(handshake.identity, set())
        seated.discard(connection)
        if not seated:
            self._identities.pop(handshake.identity, None)
