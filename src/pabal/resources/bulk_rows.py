"""Bulks as their description asks for them: listed, found and taken back."""

from dataclasses import dataclass

from pabal.base.database import Tx
from pabal.engine import ids
from pabal.engine.listing import Page
from pabal.platform import bulks
from pabal.platform.actor import Actor
from pabal.platform.bulks import Bulk, BulkRow
from pabal.platform.resources import Filter
from pabal.platform.tenants import Scope


@dataclass(frozen=True)
class SeenBulk:
    """`rows` are read where one is asked for."""

    bulk: Bulk
    rows: list[BulkRow]

    @property
    def id(self) -> int:
        return self.bulk.id


def _whose(reader: Actor) -> str | None:
    """The command line is the house's own."""
    return None if reader.unit_id is None else reader.name


async def list_bulks(
    tx: Tx, _scope: Scope, _wanted: Filter, *, reader: Actor, cursor: str | None = None, limit: int = 50
) -> Page[SeenBulk]:
    before = ids.LAST if cursor is None else ids.read(bulks.PREFIX, cursor)
    found = await bulks.list_bulks(tx, _whose(reader), before=before, limit=limit + 1)
    items = [SeenBulk(one, []) for one in found[:limit]]
    return Page(items, items[-1].bulk.shown_id if len(found) > limit else None)


async def get_bulk(tx: Tx, _scope: Scope, bulk_id: int, *, reader: Actor) -> SeenBulk:
    found = await bulks.get_bulk(tx, _whose(reader), bulk_id)
    return SeenBulk(found, await bulks.list_rows(tx, bulk_id))


async def find_bulk(tx: Tx, scope: Scope, text: str, *, reader: Actor) -> SeenBulk:
    return await get_bulk(tx, scope, ids.read(bulks.PREFIX, text), reader=reader)
