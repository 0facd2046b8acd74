import hashlib
import hmac
from typing import Any

import pytest

from pabal.apps.messaging.listener.handshake import Handshake, is_about, is_signed

NOW = 1_794_800_000_000
MINUTE = 60_000


def signed(secret: str = "s3cret", salt: str = "소금", **more: Any) -> dict[str, Any]:
    line = f"MessengerBotR|LOA.i|u-u-i-d|02:00:00:00:00:00|10.0.0.5|{NOW}|{salt}"
    return {
        "clientType": "MessengerBotR",
        "botName": "LOA.i",
        "deviceUUID": "u-u-i-d",
        "deviceID": "d",
        "macAddress": "02:00:00:00:00:00",
        "ipAddress": "10.0.0.5",
        "timestamp": NOW,
        "version": "3.3.3",
        "signature": hmac.new(secret.encode(), line.encode(), hashlib.sha256).hexdigest(),
        **more,
    }


@pytest.mark.parametrize(
    ("auth", "off", "expected"),
    [
        (signed(), 0, True),
        (signed(), 5 * MINUTE, True),
        (signed(), -5 * MINUTE, True),
        (signed(timestamp=float(NOW)), 0, True),
        (signed(signature=signed()["signature"].upper()), 0, True),
        (signed(), 5 * MINUTE + 1, False),
        (signed(), -5 * MINUTE - 1, False),
        (signed(secret="other"), 0, False),
        (signed(salt="other"), 0, False),
        (signed(botName="other"), 0, False),
        (signed(macAddress=None), 0, False),
        (signed(timestamp=NOW + 1), 0, False),
        (signed(timestamp=str(NOW)), 0, False),
        (signed(timestamp=float("nan")), 0, False),
        (signed(timestamp=float("inf")), 0, False),
        (signed(timestamp=True), 0, False),
        (signed(signature="서명"), 0, False),
        (signed(signature=None), 0, False),
        ({}, 0, False),
    ],
)
def test_only_the_right_secret_within_five_minutes_is_a_signature(auth: dict[str, Any], off: int, expected: bool):
    assert is_signed(auth, "s3cret", "소금", now_ms=NOW + off) is expected


def test_without_a_secret_nothing_is_signed():
    assert not is_signed(signed(secret=""), "", "소금", now_ms=NOW)


@pytest.mark.parametrize(
    ("bot", "device", "expected"),
    [("LOA.i", "d", True), ("other", "d", False), ("LOA.i", "other", False)],
)
def test_a_signature_of_another_bot_proves_nothing(bot: str, device: str, expected: bool):
    assert is_about(signed(), Handshake(bot, device, "3.3.3")) is expected
