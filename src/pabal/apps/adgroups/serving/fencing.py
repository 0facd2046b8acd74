"""Reads what is to be served and writes it, so that a late writer never undoes a later one."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pabal.apps.adgroups.errors import ServingOvertaken
from pabal.apps.adgroups.serving import store
from pabal.apps.adgroups.serving.layout import Change
from pabal.base.database import Database, Tx

if TYPE_CHECKING:
    from pabal.apps.adgroups.serving.links import Link

# Who is overtaken lets the other finish.
PAUSES = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 1.0)


async def read_change(tx: Tx, ids: Sequence[int], also: Mapping[int, frozenset[str]] | None = None) -> Change:
    """As these are now: first the fence, then the rows."""
    fence = await store.take_fence(tx)
    served = await store.load_served(tx, ids)
    return Change(fence, tx.now, {each: served.get(each) for each in ids}, also or {})


async def put(
    database: Database, link: "Link", ids: Sequence[int], also: Mapping[int, frozenset[str]] | None = None
) -> None:
    """What is there of these becomes what it should be; read anew as often as another writer was quicker."""
    for pause in PAUSES:
        async with database.transaction() as tx:
            change = await read_change(tx, ids, also)
        try:
            return await link.write(change)
        except ServingOvertaken as error:
            overtaken = error
        async with database.transaction() as tx:
            await store.raise_fence(tx, overtaken.later)
        await asyncio.sleep(pause)
    raise overtaken
