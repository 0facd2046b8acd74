"""Database opens transactions; Tx is one open transaction and its moment. This room and `pools` know asyncpg."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from datetime import datetime
from typing import Any, TypeVar

import asyncpg
from asyncpg.pool import PoolConnectionProxy
from asyncpg.transaction import Transaction

from pabal.base.errors import Invalid, Unavailable
from pabal.base.pools import ASIDE, PROFILES, SESSION, Profile, Purpose, make_pool, teach_json
from pabal.base.sql import Statement, load
from pabal.base.telemetry import declare, emit

SQL = load(__file__)
T = TypeVar("T")
Row = asyncpg.Record
Connection = asyncpg.Connection
DatabaseError = asyncpg.PostgresError
# a promise the schema keeps: unique, foreign key, check, not null
ConstraintBroken = asyncpg.IntegrityConstraintViolationError
ConnectionFailure = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.IdleInTransactionSessionTimeoutError,
)
# Without OSError, which a handler may raise for reasons of its own.
_CONNECTION_ERRORS = tuple(one for one in ConnectionFailure if one is not OSError)
Hints = dict[str, datetime | None]
Hint = Callable[[Row], Hints]


declare("database.follow_failed", "Commits whose wake-ups or promotions failed; sweeps mend it", level=30)
declare("database.pool_busy", "Requests that got no database connection in time", level=30)


class DatabaseUnavailable(Unavailable, code="database_unavailable"):
    """The database does not answer. Check that it runs and its address is right; Pabal goes on when it is back."""


class PoolerNotAllowed(Invalid, code="pooler_not_allowed"):
    """This address leads through a connection pooler, and Pabal needs direct connections to PostgreSQL: locks, LISTEN,
    prepared statements and the rescue of a dead server's work belong to one connection. Set PABAL_DATABASE_URL to
    PostgreSQL's own address; the console's reads may go through a pooler, at PABAL_PAGES_URL."""


class PoolBusy(DatabaseUnavailable, code="pool_busy"):
    """Every database connection for this is in use, and none became free in time. Try again in a few seconds."""

    retry_after = 5


class StatementTooSlow(Unavailable, code="statement_too_slow"):
    """The database took too long over this, so it was stopped. Narrow it with a filter or a shorter period, or try
    again later."""

    retry_after = 10


class LockTooSlow(Unavailable, code="lock_too_slow"):
    """Something else holds what this needs, and did not let go in time. Nothing was changed; try again in a moment."""

    retry_after = 5


# What a pooler answers to the first words of a direct connection: a refused startup parameter (PgBouncer's default), or
# a prepared statement that it looked for on another of its connections.
_POOLER_ERRORS = (
    asyncpg.ProtocolViolationError,
    asyncpg.InvalidSQLStatementNameError,
    asyncpg.DuplicatePreparedStatementError,
)

ASIDE_SECONDS = 10.0


class Tx:
    """One open transaction. `now` is the database's moment for all of it."""

    def __init__(self, connection: "Connection | PoolConnectionProxy[Row]", opened: list[Row]) -> None:
        self._connection = connection
        self._after_commit: list[Callable[[Database], Awaitable[None]]] = []
        # who is woken after the commit; who takes itself what it hinted at takes the hint away
        self.hints: Hints = {}
        self._was_lost: bool | None = None
        self.reopen(opened)
        self.now: datetime = opened[0][0]

    def reopen(self, rows: list[Row]) -> None:
        """What its first statement answered: a row of it, or all of them."""
        self.opened, self.all_opened = rows[0], rows

    async def all(self, row_type: type[T], statement: Statement, **given: Any) -> list[T]:
        records = await self._connection.fetch(statement.text, *statement.arguments(given))
        return [row_type(**record) for record in records]

    async def one(self, row_type: type[T], statement: Statement, **given: Any) -> T | None:
        record = await self._connection.fetchrow(statement.text, *statement.arguments(given))
        return None if record is None else row_type(**record)

    async def rows(self, statement: Statement, **given: Any) -> list[Row]:
        """Rows as they come, for paths too hot to build objects, or with too few columns to name a type."""
        return await self._connection.fetch(statement.text, *statement.arguments(given))

    async def value(self, statement: Statement, **given: Any) -> Any:
        return await self._connection.fetchval(statement.text, *statement.arguments(given))

    async def run(self, statement: Statement, **given: Any) -> int:
        """How many rows it touched."""
        status = await self._connection.execute(statement.text, *statement.arguments(given))
        count = status.rpartition(" ")[2]
        return int(count) if count.isdigit() else 0

    async def script(self, text: str) -> None:
        """Several statements without parameters: migrations."""
        await self._connection.execute(text)

    async def copy(self, table: str, columns: Sequence[str], records: Iterable[Sequence[Any]]) -> None:
        schema, _, name = table.rpartition(".")
        await self._connection.copy_records_to_table(
            name, schema_name=schema or None, columns=list(columns), records=records
        )

    @asynccontextmanager
    async def savepoint(self) -> AsyncIterator[None]:
        async with self._connection.transaction():
            yield

    @property
    def is_lost(self) -> bool:
        """The connection is gone, and with it everything this transaction wrote. Can be asked afterwards too."""
        return _is_gone(self._connection) if self._was_lost is None else self._was_lost

    def is_lost_by(self, error: BaseException) -> bool:
        """Whether what was raised comes of that: the driver may be out of step before it knows that it is cut off."""
        return self.is_lost or isinstance(error, _CONNECTION_ERRORS)

    def hint(self, topic: str, at: datetime | None = None) -> None:
        """Wakes whoever waits for this topic, after the commit. `at` is the earliest moment it stands for."""
        known = self.hints.get(topic, at)
        self.hints[topic] = None if known is None or at is None else min(known, at)

    def after_commit(self, callback: "Callable[[Database], Awaitable[None]]") -> None:
        """Runs after the commit, never after a rollback. A crash in between skips it, so a sweep must mend it."""
        self._after_commit.append(callback)


