"""Reads a multipart body part by part as it comes: no part is ever whole in memory or in a temporary file of ours."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import Query
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.requests import ClientDisconnect, Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pabal.base.clock import elapsed
from pabal.platform.web.problems import BodyTooLarge, MediaTypeNotSupported, Unreadable

MOST_HEADERS = 16
# An upload has no JSON body that could say whose it becomes.
UploadOrg = Annotated[
    int | None,
    Query(ge=1, lt=2**63, description="The organisation unit it becomes part of; your own if left out.", examples=[3]),
]
_OPEN = "upload_open"

# It warns of every malformed body; we answer those, and nobody needs to act on them.
logging.getLogger("python_multipart").setLevel(logging.ERROR)


class NotMultipart(MediaTypeNotSupported, code="not_multipart"):
    """This is not an upload. Send it as multipart/form-data."""


class BrokenUpload(Unreadable, code="broken_upload"):
    """What was uploaded cannot be read: its boundary is wrong, or it ended too early. Upload it again."""


class UploadCut(Unreadable, code="upload_cut"):
    """The connection ended before the upload did. Nothing of it was kept; upload it again."""


class UploadStalled(Unreadable, code="upload_stalled"):
    """The upload stood still for too long and was given up. Check the connection and upload it again."""


class UploadBodyTooLarge(BodyTooLarge, code="upload_body_too_large"):
    """More was uploaded at once than is accepted here. Upload it in several steps."""


class TooManyParts(BodyTooLarge, code="too_many_parts"):
    """There are too many files or fields in one upload. Send them in several steps."""


class FieldTooLong(BodyTooLarge, code="field_too_long"):
    """A field of the form is too long. Shorten it and send it again."""


@dataclass(frozen=True, slots=True)
class PartLimits:
    """`max_body` counts everything, boundaries too. `max_header` is one header line of a part."""

    max_body: int
    max_parts: int = 50
    max_field: int = 64 * 1024
    max_header: int = 4 * 1024
    longest_pause: timedelta = timedelta(seconds=60)
    longest: timedelta = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class FormField:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class FilePart:
    """`filename` and `media_type` are the sender's words. Read `chunks` before asking for the next part."""

    name: str
    filename: str
    media_type: str
    chunks: AsyncIterator[bytes]


async def read_parts(request: Request, limits: PartLimits) -> AsyncIterator[FormField | FilePart]:
    """In the order they were sent. What is left unread of a part is skipped when the next one is asked for.

    A file input left empty is no part. A file refused by its reader does not end the upload: catch it and go on.
    """
    request.scope.setdefault("state", {})[_OPEN] = True
    reader = _Reader(request, limits)
    while (head := await reader.next_head()) is not None:
        if head.filename is None:
            yield FormField(head.name, await reader.read_field())
        elif head.filename:
            yield FilePart(head.name, head.filename, head.media_type, reader.read_data())
        await reader.skip()


def is_upload_open(scope: Scope) -> bool:
    """Whether somebody reads this body in parts, within limits of their own."""
    return _OPEN in scope.get("state", {})


