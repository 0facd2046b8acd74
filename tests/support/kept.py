"""Connections that outlive a test: PostgreSQL starts no process for each test, and has its caches and plans already.

A pool that closes leaves its connections here, as new as PostgreSQL can make them; the next pool of the same address
and settings takes them. Each test has a loop of its own, so between two tests a connection is a socket and what asyncpg
remembers of it. One that was cancelled, was cut off or cannot be reset is not kept, and what is kept ends with its
database (tests/support/maker.py).
"""

import asyncio
import os
import select
import socket
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

import asyncpg

# A server with its loops has a dozen at once; who comes first is taken first, so most tests use the same few.
MOST_OF_A_KIND = 16
# All of DISCARD ALL but that statements and their plans stay. The last makes PostgreSQL count at once what was written,
# which a process that goes on does only now and then: whoever empties the database looks at these counts.
RESET = (
    "select pg_advisory_unlock_all(); close all; unlisten *; reset session authorization; reset role; reset all;"
    "discard temp; discard sequences; select pg_stat_force_next_flush()"
)
RESET_SECONDS = 5
_HAS_FORCED_FLUSH = 15
_CANNOT = (asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError, OSError)
_OF_THE_POOL = ("min_size", "max_size", "reset")
_create_pool = asyncpg.create_pool


class Line(asyncio.Protocol):
    """Between asyncpg and whichever loop runs: to asyncpg it is the transport, to the loop the protocol."""

    def __init__(self, protocol: Any) -> None:
        self.protocol = protocol
        self.was_full = False
        self._transport: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        is_new, self._transport = self._transport is None, transport
        if is_new:
            self.protocol.connection_made(self)

    def data_received(self, data: bytes) -> None:
        self.protocol.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self.protocol.connection_lost(exc)

    def pause_writing(self) -> None:
        # what asyncpg waits with from here on belongs to this loop
        self.was_full = True
        self.protocol.pause_writing()

    def resume_writing(self) -> None:
        self.protocol.resume_writing()

    def leave(self) -> socket.socket:
        """Leaves the loop. PostgreSQL sees nothing of it, because the socket stays open."""
        kept: socket.socket = self._transport.get_extra_info("socket").dup()
        # nobody is to be told that the other end of this transport is gone
        self._transport.set_protocol(asyncio.Protocol())
        self._transport.abort()
        return kept

    async def enter(self, kept: socket.socket) -> None:
        await asyncio.get_running_loop().create_unix_connection(lambda: self, sock=kept)