class Database:
    def __init__(
        self,
        url: str,
        pool: asyncpg.Pool,
        purpose: Purpose,
        *,
        wait: float | None = None,
        local: Mapping[str, str] | None = None,
    ) -> None:
        """`wait` is how long a connection is waited for. `local` are settings made in each transaction, for it alone,
        instead of when connecting.
        """
        self.url = url
        self.announce: Callable[[Hints], Awaitable[None]] | None = None
        self._pool, self._purpose = pool, purpose
        self._wait, self._local = wait, local

    @classmethod
    async def open(
        cls,
        url: str,
        *,
        purpose: Purpose = Purpose.ENGINE,
        size: int = 10,
        least: int = 0,
        profile: Profile | None = None,
        is_pooled: bool = False,
    ) -> "Database":
        """At most `size` connections; `least` of them stay open however quiet it is.

        `is_pooled` is for an address that may be a pooler's: nothing is left in a session, every transaction brings its
        settings along, and `connect` is not for it. Any other address must be PostgreSQL's own.
        """
        profile = profile or PROFILES[purpose]
        settings = {**SESSION, **profile.session}
        with _NamedFailure(is_direct=not is_pooled):
            pool = await make_pool(url, size, least, None if is_pooled else settings)
            # The pool connects when it is used; whoever opens a database wants to know now.
            is_direct = await _reaches_postgres(pool)
        if not is_direct and not is_pooled:
            pool.terminate()
            raise PoolerNotAllowed("another process than the one named at the start serves the connection")
        return cls(url, pool, purpose, wait=profile.wait, local=settings if is_pooled else None)

    async def open_beside(self, purpose: Purpose, *, size: int, least: int = 0) -> "Database":
        """Another pool to the same address, which has shown that it is right: nothing is tried before it is needed."""
        profile = PROFILES[purpose]
        with _NamedFailure(is_direct=True):
            pool = await make_pool(self.url, size, least, {**SESSION, **profile.session})
        return Database(self.url, pool, purpose, wait=profile.wait)

    @property
    def sizes(self) -> tuple[int, int]:
        """The least and the most connections."""
        return self._pool.get_min_size(), self._pool.get_max_size()

    async def close(self) -> None:
        await self._pool.close()

    def terminate(self) -> None:
        """Drops every connection at once; open transactions roll back."""
        self._pool.terminate()

    def transaction(self, opening: Statement = SQL.read_now, **given: Any) -> AbstractAsyncContextManager[Tx]:
        """`opening` is the transaction's first statement; it answers the moment first, then what `tx.opened` keeps.

        Hot paths open with their first lock, which saves a round trip.
        """
        return _Transaction(self, opening, given)

    async def _begin(
        self, connection: "PoolConnectionProxy[Row]", opening: Statement, given: dict[str, Any]
    ) -> list[Row]:
        """Settings for this transaction alone come with the moment, so that they cost no round trip."""
        rows: list[Row] = []
        if self._local is not None:
            rows = await connection.fetch(SQL.read_now_with.text, list(self._local), list(self._local.values()))
        if not rows or opening is not SQL.read_now:
            rows = await connection.fetch(opening.text, *opening.arguments(given))
        return rows

    async def rows(self, statement: Statement, hint: Hint | None = None, **given: Any) -> list[Row]:
        """One statement that is a transaction of its own: the fewest round trips there are. Of one that changes
        something, `hint` says for each row it answers whom that wakes; through a pooler nothing is changed."""
        if self._local is not None:
            async with self.transaction() as tx:
                return await tx.rows(statement, **given)
        connection = await self._acquire()
        try:
            with _NamedSlowness(is_limited=self._wait is not None):
                rows = await connection.fetch(statement.text, *statement.arguments(given))
            if rows and hint is not None and self.announce is not None:
                await self.announce({topic: at for row in rows for topic, at in hint(row).items()})
            return rows
        finally:
            await self._pool.release(connection, timeout=self._wait)

    async def ping(self) -> None:
        """Raises unless a connection is to be had, and answers."""
        await self.rows(SQL.read_now)

    async def _acquire(self) -> "PoolConnectionProxy[Row]":
        try:
            with _NamedFailure():
                if self._wait is None:
                    return await self._pool.acquire()
                # the pool's own time limit would make a task of each
                async with asyncio.timeout(self._wait):
                    return await self._pool.acquire()
        except DatabaseUnavailable as error:
            # a pool that is not full waited for the server to let it in, not for its own users
            if not isinstance(error.__cause__, TimeoutError) or self._pool.get_size() < self._pool.get_max_size():
                raise
            emit("database.pool_busy", purpose=self._purpose)
            raise PoolBusy(self._purpose) from error.__cause__

    async def _tell(self, tx: Tx) -> None:
        if tx.hints and self.announce is not None:
            await self.announce(tx.hints)

    async def _follow(self, tx: Tx) -> None:
        """The commit stands whatever happens here: a caller must not take a lost hint for a lost transaction."""
        try:
            for callback in tx._after_commit:
                await callback(self)
        except (DatabaseUnavailable, DatabaseError, *ConnectionFailure) as error:
            emit("database.follow_failed", error=repr(error))

    async def connect(self, *, timeout: float | None = ASIDE_SECONDS) -> Connection:
        """A connection of one's own, outside the pool: for LISTEN, NOTIFY and the heartbeat, which must not hang.

        `timeout` None is for migrations: an index on a large table takes what it takes.
        """
        with _NamedFailure():
            connection: Connection = await asyncpg.connect(self.url, server_settings=ASIDE, command_timeout=timeout)
        await teach_json(connection)
        return connection


