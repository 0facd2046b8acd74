"""The demo of ad groups: three campaigns, one ad group or more in each state with days behind it, two mismatches."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from pabal.apps.adgroups.actions import adgroups, campaigns, events
from pabal.apps.adgroups.foresight import foresee
from pabal.apps.adgroups.legacy import flags, shadow
from pabal.apps.adgroups.machine import AD_GROUP, load_subjects
from pabal.apps.adgroups.model.adgroups import OPEN, ZONE, CampaignState, Event, NewAdGroup, NewCampaign, Schedule
from pabal.apps.adgroups.model.dayparts import DAY, DayParts, Span
from pabal.base.database import Tx
from pabal.base.sql import load as load_sql
from pabal.engine.recurrence import Weekday
from pabal.engine.transitions import transition
from pabal.platform import auth, tenants
from pabal.platform.actor import ENGINE, Actor
from pabal.platform.services import Services
from pabal.platform.slice import Demo
from pabal.platform.tenants import Scope

SQL = load_sql(__file__)
EVERYBODY = Scope(None, None)
BY_APPROVER = (Event.APPROVE, Event.REJECT)
# Who and what is in the demo, as values. Moments are days from now, hours of the day are hours from now: whenever
# somebody starts a demo, there is one ad group in each state. Nobody has these screens: the codes say so.
INVENTORY = {
    "demo.main-banner": ("메인 배너", "부산총판"),
    "demo.side-banner": ("사이드 배너", "부산총판"),
    "demo.haeundae-window": ("해운대점 쇼윈도", "해운대점"),
    "demo.seoul-lobby": ("서울 로비 화면", "서울총판"),
}
APPROVER = "demo-hq"


@dataclass(frozen=True)
class Plan:
    """A campaign: whose, who makes its ad groups, from when to when in days from now."""

    name: str
    unit: str
    maker: str
    since: float
    until: float | None
    state: CampaignState = CampaignState.OPEN
    inventory: tuple[str, ...] = ()


@dataclass(frozen=True)
class Hours:
    """From hour to hour, counted from the hour it is now; on some days, or on all."""

    since: int
    until: int
    days: tuple[Weekday, ...] = tuple(Weekday)


@dataclass(frozen=True)
class Said:
    """An event somebody sent, so many days from now; by whoever made it, or by who approves."""

    event: Event
    at: float
    reason: str | None = None


@dataclass(frozen=True)
class Life:
    """An ad group: made at `made`, then what people said to it; between that it lives by its timers."""

    name: str
    campaign: Plan
    made: float
    since: float
    until: float
    said: tuple[Said, ...] = ()
    hours: tuple[Hours, ...] = ()
    creatives: int = 1


def _approved(made: float) -> tuple[Said, ...]:
    return Said(Event.COMPLETE_SETUP, made + 0.05), Said(Event.APPROVE, made + 0.2)


SALE = Plan("가을 정기 세일", "부산총판", "demo-busan", -30, 30, inventory=("demo.main-banner", "demo.side-banner"))
SHOP = Plan("해운대점 단골 행사", "해운대점", "demo-haeundae", -20, None, inventory=("demo.haeundae-window",))
LAUNCH = Plan("겨울 신제품", "서울총판", "demo-hq", -2, 60, CampaignState.PLANNED, inventory=("demo.seoul-lobby",))
CAMPAIGNS = (SALE, SHOP, LAUNCH)
_WORKDAYS, _WEEKEND = tuple(Weekday)[:5], tuple(Weekday)[5:]
# the machine and the old calculator see these two differently
NEVER_APPROVED, STOPPED = "승인을 놓친 배너", "가격 오류로 멈춘 배너"
LIVES = (
    Life("새 시즌 배너", LAUNCH, -0.5, 3, 40, creatives=0),
    Life(
        "반려된 로고 배너",
        SALE,
        -6,
        2,
        20,
        (
            Said(Event.COMPLETE_SETUP, -5.5),
            Said(Event.REJECT, -5.2, "로고가 예전 것입니다. 새 로고로 바꿔 주세요."),
        ),
    ),
    Life("주말 특가 배너", SALE, -1, 1.5, 12, (Said(Event.COMPLETE_SETUP, -0.8),), creatives=2),
    Life(NEVER_APPROVED, SHOP, -4, -1, 10, (Said(Event.COMPLETE_SETUP, -3.5),)),
    Life("출시 예고 영상", LAUNCH, -2, 2, 30, _approved(-2), (Hours(1, 7),)),
    Life("잠시 뒤 시작하는 배너", SHOP, -1, 2 / 1440, 5, _approved(-1)),
    Life("세일 메인 배너", SALE, -16, -14, 14, _approved(-16), creatives=3),
    Life(
        "평일 낮 배너",
        SALE,
        -9,
        -7,
        21,
        _approved(-9),
        (Hours(-3, 5, _WORKDAYS), Hours(-3, 3, _WEEKEND)),
        creatives=2,
    ),
    Life("저녁 창가 광고", SHOP, -8, -6, 15, _approved(-8), (Hours(3, 9),)),
    Life(
        STOPPED,
        SALE,
        -5,
        -4,
        9,
        (*_approved(-5), Said(Event.PAUSE, -0.3, "가격이 잘못 적혀 있습니다. 고칠 때까지 멈춥니다.")),
    ),
    Life(
        "하루 쉬었다 간 배너",
        SALE,
        -13,
        -11,
        8,
        (
            *_approved(-13),
            Said(Event.PAUSE, -6, "재고가 떨어졌습니다."),
            Said(Event.RESUME, -5, "재고가 들어왔습니다."),
        ),
    ),
    Life("지난달 마감 배너", SALE, -25, -22, -1.5, _approved(-25), (Hours(-4, 4),)),
    Life(
        "잘못 만든 배너",
        SHOP,
        -3,
        1,
        10,
        (Said(Event.COMPLETE_SETUP, -2.9), Said(Event.DELETE, -2.5, "다른 캠페인에 만들 것을 잘못 만들었습니다.")),
    ),
)


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


DEMO = Demo(load=load, clear=clear, after=compare)
