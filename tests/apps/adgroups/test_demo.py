"""The demo of ad groups: one in each state whenever it is loaded, each with days behind it; all of it goes again."""

from datetime import datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from pabal.apps.adgroups.demo import LIVES, NEVER_APPROVED, STOPPED, clear, dayparts_of, load
from pabal.apps.adgroups.legacy import flags, shadow
from pabal.apps.adgroups.legacy.model import Cause, FlagKind
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import OPEN, ZONE, AdGroup, State
from pabal.apps.adgroups.model.calendars import Calendar
from pabal.apps.adgroups.resources.groups import AdGroupFilter
from pabal.apps.adgroups.resources.migration import MismatchFilter
from pabal.apps.adgroups.resources.names import AdGroupStatus
from pabal.apps.adgroups.store import adgroups as store
from pabal.apps.adgroups.store import campaigns
from pabal.apps.adgroups.subscribers import TELLING
from pabal.base.database import Database, Tx
from pabal.engine.facts import deliver_once, list_aside
from pabal.engine.timers import fire_once, list_timers
from pabal.engine.transitions import history, replay
from pabal.platform import auth, tenants
from pabal.platform.actor import ENGINE, Role
from pabal.platform.tenants import Level, Scope

EVERYBODY = Scope(None, None)
PEOPLE = {"demo-hq": "본사", "demo-busan": "부산총판", "demo-haeundae": "해운대점"}


@pytest.fixture
async def house(db: Database) -> Database:
    """As the platform's own part of the demo leaves it."""
    async with db.transaction() as tx:
        units = {"본사": await tenants.ensure_hq(tx)}
        for name, above, level in (
            ("부산총판", "본사", Level.DISTRIBUTOR),
            ("해운대점", "부산총판", Level.BRANCH),
            ("서울총판", "본사", Level.DISTRIBUTOR),
        ):
            parent = units[above].id
            units[name] = await tenants.add_unit(tx, ENGINE, parent_id=parent, level=level, name=name, is_demo=True)
        for login, unit in PEOPLE.items():
            role = Role.ADMIN if unit == "본사" else Role.OPERATOR
            await auth.add_user(tx, ENGINE, auth.NewUser(login, unit, units[unit].id, role, is_demo=True))
    return db


async def list_all(tx: Tx) -> list[AdGroup]:
    return (await store.list_ad_groups(tx, Scope(None, None), AdGroupFilter(status=tuple(AdGroupStatus)))).items


@pytest.mark.parametrize(("name", "is_inside"), [("평일 낮 배너", True), ("저녁 창가 광고", False)])
def test_at_whatever_hour_of_the_week_one_is_inside_its_hours_and_one_is_not(name: str, is_inside: bool) -> None:
    [life] = [one for one in LIVES if one.name == name]
    hours = [datetime(2026, 11, 16, tzinfo=ZoneInfo(ZONE)) + timedelta(minutes=29 * n) for n in range(7 * 48)]

    seen = {here: Calendar(dayparts_of(life.hours, here), ZONE).is_inside(here) for here in hours}

    assert [here for here, inside in seen.items() if inside is not is_inside] == []


async def test_there_is_one_in_each_state_with_the_history_that_led_to_it_and_the_timers_it_declares(
    house: Database,
) -> None:
    async with house.transaction() as tx:
        await load(tx)

    await fire_once(house, [AD_GROUP])
    async with house.transaction() as tx:
        groups = await list_all(tx)
        histories = {group.id: await history(tx, AD_GROUP, group.id) for group in groups}
        waiting = {group.id: await list_timers(tx, AD_GROUP, group.id) for group in groups}

    assert {group.state for group in groups} == set(State)
    assert {group.id: replay(histories[group.id]) for group in groups} == {group.id: group.state for group in groups}
    assert all(one.at <= after.at for made in histories.values() for one, after in pairwise(made))
    assert all(timer.due_at is not None and timer.due_at > tx.now for timers in waiting.values() for timer in timers)
    assert {group.state for group in groups if waiting[group.id]} == set(OPEN) - {State.DRAFT, State.READY}
    assert max(len(made) for made in histories.values()) > 20


@pytest.mark.req("E-83")
async def test_the_two_ways_differ_about_two_of_them_each_by_a_cause_of_its_own(house: Database) -> None:
    async with house.transaction() as tx:
        await load(tx)

    await shadow.compare_all(house)

    async with house.transaction() as tx:
        found = (await shadow.list_mismatches(tx, EVERYBODY, MismatchFilter())).items
    assert {one.name: one.cause for one in found} == {
        NEVER_APPROVED: Cause.NEVER_APPROVED,
        STOPPED: Cause.PAUSED_BY_HAND,
    }


async def test_clearing_leaves_histories_and_nothing_else_not_even_a_fact_nobody_can_take(house: Database) -> None:
    await deliver_once(house, TELLING)
    async with house.transaction() as tx:
        await load(tx)
        groups = await list_all(tx)
        made = [group.id for group in groups]
        await flags.set_flag(tx, ENGINE, FlagKind.ID, made[0], is_on=False)
        await flags.set_flag(tx, ENGINE, FlagKind.CAMPAIGN, groups[0].campaign_id)
    await shadow.compare_all(house)

    async with house.transaction() as tx:
        await clear(tx)

    assert await deliver_once(house, TELLING) > 0
    assert await deliver_once(house, TELLING) == 0
    async with house.transaction() as tx:
        assert await list_all(tx) == []
        assert (await campaigns.list_campaigns(tx, EVERYBODY)).items == []
        assert (await campaigns.list_inventories(tx, EVERYBODY)).items == []
        assert [await list_timers(tx, AD_GROUP, one) for one in made] == [[]] * len(made)
        ends = {(await history(tx, AD_GROUP, one))[-1].target for one in made}
        assert ends == {State.DELETED, State.EXPIRED}
        assert await list_aside(tx, TELLING.name) == []
        assert await flags.list_flags(tx, EVERYBODY) == []
