"""Whether a pong comes from the phone that has the secret. The handshake itself carries no proof."""

import hashlib
import hmac
from typing import Any

from pabal.apps.messaging.listener.handshake import Handshake, text_of

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
