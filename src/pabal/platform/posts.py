"""POSTs to few hosts, often: kept connections, and nothing around them that a short answer does not need.

What can have been seen and what cannot is told apart: `ConnectError` is raised before any byte of the request went out.
"""

import asyncio
import re
import ssl
from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple, cast

import httptools
import httpx2

from pabal.base.clock import elapsed
from pabal.platform import outside
from pabal.platform.outside import PublicOnly

# a connection that was idle for longer is not used again: the other side may be about to close it
KEPT_SECONDS = 5.0
LARGEST_HEAD = 64 * 1024
# what needs no quoting; anything else is written as a browser would write it
_PLAIN = re.compile(r"(https?)://([a-z0-9.-]+)(?::(\d{1,5}))?(/[\w!$%&'()*+,;=:@/?~.-]*)", re.ASCII)
_PORTS = {"http": 80, "https": 443}


class ConnectError(OSError):
    """Nobody was reached: no byte of the request went out."""


class BrokenAnswer(Exception):
    """It was sent, and no whole answer came."""


class Answer(NamedTuple):
    """`content` is cut where it is longer than anybody wants to read."""

    status: int
    content: bytes


class Origin(NamedTuple):
    scheme: str
    host: str
    port: int

    @property
    def name(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def split(url: str) -> tuple[Origin, str]:
    """Whom it names, and what is asked of them."""
    plain = _PLAIN.fullmatch(url)
    if plain is not None and "/." not in plain[4]:
        return Origin(plain[1], plain[2], int(plain[3] or _PORTS[plain[1]])), plain[4]
    parts = outside.split_url(url)
    scheme, host = parts.scheme.decode(), parts.host.decode()
    if scheme not in _PORTS or not host:
        raise ConnectError(f"no address that can be called: {scheme}")
    return Origin(scheme, host, parts.port or _PORTS[scheme]), parts.target.decode()


class Posts:
    """Kept connections of a process; as many as are in use at once, which whoever calls limits. No redirects.

    `door` looks at addresses before they are connected to. Of an answer, `largest` bytes are read.
    """

    def __init__(self, door: PublicOnly | None, *, largest: int) -> None:
        self._door, self._largest = door, largest
        self._free: dict[Origin, list[_Line]] = defaultdict(list)
        self._tls: ssl.SSLContext | None = None

    async def post(self, url: str, headers: Mapping[str, str], content: bytes, *, seconds: float) -> Answer:
        """Raises ConnectError, BrokenAnswer or TimeoutError."""
        origin, target = split(url)
        head = _write_head(origin, target, headers, len(content))
        deadline = asyncio.get_running_loop().time() + seconds
        line = self._take(origin) or await self._connect(origin, deadline)
        try:
            async with asyncio.timeout_at(deadline):
                answer = await line.ask(head + content)
        except BaseException:
            line.close()
            raise
        self._put_back(origin, line)
        return answer

    def close(self) -> None:
        for lines in self._free.values():
            for line in lines:
                line.close()
        self._free.clear()

    def _take(self, origin: Origin) -> "_Line | None":
        free = self._free[origin]
        while free:
            line = free.pop()
            if line.is_open and line.idle_since > elapsed() - KEPT_SECONDS:
                return line
            line.close()
        return None

    def _put_back(self, origin: Origin, line: "_Line") -> None:
        if not line.is_open:
            return
        free = self._free[origin]
        # the oldest stand in front, and are never taken while there are others
        while free and free[0].idle_since <= elapsed() - KEPT_SECONDS:
            free.pop(0).close()
        line.idle_since = elapsed()
        free.append(line)

    async def _connect(self, origin: Origin, deadline: float) -> "_Line":
        try:
            async with asyncio.timeout_at(deadline):
                host = origin.host
                if self._door is not None:
                    host = await self._door.find_address(host, origin.port)
                tls = self._find_tls() if origin.scheme == "https" else None
                name = None if tls is None else origin.host
                _, line = await asyncio.get_running_loop().create_connection(
                    lambda: _Line(self._largest), host, origin.port, ssl=tls, server_hostname=name
                )
        except OSError as error:
            raise ConnectError(str(error)) from error
        return line

    def _find_tls(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = httpx2.create_ssl_context()
            self._tls.set_alpn_protocols(["http/1.1"])
        return self._tls


def _write_head(origin: Origin, target: str, headers: Mapping[str, str], length: int) -> bytes:
    given = [
        f"POST {target} HTTP/1.1",
        f"Host: {origin.name}",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    if any("\r" in one or "\n" in one for one in given):
        raise ValueError("a header must be one line")
    return "\r\n".join([*given, f"Content-Length: {length}", "", ""]).encode("ascii")


class _Line(asyncio.Protocol):
    """One connection: a question, its answer, the next. Whatever else comes ends it."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._transport: asyncio.Transport | None = None
        self._parser: httptools.HttpResponseParser | None = httptools.HttpResponseParser(self)
        self._answer: asyncio.Future[Answer] | None = None
        self._begin()
        self.idle_since = elapsed()

    def _begin(self) -> None:
        self._seen = 0
        self._content = bytearray()
        self._has_length = self._has_head = False

    @property
    def is_open(self) -> bool:
        return self._transport is not None and not self._transport.is_closing()

    async def ask(self, data: bytes) -> Answer:
        if self._transport is None:
            raise BrokenAnswer("it is closed")
        self._begin()
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(data)
        try:
            return await self._answer
        finally:
            self._answer = None

    def close(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    # what the transport says

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        if self._parser is None or self._answer is None or self._answer.done():
            # nobody asked
            self.close()
            return
        self._seen += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._break(type(error).__name__)
        if not self._has_head and self._seen > LARGEST_HEAD:
            self._break("its head does not end")

    def eof_received(self) -> None:
        # an answer that does not say how long it is ends with its connection
        if self._has_head and not self._has_length:
            self._end()
        self._break("it ended too early")

    def connection_lost(self, error: Exception | None) -> None:
        self._break("it was cut off" if error is None else type(error).__name__)
        # it knows this line, which knew it
        self._transport = self._parser = None

    # what the parser says

    def on_message_begin(self) -> None:
        if self._answer is None or self._answer.done():
            self.close()

    def on_header(self, name: bytes, value: bytes) -> None:
        self._has_length = self._has_length or name.lower() in (b"content-length", b"transfer-encoding")

    def on_headers_complete(self) -> None:
        self._has_head = True

    def on_body(self, content: bytes) -> None:
        self._content += content
        if len(self._content) > self._largest:
            self._end()
            self.close()

    def on_message_complete(self) -> None:
        parser = self._parser
        if parser is not None and parser.get_status_code() < 200:
            # more will come
            self._begin()
            return
        self._end()
        if parser is None or not parser.should_keep_alive():
            self.close()

    def _end(self) -> None:
        if self._answer is not None and not self._answer.done() and self._parser is not None:
            content = bytes(self._content[: self._largest])
            self._answer.set_result(Answer(self._parser.get_status_code(), content))

    def _break(self, why: str) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(BrokenAnswer(why))
        self.close()
