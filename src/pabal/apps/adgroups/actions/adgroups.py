"""The verbs of an ad group besides its events: made, renamed, given dates and hours; what it has to show where."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from pabal.apps.adgroups import asking
from pabal.apps.adgroups.errors import (
    AdGroupChanged,
    AdGroupOver,
    AlreadyStarted,
    BadAdGroup,
    BadCreative,
    CampaignElsewhere,
    CreativeNotFound,
    InventoryNotFound,
    SetupLocked,
)
from pabal.apps.adgroups.legacy import flags
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import (
    AREA,
    MOST_NAME,
    OPEN,
    AdGroup,
    NewAdGroup,
    Schedule,
    State,
    list_problems,
    on_wall,
)
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.apps.adgroups.store import adgroups as store
from pabal.apps.adgroups.store import campaigns
from pabal.base.database import Tx
from pabal.engine import facts, timers
from pabal.engine.recurrence import find_zone
from pabal.engine.transitions import begin
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.resources import KEPT, Kept, chosen
from pabal.platform.tenants import Scope, visible_to

_BEFORE_START = (State.DRAFT, State.READY, State.APPROVED)
_SETTING_UP = (State.DRAFT, State.READY)


async def create(tx: Tx, actor: Actor, new: NewAdGroup) -> AdGroup:
    """A draft, of its campaign's unit."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    campaign = await campaigns.get_campaign(tx, scope, new.campaign_id)
    checked = _check(new)
    made = await store.insert_ad_group(tx, checked, unit_id=campaign.unit_id, created_by=actor.name)
    await begin(tx, AD_GROUP, [made], actor=actor.name)
    await flags.place(tx, [made])
    after = await store.get_ad_group(tx, scope, made)
    await audit.record(tx, actor, "adgroups.create", after.about, unit_id=after.unit_id, after=_shown(after))
    return after


async def edit(
    tx: Tx, actor: Actor, ad_group_id: int, new: NewAdGroup, *, expect_version: int | None = None
) -> AdGroup:
    """Its delayed events follow in the same commit. What was moved by hand is forgotten with the hours it was of."""
    before = await _hold(tx, actor, ad_group_id)
    if expect_version is not None and before.schedule_version != expect_version:
        raise AdGroupChanged(f"{before.about} has schedule {before.schedule_version}, not {expect_version}")
    return await _edit(tx, actor, before, new)


async def amend(
    tx: Tx,
    actor: Actor,
    ad_group_id: int,
    *,
    name: str | Kept = KEPT,
    campaign: int | Kept = KEPT,
    start_at: datetime | Kept = KEPT,
    end_at: datetime | Kept = KEPT,
    zone: str | Kept = KEPT,
    dayparts: DayParts | Kept | None = KEPT,
) -> AdGroup:  # long: what may be said of an ad group, each by its name
    """Only what is said changes; a moment without an offset is on the ad group's wall clock."""
    before = await _hold(tx, actor, ad_group_id)
    old, wall = before.schedule, chosen(zone, before.schedule.zone)
    schedule = Schedule(
        on_wall(chosen(start_at, old.start_at), wall),
        on_wall(chosen(end_at, old.end_at), wall),
        wall,
        chosen(dayparts, old.dayparts),
    )
    new = NewAdGroup(chosen(name, before.name), chosen(campaign, before.campaign_id), schedule)
    return await _edit(tx, actor, before, new)


async def reschedule(tx: Tx, before: AdGroup, schedule: Schedule) -> None:
    """In the commit of the change: the row, its version, its timers, and the fact."""
    has_begun = before.state not in _BEFORE_START and before.schedule.start_at <= tx.now
    if schedule.start_at != before.schedule.start_at and has_begun:
        raise AlreadyStarted(before.about)
    await store.update_schedule(tx, before.id, schedule)
    await timers.rearm(tx, AD_GROUP, [before.id])
    said = {"schedule_version": before.schedule_version + 1, "end_at": schedule.end_at.isoformat()}
    await facts.record(tx, "adgroups.rescheduled", before.about, said, before.unit_id)


async def add_creative(tx: Tx, actor: Actor, ad_group_id: int, *, name: str, url: str) -> int:
    group = await _hold_setup(tx, actor, ad_group_id)
    name, url = name.strip(), url.strip()
    if not 1 <= len(name) <= MOST_NAME or len(url) > 2000 or not url.startswith(("http://", "https://")):
        raise BadCreative(f"{name[:50]} {url[:100]}")
    made = await store.insert_creative(tx, group, name=name, url=url)
    await _ask_anew(tx, actor, group)
    after = {"creative": made, "name": name, "url": url}
    await audit.record(tx, actor, "adgroups.add_creative", group.about, unit_id=group.unit_id, after=after)
    return made


async def remove_creative(tx: Tx, actor: Actor, ad_group_id: int, creative_id: int) -> None:
    group = await _hold_setup(tx, actor, ad_group_id)
    if not await store.delete_creative(tx, ad_group_id, creative_id):
        raise CreativeNotFound(str(creative_id))
    await _ask_anew(tx, actor, group)
    before = {"creative": creative_id}
    await audit.record(tx, actor, "adgroups.remove_creative", group.about, unit_id=group.unit_id, before=before)


