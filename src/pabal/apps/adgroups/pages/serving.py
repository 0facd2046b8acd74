"""What ad servers read: whether it is written at all, how it stands, what the last checks found; checked, rebuilt."""

import json
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.apps.adgroups.pages.page_texts import TOPICS
from pabal.apps.adgroups.serving import actions, store
from pabal.apps.adgroups.serving.actions import ABOUT as JOBS
from pabal.apps.adgroups.serving.actions import CHECK, REBUILD
from pabal.apps.adgroups.serving.layout import ABOUT, INVENTORY, PREFIX, RUNNING, Difference, key_of
from pabal.apps.adgroups.settings import CHECK_EVERY
from pabal.base.database import Tx
from pabal.engine import ids, listing
from pabal.engine.listing.jobs import OPEN, Wanted
from pabal.platform import settings
from pabal.platform.language.pairs import Pair
from pabal.platform.web.actors import name_actors
from pabal.platform.web.identify import Visitor

router = APIRouter(prefix="/ads/serving", include_in_schema=False)
HERE = "/ads/serving"
DIFFERENCES: dict[str, Pair] = {
    Difference.MISSING: ("runs and was not there", "송출중인데 없음"),
    Difference.STALE: ("was there as it had been", "예전 내용으로 있음"),
    Difference.NOT_RUNNING: ("does not run and was there", "송출중이 아닌데 있음"),
    Difference.UNKNOWN: ("of no ad group here", "이곳의 광고그룹이 아님"),
    Difference.WRONG_INVENTORY: ("in the wrong inventory", "다른 인벤토리에 있음"),
}
KEYS: tuple[tuple[str, Pair], ...] = (
    (f"{PREFIX}{{id}}", ("a running ad group as JSON, nothing otherwise", "송출중인 광고그룹의 JSON, 아니면 없음")),
    (RUNNING, ("set of all that run", "송출중인 모든 id의 집합")),
    (f"{INVENTORY}{{code}}", ("set of those to be shown there", "그 인벤토리에 나갈 id의 집합")),
    (ABOUT, ("hash: when it was rebuilt and refreshed, how many", "해시: 새로 만든 때, 고친 때, 개수")),
)


@dataclass(frozen=True, slots=True)
class Working:
    """A check or a rebuild under way, and how far it says it is."""

    id: str
    kind: str
    state: str
    progress: dict[str, Any]


@router.get("")
async def show(visit: Visitor) -> Response:
    async with visit.read() as tx:
        described = await actions.describe(tx, visit.actor)
        working = await _list_working(tx)
        names = await name_actors(tx, visit, {one.asked_by for one in described.checks})
        example = await _find_example(tx)
        every = await settings.value(tx, CHECK_EVERY)
    return await visit.show(
        "adgroups/serving.html",
        standing=described.standing,
        checks=described.checks,
        last=described.last,
        working=working,
        names=names,
        example=example,
        every=every,
        differences=DIFFERENCES,
        keys=KEYS,
        live_topics=TOPICS,
    )


@router.post("/check")
async def check(visit: Visitor) -> Response:
    async with visit.change() as tx:
        await actions.check_now(tx, visit.actor)
    return visit.go(HERE, said=("The check is under way.", "점검을 시작했습니다."))


@router.post("/rebuild")
async def rebuild(visit: Visitor) -> Response:
    async with visit.change() as tx:
        await actions.rebuild_now(tx, visit.actor)
    return visit.go(HERE, said=("The rebuild is under way.", "새로 만들기를 시작했습니다."))


async def _list_working(tx: Tx) -> list[Working]:
    found = await listing.list_jobs(tx, Wanted(None, OPEN, about=JOBS), limit=20)
    return [
        Working(ids.show("job", one.id), one.kind, one.state, one.progress or {})
        for one in found.items
        if one.kind in (CHECK, REBUILD)
    ]


async def _find_example(tx: Tx) -> tuple[str, str] | None:
    """One that runs: its key, and what ad servers should find there."""
    first = await store.list_running(tx, after=0, limit=1)
    served = await store.load_served(tx, first)
    for one in served.values():
        return key_of(one.id), json.dumps(json.loads(one.text), ensure_ascii=False, indent=2)
    return None
