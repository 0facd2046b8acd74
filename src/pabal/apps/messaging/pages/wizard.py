"""The same form in four steps. All of it travels along in hidden fields, so that going back loses nothing."""

from dataclasses import dataclass, fields, replace
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.apps.messaging.actions import deliveries, schedules
from pabal.apps.messaging.model.findings import Finding
from pabal.apps.messaging.model.schedules import Schedule
from pabal.apps.messaging.pages.form import begin_draft, save_once
from pabal.apps.messaging.pages.listing import AREA
from pabal.apps.messaging.pages.reading import Draft
from pabal.apps.messaging.pages.receiving import PostedForm, Sent, receive
from pabal.apps.messaging.pages.saving import Stays, change_draft, save
from pabal.apps.messaging.pages.sheet import NOT_YET, QUIET, Said, Sheet, Telling, load_sheet
from pabal.apps.messaging.store.schedules import get_schedule
from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.platform.actor import Right
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import read_number
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/messages/schedules", include_in_schema=False)
LAST = 4
STEPS = {
    1: {"title", "description", "room_type", "room_id", "bot_id", "unit_id"},
    2: {
        "text", "send_order", "send_interval_seconds", "media_wait_1", "media_wait_2", "images_1", "images_2",
        "template_id", "template_name",
    },
    3: {
        "schedule_type", "schedule_date", "schedule_time", "schedule_weekdays", "zone", "valid_from", "valid_until",
        "late_policy",
    },
    4: {"state"},
}  # fmt: skip


@dataclass(frozen=True)
class WizardSheet(Sheet):
    """`notes` say under each step what was chosen there."""

    @property
    def step(self) -> int:
        return read_step(self.draft)

    @property
    def notes(self) -> tuple[Pair, Pair, Pair, Pair]:
        seen, draft = self.seen, self.draft
        where = NOT_YET if seen.room is None else _both(" · ".join(filter(None, (seen.room.name, seen.bot_name))))
        count = len(draft.images_1) + len(draft.images_2)
        what = (f"text {int(bool(draft.text))} · images {count}", f"글 {int(bool(draft.text))} · 그림 {count}")
        check = ("limits · conflicts · rights", "제한 · 겹침 · 권한")
        return where, NOT_YET if not (draft.text or count) else what, seen.says, check

    @property
    def elsewhere(self) -> list[str]:
        """The fields of the other steps, which travel along."""
        return [name for number, names in STEPS.items() if number != self.step for name in sorted(names)]

    @property
    def bad_steps(self) -> set[int]:
        return {find_step(one) for one in self.seen.problems}


@router.get("/wizard")
async def begin(visit: Visitor, copy: str = "", template: str = "", room: str = "", draft: str = "") -> Response:
    """`draft` names a schedule that was saved inactive for a test: it goes on at the last step."""
    visit.actor.require(Right.WRITE, AREA)
    number = read_number(draft)
    if number is None:
        return await _show(visit, await begin_draft(visit, copy, template, room))
    async with visit.read() as tx:
        found = await get_schedule(tx, visit.scope, number)
    kept = replace(Draft.of(found), schedule_id=str(number), state="active", step=str(LAST))
    return await _show(visit, kept)


@router.post("/wizard")
async def go_on(posted: PostedForm) -> Response:
    sent, visit = await receive(posted), posted.visit
    step = read_step(sent.draft)
    if sent.refused:
        return await _show_again(visit, await change_draft(visit, replace(sent, do="look")))
    match sent.do:
        case "next":
            return await _step_on(visit, sent.draft, step)
        case "back":
            return await _show(visit, replace(sent.draft, step=str(max(1, step - 1))))
        case "save":
            return await save_once(visit, sent.draft, again=_show_faulty)
        case "test":
            return await _test(visit, sent)
    return await _show_again(visit, await change_draft(visit, sent))


def read_step(draft: Draft) -> int:
    return min(LAST, max(1, read_number(draft.step) or 1))


def find_step(finding: Finding) -> int:
    return next((number for number, names in STEPS.items() if finding.field in names), LAST)


async def _step_on(visit: Visit, draft: Draft, step: int) -> Response:
    """Onward only when this step is complete; what is wrong elsewhere is told when one gets there."""
    async with visit.read() as tx:
        sheet = await load_sheet(tx, visit, draft)
    wrong = tuple(one for one in sheet.seen.problems if find_step(one) == step)
    if wrong:
        return await _show(visit, draft, Telling(more=wrong), 422)
    return await _show(visit, replace(draft, step=str(min(LAST, step + 1))))


async def _show_faulty(visit: Visit, stays: Stays) -> Response:
    """Where the first thing is that must be mended; a save that was not refused for a field stays at the end."""
    async with visit.read() as tx:
        sheet = await load_sheet(tx, visit, stays.draft)
    step = min((find_step(one) for one in sheet.seen.problems), default=LAST)
    return await _show_again(visit, replace(stays, draft=replace(stays.draft, step=str(step))))


async def _test(visit: Visit, sent: Sent) -> Response:
    """It must be saved to be sent: as inactive, until somebody says schedule it."""
    room_id = read_number(sent.rest.get("test_room_id", "")) or 0
    draft = sent.draft
    try:
        async with visit.change() as tx:
            made = await save(visit, replace(draft, state="inactive"), tx)
            if isinstance(made, Stays):
                raise _NotSaved(made)
            await _send(tx, visit, made, room_id)
    except _NotSaved as error:
        return await _show_faulty(visit, replace(error.stays, draft=draft))
    except PabalError as error:
        said = Said((explain(error, "en"), explain(error, "ko")), "attn")
        return await _show(visit, draft, Telling(said=said), 409)
    there = f"/messages/schedules/wizard?draft={made.id}"
    return visit.go(there, said=("Saved as inactive, and sent as a test.", "비활성으로 저장하고 시험 발송했습니다."))


async def _send(tx: Tx, visit: Visit, made: Schedule, room_id: int) -> None:
    if made.is_active:
        await schedules.deactivate(tx, visit.actor, made.id)
    await deliveries.send_test(tx, visit.actor, made.id, room_id)


class _NotSaved(Exception):
    """Takes the draft out of a transaction in which nothing may be left behind."""

    def __init__(self, stays: Stays) -> None:
        self.stays = stays


async def _show_again(visit: Visit, stays: Stays) -> Response:
    return await _show(visit, stays.draft, stays.telling, stays.status)


async def _show(visit: Visit, draft: Draft, telling: Telling = QUIET, status: int = 200) -> Response:
    async with visit.read() as tx:
        loaded = await load_sheet(tx, visit, draft, telling)
    values: dict[str, Any] = {each.name: getattr(loaded, each.name) for each in fields(Sheet)}
    return await visit.show("messaging/wizard.html", status, sheet=WizardSheet(**values))


def _both(text: str) -> Pair:
    return text, text
