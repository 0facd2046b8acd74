"""Fills the demo in through the same actions that people use, each at its moment, and takes it out again."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pabal.apps.adgroups.actions import adgroups, campaigns, events
from pabal.apps.adgroups.demo.cast import APPROVER, CAMPAIGNS, INVENTORY, LIVES, Hours, Life, Plan
from pabal.apps.adgroups.foresight import foresee
from pabal.apps.adgroups.legacy import flags, shadow
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import OPEN, ZONE, Event, NewAdGroup, Schedule
from pabal.apps.adgroups.model.dayparts import DAY, DayParts, Span
from pabal.apps.adgroups.store.campaigns import NewCampaign
from pabal.base.database import Tx
from pabal.base.sql import load as load_sql
from pabal.engine.recurrence import Weekday
from pabal.engine.transitions import transition
from pabal.platform import auth, tenants
from pabal.platform.actor import ENGINE, Actor
from pabal.platform.services import Services
from pabal.platform.tenants import Scope

SQL = load_sql(__file__)
EVERYBODY = Scope(None, None)
BY_APPROVER = (Event.APPROVE, Event.REJECT)


async def load(tx: Tx) -> None:
    """Into an organisation that was just made: `platform.demo` calls it once."""
    units = {unit.name.removesuffix(" (데모)"): unit.id for unit in await tenants.list_units(tx, None) if unit.is_demo}
    people = {user.login: user.actor() for user in await auth.list_users(tx, EVERYBODY, words="demo-") if user.is_demo}
    places = {
        code: (await campaigns.add_inventory(tx, ENGINE, code=code, name=name, unit_id=units[unit])).id
        for code, (name, unit) in INVENTORY.items()
    }
    made = {plan.name: await _campaign(tx, plan, units[plan.unit]) for plan in CAMPAIGNS}
    for life in LIVES:
        await _live(tx, life, made[life.campaign.name], [places[code] for code in life.campaign.inventory], people)


async def compare(services: Services) -> None:
    """What both ways see differently is found by comparing, as servers do it all the time."""
    await shadow.compare_all(services.database)


async def clear(tx: Tx) -> None:
    """Also what people made in the demo's campaigns; the histories stay, and say that it was deleted."""
    groups = {row["id"]: row["state"] for row in await tx.rows(SQL.list_demo_groups)}
    still_open = [one for one, state in groups.items() if state in OPEN]
    await events.send_many(tx, ENGINE, still_open, Event.DELETE, reason="demo cleared")
    await flags.forget(tx, list(groups))
    await tx.run(SQL.delete_demo_groups, ids=list(groups))
    await tx.run(SQL.delete_demo_flags)
    await tx.run(SQL.delete_demo_runs)
    await tx.run(SQL.delete_demo_campaigns)
    await tx.run(SQL.delete_demo_inventory, hq=(await tenants.ensure_hq(tx)).id)


def dayparts_of(hours: tuple[Hours, ...], here: datetime) -> DayParts | None:
    """`here` is now, on the wall clock."""
    if not hours:
        return None
    spans: list[list[Span]] = [[] for _ in Weekday]
    for one in hours:
        span = Span(_minute(here, one.since), _minute(here, one.until))
        for day in one.days:
            spans[day].append(span)
    return DayParts(tuple(tuple(each) for each in spans))


async def _campaign(tx: Tx, plan: Plan, unit_id: int) -> int:
    with _at(tx, _moment(tx, plan.since)):
        until = None if plan.until is None else _moment(tx, plan.until - plan.since)
        new = NewCampaign(plan.name, tx.now, until, plan.state)
        return (await campaigns.create_campaign(tx, ENGINE, new, unit_id=unit_id)).id


async def _live(tx: Tx, life: Life, campaign_id: int, places: list[int], people: dict[str, Actor]) -> None:
    """From the day it was made until now: what people said, and in between what its timers did."""
    maker = people[life.campaign.maker]
    now = tx.now
    schedule = Schedule(
        _moment(tx, life.since), _moment(tx, life.until), ZONE, dayparts_of(life.hours, now.astimezone(ZoneInfo(ZONE)))
    )
    with _at(tx, now + timedelta(days=life.made)):
        group_id = (await adgroups.create(tx, maker, NewAdGroup(life.name, campaign_id, schedule))).id
        await _set_up(tx, life, maker, group_id, places)
        for said in life.said:
            await _pass(tx, group_id, now + timedelta(days=said.at))
            actor = people[APPROVER] if said.event in BY_APPROVER else maker
            await events.send(tx, actor, group_id, said.event, reason=said.reason)
        await _pass(tx, group_id, now)


async def _set_up(tx: Tx, life: Life, maker: Actor, group_id: int, places: list[int]) -> None:
    for number in range(1, life.creatives + 1):
        url = f"https://cdn.example.com/demo/{group_id}-{number}.png"
        await adgroups.add_creative(tx, maker, group_id, name=f"{life.name} {number}안", url=url)
    if life.creatives:
        await adgroups.set_inventories(tx, maker, group_id, places)


async def _pass(tx: Tx, group_id: int, until: datetime) -> None:
    """Time goes by: each timer moves it at its moment."""
    [subject] = await load_subjects(tx, [group_id])
    for stretch in foresee(subject, tx.now, until):
        if stretch.by is not None:
            tx.now = stretch.since
            await transition(tx, AD_GROUP, group_id, stretch.by, actor=ENGINE.name, reason="timer")
    tx.now = until


@contextmanager
def _at(tx: Tx, moment: datetime) -> Iterator[None]:
    """What is done inside happens then."""
    now = tx.now
    tx.now = moment
    try:
        yield
    finally:
        tx.now = now


def _moment(tx: Tx, days: float) -> datetime:
    """To the minute, as people write it."""
    return (tx.now + timedelta(days=days)).replace(second=0, microsecond=0)


def _minute(here: datetime, hours: int) -> int:
    return (here.hour + hours) * 60 % DAY
