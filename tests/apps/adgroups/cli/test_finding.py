"""What a command names is found by its whole name, however many others have that name as a part of theirs."""

import pytest

from pabal.apps.adgroups.actions import adgroups
from pabal.apps.adgroups.cli import finding
from pabal.apps.adgroups.errors import AdGroupNotFound
from pabal.apps.adgroups.model.adgroups import NewAdGroup, NewCampaign
from pabal.apps.adgroups.store import adgroups as store
from pabal.apps.adgroups.store.campaigns import insert_campaign
from pabal.base.database import Database
from pabal.platform.actor import ENGINE
from pabal.platform.commands.options import NameAmbiguous
from pabal.platform.tenants import Scope
from tests.apps.adgroups.cli.conftest import World

EVERYBODY = Scope(None, None)
MANY = 250


async def test_an_exact_name_is_found_among_any_number_of_partial_ones(db: Database, world: World) -> None:
    campaign, schedule = world.campaign, world.draft.schedule
    async with db.transaction() as tx:
        for number in range(MANY):
            new = NewAdGroup(f"{world.draft.name} {number}", campaign.id, schedule)
            await store.insert_ad_group(tx, new, unit_id=campaign.unit_id, created_by=ENGINE.name)
            alike = NewCampaign(f"{campaign.name} {number}", campaign.start_at)
            await insert_campaign(tx, alike, unit_id=campaign.unit_id, created_by=ENGINE.name)

        group = await finding.find_group(tx, EVERYBODY, f" {world.draft.name} ")
        owner = await finding.find_campaign(tx, EVERYBODY, campaign.name)

    assert (group.id, owner.id) == (world.draft.id, campaign.id)


async def test_a_name_of_two_names_both_and_a_foreign_one_nobody(db: Database, world: World) -> None:
    async with db.transaction() as tx:
        await adgroups.create(tx, ENGINE, NewAdGroup(world.draft.name, world.campaign.id, world.draft.schedule))
        with pytest.raises(NameAmbiguous, match=r"adg_\w+, adg_\w+"):
            await finding.find_group(tx, EVERYBODY, world.draft.name)

        with pytest.raises(AdGroupNotFound):
            await finding.find_group(tx, Scope((), None), world.draft.name)
