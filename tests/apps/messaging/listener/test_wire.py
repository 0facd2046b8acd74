import contextlib
import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pabal.apps.messaging.errors import BadPacket
from pabal.apps.messaging.listener.wire import Packet, decode_parts, read_packet, write_packet, write_plain

MOMENT = datetime(2026, 11, 16, 3, 30, 0, 123456, tzinfo=UTC)

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | names,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=8,
)
headers = st.dictionaries(names, values, max_size=4)
parts = st.lists(st.binary(min_size=1, max_size=60), max_size=4)


@given(event=names, data=headers, parts=parts)
def test_what_is_written_is_read_back(event: str, data: dict, parts: list[bytes]):
    line = write_packet(event, data, parts, moment=MOMENT)

    read = read_packet(line[:-1])

    assert line.count(b"\n") == 1
    assert b"}" not in read.raw
    assert read.event == event
    assert read.data == {**data, **{name: read.data[name] for name in ("timestamp", "timezone", "message_positions")}}
    assert decode_parts(read) == parts


@settings(max_examples=30)
@given(data=headers, parts=parts)
def test_a_frame_cut_anywhere_is_never_taken_for_a_whole_one(data: dict, parts: list[bytes]):
    line = write_packet("message", data, parts, moment=MOMENT)[:-1]

    for length in range(len(line)):
        with pytest.raises(BadPacket):
            read_packet(line[:length])


@given(st.binary(max_size=200) | st.builds(lambda data: json.dumps(data).encode(), values | headers))
def test_garbage_raises_nothing_but_a_bad_packet(line: bytes):
    with contextlib.suppress(BadPacket):
        decode_parts(read_packet(line))


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"[1]}",
        b"\xff\xfe{}",
        b'{"event":7,"data":{}}',
        b'{"event":"message","data":[]}',
        b'{"event":"message","data":{"message_positions":"0,4"}}abcd',
        b'{"event":"message","data":{"message_positions":[4,0]}}abcd',
        b'{"event":"message","data":{"message_positions":[0,9]}}abcd',
        b"[" * 100_000 + b"}",
        b'{"n":' + b"9" * 10_000 + b"}",
    ],
)
def test_what_is_no_packet_is_named_as_such(line: bytes):
    with pytest.raises(BadPacket):
        read_packet(line)


@pytest.mark.parametrize(
    ("positions", "parts"),
    [
        ("[0,8]", [b"hello"]),
        ("[0,0]", [b"hello"]),  # as the old client writes it although raw follows
        ("[]", [b"hello"]),
        ("[0,4,8]", [b"hel", b"lo"]),
    ],
)
def test_parts_are_cut_at_their_positions(positions: str, parts: list[bytes]):
    line = f'{{"event":"message","data":{{"message_positions":{positions}}}}}aGVsbG8='.encode()

    assert decode_parts(read_packet(line)) == parts


def test_raw_that_is_not_base64_is_a_bad_packet():
    with pytest.raises(BadPacket):
        decode_parts(Packet("message", {"message_positions": [0, 4]}, b"a*b!"))


def test_a_packet_says_when_it_was_written():
    for line in (write_packet("ping", {}, moment=MOMENT), write_plain("ping", {}, moment=MOMENT)):
        data = json.loads(line)["data"]

        assert (data["timestamp"], data["timezone"]) == ("2026-11-16T03:30:00.123Z", "Asia/Seoul")


def test_half_an_emoji_in_a_name_does_not_stop_a_packet():
    line = write_packet("messageResponse", {"room": "방\ud83d"}, moment=MOMENT)

    assert read_packet(line[:-1]).data["room"] == "방?"
