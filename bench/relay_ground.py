"""What the figures of the relay stand on: accounts whose tokens are known, users paired with them, no waiting."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.relay_outside import CHANNEL
from bench.sides import Side
from pabal.apps.relay import settings as own
from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine import client, housekeeping
from pabal.platform import settings, tenants
from pabal.platform.actor import ENGINE
from pabal.platform.slice import list_migrations, load_slices
from pabal.platform.tenants import Level

SQL = load(__file__)
APP = "pabal.apps.relay"
RELAY = Side("relay", (sys.executable, "-m", "bench.relay_side"))
OUTSIDE = Side("outside", (sys.executable, "-m", "bench.relay_outside"))
NO_LIMIT = 1_000_000


@asynccontextmanager
async def laid(url: str, *, accounts: int, conversations: int) -> AsyncIterator[Path]:
    """The folder of its servers' files."""
    with TemporaryDirectory() as folder:
        async with client.connect(url) as database:
            await migrate(database, list_migrations(load_slices([APP])))
            await housekeeping.make_partitions(database)
            await _fill(database, accounts, conversations)
        yield Path(folder)


async def _fill(database: Database, accounts: int, conversations: int) -> None:
    async with database.transaction() as tx:
        hq = await tenants.ensure_hq(tx)
        unit = await tenants.add_unit(tx, ENGINE, parent_id=hq.id, level=Level.BRANCH, name="Bench")
        for waiting in (own.GATHER, own.CALLBACK_DELAY):
            await settings.change(tx, ENGINE, waiting, timedelta(0))
        await settings.change(tx, ENGINE, own.ASLEEP_AFTER, timedelta(hours=1))
        given = {"unit_id": unit.id, "accounts": accounts, "conversations": conversations}
        await tx.run(SQL.fill, **given, limit=NO_LIMIT, channel=CHANNEL)


def allow(callback_origin: str) -> None:
    """The servers that are started from here on may call it."""
    os.environ["PABAL_RELAY_CALLBACK_HOSTS"] = callback_origin
