"""Who is connected to this server, and which connection may send for a bot."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from pabal.apps.messaging.listener.clients import ClientStatusManager
from pabal.apps.messaging.listener.handshake import Handshake
from pabal.apps.messaging.listener.protocol import Keeper
from pabal.apps.messaging.listener.refusals import REPLACED, Refusal

if TYPE_CHECKING:
    from pabal.apps.messaging.listener.connection import Connection


class Switchboard:
    """What all connections of a server share. `refuse` is asked when one opens (None) and when it says who it is."""

    def __init__(
        self,
        keeper: Keeper,
        clients: ClientStatusManager,
        *,
        now: Callable[[], float],
        refuse: Callable[[Handshake | None], Refusal | None],
    ) -> None:
        self.keeper = keeper
        self.clients = clients
        self.now = now
        self.refuse = refuse
        self.connections: set[Connection] = set()
        self._identities: dict[tuple[str, str], set[Connection]] = {}
        self._routes: dict[str, Connection] = {}

    def find(self, bot_name: str) -> "Connection | None":
        """The connection that holds the bot's route. Not before it was welcomed: the phone expects that word first."""
        found = self._routes.get(bot_name)
        return found if found is not None and found.is_welcomed else None

    def seat(self, connection: "Connection", handshake: Handshake, *, needs_proof: bool) -> None:
        """The same bot on the same device replaces itself; one that still owes its proof drives no holder out."""
        seated = self._identities.setdefault(handshake.identity, set())
        for other in seated - {connection}:
            if not (needs_proof and other.holds_route):
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
