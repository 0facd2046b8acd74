"""HTTP on one connection, within limits: how long a request's head may take and how large it may be, how many
connections there may be, and how long one may leave an answer unread. uvicorn itself has none of these."""

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from pabal.base.addresses import group_address
from pabal.base.errors import Invalid, PabalError, Unavailable
from pabal.base.telemetry import declare, emit
from pabal.platform.web.problems import PROBLEM_JSON, Unreadable, make_problem
from pabal.platform.web.turns import TooManyAtOnce

if TYPE_CHECKING:
    from asyncio import TimerHandle


declare(
    "web.connection_refused",
    "Connections closed before there was a whole request, by reason",
    labels=("code",),
    level=logging.DEBUG,
)
# uvicorn warns of every malformed request: whoever sends them could fill the disk with lines nobody acts on.
_LOG = logging.getLogger("uvicorn.error.protocol")
_LOG.setLevel(logging.ERROR)


class HeadTooSlow(Unreadable, code="head_too_slow"):
    """The head of the request did not come in time, and was given up. Send it again."""

    status = 408


class HeadTooLarge(Invalid, code="head_too_large"):
    """The address or the headers of the request are too long, or too many. Shorten them; cookies count too."""

    status = 431


class TooManyConnections(Unavailable, code="too_many_connections"):
    """There are too many connections, from your address or in all. Close some, or try again in a few seconds."""

    retry_after = 5


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """Seconds: `head` for a request's whole head, `idle` between two requests, `unread` for an answer nobody reads,
    `linger` for what still comes in after a refusal.

    `per_address` counts those on which nobody signed in yet, and none that come through a trusted proxy.
    """

    most: int = 1000
    per_address: int = 100
    head: float = 10
    idle: int = 5
    unread: float = 60
    linger: float = 2
    linger_bytes: int = 256 * 1024
    head_bytes: int = 64 * 1024
    headers: int = 100
    pipelined: int = 8


class Sender:
    """Who sends the requests of one connection. Whoever finds out says so here (`turns.take_turn`)."""

    def __init__(self, on_known: Callable[[], None]) -> None:
        self._on_known = on_known
        self.is_known = False
        # it asked too often, and waits to hear so: it has no claim to its connection meanwhile
        self.is_put_off = False

    def note_known(self) -> None:
        self.is_known = True
        self._on_known()

    def leave(self) -> None:
        """A request may outlive its connection; it no longer holds on to it."""
        self._on_known = lambda: None


class OpenConnections:
    """All connections of one web server. When there are too many, the one that has waited longest without a whole
    request makes room: a stranger who only holds connections can never keep others out."""

    def __init__(self, limits: ConnectionLimits, is_proxy: Callable[[str], bool]) -> None:
        self.limits = limits
        self.is_proxy = is_proxy
        self._open: dict[LimitedProtocol, str] = {}
        self._strangers: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, one: "LimitedProtocol", host: str) -> bool:
        address = "" if self.is_proxy(host) else group_address(host)
        if address and self._strangers[address] >= self.limits.per_address:
            return False
        if len(self._open) >= self.limits.most and not self._make_room():
            return False
        self._open[one] = address
        if address:
            self._strangers[address] += 1
        return True

    def note_known(self, one: "LimitedProtocol") -> None:
        """Somebody signed in speaks here; it no longer counts as its address's."""
        self._forget_address(one)

    def remove(self, one: "LimitedProtocol") -> None:
        self._forget_address(one)
        self._open.pop(one, None)

    def _forget_address(self, one: "LimitedProtocol") -> None:
        address = self._open.get(one)
        if address:
            self._open[one] = ""
            self._strangers[address] -= 1
            if not self._strangers[address]:
                del self._strangers[address]

    def _make_room(self) -> bool:
        waiting = [one for one in self._open if one.is_waiting]
        if not waiting:
            return False
        emit("web.connection_refused", code="made_room")
        min(waiting, key=lambda one: one.waiting_since).abort()
        return True


class LimitedConfig(uvicorn.Config):
    """uvicorn hands its protocols nothing but this."""

    open_connections: OpenConnections


class LingeringTransport:
    """A transport that is closed in two steps while the other side still sends: closed at once, the system would tell
    it of a reset connection, and most programs then never read the answer that says why."""

    def __init__(self, real: asyncio.Transport, protocol: "LimitedProtocol") -> None:
        self._real, self._protocol = real, protocol
        self.is_lingering = False

    def close(self) -> None:
        if self._real.is_closing() or self.is_lingering:
            return
        if self._protocol.is_request_whole or not self._real.can_write_eof():
            self._real.close()
            return
        self.is_lingering = True
        self._real.write_eof()
        self._real.resume_reading()
        self._protocol.watch_lingering()

    def is_closing(self) -> bool:
        return self.is_lingering or self._real.is_closing()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


