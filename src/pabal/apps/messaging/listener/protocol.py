"""The seam of the bot server: what it asks of whoever decides about devices, and the values the two speak in."""

import base64
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from pabal import __version__
from pabal.apps.messaging.listener.handshake import Handshake, signed_ms, text_of
from pabal.apps.messaging.listener.wire import Packet, clean, decode_parts, host_moment, write_packet, write_plain

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


POSITIONS_SINCE = (3, 3)
MESSAGE = "messageResponse"
CHATS = ("message", "analyze")
PONGS = ("pong", "ping")  # 3.2 answers a ping with a ping

# Of what a phone says of itself.
MOST_VALUES, VALUE_LENGTH = 20, 100

# A phone of 3.2 takes a text that begins so for an order to fetch or show pictures.
COMMANDS = ("MEDIA_URL:", "IMAGE_BASE64:")
# Has no width, and is no space that a script would strip: what follows it is shown, and is no order any more.
JOINER = "\u2060"


@dataclass(frozen=True, slots=True)
class Room:
    """Texts go by the room's name, images by its channel."""

    name: str
    channel_id: str


class Dialect(Protocol):
    def text(self, bot_name: str, room: Room, text: str) -> bytes: ...

    def images(
        self, bot_name: str, room: Room, pictures: Sequence[bytes], *, extension: str, media_wait: int
    ) -> bytes: ...


class Positions:
    """3.3 and later. Such a client silently ignores the older form."""

    def text(self, bot_name: str, room: Room, text: str) -> bytes:
        data = {**_address(bot_name, room), "message_type": "text", "content_encoding": "base64"}
        return write_packet(MESSAGE, data, [text.encode("utf-8", "replace")], moment=host_moment())

    def images(self, bot_name: str, room: Room, pictures: Sequence[bytes], *, extension: str, media_wait: int) -> bytes:
        kind = {"message_type": "image", "content_encoding": "base64", "message_format": extension}
        data = {**_address(bot_name, room), **kind, **_wait(media_wait)}
        return write_packet(MESSAGE, data, pictures, moment=host_moment())


class Plain:
    """3.2 and earlier."""

    def text(self, bot_name: str, room: Room, text: str) -> bytes:
        data = {**_address(bot_name, room), "message_type": "text", "text": _as_words(text)}
        return write_plain(MESSAGE, data, moment=host_moment())

    def images(self, bot_name: str, room: Room, pictures: Sequence[bytes], *, extension: str, media_wait: int) -> bytes:
        text = "IMAGE_BASE64:" + "|||".join(base64.b64encode(picture).decode() for picture in pictures)
        kind = {"message_type": "image", "message_format": extension, "text": text}
        return write_plain(MESSAGE, {**_address(bot_name, room), **kind, **_wait(media_wait)}, moment=host_moment())


def choose_dialect(handshake: Handshake) -> Dialect:
    return Positions() if handshake.release >= POSITIONS_SINCE else Plain()


def show_stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M:%S.%f")[:-3]


def write_ping(bot_name: str, moment: datetime) -> bytes:
    data = {
        "bot_name": bot_name,
        "channel_id": "ping",
        "room": "PING",
        "user_hash": "system",
        "server_timestamp": show_stamp(moment),
        "text": "",
    }
    return write_packet("ping", data, moment=moment)


def write_welcome(verdict: Verdict) -> bytes:
    data = {"success": True, "approved": verdict.approved, "message": verdict.message, "server_version": __version__}
    return write_packet("handshakeComplete", data, moment=host_moment())


def write_refusal(reason: str, message: str, *, was_welcomed: bool) -> bytes:
    """Instead of the welcome, or as an error after it."""
    data = {"success": False, "approved": False, "reason": reason, "message": message, "server_version": __version__}
    return write_packet("error" if was_welcomed else "handshakeComplete", data, moment=host_moment())


def read_chat(packet: Packet) -> Chat:
    """Both dialects: base64 after the header, or plain text with names in camelCase."""
    data = packet.data
    is_text = text_of(data, "message_type", "messageType") in ("", "text")
    auth = data.get("auth")
    return Chat(
        room=text_of(data, "room"),
        channel_id=text_of(data, "channel_id", "channelId"),
        sender=text_of(data, "sender"),
        text=_read_text(packet) if is_text else "",
        log_id=text_of(data, "log_id", "logId"),
        is_group_chat=_is_true(data.get("is_group_chat", data.get("isGroupChat"))),
        at=_read_moment(data.get("timestamp")),
        signed_ms=signed_ms(auth) if isinstance(auth, dict) else 0,
    )


def read_claim(packet: Packet) -> tuple[str, str] | None:
    """The bot and the device a chat says it is from: its `auth` names both."""
    auth = packet.data.get("auth")
    if not isinstance(auth, dict):
        return None
    bot_name, device_id = text_of(auth, "botName"), text_of(auth, "deviceID", "deviceId")
    return (bot_name, device_id) if bot_name and device_id else None


def read_pong(packet: Packet) -> tuple[dict[str, Any], dict[str, Any] | None]:
    monitoring, auth = packet.data.get("monitoring"), packet.data.get("auth")
    return _plain(monitoring) if isinstance(monitoring, dict) else {}, auth if isinstance(auth, dict) else None


def read_echo(packet: Packet) -> str:
    """The moment of the ping that a pong answers."""
    return text_of(packet.data, "server_timestamp")


def _as_words(text: str) -> str:
    return JOINER + text if text.lstrip().upper().startswith(COMMANDS) else text


def _address(bot_name: str, room: Room) -> dict[str, Any]:
    return {"room": room.name, "channel_id": room.channel_id, "bot_name": bot_name}


def _wait(media_wait: int) -> dict[str, Any]:
    return {"media_wait_time": media_wait} if media_wait > 0 else {}


def _read_text(packet: Packet) -> str:
    if packet.raw:
        return clean(b"".join(decode_parts(packet)).decode("utf-8", "replace"))
    text = packet.data.get("text", packet.data.get("message", ""))
    return clean(text) if isinstance(text, str) else ""


def _plain(monitoring: dict[str, Any]) -> dict[str, Any]:
    """Numbers and short texts only, and not many: it comes from outside, is kept, and goes into a row."""
    kept = {clean(key)[:VALUE_LENGTH]: value for key, value in list(monitoring.items())[:MOST_VALUES]}
    return {
        key: clean(value)[:VALUE_LENGTH] if isinstance(value, str) else value
        for key, value in kept.items()
        if _fits(value)
    }


def _fits(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, str | bool) or (isinstance(value, int) and abs(value) < 2**63)


def _is_true(value: object) -> bool:
    return value is True or (isinstance(value, str) and value.lower() == "true")


def _read_moment(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return moment if moment is not None and moment.tzinfo is not None else None
