"""The table of items: the only code that touches it."""

from datetime import datetime

from lostfound.model import Item
from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.resources import Filter
from pabal.platform.tenants import Scope

SQL = load(__file__)


class ItemNotFound(NotFound):
    """There is no such item, or it is not yours to see."""


async def list_items(
    tx: Tx, scope: Scope, wanted: Filter | None = None, *, cursor: str | None = None, limit: int = 50
) -> Page[Item]:
    before = paging.LAST if cursor is None else paging.read_cursor(cursor, int)[0]
    found = await tx.all(Item, SQL.list_items, units=scope.listed, before=before, most=paging.one_more(limit))
    return paging.cut(found, limit, lambda item: paging.show_cursor(item.id))


async def get_item(tx: Tx, scope: Scope, item_id: int) -> Item:
    return _seen(scope, item_id, await tx.one(Item, SQL.find_item, id=item_id))


async def find_item(tx: Tx, scope: Scope, text: str) -> Item:
    """As a command names it."""
    return await get_item(tx, scope, int(text) if text.isdigit() and len(text) < 19 else 0)


async def hold_item(tx: Tx, item_id: int) -> Item | None:
    """Locked until the commit: for who changes it."""
    return await tx.one(Item, SQL.hold_item, id=item_id)


async def list_waiting(tx: Tx, scope: Scope, until: datetime, *, limit: int = 100) -> list[Item]:
    return await tx.all(Item, SQL.list_waiting, units=scope.listed, until=until, most=limit)


def _seen(scope: Scope, item_id: int, item: Item | None) -> Item:
    if item is None or not scope.holds(item.unit_id):
        raise ItemNotFound(str(item_id))
    return item
