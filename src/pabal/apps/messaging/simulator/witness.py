"""What reaches a simulated phone: frames as the protocol has them, and the log that is the witness of what arrived."""

import hashlib
import json
import os
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise
from pathlib import Path
from typing import Any


class Dialect(StrEnum):
    V33 = "3.3"
    V32 = "3.2"


class Reason(StrEnum):
    DIALECT = "dialect"  # written for the other dialect: the script silently does nothing
    UNREADABLE = "unreadable"
    NO_ADDRESS = "no_address"  # a text without a room's name, a picture without a channel id
    OTHER_BOT = "other_bot"  # for another bot; the script takes it all the same
    UNKNOWN_EVENT = "unknown_event"
    CUT = "cut"  # the connection ended within a frame


class Ignored(Exception):
    """The phone does nothing with this packet."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        self.reason, self.detail = reason, detail
        super().__init__(f"{reason}: {detail}")


@dataclass(frozen=True)
class Frame:
    event: str
    data: dict[str, Any]
    raw: str = ""


@dataclass(frozen=True)
class Image:
    sha256: str
    size: int


@dataclass(frozen=True)
class Content:
    """`text` of media is the addresses they were to be fetched from, if any."""

    kind: str
    text: str = ""
    images: tuple[Image, ...] = ()


@dataclass(frozen=True)
class Received:
    """One packet with content. `seq` counts per bot and process; `raw_size` is the frame's length in bytes."""

    bot: str
    at: datetime
    seq: int
    room: str
    channel_id: str
    kind: str
    text: str
    images: tuple[Image, ...]
    media_wait_time: int
    raw_size: int
    server: str


class Log:
    """Lines of JSON, appended with one write each: what is in it survives the death of everybody, us included.

    Many bots and processes may share a file. `is_synced` asks the disk too: against a machine that dies.
    """

    def __init__(self, path: Path, *, is_synced: bool = False) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._is_synced = is_synced

    def write(self, received: Received) -> None:
        self._append({**asdict(received), "at": received.at.isoformat()})

    def write_ignored(self, bot: str, at: datetime, *, reason: str, detail: str) -> None:
        self._append({"bot": bot, "at": at.isoformat(), "ignored": reason, "detail": detail})

    def close(self) -> None:
        os.close(self._file)

    def _append(self, line: dict[str, Any]) -> None:
        os.write(self._file, (json.dumps(line, ensure_ascii=False) + "\n").encode())
        if self._is_synced:
            os.fsync(self._file)


def read_log(path: Path) -> list[Received]:
    """What arrived, in the order of the file; what was ignored is left out."""
    # Not splitlines(): a text may hold separators that only Python takes for line ends.
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [_read_line(line) for line in lines if "ignored" not in line]


def _read_line(line: dict[str, Any]) -> Received:
    images = tuple(Image(**image) for image in line["images"])
    return Received(**{**line, "at": datetime.fromisoformat(line["at"]), "images": images})


_OLD_IMAGES, _OLD_URLS, _BETWEEN = "IMAGE_BASE64:", "MEDIA_URL:", "|||"


def write_frame(event: str | None, data: Mapping[str, Any], raw: str = "") -> bytes:
    """Without an event the fields stand at the top level, as the oldest scripts send them."""
    packet = data if event is None else {"event": event, "data": data}
    return (json.dumps(packet, ensure_ascii=False, separators=(",", ":")) + raw + "\n").encode()


def read_frame(line: bytes, dialect: Dialect) -> Frame:
    """`line` is without its newline. JSON reaches to the last `}`; what follows is raw, which the old script lacks."""
    try:
        text = line.decode()
        end = text.rfind("}") + 1
        packet = json.loads(text[:end])
    except (ValueError, RecursionError) as error:
        raise Ignored(Reason.UNREADABLE, f"no JSON: {str(error)[:100]}") from error
    if not isinstance(packet, dict) or not isinstance(packet.get("event"), str):
        raise Ignored(Reason.UNREADABLE, "no event")
    data, raw = packet.get("data"), text[end:]
    if not isinstance(data, dict):
        raise Ignored(Reason.UNREADABLE, "no data")
    if raw and dialect is Dialect.V32:
        raise Ignored(Reason.DIALECT, "raw after the JSON")
    return Frame(packet["event"], data, raw)


def read_content(frame: Frame, dialect: Dialect) -> Content:
    content = _read_positions(frame) if dialect is Dialect.V33 else _read_plain(frame)
    address = "room" if content.kind == "text" else "channel_id"
    if not frame.data.get(address):
        raise Ignored(Reason.NO_ADDRESS, address)
    return content


def _read_positions(frame: Frame) -> Content:
    slices = _slices(frame)
    kind = str(frame.data.get("message_type"))
    if kind != "text":
        return _read_media(kind, slices)
    if frame.data.get("content_encoding") != "base64" or len(slices) != 1:
        raise Ignored(Reason.UNREADABLE, "a text is one base64 part")
    try:
        return Content("text", _decode(slices[0]).decode())
    except UnicodeDecodeError as error:
        raise Ignored(Reason.UNREADABLE, "the text is not UTF-8") from error


def _slices(frame: Frame) -> list[str]:
    positions = frame.data.get("message_positions")
    if positions is None or not frame.raw:
        raise Ignored(Reason.DIALECT, "no raw, or no positions of it")
    if not (isinstance(positions, list) and len(positions) > 1 and all(type(place) is int for place in positions)):
        raise Ignored(Reason.UNREADABLE, f"positions {str(positions)[:100]}")
    is_rising = all(start < end for start, end in pairwise(positions))
    if not is_rising or positions[0] != 0 or positions[-1] != len(frame.raw):
        raise Ignored(Reason.UNREADABLE, f"positions {str(positions)[:100]} of {len(frame.raw)} characters")
    return [frame.raw[start:end] for start, end in pairwise(positions)]


def _read_plain(frame: Frame) -> Content:
    text = frame.data.get("text")
    if not isinstance(text, str) or not text:
        raise Ignored(Reason.DIALECT, "no text in the JSON")
    if text.startswith(_OLD_IMAGES):
        return _read_media("image", text.removeprefix(_OLD_IMAGES).split(_BETWEEN))
    if text.startswith(_OLD_URLS):
        return _read_media("image", text.removeprefix(_OLD_URLS).split(_BETWEEN))
    return Content("text", text)


def _read_media(kind: str, parts: list[str]) -> Content:
    if all(part.startswith(("http://", "https://")) for part in parts):
        return Content(kind, "\n".join(parts))
    return Content(kind, images=tuple(_look_at(_decode(part)) for part in parts))


def _look_at(content: bytes) -> Image:
    return Image(hashlib.sha256(content).hexdigest(), len(content))


def _decode(part: str) -> bytes:
    try:
        content = b64decode(part, validate=True)
    except ValueError as error:
        raise Ignored(Reason.UNREADABLE, f"no base64: {error}") from error
    if not content:
        raise Ignored(Reason.UNREADABLE, "an empty part")
    return content
