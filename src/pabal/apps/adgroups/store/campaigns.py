"""The tables of campaigns and of inventory."""

from collections.abc import Collection
from dataclasses import asdict

from pabal.apps.adgroups.errors import CampaignNotFound, InventoryNotFound
from pabal.apps.adgroups.model.adgroups import Campaign, CampaignState, Inventory, NewCampaign
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.platform.resources import Filter
from pabal.platform.tenants import Scope

SQL = load(__file__)
# of one name: more than these need not be told apart
MOST_ALIKE = 20


async def lock_campaign(tx: Tx, campaign_id: int) -> None:
    """Until the commit: for who changes it."""
    await tx.value(SQL.lock_campaign, id=campaign_id)


async def get_campaign(tx: Tx, scope: Scope, campaign_id: int) -> Campaign:
    rows = await tx.rows(SQL.find_campaign, id=campaign_id)
    if not rows or not scope.holds(rows[0]["unit_id"]):
        raise CampaignNotFound(str(campaign_id))
    return _read(rows[0])


async def list_campaigns(
    tx: Tx, scope: Scope, wanted: Filter | None = None, cursor: str | None = None, limit: int = 50
) -> Page[Campaign]:
    """The newest first."""
    before = LAST if cursor is None else read_cursor(cursor, int)[0]
    rows = await tx.rows(SQL.list_campaigns, units=scope.listed, before_id=before, most=one_more(limit))
    return cut([_read(row) for row in rows], limit, lambda one: show_cursor(one.id))


async def find_named(tx: Tx, scope: Scope, name: str) -> list[Campaign]:
    """Those that have exactly this name; enough of them to tell which."""
    return [_read(row) for row in await tx.rows(SQL.find_named, units=scope.listed, name=name, most=MOST_ALIKE)]


async def insert_campaign(tx: Tx, new: NewCampaign, *, unit_id: int, created_by: str) -> int:
    made: int = await tx.value(SQL.insert_campaign, **_columns(new), unit_id=unit_id, created_by=created_by, now=tx.now)
    return made


async def update_campaign(tx: Tx, campaign_id: int, new: NewCampaign) -> None:
    await tx.run(SQL.update_campaign, id=campaign_id, **_columns(new), now=tx.now)


async def list_inventories(
    tx: Tx, scope: Scope, wanted: Filter | None = None, cursor: str | None = None, limit: int = 50
) -> Page[Inventory]:
    """The newest first."""
    before = LAST if cursor is None else read_cursor(cursor, int)[0]
    found = await tx.all(Inventory, SQL.list_inventories, units=scope.listed, before_id=before, most=one_more(limit))
    return cut(found, limit, lambda one: show_cursor(one.id))


async def find_inventories(
    tx: Tx, scope: Scope, *, ids: Collection[int] = (), codes: Collection[str] = ()
) -> list[Inventory]:
    return await tx.all(Inventory, SQL.find_inventories, ids=sorted(ids), codes=sorted(codes), units=scope.listed)


async def get_inventories(tx: Tx, scope: Scope, codes: Collection[str]) -> list[Inventory]:
    """All that are named; raises InventoryNotFound with those that are not there."""
    found = await find_inventories(tx, scope, codes=set(codes))
    missing = set(codes) - {one.code for one in found}
    if missing:
        raise InventoryNotFound(", ".join(sorted(missing))[:200])
    return found


async def insert_inventory(tx: Tx, *, unit_id: int, code: str, name: str) -> int | None:
    """None: the code is taken."""
    made: int | None = await tx.value(SQL.insert_inventory, unit_id=unit_id, code=code, name=name, now=tx.now)
    return made


def _columns(new: NewCampaign) -> dict[str, object]:
    return {**asdict(new), "state": new.state.value}


def _read(row: Row) -> Campaign:
    values = dict(row)
    return Campaign(**{**values, "state": CampaignState(values["state"])})
