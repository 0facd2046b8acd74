"""Ad groups on the front page, in the menu and in the search: how many run, what is next, what waits for a person."""

from datetime import datetime, timedelta
from typing import Literal

from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import ZONE, AdGroup, State
from pabal.apps.adgroups.resources.groups import AdGroupFilter
from pabal.apps.adgroups.resources.names import AdGroupStatus
from pabal.apps.adgroups.sentences import explain_state, show_brief, teller
from pabal.apps.adgroups.settings import LATE_AFTER
from pabal.apps.adgroups.store import adgroups as store
from pabal.base.database import Tx
from pabal.engine import listing, timers
from pabal.engine.listing.history import Wanted as WantedHistory
from pabal.engine.timers import ArmedTimer, WantedTimers
from pabal.platform import settings
from pabal.platform.language.pairs import LANGS, Pair
from pabal.platform.overview import Card, FirstStep, Found, Need
from pabal.platform.tenants import Scope

EACH = 5
LAST = 20
MOST = 100
DAY = timedelta(days=1)
FAMILY: Pair = ("Ad group", "광고그룹")
PAGES = {
    "adgroup": "/ads/groups/{}",
    "campaign": "/ads/campaigns/{}",
    "inventory": "/ads/inventory",
    "legacy_run": "/ads/migration/{}",
}


async def card(tx: Tx, scope: Scope) -> Card | FirstStep | None:
    """How many run now. Nothing where there are no ad groups: the list says how to begin."""
    counts = await store.count_states(tx, scope)
    if not counts:
        return None
    late, waiting = len(await _list_late(tx, scope, MOST)), counts.get(State.READY, 0)
    look: Literal["good", "attn", "fail"] = "fail" if late else "attn" if waiting else "good"
    trouble = (f"{late} late", f"늦음 {late}") if late else (f"{waiting} to approve", f"승인 대기 {waiting}")
    coming = await timers.list_armed(tx, AD_GROUP, WantedTimers(scope.listed), limit=1)
    return Card(
        value=counts.get(State.RUNNING, 0),
        word=("running", "송출중"),
        bars=await _draw_changes(tx, scope),
        look=look,
        trouble=trouble if late or waiting else ("", ""),
        next_at=coming.items[0].due_at if coming.items else None,
        href="/ads/groups",
    )


async def list_needs(tx: Tx, scope: Scope) -> list[Need]:
    ready = await store.list_ad_groups(tx, scope, AdGroupFilter(status=(AdGroupStatus.READY,)), limit=EACH)
    late = await _list_late(tx, scope, EACH)
    groups = {group.id: group for group in await store.load_ad_groups(tx, [one.subject for one in late])}
    return [
        *(_to_approve(group, tx.now) for group in ready.items),
        *(_late(groups[one.subject], one, tx.now) for one in late if one.subject in groups),
    ]


async def count_needs(tx: Tx, scope: Scope) -> int:
    """What waits for a yes or a no: the number beside the list."""
    return (await store.count_states(tx, scope)).get(State.READY, 0)


async def find(tx: Tx, scope: Scope, text: str) -> list[Found]:
    found = await store.list_ad_groups(tx, scope, AdGroupFilter(q=text), limit=EACH)
    return [Found(FAMILY, group.name, group.campaign_name, _href(group.id)) for group in found.items]


def link(about: str) -> str | None:
    """Where a person sees what this names."""
    kind, _, number = about.partition(":")
    there = PAGES.get(kind)
    if there is None or not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    return there.format(number)


def _to_approve(group: AdGroup, now: datetime) -> Need:
    reason = explain_state(group, now)
    english, korean = (reason.tell(lang, teller(now, ZONE, lang)) for lang in reversed(LANGS))
    return Need(
        family="adgroup",
        state=group.state,
        title=(group.name, group.name),
        note=group.campaign_name,
        reason=(english, korean),
        href=_href(group.id),
        action=("Decide", "승인하기"),
        at=group.ready_at or group.updated_at,
    )


def _late(group: AdGroup, timer: ArmedTimer, now: datetime) -> Need:
    due_at = timer.due_at or now
    english, korean = (show_brief(due_at, now, ZONE, lang) for lang in reversed(LANGS))
    return Need(
        family="adgroup",
        state=group.state,
        title=(group.name, group.name),
        reason=(
            f"{timer.event.upper()} was due {english} and has not happened.",
            f"{timer.event.upper()} 예정 시각 {korean}이 지났는데 일어나지 않았습니다.",
        ),
        href=_href(group.id),
        action=("Look", "보기"),
        at=due_at,
        severity="failure",
    )


async def _list_late(tx: Tx, scope: Scope, most: int) -> list[ArmedTimer]:
    late_at = tx.now - await settings.value(tx, LATE_AFTER)
    return (await timers.list_armed(tx, AD_GROUP, WantedTimers(scope.listed, late_at=late_at), limit=most)).items


async def _draw_changes(tx: Tx, scope: Scope) -> str:
    """One bar for each of the last changes of a day; high ones began to run."""
    wanted = WantedHistory(scope.listed, AD_GROUP.name, since=tx.now - DAY)
    found = (await listing.list_transitions(tx, wanted, limit=LAST)).items
    return "".join("8" if one.target == State.RUNNING else "4" for one in reversed(found))


def _href(ad_group_id: int) -> str:
    return f"/ads/groups/{ad_group_id}"
