"""Schedules of all apps: a list, one of them with its next moments, and pause, resume, trigger, skip, keep."""

import json
import secrets
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.console.occurrences import load_page, make_rows, read_schedule_id
from pabal.engine import forecasts, listing, recurrence, schedules, why
from pabal.engine import occurrences as ledger
from pabal.engine.listing import Page, ScheduleLine
from pabal.engine.listing.occurrences import Wanted as WantedOccurrences
from pabal.engine.listing.schedules import STATES, Wanted
from pabal.engine.recurrence import Lang
from pabal.engine.schedules import NotAMoment, Schedule, ScheduleNotFound
from pabal.platform import operating, tenants
from pabal.platform.actor import Right
from pabal.platform.controls import may_operate
from pabal.platform.language.moments import show_moment
from pabal.platform.language.pairs import Pair
from pabal.platform.web.actors import name_actors
from pabal.platform.web.idempotency import REPLAYED, Once
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, turn
from pabal.platform.web.visit import Visit

router = APIRouter()
AREA = "schedules"
AHEAD = 10
RECENT = 20
# As ui.spark draws them; what was decided against leaves a gap, not a failure.
_BARS = {"done": "7", "partial": "m", "missed": "m", "failed": "x", "enqueued": "r"}

Back = Annotated[str, Form(max_length=2000)]