class LimitedProtocol(HttpToolsProtocol):
    config: LimitedConfig

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        self._end = LingeringTransport(transport, self)
        super().connection_made(cast("asyncio.Transport", self._end))
        self.logger = _LOG
        self._table = self.config.open_connections
        self._limits = self._table.limits
        self._sender = Sender(lambda: self._table.note_known(self))
        self._refusal: PabalError | None = None
        self._head_timer: TimerHandle | None = None
        self._unread_timer: TimerHandle | None = None
        self._linger_timer: TimerHandle | None = None
        self._in_head = False
        self._head_size = self._head_lines = self._lingered = 0
        self.waiting_since = self.loop.time()
        if not self._table.admit(self, self.client[0] if self.client else ""):
            self._answer_and_close(TooManyConnections())
        else:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._table.remove(self)
        self._sender.leave()
        for timer in (self._head_timer, self._unread_timer, self._linger_timer):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    @property
    def is_waiting(self) -> bool:
        """For somebody who owes something: a whole request, or reading the answer."""
        if self.cycle is None or self.cycle.response_complete or self.flow.write_paused or self._sender.is_put_off:
            return True
        return self.cycle.more_body and not self._sender.is_known

    @property
    def is_request_whole(self) -> bool:
        return not self._in_head and (self.cycle is None or not self.cycle.more_body)

    def abort(self) -> None:
        self._table.remove(self)
        self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._end.is_lingering:
            self._lingered += len(data)
            if self._lingered > self._limits.linger_bytes:
                self.abort()
        if self.transport.is_closing():
            return
        if self._head_timer is None and (self.cycle is None or self.cycle.response_complete):
            self._expect_head()
        was_in_head = self._in_head
        super().data_received(data)
        if was_in_head and self._in_head and not self.transport.is_closing():
            self._head_size += len(data)
            if self._head_size > self._limits.head_bytes:
                self._answer_and_close(HeadTooLarge(f"at most {self._limits.head_bytes} bytes"))

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head, self._head_size, self._head_lines = True, 0, 0
        self.scope["state"]["sender"] = self._sender

    def on_header(self, name: bytes, value: bytes) -> None:
        """Trailers come here too."""
        self._head_lines += 1
        self._head_size += len(name) + len(value)
        if self._head_lines > self._limits.headers or self._head_size > self._limits.head_bytes:
            self._refuse(HeadTooLarge(f"at most {self._limits.headers} headers, {self._limits.head_bytes} bytes"))
        super().on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._head_size + len(self.url) > self._limits.head_bytes:
            self._refuse(HeadTooLarge(f"at most {self._limits.head_bytes} bytes"))
        if len(self.pipeline) >= self._limits.pipelined:
            self._refuse(TooManyAtOnce(f"at most {self._limits.pipelined} on one connection"))
        self._in_head = False
        self._cancel_head_timer()
        super().on_headers_complete()

    def on_response_complete(self) -> None:
        self._sender.is_known = self._sender.is_put_off = False
        self.waiting_since = self.loop.time()
        super().on_response_complete()
        if self.transport.is_closing():
            self._watch_unread()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._watch_unread()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.waiting_since = self.loop.time()
        self._watch_unread()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._unread_timer is not None and not self.transport.is_closing():
            self._unread_timer.cancel()
            self._unread_timer = None

    def send_400_response(self, msg: str) -> None:
        self._answer_and_close(self._refusal or Unreadable("HTTP"))

    def _refuse(self, error: PabalError) -> None:
        """Leaves the parser, whose caller then asks for the answer that says so."""
        self._refusal = error
        raise error

    def _expect_head(self) -> None:
        self._head_timer = self.loop.call_later(self._limits.head, self._on_head_late)

    def _cancel_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _on_head_late(self) -> None:
        self._head_timer = None
        if self._in_head:
            self._answer_and_close(HeadTooSlow())
        else:
            # browsers connect in advance; one that never asked is owed no answer
            self.transport.close()
            self._watch_unread()

    def watch_lingering(self) -> None:
        self._linger_timer = self.loop.call_later(self._limits.linger, self.abort)

    def _watch_unread(self) -> None:
        if self._unread_timer is None:
            self._unread_timer = self.loop.call_later(self._limits.unread, self.abort)

    def _answer_and_close(self, error: PabalError) -> None:
        """Before there is a request: to a program, in English, since nobody has said otherwise."""
        if self.transport.is_closing():
            return
        emit("web.connection_refused", code=error.code)
        # an answer may be half out: then there is only the end
        if self.cycle is None or self.cycle.response_complete:
            problem = make_problem(error, lang="en", instance="", request_id="")
            body = json.dumps(problem.as_json()).encode()
            retry = f"retry-after: {problem.retry_after}\r\n" if problem.retry_after is not None else ""
            head = f"content-type: {PROBLEM_JSON}\r\ncontent-length: {len(body)}\r\n{retry}connection: close\r\n\r\n"
            self.transport.write(STATUS_LINE[problem.status] + head.encode() + body)
        self.transport.close()
        self._watch_unread()
