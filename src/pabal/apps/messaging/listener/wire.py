"""One packet as bytes: a JSON header, then base64 parts cut by `message_positions`. Pure."""

import base64
import binascii
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pabal.apps.messaging.errors import BadPacket
from pabal.base.clock import host_time

ZONE = "Asia/Seoul"
NEWLINE = b"\n"
# A packet of a phone has thirty values, three deep. What is parsed takes fifty times its bytes, and its time.
MOST_VALUES, MOST_DEPTH = 5_000, 32

# The end closes one too, so that no string is begun twice.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")


@dataclass(frozen=True, slots=True)
class Packet:
    """`event` is empty when the client named none: so do old clients in their handshake."""

    event: str
    data: dict[str, Any]
    raw: bytes = b""


def read_packet(line: bytes) -> Packet:
    """Everything up to the last `}` is the header, as the phone reads it; what follows is raw."""
    end = line.rfind(b"}") + 1
    if end == 0:
        raise BadPacket("no JSON object in the line")
    body = _parse(line[:end])
    event = body.get("event", "")
    if not isinstance(event, str):
        raise BadPacket("event is not text")
    data = body["data"] if "data" in body else {key: value for key, value in body.items() if key != "event"}
    if not isinstance(data, dict):
        raise BadPacket("data is not an object")
    packet = Packet(event, data, line[end:].strip())
    slice_raw(packet)
    return packet


def write_packet(event: str, data: dict[str, Any], parts: Sequence[bytes] = (), *, moment: datetime) -> bytes:
    """`parts` follow the header as base64, which has neither `}` nor a newline."""
    encoded = [base64.b64encode(part) for part in parts]
    positions = [0]
    for part in encoded:
        positions.append(positions[-1] + len(part))
    stamped = {**data, **stamps(moment), "message_positions": positions if parts else [0, 0]}
    return write_header(event, stamped) + b"".join(encoded) + NEWLINE


def write_plain(event: str, data: dict[str, Any], *, moment: datetime) -> bytes:
    return write_header(event, {**data, **stamps(moment)}) + NEWLINE


def write_header(event: str, data: dict[str, Any]) -> bytes:
    header = json.dumps({"event": event, "data": data}, ensure_ascii=False, separators=(",", ":"))
    return header.encode("utf-8", "replace")


def slice_raw(packet: Packet) -> list[bytes]:
    """The parts of raw, still base64. A client that wrote [0,0] although raw follows meant all of it."""
    positions = packet.data.get("message_positions") or [0, 0]
    if not isinstance(positions, list) or not all(type(position) is int for position in positions):
        raise BadPacket("message_positions is not a list of numbers")
    if positions != sorted(positions) or positions[0] < 0:
        raise BadPacket("message_positions go backwards")
    text = _decode(packet.raw)
    if positions[-1] > len(text):
        raise BadPacket(f"cut: {len(text)} characters follow, {positions[-1]} were promised")
    if positions[-1] == 0:
        return [packet.raw] if packet.raw else []
    return [text[begin:end].encode() for begin, end in itertools.pairwise(positions)]


def decode_parts(packet: Packet) -> list[bytes]:
    return [_unpack(part) for part in slice_raw(packet)]


def stamps(moment: datetime) -> dict[str, str]:
    return {
        "timestamp": moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "timezone": ZONE,
    }


def host_moment() -> datetime:
    """For what the phone is shown; nothing is decided by it."""
    return datetime.fromtimestamp(host_time(), UTC)


def clean(text: str) -> str:
    """Without what no database can keep: half an emoji, and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "")


def _check_shape(header: bytes) -> None:
    """Before it is parsed, on its bytes: how many values it has at most, and how deep they lie."""
    if _is_small(header):
        return
    if header.count(b'"') > 4 * MOST_VALUES:
        raise BadPacket(f"more than {MOST_VALUES} values")
    # Perhaps somebody only wrote brackets and commas in a room.
    bare = _STRING.sub(b"", header)
    if _count_values(bare) > MOST_VALUES:
        raise BadPacket(f"more than {MOST_VALUES} values")
    depth = 0
    for bracket in _BRACKET.findall(bare):
        depth += 1 if bracket in b"[{" else -1
        if depth > MOST_DEPTH:
            raise BadPacket(f"more than {MOST_DEPTH} deep")


def _is_small(header: bytes) -> bool:
    return header.count(b"[") + header.count(b"{") <= MOST_DEPTH and _count_values(header) <= MOST_VALUES


def _count_values(header: bytes) -> int:
    return header.count(b",") + header.count(b"[") + header.count(b"{")


def _parse(header: bytes) -> dict[str, Any]:
    _check_shape(header)
    try:
        body = json.loads(_decode(header))
    except (ValueError, RecursionError) as error:
        raise BadPacket("the header is not JSON") from error
    if not isinstance(body, dict):
        raise BadPacket("the header is not an object")
    return body


def _decode(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise BadPacket("not UTF-8") from error


def _unpack(part: bytes) -> bytes:
    try:
        return base64.b64decode(part + b"=" * (-len(part) % 4), validate=True)
    except binascii.Error as error:
        raise BadPacket("what follows the header is not base64") from error
