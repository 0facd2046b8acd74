"""Frames as the phone's script reads and writes them: stricter than the script where a server's mistake would show."""

import asyncio
import hashlib
import json
from base64 import b64decode
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

from pabal.apps.messaging.simulator.options import Server, Trouble

_OLD_IMAGES, _OLD_URLS, _BETWEEN = "IMAGE_BASE64:", "MEDIA_URL:", "|||"


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


CONNECT_TIMEOUT = 5.0
# Small, so that a phone that does not read soon makes the server wait.
_CHUNK = 64 * 1024


class Left(Exception):
    """We hung up: what has arrived since is not looked at."""


class Line:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, server: str) -> None:
        self._reader, self._writer = reader, writer
        self.server = server
        self.is_welcome = False
        self.parts = 0
        self._has_left = False
        self._buffer = bytearray()
        self._searched = 0

    @classmethod
    async def open(cls, server: Server) -> "Line":
        """Raises OSError when nobody answers."""
        async with asyncio.timeout(CONNECT_TIMEOUT):
            reader, writer = await asyncio.open_connection(*server, limit=_CHUNK)
        return cls(reader, writer, f"{server[0]}:{server[1]}")

    def write(self, content: bytes) -> None:
        self._writer.write(content)

    async def drain(self) -> None:
        await self._writer.drain()

    def hang_up(self) -> None:
        self._has_left = True
        self._writer.transport.abort()

    async def close(self) -> None:
        self.hang_up()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def next_frame(self, trouble: Trouble, may_read: asyncio.Event) -> bytes | None:
        """A whole line without its newline; None when the server has closed. Raises Left, or Ignored for half a one."""
        self._stay()
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            self._cut(trouble)
            if not await self._read(may_read):
                self._see_no_half()
                return None
        frame = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        self._searched = 0
        return frame

    async def _read(self, may_read: asyncio.Event) -> bool:
        await may_read.wait()
        try:
            chunk = await self._reader.read(_CHUNK)
        except OSError:  # a server that was killed ends the line as one that closes it
            chunk = b""
        await may_read.wait()
        self._stay()
        self._buffer += chunk
        return bool(chunk)

    def _see_no_half(self) -> None:
        if self._buffer:
            raise Ignored(Reason.CUT, f"{len(self._buffer)} bytes of a frame")

    def _cut(self, trouble: Trouble) -> None:
        waiting = len(self._buffer)
        if trouble.cut_after_bytes is not None and waiting > trouble.cut_after_bytes:
            trouble.cut_after_bytes = None
            raise Ignored(Reason.CUT, f"on purpose, after {waiting} bytes")

    def _stay(self) -> None:
        if self._has_left:
            raise Left
