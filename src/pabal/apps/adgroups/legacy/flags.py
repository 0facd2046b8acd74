"""USE_SSM_STATUS: by ad group, by campaign, for so many of a hundred, for new ones. Kept as each one's `source`."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pabal.apps.adgroups.errors import BadFlag, FlagNotFound
from pabal.apps.adgroups.legacy.model import FlagKind
from pabal.apps.adgroups.model.adgroups import AREA, Source, about_of
from pabal.apps.adgroups.store import adgroups, campaigns
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.resources import Filter
from pabal.platform.tenants import Scope, require_house, visible_to

SQL = load(__file__)
SLICE = 5000
HUNDRED = 100
OF_HOUSE = (FlagKind.PERCENT, FlagKind.NEW)


@dataclass(frozen=True, slots=True)
class Flag:
    """`value` is the ad group, the campaign, how many of a hundred; 0 for new ones. Off: the calculator decides."""

    kind: FlagKind
    value: int
    is_on: bool
    unit_id: int | None
    set_by: str
    set_at: datetime


async def set_flag(tx: Tx, actor: Actor, kind: FlagKind, value: int, *, is_on: bool = True) -> int:
    """How many ad groups are shown by the other way now."""
    unit_id = await _find_owner(tx, actor, kind, value)
    if kind in OF_HOUSE:
        await tx.run(SQL.clear_kind, kind=kind)
    await put_flag(tx, Flag(kind, 0 if kind is FlagKind.NEW else value, is_on, unit_id, actor.name, tx.now))
    changed = await _follow(tx, kind, value)
    after = {"flag": kind, "value": value, "is_on": is_on, "changed": changed}
    await audit.record(tx, actor, "adgroups.set_flag", _about(kind, value), unit_id=unit_id, after=after)
    return changed


async def clear_flag(tx: Tx, actor: Actor, kind: FlagKind, value: int = 0) -> int:
    """What the next one in order says holds again."""
    actor.require(Right.MANAGE, AREA)
    known = await list_flags(tx, await visible_to(tx, actor))
    flags = [one for one in known if one.kind is kind and (kind in OF_HOUSE or one.value == value)]
    if not flags:
        raise FlagNotFound(f"{kind} {value}")
    if kind in OF_HOUSE:
        await require_house(tx, actor, Right.MANAGE, AREA)
    await tx.run(SQL.delete_flag, kind=kind, value=flags[0].value)
    changed = await _follow(tx, kind, value)
    before = {"flag": kind, "value": flags[0].value, "is_on": flags[0].is_on, "changed": changed}
    about = _about(kind, value)
    await audit.record(tx, actor, "adgroups.clear_flag", about, unit_id=flags[0].unit_id, before=before)
    return changed


async def switch_off_calculator(tx: Tx, actor: Actor) -> int:
    """Every ad group shows its stored state from here on, whatever was said of it before."""
    await require_house(tx, actor, Right.MANAGE, AREA)
    await tx.run(SQL.clear_all)
    return await set_flag(tx, actor, FlagKind.PERCENT, HUNDRED)


async def list_flags(tx: Tx, scope: Scope, wanted: Filter | None = None) -> list[Flag]:
    """Those of the house everybody sees who may look at ad groups at all."""
    return [_read(row) for row in await tx.rows(SQL.list_flags, units=scope.listed)]


async def count_sources(tx: Tx, actor: Actor) -> dict[Source, int]:
    actor.require(Right.READ, AREA)
    scope = await visible_to(tx, actor)
    found = {Source(row["source"]): row["count"] for row in await tx.rows(SQL.count_sources, units=scope.listed)}
    return {source: found.get(source, 0) for source in Source}


async def put_flag(tx: Tx, flag: Flag) -> None:
    await tx.run(
        SQL.put_flag,
        kind=flag.kind,
        value=flag.value,
        is_on=flag.is_on,
        unit_id=flag.unit_id,
        set_by=flag.set_by,
        set_at=flag.set_at,
    )


async def place(tx: Tx, ids: Sequence[int]) -> int:
    """After something that flags depend on changed, in its commit: how many are shown by the other way now."""
    return await tx.run(SQL.place, ids=sorted(ids))


async def has_any(tx: Tx) -> bool:
    """Without one, old ad groups are shown by the calculator and new ones by the machine."""
    return bool(await tx.value(SQL.has_any))


async def forget(tx: Tx, ids: Sequence[int]) -> None:
    """For who deletes these ad groups."""
    await tx.run(SQL.forget, ids=list(ids))


async def _follow(tx: Tx, kind: FlagKind, value: int) -> int:
    if kind is FlagKind.ID:
        return await place(tx, [value])
    changed, after = 0, 0
    campaign_id = value if kind is FlagKind.CAMPAIGN else None
    listing = SQL.list_all if campaign_id is None else SQL.list_of_campaign
    given = {} if campaign_id is None else {"campaign_id": campaign_id}
    while ids := [row["id"] for row in await tx.rows(listing, **given, after_id=after, most=SLICE)]:
        changed += await place(tx, ids)
        after = ids[-1]
    return changed


async def _find_owner(tx: Tx, actor: Actor, kind: FlagKind, value: int) -> int | None:
    """Whose flag it is; None: the whole house's, which only the head office may set."""
    actor.require(Right.MANAGE, AREA)
    if kind in OF_HOUSE:
        await require_house(tx, actor, Right.MANAGE, AREA)
        if not 0 <= value <= (HUNDRED if kind is FlagKind.PERCENT else 1):
            raise BadFlag(f"{kind} {value}")
        return None
    scope = await visible_to(tx, actor)
    if kind is FlagKind.ID:
        return (await adgroups.get_ad_group(tx, scope, value)).unit_id
    return (await campaigns.get_campaign(tx, scope, value)).unit_id


def _about(kind: FlagKind, value: int) -> str:
    if kind is FlagKind.ID:
        return about_of(value)
    return f"campaign:{value}" if kind is FlagKind.CAMPAIGN else f"state_flag:{kind}"


def _read(row: Row) -> Flag:
    return Flag(**{**row, "kind": FlagKind(row["kind"])})
