"""Workers: who renders what, who takes nothing and why; and what is stuck, to be let go."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form
from fastapi.responses import Response

from pabal.apps.rendering import settings as own
from pabal.apps.rendering.actions import renders as render_actions
from pabal.apps.rendering.actions import slots as actions
from pabal.apps.rendering.farm import farm_of
from pabal.apps.rendering.forecasts import foresee
from pabal.apps.rendering.model.renders import AREA, Render
from pabal.apps.rendering.model.slots import Slot, TemplatePause, read_hours
from pabal.apps.rendering.pages.page_texts import (
    EVERY,
    TOPICS,
    WORKERS,
    Bar,
    Typed,
    describe_fault,
    reason_of,
    show_bar,
    show_size,
)
from pabal.apps.rendering.places import PlaceSeen, examine_places, list_places
from pabal.apps.rendering.resources.paths import PLACES
from pabal.apps.rendering.resources.rows import SlotRow, list_workers, read_stuck
from pabal.apps.rendering.resources.verbs import release_worker
from pabal.apps.rendering.store import renders, showing
from pabal.base.database import Tx
from pabal.platform import settings, tenants
from pabal.platform.actor import Right
from pabal.platform.language.pairs import Pair
from pabal.platform.resources import Filter
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import Word, back_to
from pabal.platform.web.visit import Visit

router = APIRouter(include_in_schema=False)
DAYS: tuple[Pair, ...] = (
    ("Mon", "월"),
    ("Tue", "화"),
    ("Wed", "수"),
    ("Thu", "목"),
    ("Fri", "금"),
    ("Sat", "토"),
    ("Sun", "일"),
)
PROBLEMS: dict[str, Pair] = {
    "path_missing": ("It is not there.", "없습니다."),
    "path_unreadable": ("It cannot be read.", "읽을 수 없습니다."),
    "path_read_only": ("Nothing can be written there.", "쓸 수 없습니다."),
}
SAID: dict[str, Pair] = {
    "pause": ("Paused. It finishes what it has.", "일시정지했습니다. 하던 작업은 끝냅니다."),
    "resume": ("It takes jobs again.", "다시 작업을 받습니다."),
    "drain": ("It finishes what it has and takes nothing more.", "하던 작업만 끝내고 더 받지 않습니다."),
    "look": ("It looks into the queue now.", "지금 대기열을 확인합니다."),
    "release": ("Its job goes to another worker.", "작업을 다른 워커로 넘겼습니다."),
    "hours": ("Changed its hours.", "근무 시간을 바꿨습니다."),
    "allow": ("It gets this composition again.", "이 컴포지션을 다시 받습니다."),
}


@dataclass(frozen=True, slots=True)
class WorkerLine:
    """`note` says why it takes nothing, or what it waits for."""

    row: SlotRow
    slot: Slot
    state: str
    note: str
    hours: str
    render: Render | None
    bar: Bar | None
    pauses: list[tuple[TemplatePause, str, str]]


@dataclass(frozen=True, slots=True)
class StuckLine:
    render: Render
    why: str
    since: datetime


@router.get(WORKERS)
async def show(visit: Visitor) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        rows = await list_workers(tx, visit.scope, Filter())
        lines = await _show_lines(tx, visit, rows)
        licences = await settings.value(tx, own.LICENCES)
        stuck = await read_stuck(tx, visit.scope)
        is_house = (await tenants.visible_to(tx, visit.actor)).units is None
    states = [one.state for one in lines]
    return await visit.show(
        "rendering/workers.html",
        lines=lines,
        alive=sum(one != "gone" for one in states),
        busy=states.count("busy") + states.count("draining"),
        licences=licences,
        stuck_count=len(stuck),
        days=[visit.say(*one) for one in DAYS],
        is_house=is_house,
        live_topics=TOPICS,
        every=EVERY,
    )


@router.post(f"{WORKERS}/stuck/release")
async def release_all(visit: Visitor, back: Annotated[Word, Form()] = f"{WORKERS}/stuck") -> Response:
    """Everything that is stuck and that a worker holds."""
    visit.actor.require(Right.WRITE, AREA)
    async with visit.change() as tx:
        held = [one for one in await read_stuck(tx, visit.scope) if one.worker_id is not None]
        for one in held:
            await render_actions.release_stuck(tx, visit.actor, one.id)
    said = ("{n} job goes to another worker.|{n} jobs go to other workers.", "작업 {n}건을 다른 워커로 넘겼습니다.")
    return visit.go(back_to(back, f"{WORKERS}/stuck"), said=said, n=len(held))


@router.post(f"{WORKERS}/{{slot_id}}/hours")
async def set_hours(
    visit: Visitor,
    slot_id: UUID,
    day: Annotated[list[Word] | None, Form()] = None,
    begins: Annotated[Typed, Form()] = "",
    ends: Annotated[Typed, Form()] = "",
) -> Response:
    """Without a day: always."""
    hours = {"days": day, "begins": begins, "ends": ends, "zone": visit.zone.key} if day else None
    async with visit.change() as tx:
        await actions.set_slot_hours(tx, visit.actor, slot_id, hours)
    return visit.go(WORKERS, said=SAID["hours"])


@router.post(f"{WORKERS}/{{slot_id}}/allow")
async def allow(visit: Visitor, slot_id: UUID, composition_id: Annotated[Typed, Form()]) -> Response:
    async with visit.change() as tx:
        await actions.allow_template(tx, visit.actor, slot_id, composition_id)
    return visit.go(WORKERS, said=SAID["allow"])


@router.post(f"{WORKERS}/{{slot_id}}/pause")
async def pause(visit: Visitor, slot_id: UUID, reason: Annotated[Typed, Form()] = "") -> Response:
    async with visit.change() as tx:
        await actions.pause_slot(tx, visit.actor, slot_id, reason=reason or None)
    return visit.go(WORKERS, said=SAID["pause"])


@router.post(f"{WORKERS}/{{slot_id}}/resume")
async def resume(visit: Visitor, slot_id: UUID) -> Response:
    async with visit.change() as tx:
        await actions.resume_slot(tx, visit.actor, slot_id)
    return visit.go(WORKERS, said=SAID["resume"])


@router.post(f"{WORKERS}/{{slot_id}}/drain")
async def drain(visit: Visitor, slot_id: UUID) -> Response:
    async with visit.change() as tx:
        await actions.drain_slot(tx, visit.actor, slot_id)
    return visit.go(WORKERS, said=SAID["drain"])


@router.post(f"{WORKERS}/{{slot_id}}/look")
async def look(visit: Visitor, slot_id: UUID) -> Response:
    async with visit.change() as tx:
        await actions.look_now(tx, visit.actor, slot_id)
    return visit.go(WORKERS, said=SAID["look"])


@router.post(f"{WORKERS}/{{slot_id}}/release")
async def release(visit: Visitor, slot_id: UUID) -> Response:
    async with visit.change() as tx:
        await release_worker(tx, visit.actor, slot_id)
    return visit.go(WORKERS, said=SAID["release"])


@router.get(f"{WORKERS}/stuck")
async def show_stuck(visit: Visitor) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        found = await read_stuck(tx, visit.scope)
    lines = [StuckLine(one, _explain(visit, one), one.stage_began_at or one.updated_at) for one in found]
    return await visit.show("rendering/stuck.html", lines=lines, live_topics=TOPICS, every=EVERY)


@router.get(f"{WORKERS}/paths")
async def show_paths(visit: Visitor) -> Response:
    """The path doctor. It tries to write, so that it is for administrators of the head office."""
    farm = farm_of(visit.services)
    async with visit.read() as tx:
        await tenants.require_house(tx, visit.actor, Right.MANAGE, AREA)
        places = await list_places(tx, farm)
    found = await examine_places(places, farm)
    return await visit.show(
        "rendering/paths.html",
        lines=[(one, visit.say(*PLACES[one.kind]), _tell(visit, one), show_size(one.seen.free_bytes)) for one in found],
        has_slots=bool(farm.slots),
    )


def _tell(visit: Visit, place: PlaceSeen) -> str:
    """Its path stands beside it."""
    if place.problem is None:
        return ""
    return visit.say(*PROBLEMS.get(place.problem.code, place.problem.text))


async def _show_lines(tx: Tx, visit: Visit, rows: list[SlotRow]) -> list[WorkerLine]:
    held = [await renders.get_render(tx, visit.scope, one.render_id) for one in rows if one.render_id is not None]
    outlook = await foresee(tx, held)
    names = dict(await showing.list_names(tx, None))
    by_id = {one.id: one for one in held}
    lines = []
    for row in rows:
        render = by_id.get(row.render_id or 0)
        bar = None
        if render is not None:
            estimate = outlook.estimates[render.composition_id]
            bar = show_bar(visit, render, estimate, outlook.renders.get(render.id))
        pauses = [
            (one, names.get(one.composition_id, one.composition_id), reason_of(visit, one.last_reason))
            for one in row.pauses
        ]
        state = row.slot.state(visit.now)
        lines.append(
            WorkerLine(
                row, row.slot, state, _note(visit, row.slot, state), _hours(visit, row.slot), render, bar, pauses
            )
        )
    return lines


def _note(visit: Visit, slot: Slot, state: str) -> str:
    if state == "gone":
        return visit.say("No sign of life. Check the server.", "신호가 없습니다. 서버를 확인하세요.")
    if state == "paused":
        return slot.paused_reason or visit.say("Paused by hand.", "직접 일시정지함")
    if state == "drained":
        return visit.say("May be switched off.", "꺼도 됩니다.")
    if state == "draining":
        return visit.say("Finishes what it has.", "하던 작업만 끝냅니다.")
    if slot.nexrender_ok is False:
        return visit.say("nexrender does not answer.", "nexrender가 응답하지 않습니다.")
    return ""


def _hours(visit: Visit, slot: Slot) -> str:
    if slot.hours is None:
        return visit.say("always", "항상")
    hours = read_hours(slot.hours)
    days = "·".join(visit.say(*DAYS[day - 1]) for day in hours.days)
    return f"{days} {hours.begins:%H:%M}–{hours.ends:%H:%M} ({hours.zone})"


def _explain(visit: Visit, render: Render) -> str:
    """Why it stands on the list."""
    if render.fault is not None:
        return describe_fault(visit, render)
    if render.lock_expires_at is not None and render.lock_expires_at < visit.now:
        return visit.say("Its worker gives no sign of life.", "맡은 워커에서 신호가 없습니다.")
    if render.is_winding_down:
        return visit.say(
            "Cancelled; After Effects still renders it.", "취소했지만 After Effects가 아직 렌더링 중입니다."
        )
    return visit.say("No progress for a long time.", "오랫동안 진행이 없습니다.")
