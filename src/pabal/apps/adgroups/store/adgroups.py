"""The tables of ad groups, their creatives and the inventory they use."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.apps.adgroups.errors import AdGroupNotFound
from pabal.apps.adgroups.machine import as_schedule
from pabal.apps.adgroups.model.adgroups import AdGroup, Inventory, NewAdGroup, Schedule, Source, State, moved_to_json
from pabal.apps.adgroups.resources.groups import AdGroupFilter
from pabal.apps.adgroups.store.campaigns import MOST_ALIKE
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import LAST, Page, cut, one_more, read_cursor, show_cursor
from pabal.platform.tenants import Scope

SQL = load(__file__)
EVERY = AdGroupFilter()
_SCHEDULE = ("start_at", "end_at", "zone", "dayparts", "moved", "is_held")


@dataclass(frozen=True, slots=True)
class Creative:
    id: int
    ad_group_id: int
    name: str
    url: str
    created_at: datetime


async def get_ad_group(tx: Tx, scope: Scope, ad_group_id: int) -> AdGroup:
    found = await load_ad_groups(tx, [ad_group_id])
    if not found or not scope.holds(found[0].unit_id):
        raise AdGroupNotFound(str(ad_group_id))
    return found[0]


async def lock_ad_group(tx: Tx, ad_group_id: int) -> None:
    """Until the commit: for who changes it."""
    await tx.value(SQL.lock_ad_group, id=ad_group_id)


async def hold_ad_group(tx: Tx, scope: Scope, ad_group_id: int) -> AdGroup:
    await lock_ad_group(tx, ad_group_id)
    return await get_ad_group(tx, scope, ad_group_id)


async def load_ad_groups(tx: Tx, ids: Sequence[int]) -> list[AdGroup]:
    """In the order given; those that are gone are left out."""
    return [_read(row) for row in await tx.rows(SQL.load_ad_groups, ids=list(ids))] if ids else []


async def list_ad_groups(
    tx: Tx, scope: Scope, wanted: AdGroupFilter = EVERY, cursor: str | None = None, limit: int = 50
) -> Page[AdGroup]:
    """The newest first; deleted ones only when that state is named."""
    q = (wanted.q or "").strip()
    rows = await tx.rows(
        SQL.find_ad_groups,
        units=scope.listed,
        states=[status.lower() for status in wanted.status] or None,
        campaign_id=wanted.campaign,
        source=wanted.source,
        q="%" + re.sub(r"([\\%_])", r"\\\1", q) + "%" if q else None,
        before_id=LAST if cursor is None else read_cursor(cursor, int)[0],
        most=one_more(limit),
    )
    page = cut([row["id"] for row in rows], limit, show_cursor)
    return Page(await load_ad_groups(tx, page.items), page.cursor)


async def find_named(tx: Tx, scope: Scope, name: str) -> list[AdGroup]:
    """Those that have exactly this name, in whatever state; enough of them to tell which."""
    rows = await tx.rows(SQL.find_named, units=scope.listed, name=name, most=MOST_ALIKE)
    return await load_ad_groups(tx, [row["id"] for row in rows])


async def list_open_of_campaign(tx: Tx, campaign_id: int) -> list[int]:
    """Those that may wait for something."""
    return [row["id"] for row in await tx.rows(SQL.list_open_of_campaign, campaign_id=campaign_id)]


async def count_states(tx: Tx, scope: Scope) -> dict[str, int]:
    return {row["state"]: row["count"] for row in await tx.rows(SQL.count_states, units=scope.listed)}


async def insert_ad_group(tx: Tx, new: NewAdGroup, *, unit_id: int, created_by: str) -> int:
    """In the machine's first state; it must begin in the same commit."""
    schedule = new.schedule
    made: int = await tx.value(
        SQL.insert_ad_group,
        unit_id=unit_id,
        campaign_id=new.campaign_id,
        name=new.name,
        start_at=schedule.start_at,
        end_at=schedule.end_at,
        zone=schedule.zone,
        dayparts=_dayparts(schedule),
        created_by=created_by,
        now=tx.now,
    )
    return made


async def update_ad_group(tx: Tx, ad_group_id: int, *, name: str, campaign_id: int) -> None:
    await tx.run(SQL.update_ad_group, id=ad_group_id, name=name, campaign_id=campaign_id, now=tx.now)


async def update_schedule(tx: Tx, ad_group_id: int, schedule: Schedule) -> None:
    """Its version rises; whoever calls this arms its timers anew in the same commit."""
    await tx.run(
        SQL.update_schedule,
        id=ad_group_id,
        start_at=schedule.start_at,
        end_at=schedule.end_at,
        zone=schedule.zone,
        dayparts=_dayparts(schedule),
        moved=moved_to_json(schedule.moved),
        is_held=schedule.is_held,
        now=tx.now,
    )


async def note_event(tx: Tx, ids: Sequence[int], event: str) -> None:
    await tx.run(SQL.note_event, ids=list(ids), event=event, now=tx.now)


async def list_creatives(tx: Tx, ad_group_id: int) -> list[Creative]:
    return await tx.all(Creative, SQL.list_creatives, ad_group_id=ad_group_id)


async def insert_creative(tx: Tx, group: AdGroup, *, name: str, url: str) -> int:
    given = {"unit_id": group.unit_id, "ad_group_id": group.id, "name": name, "url": url}
    made: int = await tx.value(SQL.insert_creative, **given, now=tx.now)
    return made


async def delete_creative(tx: Tx, ad_group_id: int, creative_id: int) -> bool:
    return await tx.value(SQL.delete_creative, ad_group_id=ad_group_id, id=creative_id, now=tx.now) is not None


async def list_inventories_of(tx: Tx, ad_group_id: int) -> list[Inventory]:
    return await tx.all(Inventory, SQL.list_inventories_of, ad_group_id=ad_group_id)


async def set_inventories(tx: Tx, ad_group_id: int, inventory_ids: Sequence[int]) -> None:
    await tx.run(SQL.set_inventories, ad_group_id=ad_group_id, inventory_ids=sorted(set(inventory_ids)), now=tx.now)


def _dayparts(schedule: Schedule) -> dict[str, Any] | None:
    return None if schedule.dayparts is None else schedule.dayparts.to_json()


def _read(row: Row) -> AdGroup:
    values = dict(row)
    schedule = as_schedule(*(values.pop(name) for name in _SCHEDULE))
    values["state"], values["source"] = State(values["state"]), Source(values["source"])
    return AdGroup(**values, schedule=schedule)


async def find_legacy(tx: Tx, legacy_id: str) -> int | None:
    found: int | None = await tx.value(SQL.find_legacy, legacy_id=legacy_id)
    return found
