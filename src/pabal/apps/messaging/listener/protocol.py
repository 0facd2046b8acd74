"""The seam of the bot server: what it asks of whoever decides about devices, and the values the two speak in."""

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pabal.apps.messaging.listener.connection import Connection


@dataclass(frozen=True, slots=True)
class Verdict:
    """`needs_proof`: the device has a secret, so it is pinged at once and takes its route with a signed pong only."""

    approved: bool
    needs_proof: bool = False
    message: str = ""


@dataclass(frozen=True, slots=True)
class Chat:
    """What somebody said in a room. `at` is what the phone believes; None when it did not say.

    `signed_ms`: of the signature that came with it; 0: none did.
    """

    room: str
    channel_id: str
    sender: str
    text: str
    log_id: str
    is_group_chat: bool
    at: datetime | None
    signed_ms: int = 0


class Keeper(Protocol):
    """Decides about devices. Calls for one connection come one after another; those for others run meanwhile.

    To let a connection send, it calls `connection.take_route(epoch)`: inside `on_handshake`, at a proven pong, or later
    when a person approves the device. To stop it: `connection.drop_route()` or `connection.tell_and_close(reason)`.
    """

    def is_approved(self, bot_name: str, device_id: str) -> bool:
        """As far as this server knows, without looking: for those that have not been decided about yet."""

    async def on_handshake(self, connection: "Connection") -> Verdict:
        """`connection.handshake` is there. Raising means: try later; the connection is told so and closed.

        To turn a device away, `connection.tell_and_close(BLOCKED)`; what is returned then is said to nobody.
        """

    async def on_pong(self, connection: "Connection", monitoring: dict[str, Any], auth: dict[str, Any] | None) -> None:
        """The ping time has moved already; the signature in `auth` is checked here."""

    async def on_message(self, connection: "Connection", chat: Chat) -> None:
        """Of trusted connections only."""

    async def on_close(self, connection: "Connection") -> None:
        """Once, last, for every connection whose on_handshake was begun, even if that raised."""
