"""Campaigns and inventory, as far as ad groups need them."""

from dataclasses import asdict, fields, replace
from typing import Any

from pabal.apps.adgroups.errors import BadCampaign, BadInventory, InventoryCodeTaken
from pabal.apps.adgroups.model.adgroups import (
    AREA,
    CODE,
    MOST_NAME,
    Campaign,
    Inventory,
    NewCampaign,
    list_campaign_problems,
)
from pabal.apps.adgroups.store import campaigns as store
from pabal.base.database import Tx
from pabal.platform import audit, tenants
from pabal.platform.actor import Actor, Right
from pabal.platform.tenants import UnitNotFound, visible_to


async def create_campaign(tx: Tx, actor: Actor, new: NewCampaign, *, unit_id: int | None = None) -> Campaign:
    """It belongs to the unit named, or to the actor's own; so do its ad groups."""
    actor.require(Right.WRITE, AREA)
    owner = await _find_owner(tx, actor, unit_id)
    new = _check(replace(new, start_at=new.start_at or tx.now))
    made = await store.insert_campaign(tx, new, unit_id=owner, created_by=actor.name)
    campaign = await store.get_campaign(tx, await visible_to(tx, actor), made)
    await audit.record(
        tx, actor, "adgroups.create_campaign", about_campaign(made), unit_id=campaign.unit_id, after=_shown(new)
    )
    return campaign


async def edit_campaign(tx: Tx, actor: Actor, campaign_id: int, new: NewCampaign) -> Campaign:
    """Closing it stops no ad group that was approved; it lets no other be."""
    return await _edit(tx, actor, await _hold(tx, actor, campaign_id), new)


async def amend_campaign(tx: Tx, actor: Actor, campaign_id: int, **said: Any) -> Campaign:
    """Only what is said changes, by the names of NewCampaign."""
    before = await _hold(tx, actor, campaign_id)
    return await _edit(tx, actor, before, replace(_as_new(before), **said))


async def add_inventory(tx: Tx, actor: Actor, *, code: str, name: str, unit_id: int | None = None) -> Inventory:
    actor.require(Right.WRITE, AREA)
    owner = await _find_owner(tx, actor, unit_id)
    if CODE.fullmatch(code) is None or not 1 <= len(name.strip()) <= MOST_NAME:
        raise BadInventory(f"{code[:70]!r} {name[:50]!r}")
    made = await store.insert_inventory(tx, unit_id=owner, code=code, name=name.strip())
    if made is None:
        raise InventoryCodeTaken(code)
    [found] = await store.find_inventories(tx, await visible_to(tx, actor), ids=[made])
    await audit.record(
        tx, actor, "adgroups.add_inventory", f"inventory:{made}", unit_id=owner, after={"code": code, "name": name}
    )
    return found


def about_campaign(campaign_id: int) -> str:
    return f"campaign:{campaign_id}"


async def _hold(tx: Tx, actor: Actor, campaign_id: int) -> Campaign:
    actor.require(Right.WRITE, AREA)
    await store.lock_campaign(tx, campaign_id)
    return await store.get_campaign(tx, await visible_to(tx, actor), campaign_id)


async def _edit(tx: Tx, actor: Actor, before: Campaign, new: NewCampaign) -> Campaign:
    await store.update_campaign(tx, before.id, _check(new))
    await audit.record(
        tx,
        actor,
        "adgroups.edit_campaign",
        about_campaign(before.id),
        unit_id=before.unit_id,
        before=_shown(_as_new(before)),
        after=_shown(new),
    )
    return await store.get_campaign(tx, await visible_to(tx, actor), before.id)


async def _find_owner(tx: Tx, actor: Actor, unit_id: int | None) -> int:
    """The unit named, or the actor's own; who is of none, as the command line, makes things of the head office."""
    scope = await visible_to(tx, actor)
    if unit_id is None and scope.units is None and scope.unit_id is None:
        return (await tenants.ensure_hq(tx)).id
    wanted = unit_id if unit_id is not None else scope.unit_id
    if wanted is None or not scope.holds(wanted):
        raise UnitNotFound(str(wanted))
    return (await tenants.get_unit(tx, wanted)).id


def _as_new(campaign: Campaign) -> NewCampaign:
    return NewCampaign(**{one.name: getattr(campaign, one.name) for one in fields(NewCampaign)})


def _check(new: NewCampaign) -> NewCampaign:
    problems = list_campaign_problems(new)
    if problems:
        raise BadCampaign(problems)
    return replace(new, name=new.name.strip())


def _shown(new: NewCampaign) -> dict[str, Any]:
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in asdict(new).items()}