class AnyLoop:
    """What asyncpg's protocol remembers as its loop."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio.get_running_loop(), name)

    def create_future(self) -> "asyncio.Future[Any]":
        # asked for once, when the connection is made, and called in every test
        return asyncio.get_running_loop().create_future()

    async def create_unix_connection(self, factory: Callable[[], Any], path: str) -> tuple[Any, Any]:
        _, line = await asyncio.get_running_loop().create_unix_connection(lambda: Line(factory()), path)
        return line, line.protocol


@dataclass(frozen=True)
class Kept:
    """A connection between two tests. `statements` are those it has prepared."""

    socket: socket.socket
    line: Line
    origin: tuple[Any, ...]
    statements: dict[Any, Any]

    @property
    def process(self) -> int:
        number: int = self.line.protocol.get_server_pid()
        return number

    def is_silent(self) -> bool:
        """PostgreSQL has said nothing since: neither that it ends nor anything else."""
        poll = select.poll()
        poll.register(self.socket, select.POLLIN)
        return not poll.poll(0)

    async def open(self) -> "KeptConnection":
        await self.line.enter(self.socket)
        opened = KeptConnection(self.line.protocol, self.line, None, *self.origin)
        self.line.protocol.set_connection(opened)
        for asked, statement in self.statements.items():
            opened._stmt_cache.put(asked, statement)
        return opened


class KeptConnection(asyncpg.Connection):
    """Closing keeps it, if it can be kept."""

    __slots__ = ("_origin", "_was_cancelled", "keep")

    def __init__(self, protocol: Any, transport: Any, _: Any, *origin: Any) -> None:
        super().__init__(protocol, transport, asyncio.get_running_loop(), *origin)
        self._origin, self._was_cancelled = origin, False
        self.keep: Callable[[Kept], None] | None = None

    async def close(self, *, timeout: float | None = None) -> None:
        if self._can_be_kept():
            try:
                await self.execute(RESET, timeout=RESET_SECONDS)
                self._leave()
            except asyncio.CancelledError:
                self.terminate()
                raise
            except _CANNOT:
                pass
        # of one that has left, only this object ends
        await super().close(timeout=timeout)

    def _can_be_kept(self) -> bool:
        return (
            self.keep is not None
            and not self.is_closed()
            and not self._protocol.is_in_transaction()
            # a request to cancel may come late, and then reach another's statement
            and not self._was_cancelled
            and not self._transport.was_full
        )

    def _cancel_current_command(self, *given: Any) -> None:
        self._was_cancelled = True
        super()._cancel_current_command(*given)

    def _leave(self) -> None:
        assert self.keep is not None
        entries, self._stmt_cache._entries = self._stmt_cache._entries, OrderedDict()
        for entry in entries.values():
            self._stmt_cache._clear_entry_callback(entry)
        statements = {asked: entry._statement for asked, entry in entries.items()}
        left = self._transport.leave()
        self._aborted = True
        self.keep(Kept(left, self._transport, self._origin, statements))


class Keeper:
    """What is kept, by database and by everything a pool says when it connects."""

    def __init__(self) -> None:
        self._kept: dict[str, dict[str, list[Kept]]] = defaultdict(lambda: defaultdict(list))

    def processes(self, database: str) -> list[int]:
        """Of PostgreSQL, which serve connections that nobody uses."""
        return [one.process for kind in list(self._kept[database].values()) for one in list(kind)]

    def end(self, database: str) -> None:
        for kind in self._kept.pop(database, {}).values():
            for one in kind:
                one.socket.close()

    def create_pool(self, url: str, **given: Any) -> Any:
        """As asyncpg's own. Databases of others, and pools that want connections of another class, are not for us."""
        name, wanted = name_of(url), given.get("connection_class")
        if wanted is not asyncpg.Connection or not name.startswith(own_prefix()) or not _is_by_file(url):
            return _create_pool(url, **given)
        kind, init = self._kept[name][f"{url} {_describe(given)}"], given.pop("init")

        async def connect(*args: Any, **named: Any) -> asyncpg.Connection:
            return await _take(kind) or await _connect(kind, init, *args, **named)

        return _create_pool(url, connect=connect, **given)


def _describe(given: dict[str, Any]) -> str:
    """All but what is the pool's own."""
    return repr([(name, given[name]) for name in sorted(given) if name not in _OF_THE_POOL])


def _is_by_file(url: str) -> bool:
    return not urlsplit(url).hostname


async def _take(kind: list[Kept]) -> KeptConnection | None:
    while kind:
        kept = kind.pop()
        if not kept.is_silent():
            kept.socket.close()
            continue
        try:
            opened = await kept.open()
        except BaseException:
            kept.socket.close()
            raise
        opened.keep = partial(_keep, kind)
        return opened
    return None


async def _connect(kind: list[Kept], init: Any, *args: Any, **named: Any) -> KeptConnection:
    named |= {"loop": AnyLoop(), "connection_class": KeptConnection}
    made: KeptConnection = await asyncpg.connect(*args, **named)
    if made.get_server_version().major >= _HAS_FORCED_FLUSH:
        made.keep = partial(_keep, kind)
    try:
        await init(made)
    except BaseException:
        made.terminate()
        raise
    return made


def _keep(kind: list[Kept], kept: Kept) -> None:
    if len(kind) < MOST_OF_A_KIND:
        kind.append(kept)
    else:
        kept.socket.close()


def name_of(url: str) -> str:
    return urlsplit(url).path[1:]


def own_prefix() -> str:
    """How the names of databases begin that this process makes."""
    return f"test_{os.getpid()}_"


KEEPER = Keeper()
