"""How much of a body is read, and for how long: before a route or the framework sees any of it."""

import asyncio
import re
from dataclasses import dataclass
from datetime import timedelta

from fastapi import HTTPException
from starlette.datastructures import Headers

from pabal.base.clock import elapsed
from pabal.base.errors import PabalError
from pabal.platform.web.doors import require_key
from pabal.platform.web.headers import Message, Receive, Scope
from pabal.platform.web.problems import BodyTooLarge, MediaTypeNotSupported, Unreadable, status_of
from pabal.platform.web.uploads import announces_body, is_upload_open

_FORM = "application/x-www-form-urlencoded"
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


class EncodedBody(MediaTypeNotSupported, code="encoded_body"):
    """Compressed bodies are not taken. Send it as it is, without Content-Encoding."""


class UploadNotTaken(MediaTypeNotSupported, code="upload_not_taken"):
    """This address takes no uploads. Send the fields as JSON or as an ordinary form."""


class BodyNotTaken(Unreadable, code="body_not_taken"):
    """A request of this kind has no body. Send it without one."""


class BodyTooSlow(Unreadable, code="body_too_slow"):
    """The body of the request did not come in time, and was given up. Check the connection and send it again."""

    status = 408


class TooManyFields(BodyTooLarge, code="too_many_fields"):
    """The form has too many fields, or one that is too long. Send it in several steps."""


class JsonTooDeep(BodyTooLarge, code="json_too_deep"):
    """The JSON has too many values, or they are nested too deeply. Send it in several requests."""


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Of everything but uploads, which have `PartLimits`. More than `guest` bytes are read only of somebody known."""

    most: int = 1_000_000
    guest: int = 64 * 1024
    fields: int = 1000
    field: int = 512 * 1024
    depth: int = 64
    # ten thousand that are all wrong are told in 0.2 s, and nothing else runs meanwhile
    values: int = 10_000
    longest_pause: timedelta = timedelta(seconds=10)
    longest: timedelta = timedelta(seconds=30)


class BodyRefused(HTTPException):
    """An error on its way out of `receive`. FastAPI would take any other exception for a body it cannot parse."""

    def __init__(self, error: PabalError) -> None:
        super().__init__(status_of(error))
        self.error = error


def refuse_unread(scope: Scope) -> PabalError | None:
    """What can be refused by its head alone, on any address."""
    headers = Headers(scope=scope)
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        return EncodedBody(headers["content-encoding"][:50])
    if scope["method"] in ("GET", "HEAD") and announces_body(scope):
        return BodyNotTaken(scope["method"])
    return None


def media_type_of(headers: Headers) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_multipart(headers: Headers) -> bool:
    return media_type_of(headers).startswith("multipart/")


class LimitedBody:
    """`receive` of one request: the whole body at once, if it keeps within the limits."""

    def __init__(self, scope: Scope, receive: Receive, limits: BodyLimits) -> None:
        self._scope, self._receive, self._limits = scope, receive, limits
        self._headers = Headers(scope=scope)
        self._media_type = media_type_of(self._headers)
        self._is_over = not announces_body(scope)
        self._is_known = False

    async def receive(self) -> Message:
        if self._is_over or is_upload_open(self._scope):
            return await self._receive()
        try:
            if is_multipart(self._headers):
                raise UploadNotTaken
            return await self._read()
        except PabalError as error:
            raise BodyRefused(error) from error

    async def _read(self) -> Message:
        body = bytearray()
        announced = self._headers.get("content-length", "")
        await self._admit(int(announced) if announced.isdigit() else 0)
        deadline = elapsed() + self._limits.longest.total_seconds()
        while not self._is_over:
            message = await self._next(deadline)
            if message["type"] == "http.disconnect":
                return message
            body += message.get("body", b"")
            await self._admit(len(body))
            self._is_over = not message.get("more_body", False)
        self._check(bytes(body))
        return {"type": "http.request", "body": bytes(body), "more_body": False}

    async def _admit(self, size: int) -> None:
        """Whether so many bytes may be read from this sender."""
        if size > self._limits.most:
            raise BodyTooLarge(f"at most {self._limits.most} bytes")
        if size > self._limits.guest and not self._is_known:
            await require_key(self._scope, self._receive)
            self._is_known = True

    async def _next(self, deadline: float) -> Message:
        pause = min(self._limits.longest_pause.total_seconds(), deadline - elapsed())
        try:
            async with asyncio.timeout(pause):
                return await self._receive()
        except TimeoutError as error:
            raise BodyTooSlow from error

    def _check(self, body: bytes) -> None:
        if self._media_type == _FORM:
            _check_fields(body, self._limits)
        else:
            check_json(body, self._limits)


def _check_fields(body: bytes, limits: BodyLimits) -> None:
    if body.count(b"&") + body.count(b";") >= limits.fields:
        raise TooManyFields(f"at most {limits.fields} fields")
    if max(map(len, body.split(b"&"))) > limits.field:
        raise TooManyFields(f"at most {limits.field} bytes in a field")


def check_json(body: bytes, limits: BodyLimits) -> None:
    """Without parsing it. What is no JSON at all is told so by the route."""
    if body.count(b",") < limits.values and body.count(b"[") + body.count(b"{") <= limits.depth:
        return
    bare = _STRING.sub(b"", body)
    if bare.count(b",") >= limits.values:
        raise JsonTooDeep(f"at most {limits.values} values")
    brackets = bare.translate(None, _NOT_BRACKETS)
    # each round takes the innermost level away
    for _ in range(limits.depth):
        if not brackets:
            return
        brackets = brackets.replace(b"[]", b"").replace(b"{}", b"")
    if brackets:
        raise JsonTooDeep(f"at most {limits.depth} levels")
