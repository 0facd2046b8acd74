"""The flags USE_SSM_STATUS as the page of the migration shows them: what each is about, by its name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pabal.apps.adgroups.legacy import flags
from pabal.apps.adgroups.legacy.flags import Flag
from pabal.apps.adgroups.legacy.model import FlagKind
from pabal.apps.adgroups.store.adgroups import load_ad_groups
from pabal.apps.adgroups.store.campaigns import get_campaign
from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.platform.tenants import visible_to
from pabal.platform.web.actors import name_actors
from pabal.platform.web.visit import Visit

# whoever decides about many differences has as many flags
SHOWN = 30


@dataclass(frozen=True, slots=True)
class FlagRow:
    """`name` and `href` are of what it is about; a percentage and new ones have neither."""

    flag: Flag
    name: str = ""
    href: str = ""


async def load_flags(tx: Tx, visit: Visit) -> dict[str, Any]:
    """In the order they are asked; of single ad groups the newest."""
    found = await flags.list_flags(tx, visit.actor)
    wide = [one for one in found if one.kind is not FlagKind.ID]
    single = sorted((one for one in found if one.kind is FlagKind.ID), key=lambda one: one.set_at, reverse=True)
    shown = [*single[:SHOWN], *wide]
    return {
        "flags": await _name(tx, visit, shown),
        "more_flags": max(len(single) - SHOWN, 0),
        "percent": next((one.value for one in wide if one.kind is FlagKind.PERCENT), 0),
        "flag_names": await name_actors(tx, visit, {one.set_by for one in shown}),
    }


async def _name(tx: Tx, visit: Visit, shown: Sequence[Flag]) -> list[FlagRow]:
    wanted = [one.value for one in shown if one.kind is FlagKind.ID]
    groups = {group.id: group.name for group in await load_ad_groups(tx, wanted)}
    rows = []
    for one in shown:
        match one.kind:
            case FlagKind.ID:
                rows.append(FlagRow(one, groups.get(one.value, f"adgroup:{one.value}"), f"/ads/groups/{one.value}"))
            case FlagKind.CAMPAIGN:
                name = await _name_campaign(tx, visit, one.value)
                rows.append(FlagRow(one, name, f"/ads/campaigns/{one.value}"))
            case _:
                rows.append(FlagRow(one))
    return rows


async def _name_campaign(tx: Tx, visit: Visit, campaign_id: int) -> str:
    try:
        return (await get_campaign(tx, await visible_to(tx, visit.actor), campaign_id)).name
    except NotFound:
        return f"campaign:{campaign_id}"
