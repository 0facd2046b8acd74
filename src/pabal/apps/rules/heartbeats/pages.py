"""Heartbeats in the console: the list, one with its reports and its address, and the form."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import Response
from pydantic import AfterValidator, BaseModel, ConfigDict

from pabal.apps.rules.heartbeats import actions, store
from pabal.apps.rules.heartbeats.errors import BadHeartbeat
from pabal.apps.rules.heartbeats.form import HeartbeatDraft, check_draft, draft_of, read_draft
from pabal.apps.rules.heartbeats.machine import HEARTBEAT
from pabal.apps.rules.heartbeats.model import AREA, Heartbeat, HeartbeatState
from pabal.base.database import Tx
from pabal.engine import transitions
from pabal.engine.listing import Page
from pabal.engine.recurrence import BadRecurrence, UnknownZone
from pabal.platform.actor import Right
from pabal.platform.findings import Finding, find_wrong, texts_by_field
from pabal.platform.web.identify import Visitor
from pabal.platform.web.keyset import read_page
from pabal.platform.web.lists import Word, clean, read_number, turn
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

HERE = "/rules/heartbeats"
TOPICS = "heartbeat.*"
PAGE = 50
SHOWN_REPORTS = 50

router = APIRouter(prefix=HERE, include_in_schema=False)


class HeartbeatFilters(BaseModel):
    model_config = ConfigDict(frozen=True)

    q: Word = ""
    state: Word = ""
    cursor: str = ""

    @property
    def is_set(self) -> bool:
        return bool(self.q or self.state)


@dataclass(frozen=True, slots=True)
class HeartbeatLine:
    heartbeat: Heartbeat
    path: list[str]
    words: str | None


@router.get("")
async def show_list(visit: Visitor, filters: Annotated[HeartbeatFilters, Query()]) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        page = await _load_page(tx, visit, filters)
        lines = await _show_lines(tx, visit, page.items)
    states = [str(one) for one in HeartbeatState]
    return await visit.show(
        "rules/heartbeats.html",
        lines=lines,
        states=states,
        filters=filters,
        pager=turn(visit, page.cursor),
        live_topics=TOPICS,
    )


@router.get("/new")
async def new(visit: Visitor) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    return await _show_form(visit, HeartbeatDraft(zone=visit.zone.key, unit_id=str(visit.scope.unit_id or "")), None)


@router.post("/new")
async def create(visit: Visitor, draft: Annotated[HeartbeatDraft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    faults = check_draft(draft)
    if faults:
        return await _show_form(visit, draft, None, faults)
    owner = read_number(draft.unit_id)
    try:
        async with visit.change() as tx:
            made = await actions.create_heartbeat(tx, visit.actor, unit_id=owner, **read_draft(draft))
    except (BadHeartbeat, BadRecurrence, UnknownZone) as error:
        return await _show_form(visit, draft, None, [_find_wrong(error)])
    return visit.go(f"{HERE}/{made.id}", said=("Made: {name}", "만들었습니다: {name}"), name=made.name)


@router.get("/{heartbeat_id}")
async def show(visit: Visitor, request: Request, heartbeat_id: int) -> Response:
    visit.actor.require(Right.READ, AREA)
    async with visit.read() as tx:
        one = await store.get_heartbeat(tx, visit.scope, heartbeat_id)
        [line] = await _show_lines(tx, visit, [one])
        reports = await store.list_reports(tx, heartbeat_id, SHOWN_REPORTS)
        history = await transitions.history(tx, HEARTBEAT, heartbeat_id)
    return await visit.show(
        "rules/heartbeat.html",
        line=line,
        one=one,
        address=f"{str(request.base_url).rstrip('/')}{one.path}",
        reports=reports,
        history=history[::-1][:20],
        live_topics=TOPICS,
    )


@router.get("/{heartbeat_id}/edit")
async def edit(visit: Visitor, heartbeat_id: int) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        one = await store.get_heartbeat(tx, visit.scope, heartbeat_id)
    return await _show_form(visit, draft_of(one), one)


@router.post("/{heartbeat_id}/edit")
async def change(visit: Visitor, heartbeat_id: int, draft: Annotated[HeartbeatDraft, Form()]) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        one = await store.get_heartbeat(tx, visit.scope, heartbeat_id)
    faults = check_draft(draft)
    if faults:
        return await _show_form(visit, draft, one, faults)
    try:
        async with visit.change() as tx:
            done = await actions.edit_heartbeat(tx, visit.actor, heartbeat_id, **read_draft(draft))
    except (BadHeartbeat, BadRecurrence, UnknownZone) as error:
        return await _show_form(visit, draft, one, [_find_wrong(error)])
    return visit.go(f"{HERE}/{heartbeat_id}", said=("Saved: {name}", "저장했습니다: {name}"), name=done.name)


@router.post("/{heartbeat_id}/pause")
async def pause(
    visit: Visitor, heartbeat_id: int, reason: Annotated[str, AfterValidator(clean), Form()] = ""
) -> Response:
    async with visit.change() as tx:
        done = await actions.pause_heartbeat(tx, visit.actor, heartbeat_id, reason=reason or None)
    said = ("{name} is paused: no reports are expected.", "{name}을(를) 일시정지했습니다. 보고를 기다리지 않습니다.")
    return visit.go(f"{HERE}/{heartbeat_id}", said=said, name=done.name)


@router.post("/{heartbeat_id}/resume")
async def resume(visit: Visitor, heartbeat_id: int) -> Response:
    async with visit.change() as tx:
        done = await actions.resume_heartbeat(tx, visit.actor, heartbeat_id)
    said = ("{name} waits for its next report.", "{name}의 다음 보고를 기다립니다.")
    return visit.go(f"{HERE}/{heartbeat_id}", said=said, name=done.name)


@router.post("/{heartbeat_id}/new-address")
async def new_address(visit: Visitor, heartbeat_id: int) -> Response:
    async with visit.change() as tx:
        done = await actions.new_address(tx, visit.actor, heartbeat_id)
    said = ("{name} has a new address.", "{name}의 주소를 바꿨습니다.")
    return visit.go(f"{HERE}/{heartbeat_id}", said=said, name=done.name)


@router.post("/{heartbeat_id}/delete")
async def delete(visit: Visitor, heartbeat_id: int) -> Response:
    async with visit.change() as tx:
        await actions.delete_heartbeat(tx, visit.actor, heartbeat_id)
    return visit.go(HERE, said=("Removed.", "삭제했습니다."))


async def _load_page(tx: Tx, visit: Visit, filters: HeartbeatFilters) -> Page[Heartbeat]:
    states = [filters.state] if filters.state in set(HeartbeatState) else []
    return await read_page(
        lambda cursor: store.list_heartbeats(tx, visit.scope, states=states, q=filters.q, cursor=cursor, limit=PAGE),
        filters.cursor,
    )


async def _show_lines(tx: Tx, visit: Visit, found: Sequence[Heartbeat]) -> list[HeartbeatLine]:
    tree = await load_tree(tx, visit.scope)
    return [HeartbeatLine(one, tree.names(one.unit_id), one.plan.describe(visit.lang)) for one in found]


def _find_wrong(error: Any) -> Finding:
    field = "zone" if isinstance(error, UnknownZone) else "cron" if isinstance(error, BadRecurrence) else "every"
    return find_wrong(error, field)


async def _show_form(
    visit: Visit, draft: HeartbeatDraft, one: Heartbeat | None, faults: Sequence[Finding] = ()
) -> Response:
    async with visit.read() as tx:
        tree = await load_tree(tx, visit.scope)
    return await visit.show(
        "rules/heartbeat_form.html",
        422 if faults else 200,
        draft=draft,
        one=one,
        faults=texts_by_field(faults),
        units=tree.choices(),
    )