class CloseUnread:
    """Around the whole site: an answer given before the body was read ends the connection. Otherwise the server would
    go on reading all of a refused upload, however large, to use the connection again."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not announces_body(scope):
            await self._app(scope, receive, send)
            return
        is_read = False

        async def noting() -> Message:
            nonlocal is_read
            message = await receive()
            is_read = is_read or not message.get("more_body", False)
            return message

        async def closing(message: Message) -> None:
            if message["type"] == "http.response.start" and not is_read:
                message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
            await send(message)

        await self._app(scope, noting, closing)


@dataclass
class _Head:
    """What the headers of a part say."""

    disposition: bytes = b""
    media_type: str = ""
    name: str = ""
    filename: str | None = None


_END = object()


class _Reader:
    """Feeds the parser with what comes, and hands out what it found: a head, then data, then the end of each part."""

    def __init__(self, request: Request, limits: PartLimits) -> None:
        self._limits = limits
        self._found: deque[_Head | bytes | object] = deque()
        self._parser = _make_parser(_boundary(request), self, limits)
        _check_announced(request, limits)
        self._stream = request.stream()
        self._deadline = elapsed() + limits.longest.total_seconds()
        self._size = self._parts = 0
        self._head = _Head()
        self._header_name = self._header_value = b""
        self._is_complete = self._in_part = False

    async def next_head(self) -> _Head | None:
        while not self._found:
            if self._is_complete:
                await self._drain()
                return None
            await self._feed()
        head = self._found.popleft()
        self._in_part = True
        return head if isinstance(head, _Head) else None

    async def read_data(self) -> AsyncIterator[bytes]:
        while self._in_part:
            if not self._found:
                await self._feed()
                continue
            found = self._found.popleft()
            if isinstance(found, bytes):
                yield found
            else:
                self._in_part = False

    async def read_field(self) -> str:
        value = bytearray()
        async for data in self.read_data():
            value += data
            if len(value) > self._limits.max_field:
                raise FieldTooLong(f"at most {self._limits.max_field} bytes")
        return value.decode(errors="replace")

    async def skip(self) -> None:
        async for _ in self.read_data():
            pass

    async def _feed(self) -> None:
        chunk = await self._receive()
        if chunk is None:
            raise BrokenUpload("it ended before its last boundary")
        try:
            self._parser.write(chunk)
        except FormParserError as error:
            raise BrokenUpload(str(error)) from error

    async def _drain(self) -> None:
        """What follows the last boundary says nothing, but the connection can be used again."""
        while await self._receive() is not None:
            pass

    async def _receive(self) -> bytes | None:
        pause = min(self._limits.longest_pause.total_seconds(), self._deadline - elapsed())
        try:
            async with asyncio.timeout(pause):
                chunk = await anext(self._stream, None)
        except TimeoutError as error:
            raise UploadStalled(f"after {self._size} bytes") from error
        except ClientDisconnect as error:
            raise UploadCut(f"after {self._size} bytes") from error
        self._size += len(chunk or b"")
        if self._size > self._limits.max_body:
            raise UploadBodyTooLarge(f"at most {self._limits.max_body} bytes")
        return chunk

    def on_part_begin(self) -> None:
        self._parts += 1
        if self._parts > self._limits.max_parts:
            raise TooManyParts(f"at most {self._limits.max_parts}")
        self._head = _Head()

    def on_header_field(self, data: bytes, start: int, end: int) -> None:
        self._header_name += data[start:end]

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        self._header_value += data[start:end]

    def on_header_end(self) -> None:
        name = self._header_name.lower()
        if name == b"content-disposition":
            self._head.disposition = self._header_value
        elif name == b"content-type":
            self._head.media_type = self._header_value.decode("latin-1")
        self._header_name = self._header_value = b""

    def on_headers_finished(self) -> None:
        _, said = parse_options_header(self._head.disposition)
        if b"name" not in said:
            raise BrokenUpload("a part without a name")
        self._head.name = said[b"name"].decode(errors="replace")
        if b"filename" in said:
            self._head.filename = said[b"filename"].decode(errors="replace")
        self._found.append(self._head)

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        self._found.append(data[start:end])

    def on_part_end(self) -> None:
        self._found.append(_END)

    def on_end(self) -> None:
        self._is_complete = True


def _make_parser(boundary: bytes, reader: _Reader, limits: PartLimits) -> MultipartParser:
    try:
        return MultipartParser(
            boundary,
            {
                "on_part_begin": reader.on_part_begin,
                "on_header_field": reader.on_header_field,
                "on_header_value": reader.on_header_value,
                "on_header_end": reader.on_header_end,
                "on_headers_finished": reader.on_headers_finished,
                "on_part_data": reader.on_part_data,
                "on_part_end": reader.on_part_end,
                "on_end": reader.on_end,
            },
            max_header_size=limits.max_header,
            max_header_count=MOST_HEADERS,
        )
    except FormParserError as error:
        raise BrokenUpload(str(error)) from error


def _boundary(request: Request) -> bytes:
    kind, said = parse_options_header(request.headers.get("Content-Type", ""))
    if kind != b"multipart/form-data":
        raise NotMultipart(kind.decode("latin-1"))
    if not said.get(b"boundary"):
        raise BrokenUpload("no boundary in Content-Type")
    return said[b"boundary"]


def _check_announced(request: Request, limits: PartLimits) -> None:
    """A body that says it is too large is refused before any of it is read."""
    announced = request.headers.get("Content-Length", "")
    if announced.isdigit() and int(announced) > limits.max_body:
        raise UploadBodyTooLarge(f"{announced} bytes; at most {limits.max_body}")


def announces_body(scope: Scope) -> bool:
    headers = dict(scope["headers"])
    return b"transfer-encoding" in headers or headers.get(b"content-length", b"0") != b"0"
