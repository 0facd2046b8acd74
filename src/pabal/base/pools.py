"""How PostgreSQL is reached: what a session sets for each purpose, and pools of such connections."""

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, cast

import asyncpg

Connection = asyncpg.Connection


class Purpose(StrEnum):
    """What a connection is for decides how PostgreSQL plans on it, and how long anything may take."""

    ENGINE = "engine"
    CHANGES = "changes"
    PAGES = "pages"
    IDENTITY = "identity"
    COMMANDS = "commands"


@dataclass(frozen=True, slots=True)
class Profile:
    """`session` are PostgreSQL's settings; `wait` is how many seconds one waits for a free connection."""

    session: Mapping[str, str]
    wait: float | None = None


# Engine statements are few, hot and indexed: a generic plan made while a table was empty must not keep its
# sequential scan. Pages have optional filters: a generic plan took 196 ms where a custom one took 1.5.
_ENGINE_PLANS = {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "max_parallel_workers_per_gather": "0",
}
_PAGE_PLANS = {"plan_cache_mode": "force_custom_plan"}
# Somebody who waits for a page is told after seconds; the engine and a command line take the time they need.
PROFILES: Mapping[Purpose, Profile] = {
    Purpose.ENGINE: Profile(_ENGINE_PLANS),
    Purpose.CHANGES: Profile({**_ENGINE_PLANS, "statement_timeout": "30s", "lock_timeout": "5s"}, wait=5),
    Purpose.PAGES: Profile({**_PAGE_PLANS, "statement_timeout": "10s", "lock_timeout": "5s"}, wait=5),
    # who is asking is as hot, and always looked up by a key: to plan it each time costs more than to find it
    Purpose.IDENTITY: Profile({**_ENGINE_PLANS, "statement_timeout": "5s", "lock_timeout": "3s"}, wait=5),
    Purpose.COMMANDS: Profile(_PAGE_PLANS),
}

# A stopped process may hold locks in an open transaction; rescue waits for them no longer than this. One stopped in the
# middle of a statement counts as active, and no timeout reaches it: rescue ends its connections (workers.sql).
SESSION = {"idle_in_transaction_session_timeout": "10s", "jit": "off"}
# Prepared statements kept by each direct connection.
_STATEMENTS = 100
# Hints are worth no disk write.
ASIDE = {**SESSION, "synchronous_commit": "off"}


def _name_process() -> None:
    """Each has a name of its own, so that rescue can end the connections of one that sleeps."""
    SESSION["application_name"] = ASIDE["application_name"] = f"pabal {os.getpid()} {secrets.token_hex(4)}"


_name_process()
os.register_at_fork(after_in_child=_name_process)


class _PooledConnection(Connection):
    """asyncpg turns JIT off for the rest of the session before it looks up a type; only if it knows of JIT."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._server_caps = self._server_caps._replace(jit=False)  # type: ignore[has-type]  # stubs give it none


async def make_pool(url: str, size: int, least: int, settings: dict[str, str] | None) -> "asyncpg.Pool[asyncpg.Record]":
    """Without settings it is a pooler's: whose sessions are nobody's own."""
    is_pooled = settings is None
    return await asyncpg.create_pool(
        url,
        min_size=least,
        max_size=size,
        init=teach_json,
        reset=_keep,
        command_timeout=60,
        connection_class=cast("type[Connection]", _PooledConnection if is_pooled else Connection),
        server_settings=settings or {},
        statement_cache_size=0 if is_pooled else _STATEMENTS,
    )


async def teach_json(connection: Connection) -> None:
    await connection.set_type_codec("jsonb", encoder=_dump_json, decoder=json.loads, schema="pg_catalog")


# One encoder: json.dumps with options builds a new one each time.
_dump_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


async def _keep(connection: Connection) -> None:
    """asyncpg's own reset costs a round trip per transaction; we leave nothing behind that needs it."""
