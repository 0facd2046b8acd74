"""Who calls: the client's first packet, in the spellings that are out there, and whether a packet is signed."""

import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Any

from pabal.apps.messaging.errors import HandshakeIncomplete
from pabal.apps.messaging.listener.wire import Packet, clean

MAX_BOT_NAME = 30
MAX_DEVICE_ID = 100
MAX_VERSION = 50
MAX_INFO = 200

_VERSION = re.compile(r"(\d{1,6})(?:\.(\d{1,6}))?")


@dataclass(frozen=True, slots=True)
class Handshake:
    bot_name: str
    device_id: str
    version: str
    client_type: str = ""
    device_ip: str = ""
    device_info: str = ""

    @property
    def identity(self) -> tuple[str, str]:
        return self.bot_name, self.device_id

    @property
    def short_id(self) -> str:
        """For logs: enough to tell two devices apart, too little to pose as one."""
        return f"{self.device_id[:4]}…"

    @property
    def release(self) -> tuple[int, int]:
        """(3, 2) of 3.2.11: what the dialect hangs on. What cannot be read counts as today's."""
        found = _VERSION.search(self.version)
        return (int(found[1]), int(found[2] or 0)) if found else (3, 3)


def is_handshake(packet: Packet) -> bool:
    """Old clients send the fields without naming an event."""
    return packet.event == "handshake" or (packet.event == "" and "botName" in packet.data)


def read_handshake(packet: Packet) -> Handshake:
    data = packet.data
    return Handshake(
        bot_name=_needed(data, "botName", most=MAX_BOT_NAME),
        # The phone writes deviceID; the first server's description says deviceId.
        device_id=_needed(data, "deviceID", "deviceId", most=MAX_DEVICE_ID),
        version=_needed(data, "version", most=MAX_VERSION),
        client_type=text_of(data, "clientType")[:MAX_INFO],
        device_ip=text_of(data, "deviceIP", "deviceIp")[:MAX_INFO],
        device_info=text_of(data, "deviceInfo")[:MAX_INFO],
    )


def text_of(data: dict[str, Any], *names: str) -> str:
    """The first of the names that has text or a number; numbers because some clients send ids as such."""
    for name in names:
        value = data.get(name)
        if isinstance(value, str) or (isinstance(value, int | float) and not isinstance(value, bool)):
            text = clean(str(value)).strip()
            if text:
                return text
    return ""


def _needed(data: dict[str, Any], *names: str, most: int) -> str:
    text = text_of(data, *names)
    if not text:
        raise HandshakeIncomplete(f"{names[0]} is missing")
    if len(text) > most:
        raise HandshakeIncomplete(f"{names[0]} has {len(text)} characters, at most {most}")
    return text


WINDOW_MS = 5 * 60 * 1000

_SIGNED = ("clientType", "botName", "deviceUUID", "macAddress", "ipAddress")


def is_signed(auth: dict[str, Any], secret: str, salt: str, *, now_ms: int) -> bool:
    """Signed with this secret, less than five minutes ago or ahead."""
    timestamp = _milliseconds(auth.get("timestamp"))
    given = auth.get("signature")
    if not secret or timestamp is None or not isinstance(given, str) or abs(now_ms - timestamp) > WINDOW_MS:
        return False
    return hmac.compare_digest(given.lower().encode("utf-8", "replace"), signature(auth, secret, salt).encode())


def signature(auth: dict[str, Any], secret: str, salt: str) -> str:
    signed = "|".join([*(text_of(auth, name) for name in _SIGNED), str(_milliseconds(auth.get("timestamp"))), salt])
    return hmac.new(secret.encode(), signed.encode(), hashlib.sha256).hexdigest()


def is_about(auth: dict[str, Any], handshake: Handshake) -> bool:
    """A signature of one bot, heard on the wire, must not prove another."""
    return text_of(auth, "botName") == handshake.bot_name and text_of(auth, "deviceID", "deviceId") in (
        "",
        handshake.device_id,
    )


def signed_ms(auth: dict[str, Any]) -> int:
    """When it says it was signed; 0: it does not say."""
    return _milliseconds(auth.get("timestamp")) or 0


def _milliseconds(value: object) -> int | None:
    """The phone's JavaScript may write a whole number as 1.7E12."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value == value // 1 else None
