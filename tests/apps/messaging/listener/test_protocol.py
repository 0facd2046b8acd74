import base64
import json
from datetime import UTC, datetime

import pytest

from pabal.apps.messaging.errors import BadPacket
from pabal.apps.messaging.listener.handshake import Handshake
from pabal.apps.messaging.listener.protocol import (
    Chat,
    Plain,
    Positions,
    Room,
    choose_dialect,
    read_chat,
    read_pong,
    write_ping,
)
from pabal.apps.messaging.listener.wire import read_packet
from pabal.apps.messaging.model.content import media_seconds
from tests.apps.messaging.listener.phones import chat, packet

ROOM = Room("부산 1호점", "18390000001")
PICTURES = [b"\xff\xd8one", b"\xff\xd8two!"]
MEGABYTE = 1024 * 1024


@pytest.mark.parametrize(
    ("version", "dialect"),
    [
        ("3.3.3", Positions),
        ("3.3", Positions),
        ("v3.10.0", Positions),
        ("4", Positions),
        ("3.2.11", Plain),
        ("3.2", Plain),
        ("3", Plain),
        ("2.9.9", Plain),
        ("newest", Positions),
    ],
)
def test_the_version_chooses_the_dialect(version: str, dialect: type):
    assert isinstance(choose_dialect(Handshake("LOA.i", "d", version)), dialect)


def test_a_text_for_a_new_phone_is_base64_after_the_header_addressed_by_room_name():
    line = Positions().text("LOA.i", ROOM, "안녕 {친구}\n둘째 줄").decode()

    header, raw = line[: line.rindex("}") + 1], line[line.rindex("}") + 1 : -1]
    data = json.loads(header)["data"]
    assert json.loads(header)["event"] == "messageResponse"
    assert (data["room"], data["channel_id"], data["bot_name"]) == ("부산 1호점", "18390000001", "LOA.i")
    assert (data["message_type"], data["content_encoding"]) == ("text", "base64")
    assert data["message_positions"] == [0, len(raw)]
    assert base64.b64decode(raw).decode() == "안녕 {친구}\n둘째 줄"


@pytest.mark.req("A-141")
def test_the_images_of_one_call_go_in_one_packet_with_their_wait():
    line = Positions().images("LOA.i", ROOM, PICTURES, extension="jpg", media_wait=8000).decode()

    header, raw = line[: line.rindex("}") + 1], line[line.rindex("}") + 1 : -1]
    data = json.loads(header)["data"]
    assert (data["channel_id"], data["message_type"], data["message_format"]) == ("18390000001", "image", "jpg")
    assert data["media_wait_time"] == 8000
    _, first, last = data["message_positions"]
    assert [base64.b64decode(raw[:first]), base64.b64decode(raw[first:last])] == PICTURES
    assert last == len(raw)


def test_an_old_phone_gets_plain_json():
    text = json.loads(Plain().text("LOA.i", ROOM, "안녕 {친구}"))
    images = json.loads(Plain().images("LOA.i", ROOM, PICTURES, extension="png", media_wait=8000))

    assert (text["event"], text["data"]["text"], text["data"]["room"]) == (
        "messageResponse",
        "안녕 {친구}",
        "부산 1호점",
    )
    assert images["data"]["text"] == "IMAGE_BASE64:" + "|||".join(base64.b64encode(p).decode() for p in PICTURES)
    assert (images["data"]["channel_id"], images["data"]["media_wait_time"]) == ("18390000001", 8000)


@pytest.mark.parametrize("dialect", [Positions(), Plain()])
def test_a_wait_of_zero_is_left_to_the_phone(dialect: Positions | Plain):
    line = dialect.images("LOA.i", ROOM, PICTURES, extension="jpg", media_wait=0)

    assert b"media_wait_time" not in line


def test_a_ping_looks_as_the_phone_expects_it():
    data = json.loads(write_ping("LOA.i", datetime(2026, 11, 16, 3, 30, 0, 123000, UTC)))["data"]

    assert (data["bot_name"], data["channel_id"], data["room"]) == ("LOA.i", "ping", "PING")
    assert (data["user_hash"], data["text"], data["message_positions"]) == ("system", "", [0, 0])
    datetime.strptime(data["server_timestamp"], "%Y-%m-%d %H:%M:%S.%f").replace(tzinfo=UTC)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (chat("주문 \u0000들어왔어요 😀"), "주문 들어왔어요 😀"),
        (chat("주문 들어왔어요", message_positions=[0, 0]), "주문 들어왔어요"),
        (chat("x", message_type="image"), ""),
        (packet("analyze", {"room": "부산 1호점", "channelId": 18390000001, "sender": "민수", "logId": 77,
                            "isGroupChat": "true", "text": "글자 {그대로}", "timestamp": "2026-11-16T03:30:00.123Z"}),
         "글자 {그대로}"),
    ],
)  # fmt: skip
def test_chats_of_both_dialects_are_understood(line: bytes, text: str):
    read = read_chat(read_packet(line))

    at = datetime(2026, 11, 16, 3, 30, 0, 123000, tzinfo=UTC)
    assert read == Chat("부산 1호점", "18390000001", "민수", text, "77", is_group_chat=True, at=at)


def test_a_chat_that_says_little_is_still_a_chat():
    read = read_chat(read_packet(b'{"event":"message","data":{"room":"r","timestamp":"yesterday","text":7}}'))

    assert read == Chat("r", "", "", "", "", is_group_chat=False, at=None)


def test_a_chat_that_is_not_base64_is_a_bad_packet():
    with pytest.raises(BadPacket):
        read_chat(read_packet(packet("message", {"message_positions": [0, 0]}, "not base64!")))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            {"monitoring": {"memory_percent": 41}, "auth": {"signature": "x"}},
            ({"memory_percent": 41}, {"signature": "x"}),
        ),
        ({"monitoring": "none", "auth": []}, ({}, None)),
    ],
)
def test_a_pong_brings_monitoring_and_proof(data: dict, expected: tuple):
    assert read_pong(read_packet(packet("pong", data))) == expected


@pytest.mark.parametrize(
    ("sizes", "media_wait", "seconds"),
    [
        ([100], 8000, 9.2),
        ([100], 0, 5.2),
        ([2 * MEGABYTE], 0, 6.7),
        ([9 * MEGABYTE], 0, 7.2),
        ([100, 100], 0, 4.2),
        ([MEGABYTE, MEGABYTE, MEGABYTE], 0, 9.3),
        ([9 * MEGABYTE, 9 * MEGABYTE], 0, 16.2),
    ],
)
def test_a_phone_is_deaf_for_the_wait_it_was_given_or_its_own(sizes: list[int], media_wait: int, seconds: float):
    assert media_seconds(sizes, media_wait) == pytest.approx(seconds)


@pytest.mark.parametrize("text", ["MEDIA_URL:http://127.0.0.1/a.jpg", "IMAGE_BASE64:AAAA", " media_url:x"])
def test_a_text_that_an_old_phone_would_obey_is_sent_so_that_it_is_shown(text: str):
    sent = json.loads(Plain().text("LOA.i", ROOM, text))["data"]["text"]

    assert not sent.lstrip().upper().startswith(("MEDIA_URL:", "IMAGE_BASE64:"))
    assert sent == f"\u2060{text}", "what is added has no width"
    assert json.loads(Plain().text("LOA.i", ROOM, "안녕 MEDIA_URL:"))["data"]["text"] == "안녕 MEDIA_URL:"
    # a newer one takes no text for an order
    assert read_chat(read_packet(Positions().text("LOA.i", ROOM, text).rstrip())).text == text
