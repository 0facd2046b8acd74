from typing import Any

import pytest

from pabal.apps.messaging.errors import HandshakeIncomplete
from pabal.apps.messaging.listener.handshake import Handshake, is_handshake, read_handshake
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
