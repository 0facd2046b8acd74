import hashlib
import hmac
from typing import Any

import pytest

from pabal.apps.messaging.errors import HandshakeIncomplete
from pabal.apps.messaging.listener.handshake import Handshake, is_about, is_handshake, is_signed, read_handshake
from pabal.apps.messaging.listener.wire import Packet, read_packet
from tests.apps.messaging.listener.phones import WHO, packet


@pytest.mark.req("A-28")
def test_the_phones_own_handshake_is_read():
    read = read_handshake(read_packet(packet("handshake", WHO)))

    assert read == Handshake(
        bot_name="LOA.i",
        device_id="a1b2c3d4e5f60718",
        version="3.3.3",
        client_type="MessengerBotR",
        device_ip="10.0.0.5",
        device_info="samsung SM-X (Android 13, API 33)",
    )


@pytest.mark.parametrize(
    "line",
    [
        '{"event":"handshake","data":{"botName":"봇","version":"3.2.1","deviceID":"d"}}',
        '{"event":"handshake","data":{"botName":"봇","version":"3.2.1","deviceId":"d"}}',
        '{"event":"handshake","botName":"봇","version":"3.2.1","deviceID":"d"}',
        '{"botName":"봇","version":"3.2.1","deviceId":"d"}',
        '{"data":{"botName":" 봇 ","version":"3.2.1","deviceID":"","deviceId":"d"}}',
    ],
)
@pytest.mark.req("A-28")
def test_every_spelling_says_who_calls(line: str):
    read = read_packet(line.encode())

    assert is_handshake(read)
    assert read_handshake(read) == Handshake("봇", "d", "3.2.1")


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"botName": ""}, "botName"),
        ({"botName": "  \u0000"}, "botName"),
        ({"botName": "가" * 31}, "botName"),
        ({"botName": ["LOA.i"]}, "botName"),
        ({"version": None}, "version"),
        ({"deviceID": None}, "deviceID"),
        ({"deviceID": "x" * 101}, "deviceID"),
    ],
)
def test_who_does_not_say_who_it_is_is_told_what_lacks(change: dict[str, Any], named: str):
    with pytest.raises(HandshakeIncomplete) as caught:
        read_handshake(Packet("handshake", {**WHO, **change}))

    assert named in caught.value.detail


def test_a_bot_name_has_up_to_thirty_characters():
    assert read_handshake(Packet("handshake", {**WHO, "botName": "가" * 30})).bot_name == "가" * 30


def test_a_message_is_no_handshake():
    assert not is_handshake(Packet("message", dict(WHO)))


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
