"""The single form of a schedule: new, a copy, an edit; and what is typed so far, looked at while it is typed."""

import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.apps.messaging.model.schedules import Schedule
from pabal.apps.messaging.pages.listing import AREA
from pabal.apps.messaging.pages.reading import Draft
from pabal.apps.messaging.pages.receiving import PostedForm, receive
from pabal.apps.messaging.pages.saving import Stays, change_draft, load_template, save
from pabal.apps.messaging.pages.sheet import QUIET, Telling, load_sheet
from pabal.apps.messaging.store.rooms import get_room
from pabal.apps.messaging.store.schedules import get_schedule
from pabal.base.database import Tx
from pabal.platform.actor import Right
from pabal.platform.web.idempotency import Once
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId, read_number
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/messages/schedules", include_in_schema=False)
Again = Callable[[Visit, Stays], Awaitable[Response]]


@router.get("/new")
async def new(visit: Visitor, copy: str = "", template: str = "", room: str = "") -> Response:
    visit.actor.require(Right.WRITE, AREA)
    return await _show(visit, await begin_draft(visit, copy, template, room))


@router.post("/new")
async def create(posted: PostedForm) -> Response:
    sent = await receive(posted)
    draft = replace(sent.draft, schedule_id="", version="")
    if sent.do != "save" or sent.refused:
        return await _show_again(posted.visit, await change_draft(posted.visit, replace(sent, draft=draft)))
    return await save_once(posted.visit, draft)


@router.get("/{schedule_id}/edit")
async def edit(visit: Visitor, schedule_id: RowId) -> Response:
    visit.actor.require(Right.WRITE, AREA)
    async with visit.read() as tx:
        schedule = await get_schedule(tx, visit.scope, schedule_id)
    return await _show(visit, replace(Draft.of(schedule), schedule_id=str(schedule_id)))


@router.post("/{schedule_id}/edit")
async def change(posted: PostedForm, schedule_id: RowId) -> Response:
    sent = await receive(posted)
    draft = replace(sent.draft, schedule_id=str(schedule_id))
    if sent.do != "save" or sent.refused:
        return await _show_again(posted.visit, await change_draft(posted.visit, replace(sent, draft=draft)))
    return await save_once(posted.visit, draft)


@router.post("/preview")
async def preview(posted: PostedForm) -> Response:
    """A fragment: what would come of what is typed so far."""
    sent = await receive(posted)
    async with posted.visit.read() as tx:
        sheet = await load_sheet(tx, posted.visit, sent.draft)
    return await posted.visit.show("messaging/preview.html", sheet=sheet)


async def begin_draft(visit: Visit, copy: str, template: str, room: str) -> Draft:
    """Empty, as another schedule, with a template's content, or to a room."""
    draft = Draft.fresh(visit.now)
    number = read_number(copy)
    if number is not None:
        async with visit.read() as tx:
            source = await get_schedule(tx, visit.scope, number)
        title = visit.say("{title} (copy)", "{title} (복사)", title=source.title)[:255]
        draft = replace(Draft.of(source), title=title, version="")
    if read_number(template) is not None:
        draft = (await load_template(visit, replace(draft, template_id=template))).draft
    if (wanted := read_number(room)) is not None:
        async with visit.read() as tx:
            found = await get_room(tx, visit.scope, wanted)
        draft = replace(draft, room_id=str(found.id), room_type=found.room_type)
    return replace(draft, once=secrets.token_urlsafe(12))


async def save_once(visit: Visit, draft: Draft, *, again: Again | None = None) -> Response:
    """A form sent twice makes one schedule, and is answered the same twice. `again` shows what could not be saved."""

    async def act(tx: Tx) -> Response:
        made = await save(visit, draft, tx)
        if isinstance(made, Stays):
            raise _Kept(made)
        return _go(visit, made, is_new=draft.number is None)

    key = f"form:{draft.once[:100]}" if draft.once and draft.number is None else None
    try:
        return await Once(visit, key).run(act, fingerprint=b"message schedule")
    except _Kept as kept:
        return await (again or _show_again)(visit, kept.stays)


class _Kept(Exception):
    """Takes the draft out of a transaction in which nothing may be left behind."""

    def __init__(self, stays: Stays) -> None:
        self.stays = stays


def _go(visit: Visit, made: Schedule, *, is_new: bool) -> Response:
    said = ("Scheduled: {title}", "예약했습니다: {title}") if is_new else ("Saved: {title}", "저장했습니다: {title}")
    return visit.go(f"/messages/schedules/{made.id}", said=said, title=made.title)


async def _show_again(visit: Visit, stays: Stays) -> Response:
    return await _show(visit, stays.draft, stays.telling, stays.status)


async def _show(visit: Visit, draft: Draft, telling: Telling = QUIET, status: int = 200) -> Response:
    async with visit.read() as tx:
        sheet = await load_sheet(tx, visit, draft, telling)
    return await visit.show("messaging/form.html", status, sheet=sheet)
