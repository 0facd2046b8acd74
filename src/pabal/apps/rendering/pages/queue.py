"""The queue as a table and as a board: what renders, what waits, what has just ended; verbs for one and for many."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query
from fastapi.responses import Response
from pydantic import BaseModel

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions import renders as actions
from pabal.apps.rendering.errors import NothingToCancel, NothingToRetry, RenderNotFound, StillWindingDown
from pabal.apps.rendering.forecasts import Forecast, Outlook, foresee
from pabal.apps.rendering.model.renders import AREA, OPEN, WORKING, Render, RenderState, Stage
from pabal.apps.rendering.model.slots import Slot
from pabal.apps.rendering.pages.page_texts import (
    EVERY,
    QUEUE,
    TOPICS,
    Bar,
    InTime,
    Typed,
    show_bar,
    show_in_time,
    show_seconds,
)
from pabal.apps.rendering.resources.rows import list_usable_units
from pabal.apps.rendering.store import renders, showing, slots
from pabal.apps.rendering.store.renders import Filter
from pabal.base.database import Tx
from pabal.base.errors import NotFound
from pabal.engine.queue import Priority
from pabal.platform import settings
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, back_to, read_number
from pabal.platform.web.visit import Visit

router = APIRouter(prefix=QUEUE, include_in_schema=False)
ENDED_WITHIN = timedelta(hours=24)
MOST_OPEN, MOST_ENDED, MOST_AT_ONCE = 200, 50, 200
BULK: dict[str, Pair] = {
    "retry": ("Retry", "다시 시도"),
    "urgent": ("Render first", "먼저 하기"),
    "cancel": ("Cancel", "취소"),
}
BOARD: tuple[tuple[str, Pair, tuple[RenderState, ...]], ...] = (
    ("wait", ("Waiting", "대기"), (RenderState.PENDING,)),
    ("prepare", ("Preparing", "준비"), (RenderState.PREPARING,)),
    ("render", ("Rendering", "렌더링"), (RenderState.RENDERING,)),
    ("encode", ("Encoding", "인코딩"), (RenderState.ENCODING,)),
    ("upload", ("Uploading", "업로드"), (RenderState.UPLOADING,)),
    ("done", ("Completed", "완료"), (RenderState.COMPLETED,)),
    ("ended", ("Failed, cancelled", "실패·취소"), (RenderState.FAILED, RenderState.CANCELLED)),
)
Ids = Annotated[list[Word], Form()]


class Filters(BaseModel):
    state: Word = ""
    composition: Word = ""
    q: Word = ""
    view: Word = ""

    @property
    def is_set(self) -> bool:
        return bool(self.state or self.composition or self.q)

    @property
    def is_board(self) -> bool:
        return self.view == "board"

    @property
    def wanted(self) -> Filter:
        states = [self.state] if self.state in set(RenderState) else None
        return Filter(states=states, composition_id=self.composition or None, q=self.q or None)


@dataclass(frozen=True, slots=True)
class QueueRow:
    """`slow`: how long it takes already, where that is longer than usual."""

    render: Render
    bar: Bar
    in_time: InTime | None
    slow: str

    @property
    def may_cancel(self) -> bool:
        return self.render.state in OPEN

    @property
    def may_retry(self) -> bool:
        is_over = self.render.state in (RenderState.FAILED, RenderState.CANCELLED)
        return is_over and not self.render.is_winding_down

    @property
    def may_copy(self) -> bool:
        return self.may_retry and self.render.rendered_path is not None


@dataclass(frozen=True, slots=True)
class Workers:
    alive: int
    idle: int


@router.get("")
async def show(visit: Visitor, filters: Annotated[Filters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        opened, open_count = await showing.list_open(tx, visit.scope, filters.wanted, most=MOST_OPEN)
        ended, ended_count = await showing.list_ended(
            tx, visit.scope, filters.wanted, since=tx.now - ENDED_WITHIN, most=MOST_ENDED
        )
        outlook = await foresee(tx, [*opened, *ended])
        figures = await showing.read_figures(tx, visit.scope)
        known = await showing.list_names(tx, await list_usable_units(tx, visit.scope))
        workers = count_workers(await slots.list_slots(tx), visit)
        slow = await settings.value(tx, own.SLOW_ALERT)
    lines = [show_row(visit, one, outlook, slow) for one in (*opened, *ended)]
    return await visit.show(
        "rendering/queue.html",
        lines=lines,
        board=[(name, words, [one for one in lines if one.render.state in states]) for name, words, states in BOARD],
        left_out=open_count + ended_count - len(lines),
        figures=figures,
        outlook=outlook,
        workers=workers,
        filters=filters,
        compositions=known,
        bulk=BULK,
        failed_count=sum(one.render.state == RenderState.FAILED for one in lines),
        live_topics=TOPICS,
        every=EVERY,
    )


def show_row(visit: Visit, render: Render, outlook: Outlook, slow: timedelta) -> QueueRow:
    foretold = outlook.renders.get(render.id)
    estimate = outlook.estimates[render.composition_id]
    bar = show_bar(visit, render, estimate, foretold)
    return QueueRow(render, bar, show_in_time(visit, foretold), _show_slow(visit, render, foretold, slow))


def _show_slow(visit: Visit, render: Render, foretold: Forecast | None, slow: timedelta) -> str:
    if render.state not in WORKING or render.started_at is None or visit.now - render.started_at < slow:
        return ""
    taken = show_seconds(visit, visit.now - render.started_at)
    if foretold is None or not foretold.estimate.samples:
        return visit.say("{taken} already", "벌써 {taken}", taken=taken)
    usual = show_seconds(visit, timedelta(seconds=foretold.estimate.total))
    return visit.say("usually {usual}, {taken} already", "보통 {usual}, 지금 {taken}", usual=usual, taken=taken)


def count_workers(found: Sequence[Slot], visit: Visit) -> Workers:
    states = [one.state(visit.now) for one in found]
    return Workers(sum(one != "gone" for one in states), states.count("idle"))


@router.get("/bulk")
async def preview_many(
    visit: Visitor, event: Word = "", id: Annotated[list[Word] | None, Query()] = None, back: Word = QUEUE
) -> Response:
    """Nothing is changed by looking; the page can be reloaded."""
    visit.actor.require(Right.WRITE, AREA)
    wanted = event if event in BULK else ""
    async with visit.read() as tx:
        found = await _load(tx, visit, read_ids(id or ()))
    return await visit.show(
        "rendering/queue_bulk.html",
        event=wanted,
        verbs=BULK,
        moving=[one for one in found if wanted and _may(one, wanted)],
        refused=[one for one in found if not wanted or not _may(one, wanted)],
        back=back_to(back, QUEUE),
    )


@router.post("/bulk")
async def choose_many(
    visit: Visitor, event: Annotated[Word, Form()], id: Ids | None = None, back: Annotated[Word, Form()] = QUEUE
) -> Response:
    asked = [("event", event), ("back", back), *(("id", str(one)) for one in read_ids(id or ()))]
    return visit.go(f"{QUEUE}/bulk?{urlencode(asked)}")


@router.post("/bulk/send")
async def act_on_many(
    visit: Visitor,
    event: Annotated[Word, Form()],
    id: Ids | None = None,
    reason: Annotated[Typed, Form()] = "",
    back: Annotated[Word, Form()] = QUEUE,
) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    ids = read_ids(id or ()) if event in BULK else []
    async with visit.change() as tx:
        done = [await _act(tx, visit, one, event, reason) for one in ids]
    said = ("{verb}: {done} done, {left} left as they were", "{verb}: {done}건 처리, {left}건 그대로")
    verb = visit.say(*BULK[event]) if event in BULK else ""
    return visit.go(back_to(back, QUEUE), said=said, verb=verb, done=sum(done), left=len(ids) - sum(done))


@router.post("/retry-failed")
async def retry_failed(
    visit: Visitor, composition: Annotated[Word, Form()] = "", back: Annotated[Word, Form()] = QUEUE
) -> Response:
    """All failed ones of the filter, also those that the page does not show."""
    async with visit.change() as tx:
        done = await actions.retry_failed(tx, visit.actor, Filter(composition_id=composition or None))
    said = ("{n} failed job begins again.|{n} failed jobs begin again.", "실패한 작업 {n}건을 다시 시작했습니다.")
    return visit.go(back_to(back, QUEUE), said=said, n=len(done))


async def _load(tx: Tx, visit: Visit, ids: Sequence[int]) -> list[Render]:
    found = []
    for one in ids:
        try:
            found.append(await renders.get_render(tx, visit.scope, one))
        except NotFound:
            continue
    return found


def _may(render: Render, event: str) -> bool:
    if event == "retry":
        return render.state in (RenderState.FAILED, RenderState.CANCELLED) and not render.is_winding_down
    return render.is_open if event == "cancel" else render.state == RenderState.PENDING


async def _act(tx: Tx, visit: Visit, render_id: int, event: str, reason: str) -> bool:
    """Whether it was done: one that somebody else changed meanwhile stays as it is."""
    try:
        if event == "retry":
            await actions.retry(tx, visit.actor, render_id, stage=Stage.PREPARE)
        elif event == "cancel":
            await actions.cancel(tx, visit.actor, render_id, reason=reason or None)
        else:
            await actions.set_priority(tx, visit.actor, render_id, Priority.URGENT)
    except (NothingToRetry, NothingToCancel, StillWindingDown, RenderNotFound):
        return False
    return True


def read_ids(given: Sequence[str]) -> list[int]:
    return list(dict.fromkeys(number for one in given if (number := read_number(one)) is not None))[:MOST_AT_ONCE]