async def set_inventories(tx: Tx, actor: Actor, ad_group_id: int, inventory_ids: Sequence[int]) -> None:
    await _set_inventories(tx, actor, await _hold_setup(tx, actor, ad_group_id), inventory_ids)


async def add_inventories(tx: Tx, actor: Actor, ad_group_id: int, more: Sequence[int]) -> None:
    """Beside those it has."""
    group = await _hold_setup(tx, actor, ad_group_id)
    await _set_inventories(tx, actor, group, [*await _list_used(tx, group), *more])


async def remove_inventories(tx: Tx, actor: Actor, ad_group_id: int, those: Sequence[int]) -> None:
    group = await _hold_setup(tx, actor, ad_group_id)
    await _set_inventories(tx, actor, group, [one for one in await _list_used(tx, group) if one not in those])


async def _set_inventories(tx: Tx, actor: Actor, group: AdGroup, inventory_ids: Sequence[int]) -> None:
    found = await campaigns.find_inventories(tx, await visible_to(tx, actor), ids=set(inventory_ids))
    if len(found) != len(set(inventory_ids)):
        raise InventoryNotFound(str(sorted(set(inventory_ids) - {one.id for one in found})))
    await store.set_inventories(tx, group.id, inventory_ids)
    await _ask_anew(tx, actor, group)
    after = {"inventory": [one.code for one in found]}
    await audit.record(tx, actor, "adgroups.set_inventory", group.about, unit_id=group.unit_id, after=after)


async def _list_used(tx: Tx, group: AdGroup) -> list[int]:
    return [one.id for one in await store.list_inventories_of(tx, group.id)]


async def _edit(tx: Tx, actor: Actor, before: AdGroup, new: NewAdGroup) -> AdGroup:
    scope, new = await visible_to(tx, actor), _check(new)
    if new.campaign_id != before.campaign_id:
        await _check_campaign(tx, scope, before, new.campaign_id)
    await store.update_ad_group(tx, before.id, name=new.name, campaign_id=new.campaign_id)
    await flags.place(tx, [before.id])
    if (new.name, new.campaign_id) != (before.name, before.campaign_id):
        # ad servers show both
        said = {"name": new.name, "campaign": new.campaign_id}
        await facts.record(tx, "adgroups.edited", before.about, said, before.unit_id)
    wanted = _keep_moved(new.schedule, before.schedule)
    if _plan_of(wanted) != _plan_of(before.schedule):
        await reschedule(tx, before, wanted)
    await _ask_anew(tx, actor, before)
    after = await store.get_ad_group(tx, scope, before.id)
    await audit.record(
        tx, actor, "adgroups.edit", after.about, unit_id=after.unit_id, before=_shown(before), after=_shown(after)
    )
    return after


async def _ask_anew(tx: Tx, actor: Actor, group: AdGroup) -> None:
    """Who says yes says it to what is there now."""
    if group.state == State.READY:
        await asking.ask(tx, [group.id], by=actor.name)


async def _hold(tx: Tx, actor: Actor, ad_group_id: int) -> AdGroup:
    actor.require(Right.WRITE, AREA)
    group = await store.hold_ad_group(tx, await visible_to(tx, actor), ad_group_id)
    if group.state not in OPEN:
        raise AdGroupOver(group.about)
    return group


async def _hold_setup(tx: Tx, actor: Actor, ad_group_id: int) -> AdGroup:
    """What was approved is what runs."""
    group = await _hold(tx, actor, ad_group_id)
    if group.state not in _SETTING_UP:
        raise SetupLocked(group.about)
    return group


async def _check_campaign(tx: Tx, scope: Scope, group: AdGroup, campaign_id: int) -> None:
    """Its campaign let it be approved, and its unit is its campaign's."""
    if group.state not in _SETTING_UP:
        raise SetupLocked(group.about)
    campaign = await campaigns.get_campaign(tx, scope, campaign_id)
    if campaign.unit_id != group.unit_id:
        raise CampaignElsewhere(f"{group.about}, campaign {campaign_id}")


def _keep_moved(wanted: Schedule, before: Schedule) -> Schedule:
    """The same hours keep the boundaries that were moved; the same start stays held."""
    same_hours = (wanted.zone, wanted.dayparts) == (before.zone, before.dayparts)
    is_held = before.is_held and wanted.start_at == before.start_at
    return replace(wanted, moved=before.moved if same_hours else (), is_held=is_held)


def _check(new: NewAdGroup) -> NewAdGroup:
    find_zone(new.schedule.zone)
    problems = list_problems(new)
    if problems:
        raise BadAdGroup(problems)
    return replace(new, name=new.name.strip())


def _plan_of(schedule: Schedule) -> tuple[Any, ...]:
    """What somebody fills in; what was moved by hand is not in it."""
    return schedule.start_at, schedule.end_at, schedule.zone, schedule.dayparts


def _shown(group: AdGroup) -> dict[str, Any]:
    schedule = group.schedule
    return {
        "name": group.name,
        "campaign": group.campaign_id,
        "start_at": schedule.start_at.isoformat(),
        "end_at": schedule.end_at.isoformat(),
        "zone": schedule.zone,
        "dayparts": None if schedule.dayparts is None else schedule.dayparts.to_json(),
    }
