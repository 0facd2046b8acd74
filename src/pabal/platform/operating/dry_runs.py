"""A dry run of a verb: all of it is done, and then taken back."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pabal.base.database import Tx


class _TakenBack(Exception):
    """Ends a savepoint that was only tried."""


@asynccontextmanager
async def tried(tx: Tx, *, dry_run: bool) -> AsyncIterator[None]:
    """What the verb refuses is raised either way."""
    if not dry_run:
        yield
        return
    try:
        async with tx.savepoint():
            yield
            raise _TakenBack
    except _TakenBack:
        return