class Filters(BaseModel):
    state: Word = ""
    kind: Word = ""
    about: Word = ""
    q: Word = ""
    sort: Word = ""
    cursor: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A schedule as the list shows it; `says` is its rule in words, `path` its owner from the top one may see."""

    line: ScheduleLine
    id: str
    says: str
    path: list[str]
    who: str | None
    is_next_skipped: bool
    bars: str
    results: str
    may_operate: bool


@router.get("/schedules")
async def list_schedules(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load_page(tx, visit, filters)
        rows = await make_schedule_rows(tx, visit, page.items)
    return await visit.show(
        "schedules.html",
        rows=rows,
        filters=filters,
        states=STATES,
        is_filtered=any((filters.state, filters.kind, filters.about, filters.q)),
        kinds=sorted(visit.site.kinds),
        nonce=secrets.token_urlsafe(12),
        pager=turn(visit, page.cursor),
        live_topics="schedule.*",
    )


@router.get("/schedules/{schedule_id}")
async def show_schedule(visit: Visitor, schedule_id: str) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        line = await _find(tx, visit, schedule_id)
        [row] = await make_schedule_rows(tx, visit, [line])
        ahead = [] if line.timing is None else await forecasts.preview(tx, line.id, AHEAD)
        recent = await load_page(tx, WantedOccurrences(visit.scope.listed, line.id), None, limit=RECENT)
        rows = await make_rows(tx, visit, recent.items)
        plan = await _read_plan(tx, line)
    return await visit.show(
        "schedule.html",
        row=row,
        line=line,
        plan=plan,
        args=json.dumps(plan.args if plan else {}, ensure_ascii=False, indent=2),
        ahead=ahead,
        recent=rows,
        has_more=recent.cursor is not None,
        nonce=secrets.token_urlsafe(12),
        live_topics="schedule.*",
    )


@router.post("/schedules/{schedule_id}/pause")
async def pause(visit: Visitor, schedule_id: str, back: Back = "") -> Response:
    async with visit.change() as tx:
        done = await operating.pause_schedule(tx, visit.actor, _read(schedule_id), owners=visit.site.owners)
    said = (f"Paused: {done.name}", f"멈췄습니다: {done.name}")
    return visit.go(back or _href(done.id), said=said)


@router.post("/schedules/{schedule_id}/resume")
async def resume(visit: Visitor, schedule_id: str, back: Back = "") -> Response:
    async with visit.change() as tx:
        done = await operating.resume_schedule(tx, visit.actor, _read(schedule_id), owners=visit.site.owners)
    said = (f"Goes on: {done.name}", f"이어 합니다: {done.name}")
    return visit.go(back or _href(done.id), said=said)


@router.post("/schedules/{schedule_id}/trigger")
async def trigger(
    visit: Visitor, schedule_id: str, back: Back = "", once: Annotated[str, Form(max_length=100)] = ""
) -> Response:
    """`once` is new in every form that is shown: sent a second time, nothing more is triggered."""
    number = _read(schedule_id)

    async def act(tx: Tx) -> Response:
        await operating.trigger_schedule(tx, visit.actor, number, owners=visit.site.owners)
        return visit.go(
            back or _href(number), said=("Triggered. Its job is enqueued.", "실행했습니다. 작업을 등록했습니다.")
        )

    answer = await Once(visit, f"form:{once}" if once else None).run(act, fingerprint=f"trigger {number}".encode())
    if REPLAYED not in answer.headers:
        return answer
    said = ("It was triggered already, and not a second time.", "이미 실행했습니다. 두 번 실행하지 않았습니다.")
    return visit.go(back or _href(number), said=said)


@router.post("/schedules/{schedule_id}/skip")
async def skip(visit: Visitor, schedule_id: str, back: Back = "", fire_at: Annotated[str, Form()] = "") -> Response:
    """That moment, or without one the next that would fire."""
    number = _read(schedule_id)
    async with visit.change() as tx:
        wanted = _read_moment(fire_at) if fire_at else None
        moment = await operating.skip_occurrence(tx, visit.actor, number, wanted, owners=visit.site.owners)
    english, korean = _in_both(visit, moment)
    return visit.go(back or _href(number), said=(f"Will be skipped: {english}", f"건너뜁니다: {korean}"))


@router.post("/schedules/{schedule_id}/keep")
async def keep(visit: Visitor, schedule_id: str, fire_at: Annotated[str, Form()], back: Back = "") -> Response:
    number, moment = _read(schedule_id), _read_moment(fire_at)
    async with visit.change() as tx:
        await operating.keep_occurrence(tx, visit.actor, number, moment, owners=visit.site.owners)
    english, korean = _in_both(visit, moment)
    return visit.go(back or _href(number), said=(f"Will run as planned: {english}", f"그대로 실행합니다: {korean}"))


async def make_schedule_rows(tx: Tx, visit: Visit, lines: Sequence[ScheduleLine]) -> list[Row]:
    names = await name_actors(tx, visit, (line.paused_by for line in lines))
    paths = await _load_paths(tx, visit, (line.unit_id for line in lines))
    asked = await ledger.list_asked(tx, [line.id for line in lines], after=tx.now)
    return [
        Row(
            line,
            id=why.show_schedule(line.id),
            says=_describe(line, visit.lang),
            path=paths.get(line.unit_id or 0, []),
            who=None if line.paused_by is None else names[line.paused_by],
            is_next_skipped=line.next_at in asked.get(line.id, []),
            bars="".join(_BARS.get(state, "-") for state in reversed(line.recent)),
            results=_count_results(visit, line.recent),
            may_operate=may_operate(visit.actor, visit.site.owners, line.kind, AREA),
        )
        for line in lines
    ]


async def _load_page(tx: Tx, visit: Visit, filters: Filters) -> Page[ScheduleLine]:
    wanted = Wanted(
        visit.scope.listed,
        filters.kind or None,
        filters.about or None,
        [state for state in filters.state.split(",") if state in STATES],
        filters.q or None,
        sort="id" if filters.sort == "id" else "next_at",
    )
    return await read_page(lambda cursor: listing.list_schedules(tx, wanted, cursor=cursor), filters.cursor)


async def _find(tx: Tx, visit: Visit, text: str) -> ScheduleLine:
    """Also one whose rule can no longer be read: that is when somebody wants to look at it."""
    found = await listing.show_schedules(tx, [_read(text)])
    if not found or not visit.scope.holds(found[0].unit_id):
        raise ScheduleNotFound(text)
    return found[0]


async def _read_plan(tx: Tx, line: ScheduleLine) -> Schedule | None:
    """With what the list leaves out: arguments and policies. None for a rule that cannot be read."""
    try:
        return await schedules.find(tx, line.id)
    except Invalid:
        return None


async def _load_paths(tx: Tx, visit: Visit, units: Iterable[int | None]) -> dict[int, list[str]]:
    """Nobody learns who stands above what they may see."""
    wanted = {unit for unit in units if unit is not None}
    return {
        unit: [one.name for one in await tenants.list_path(tx, unit) if visit.scope.holds(one.id)] for unit in wanted
    }


def _describe(line: ScheduleLine, lang: Lang) -> str:
    return "" if line.timing is None else recurrence.describe(line.timing, lang)


def _count_results(visit: Visit, recent: Sequence[str]) -> str:
    counted = Counter(recent)
    words = ", ".join(f"{visit.voice.status_word('occurrence', state)} {n}" for state, n in counted.most_common())
    return visit.say("last {n}: {words}", "최근 {n}회: {words}", n=len(recent), words=words)


def _read(text: str) -> int:
    found = read_schedule_id(text)
    if found is None:
        raise ScheduleNotFound(text[:40])
    return found


def _read_moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise NotAMoment(text[:40]) from error
    if moment.tzinfo is None or not 2000 <= moment.year <= 9000:
        raise NotAMoment(text[:40])
    return moment


def _in_both(visit: Visit, moment: datetime) -> Pair:
    def show(lang: Lang) -> str:
        return show_moment(moment, visit.zone, lang, now=visit.now, seconds=moment.second > 0)

    return show("en"), show("ko")


def _href(schedule_id: int) -> str:
    return f"/schedules/{why.show_schedule(schedule_id)}"
