"""How a simulated bot is to be, and how it is to misbehave."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Literal

from pabal.apps.messaging.errors import BadBotServer, BadSimulatedRoom
from pabal.apps.messaging.simulator.phone import Phone, usual_device
from pabal.apps.messaging.simulator.witness import Log, Received

Server = tuple[str, int]
State = Literal["approved", "pending", "refused", "told", "lost", "unreachable", "ignored"]


@dataclass(frozen=True)
class Change:
    """Of the connection. `message` is the server's own word, or why a packet was ignored."""

    at: datetime
    state: State
    server: str = ""
    message: str = ""


@dataclass(frozen=True)
class Room:
    name: str
    channel_id: str


@dataclass
class Trouble:
    """Each may be changed while the bot runs, in `bot.trouble`. Seconds are scaled by the bot's pace.

    `leave_after_parts` closes each connection after so many arrivals. `cut_after_bytes` closes it once, in the middle
    of the first frame longer than that. `is_deaf` holds from the start; later stop_reading() does it.
    `is_stranger`: another device at every connection, so that no approval holds.
    """

    media_factor: float = 1.0
    leave_after_parts: int | None = None
    cut_after_bytes: int | None = None
    is_deaf: bool = False
    is_mute: bool = False
    is_stranger: bool = False
    handshake_after: float = 0.0
    garbage: bytes = b""


# long: the phone's own words, which a caller should not have to put in three objects
@dataclass(frozen=True)
class Options:
    """`pace` scales every wait (0.01: a hundred times quicker); ceilings such as `queue_ttl` stay as they are.

    Rooms are greeted at every connection, so that the server discovers them. `hears_itself`: it reports its own texts.
    `tell` hears of arrivals and changes.
    """

    device_id: str | None = None
    version: str = "3.3.3"
    device_key: Literal["deviceID", "deviceId"] = "deviceID"
    is_nested: bool = True
    secret: str = field(default="", repr=False)
    salt: str = field(default="", repr=False)
    skew: timedelta = timedelta(0)
    has_zero_positions: bool = False
    pace: float = 1.0
    queue_ttl: float = 30.0
    rooms: tuple[Room, ...] = ()
    hears_itself: bool = False
    trouble: Trouble = field(default_factory=Trouble)
    log: Log | None = field(default=None, repr=False)
    tell: Callable[[Received | Change], None] | None = field(default=None, repr=False)

    def make_phone(self, name: str) -> Phone:
        phone = Phone(name, self.device_id or usual_device(name), version=self.version, device_key=self.device_key)
        phone = replace(phone, is_nested=self.is_nested, secret=self.secret, salt=self.salt, skew=self.skew)
        return replace(phone, has_zero_positions=self.has_zero_positions)


def read_servers(texts: Iterable[str]) -> list[Server]:
    """Each may also hold several, with commas between."""
    return [_read_server(one) for text in texts for one in text.split(",")]


def read_room(text: str) -> Room:
    name, _, channel_id = text.rpartition("=")
    if not name or not channel_id:
        raise BadSimulatedRoom(text[:100])
    return Room(name, channel_id)


def _read_server(text: str) -> Server:
    host, _, port = text.strip().rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 0 < int(port[:6]) < 65536:
        raise BadBotServer(text[:100])
    return host.strip("[]"), int(port)
