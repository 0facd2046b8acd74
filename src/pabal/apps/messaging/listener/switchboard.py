"""Who is connected to this server, and which connection may send for a bot."""

import logging
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from pabal.apps.messaging.listener.clients import ClientStatusManager
from pabal.apps.messaging.listener.handshake import Handshake
from pabal.apps.messaging.listener.protocol import Keeper
from pabal.apps.messaging.listener.refusals import REPLACED, Refusal
from pabal.apps.messaging.listener.strangers import Strangers
from pabal.base.telemetry import declare, emit

if TYPE_CHECKING:
    from pabal.apps.messaging.listener.connection import Connection

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
        previous = self._routes.get(bot_name)
        self._routes[bot_name] = connection
        if previous is not None and previous is not connection:
            previous.tell_and_close(REPLACED)

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
