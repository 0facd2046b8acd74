"""What the phone makes of a line, and what it refuses to take for a message."""

from base64 import b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pabal.apps.messaging.simulator.witness import Content, Dialect, Ignored, Reason, read_content, read_frame
from tests.apps.messaging.simulator.tiny_server import packet, text_packet

RAW = b64encode("안녕".encode()).decode()
TEXT = {"room": "방", "message_type": "text", "content_encoding": "base64"}
IMAGE = {"channel_id": "1", "message_type": "image"}


@pytest.mark.parametrize(
    ("dialect", "line", "reason"),
    [
        (Dialect.V33, b"garbage\n", Reason.UNREADABLE),
        (Dialect.V33, b"[" * 100_000 + b"}\n", Reason.UNREADABLE),
        (Dialect.V33, b"\xff\xfe}\n", Reason.UNREADABLE),
        (Dialect.V33, b'{"data":{}}\n', Reason.UNREADABLE),
        (Dialect.V33, packet("messageResponse", **TEXT, text="old"), Reason.DIALECT),
        (Dialect.V33, packet("messageResponse", **TEXT, message_positions=[0, 0]), Reason.DIALECT),
        (Dialect.V33, packet("messageResponse", RAW, **TEXT), Reason.DIALECT),
        (Dialect.V33, packet("messageResponse", RAW, **TEXT, message_positions=[0, 4]), Reason.UNREADABLE),
        (Dialect.V33, packet("messageResponse", RAW, **TEXT, message_positions=[0, 99]), Reason.UNREADABLE),
        (Dialect.V33, packet("messageResponse", RAW, **TEXT, message_positions=["0", "8"]), Reason.UNREADABLE),
        (Dialect.V33, packet("messageResponse", RAW, **IMAGE, message_positions=[0, 4, 4, 8]), Reason.UNREADABLE),
        (Dialect.V33, packet("messageResponse", "?" * 8, **IMAGE, message_positions=[0, 8]), Reason.UNREADABLE),
        (
            Dialect.V33,
            packet("messageResponse", RAW, **TEXT | {"room": ""}, message_positions=[0, 8]),
            Reason.NO_ADDRESS,
        ),
        (
            Dialect.V33,
            packet("messageResponse", RAW, **IMAGE | {"channel_id": None}, message_positions=[0, 8]),
            Reason.NO_ADDRESS,
        ),
        (Dialect.V32, packet("messageResponse", RAW, **TEXT, message_positions=[0, 8]), Reason.DIALECT),
        (Dialect.V32, packet("messageResponse", **TEXT), Reason.DIALECT),
        (Dialect.V32, packet("messageResponse", room="방", channel_id="1", text="IMAGE_BASE64:??"), Reason.UNREADABLE),
    ],
)
def test_a_packet_that_would_not_reach_a_room_is_named(dialect: Dialect, line: bytes, reason: Reason) -> None:
    with pytest.raises(Ignored) as ignored:
        read_content(read_frame(line.rstrip(b"\n"), dialect), dialect)

    assert ignored.value.reason is reason


@pytest.mark.parametrize(
    ("dialect", "line"),
    [
        (Dialect.V33, packet("messageResponse", "https://a.test/1.jpg", **IMAGE, message_positions=[0, 20])),
        (Dialect.V32, packet("messageResponse", room="방", channel_id="1", text="MEDIA_URL:https://a.test/1.jpg")),
    ],
)
def test_media_may_be_addresses(dialect: Dialect, line: bytes) -> None:
    content = read_content(read_frame(line.rstrip(b"\n"), dialect), dialect)

    assert content == Content("image", "https://a.test/1.jpg")


@given(st.text(min_size=1), st.data())
def test_half_a_frame_is_never_taken_for_a_whole_one(text: str, data: st.DataObject) -> None:
    line = text_packet(text).rstrip(b"\n")
    cut = data.draw(st.integers(0, len(line) - 1))

    assert read_content(read_frame(line, Dialect.V33), Dialect.V33).text == text
    with pytest.raises(Ignored):
        read_content(read_frame(line[:cut], Dialect.V33), Dialect.V33)


@given(st.binary())
def test_garbage_raises_nothing_else(line: bytes) -> None:
    with pytest.raises(Ignored):
        read_frame(line, Dialect.V33)
