"""Sessions of PostgreSQL that outlive a test: no process is started for each of them, and its caches are warm.

When a connection says goodbye, the session is told to forget what it was told, and kept. Whoever connects with the same
first words (database, user, settings) goes on with it, and is greeted as ever: to asyncpg both are as always, because
only what is said on the line is looked at. A session in a transaction or in a statement ends, and so does one of which
anything else is heard. Only those of a database that goes from test to test are kept (tests/support/maker.py).
"""

import asyncio
import select
import socket
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import pytest
from asyncpg.protocol.protocol import Protocol

GOODBYE = struct.pack("!ci", b"X", 4)
READY = struct.pack("!cic", b"Z", 5, b"I")
LET_IN = struct.pack("!cii", b"R", 8, 0)
# All that DISCARD ALL does, which is not for a text of several statements. The last one makes PostgreSQL count at once
# what was written: whoever empties the database looks at these counts (tests/support/maker.sql, which knows this text).
FORGET = (
    "select pg_advisory_unlock_all(); close all; unlisten *; reset session authorization; reset role; reset all;"
    " deallocate all; discard plans; discard temp; discard sequences; select pg_stat_force_next_flush()"
)
_ASKED_TO_FORGET = struct.pack("!ci", b"Q", len(FORGET) + 5) + FORGET.encode() + b"\0"
ANSWER_SECONDS = 10
# of each worker; what is beyond ends, who was kept longest first
MOST = 60
_create = asyncio.SelectorEventLoop.create_unix_connection


def split(said: bytes) -> Iterator[bytes]:
    """The messages that are whole: a letter, the length of the rest, the rest."""
    while len(said) >= 5 and len(said) > (end := int.from_bytes(said[1:5])):
        yield said[: end + 1]
        said = said[end + 1 :]


@dataclass(frozen=True, eq=False)
class Kept:
    """A session without a connection. `greeting` is what PostgreSQL said when it began."""

    socket: socket.socket
    greeting: bytes

    def has_forgotten(self) -> bool:
        """Without an error, and nothing was said since: that it ends, for example."""
        said = b""
        try:
            while not said.endswith(READY):
                if not (more := self.socket.recv(65_536)):
                    return False
                said += more
        except OSError:
            return False
        return not any(one.startswith(b"E") for one in split(said)) and not self._is_heard()

    def end(self) -> None:
        with self.socket:
            try:
                self.socket.send(GOODBYE)
            except OSError:
                return

    def _is_heard(self) -> bool:
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return bool(poll.poll(0))


class Keeper:
    """Tests connect in one thread, and their databases are made in another."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._databases: set[str] = set()
        self._kept: OrderedDict[Kept, bytes] = OrderedDict()

    def begin(self, database: str) -> None:
        self._databases.add(database)

    def is_wanted(self, first_words: bytes) -> bool:
        return name_database(first_words) in self._databases

    def keep(self, first_words: bytes, session: Kept) -> None:
        with self._lock:
            self._kept[session] = first_words
            oldest = self._kept.popitem(last=False)[0] if len(self._kept) > MOST else None
        if oldest:
            oldest.end()

    def take(self, first_words: bytes) -> Kept | None:
        while session := self._find(first_words):
            if session.has_forgotten():
                return session
            session.socket.close()
        return None

    def end(self, database: str) -> None:
        """All that are in it, now and from now on."""
        self._databases.discard(database)
        with self._lock:
            found = [session for session, words in self._kept.items() if name_database(words) == database]
            for session in found:
                del self._kept[session]
        for session in found:
            session.end()

    def _find(self, first_words: bytes) -> Kept | None:
        """Whoever was kept last: few are used by many."""
        with self._lock:
            found = next((one for one in reversed(self._kept) if self._kept[one] == first_words), None)
            if found:
                del self._kept[found]
        return found


def name_database(first_words: bytes) -> str:
    """Behind the length and the version, names and values."""
    said = first_words[8:].split(b"\0")
    return dict(zip(said[::2], said[1::2], strict=False))[b"database"].decode()


KEEPER = Keeper()


class Line(asyncio.Protocol):
    """To asyncpg it is the transport, to the loop the protocol."""

    def __init__(self, protocol: Protocol) -> None:
        self.protocol = protocol
        self._transport: Any = None
        self._first_words = b""
        self._said, self._greeting = b"", b""
        # nothing was said to PostgreSQL since it said this
        self._last_answer = b""
        # says its first words
        protocol.connection_made(self)

    async def connect(self, create: Callable[..., Any], path: str) -> None:
        session = KEEPER.take(self._first_words)
        if session is None:
            await create(lambda: self, path)
            self._transport.write(self._first_words)
            return
        session.socket.setblocking(False)
        await create(lambda: self, sock=session.socket)
        self.data_received(session.greeting)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self._transport.get_extra_info(name, default) if self._transport else default

    def write(self, data: memoryview) -> None:
        if self._transport is None:
            self._first_words += data
        elif data == GOODBYE and self._can_be_kept():
            self._leave()
        else:
            self._last_answer = b""
            self._transport.write(data)

    def writelines(self, data: list[memoryview]) -> None:
        self._last_answer = b""
        self._transport.writelines(data)

    def abort(self) -> None:
        if self._transport:
            self._transport.abort()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._last_answer = data
        if not self._greeting:
            self._learn_greeting(data)
        self.protocol.data_received(data)

    def _learn_greeting(self, data: bytes) -> None:
        """Settings and the key to cancel by; not how a password was proven."""
        self._said += data
        messages = list(split(self._said))
        if messages and messages[-1] == READY:
            self._greeting = b"".join([LET_IN, *(one for one in messages if one[:1] in b"SK"), READY])

    def connection_lost(self, exc: Exception | None) -> None:
        self.protocol.connection_lost(exc)

    def pause_writing(self) -> None:
        self.protocol.pause_writing()

    def resume_writing(self) -> None:
        self.protocol.resume_writing()

    def _can_be_kept(self) -> bool:
        return (
            KEEPER.is_wanted(self._first_words)
            and self._greeting != b""
            and self._last_answer.endswith(READY)
            and not self._transport.is_closing()
            and self._transport.get_write_buffer_size() == 0
        )

    def _leave(self) -> None:
        """PostgreSQL sees nothing of it, because the socket stays open."""
        left = self._transport.get_extra_info("socket").dup()
        self._transport.abort()
        left.settimeout(ANSWER_SECONDS)
        left.send(_ASKED_TO_FORGET)
        KEEPER.keep(self._first_words, Kept(left, self._greeting))


@contextmanager
def keeping(folder: Path) -> Iterator[None]:
    """Sessions of the cluster whose socket is in this folder."""

    async def create(loop: Any, factory: Callable[[], Any], path: str | None = None, **given: Any) -> tuple[Any, Any]:
        if path is None or Path(path).parent != folder:
            return await _create(loop, factory, path, **given)
        protocol = factory()
        if not isinstance(protocol, Protocol):
            # a request to cancel
            return await _create(loop, lambda: protocol, path, **given)
        line = Line(protocol)
        await line.connect(lambda *args, **named: _create(loop, *args, **named), path)
        return line, protocol

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.SelectorEventLoop, "create_unix_connection", create)
        yield
