"""The command line in the test's process, against a house with a campaign, a place to be shown, and four ad groups."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import time, timedelta
from pathlib import Path

import pytest
import structlog

from pabal.apps.adgroups.actions import adgroups, campaigns, events
from pabal.apps.adgroups.model.adgroups import AdGroup, Campaign, Event, NewAdGroup, NewCampaign, Schedule
from pabal.apps.adgroups.model.dayparts import DayParts
from pabal.base import telemetry
from pabal.base.database import Database, Tx
from pabal.platform import tenants
from pabal.platform.actor import ENGINE
from pabal.platform.tenants import Level
from tests.cli.inside import Inside

DAY = timedelta(days=1)


@dataclass(frozen=True)
class World:
    """In Busan; `soon` is approved, `running` runs by day, `paused` was paused."""

    campaign: Campaign
    draft: AdGroup
    soon: AdGroup
    running: AdGroup
    paused: AdGroup


@pytest.fixture
def run(db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Inside]:
    """In the folder of a server: `data` is there."""
    monkeypatch.setattr(telemetry, "_log_level", telemetry._log_level)
    (tmp_path / "data").mkdir()
    yield Inside(tmp_path, db.url)
    structlog.reset_defaults()


@pytest.fixture
async def world(db: Database) -> World:
    async with db.transaction() as tx:
        hq = await tenants.ensure_hq(tx)
        busan = await tenants.add_unit(tx, ENGINE, parent_id=hq.id, level=Level.DISTRIBUTOR, name="부산총판")
        campaign = await campaigns.create_campaign(tx, ENGINE, NewCampaign("세일", tx.now), unit_id=busan.id)
        place = await campaigns.add_inventory(tx, ENGINE, code="main", name="메인", unit_id=busan.id)
        week = Schedule(tx.now - DAY, tx.now + 7 * DAY)
        by_day = Schedule(tx.now - DAY, tx.now + 7 * DAY, "UTC", DayParts.every_day(time(0), time(0)))
        draft = await adgroups.create(tx, ENGINE, NewAdGroup("초안", campaign.id, week))
        soon = await _approve(tx, NewAdGroup("곧", campaign.id, Schedule(tx.now + DAY, tx.now + 7 * DAY)), place.id)
        running = await _approve(tx, NewAdGroup("송출", campaign.id, by_day), place.id)
        paused = await _approve(tx, NewAdGroup("멈춤", campaign.id, week), place.id)
        running = await events.send(tx, ENGINE, running.id, Event.START)
        await events.send(tx, ENGINE, paused.id, Event.START)
        paused = await events.send(tx, ENGINE, paused.id, Event.PAUSE, reason="점검")
    return World(campaign, draft, soon, running, paused)


async def _approve(tx: Tx, new: NewAdGroup, place: int) -> AdGroup:
    made = await adgroups.create(tx, ENGINE, new)
    await adgroups.add_creative(tx, ENGINE, made.id, name="1안", url="https://cdn.example.com/1.png")
    await adgroups.set_inventories(tx, ENGINE, made.id, [place])
    await events.send(tx, ENGINE, made.id, Event.COMPLETE_SETUP)
    return await events.send(tx, ENGINE, made.id, Event.APPROVE)