class _Transaction:
    """Written out: as a generator it took a tenth more of every transaction."""

    __slots__ = ("_block", "_connection", "_database", "_given", "_opening", "_tx")

    def __init__(self, database: Database, opening: Statement, given: dict[str, Any]) -> None:
        self._database, self._opening, self._given = database, opening, given
        self._block: Transaction | None = None
        self._tx: Tx | None = None

    async def __aenter__(self) -> Tx:
        connection = self._connection = await self._database._acquire()
        block = connection.transaction()
        try:
            await block.start()
            self._block = block
            self._tx = Tx(connection, await self._database._begin(connection, self._opening, self._given))
        except BaseException as error:
            await self._end(error)
            raise
        return self._tx

    async def __aexit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        try:
            await self._end(error)
        except BaseException as raised:
            # the error itself goes on as it came; Python wants to hear of others only
            if raised is not error:
                raise
        if error is None and self._tx is not None:
            await self._database._follow(self._tx)

    async def _end(self, error: BaseException | None) -> None:
        database, tx = self._database, self._tx
        try:
            with _NamedSlowness(is_limited=database._wait is not None):
                if self._block is not None:
                    await (self._block.commit() if error is None else self._block.rollback())
                if error is not None:
                    raise error
            # Before the connection goes back, which takes a while: others wait for this.
            if tx is not None:
                await database._tell(tx)
        finally:
            if tx is not None:
                tx._was_lost = _is_gone(self._connection)
            await database._pool.release(self._connection, timeout=database._wait)


class _NamedFailure:
    """Names a connection failure; everything else passes through.

    `is_direct` is for the first words on an address that must not be a pooler's.
    """

    def __init__(self, *, is_direct: bool = False) -> None:
        self._is_direct = is_direct

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if self._is_direct and isinstance(error, _POOLER_ERRORS):
            raise PoolerNotAllowed(str(error)) from error
        if isinstance(error, ConnectionFailure):
            raise DatabaseUnavailable(f"{type(error).__name__}: {error}") from error


class _NamedSlowness:
    """Names what a session's time limit ended. Engine sessions have none; a step that sets one catches it itself."""

    def __init__(self, *, is_limited: bool) -> None:
        self._is_limited = is_limited

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if not self._is_limited:
            return
        if isinstance(error, asyncpg.QueryCanceledError):
            raise StatementTooSlow from error
        if isinstance(error, asyncpg.LockNotAvailableError):
            raise LockTooSlow from error


def _is_gone(connection: "Connection | PoolConnectionProxy[Row]") -> bool:
    try:
        return connection.is_closed()
    except asyncpg.InterfaceError:
        # The pool has already thrown it away.
        return True


async def _reaches_postgres(pool: "asyncpg.Pool[Row]") -> bool:
    """PostgreSQL names the process when a connection begins; a pooler, which has many, makes a number up."""
    async with pool.acquire() as connection:
        process: int = await connection.fetchval(SQL.read_process.text)
        return process == connection.get_server_pid()
