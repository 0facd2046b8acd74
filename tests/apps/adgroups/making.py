"""Ad groups with all they need, made by the verbs people have."""

from pabal.apps.adgroups.actions import adgroups, campaigns, events
from pabal.apps.adgroups.model.adgroups import Event, NewAdGroup, NewCampaign, Schedule
from pabal.base.database import Tx
from pabal.platform.actor import Actor


async def add_approved(tx: Tx, actor: Actor, schedule: Schedule) -> int:
    ad_group_id = await add_complete(tx, actor, schedule)
    await events.send(tx, actor, ad_group_id, Event.COMPLETE_SETUP)
    await events.send(tx, actor, ad_group_id, Event.APPROVE)
    return ad_group_id


async def add_complete(tx: Tx, actor: Actor, schedule: Schedule) -> int:
    """A draft that could be made ready."""
    campaign = await campaigns.create_campaign(tx, actor, NewCampaign("Autumn", schedule.start_at, None))
    group = await adgroups.create(tx, actor, NewAdGroup("Shoes", campaign.id, schedule))
    await adgroups.add_creative(tx, actor, group.id, name="Banner", url="https://cdn.example.com/a.png")
    inventory = await campaigns.add_inventory(tx, actor, code=f"slot-{group.id}", name="Top")
    await adgroups.set_inventories(tx, actor, group.id, [inventory.id])
    return group.id
