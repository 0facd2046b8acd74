"""A pytest plugin: what a bigint[] is, PostgreSQL is asked once by each worker and not by each connection.

asyncpg knows few arrays by itself, and asks each new connection for any other it meets: to plan that question takes
PostgreSQL milliseconds. Types whose numbers PostgreSQL itself has given are the same in every database; all others are
asked for as ever.
"""

from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import asyncpg
import pytest

# from here on numbers are given when a cluster is made, and by whoever makes a type
FIRST_NOT_FIXED = 10_000
# asyncpg wants to know whether the question took the place of a statement without a name
NOT_ASKED = SimpleNamespace(name="not asked")


@pytest.fixture(autouse=True, scope="session")
def _arrays_are_asked_for_once() -> Iterator[None]:
    ask, known = asyncpg.Connection._introspect_types, dict[frozenset[int], Any]()

    async def ask_once(connection: asyncpg.Connection, types: Iterable[int], timeout: float | None) -> tuple[Any, Any]:
        wanted = frozenset(types)
        if wanted in known:
            return known[wanted], NOT_ASKED
        found, statement = await ask(connection, types, timeout)
        if max(wanted) < FIRST_NOT_FIXED:
            known[wanted] = found
        return found, statement

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncpg.Connection, "_introspect_types", ask_once)
        yield
