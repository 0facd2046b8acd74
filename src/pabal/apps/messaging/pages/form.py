"""The form of a schedule, on one page and in four steps: new, a copy, an edit, and what its buttons do."""

import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from pabal.apps.messaging.actions import deliveries, schedules, templates
from pabal.apps.messaging.errors import ScheduleChanged, TemplateNameTaken, TemplateNotFound
from pabal.apps.messaging.model.content import NewTemplate
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule
from pabal.apps.messaging.pages.form_draft import GROUPS, Draft, rearrange, understand
from pabal.apps.messaging.pages.form_post import PostedDraft, PostedForm, receive
from pabal.apps.messaging.pages.form_view import NOT_YET, QUIET, FormMessages, FormView, Refused, Said, load_form
from pabal.apps.messaging.pages.page_texts import AREA
from pabal.apps.messaging.resources.images import CONTENT
from pabal.apps.messaging.store.rooms import find_room, get_room
from pabal.apps.messaging.store.schedules import get_schedule
from pabal.apps.messaging.store.templates import get_template
from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.platform.actor import Right
from pabal.platform.findings import FieldsRefused, Finding
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.tenants import visible_to
from pabal.platform.web.idempotency import Once
from pabal.platform.web.identify import Visitor
from pabal.platform.web.lists import RowId, read_number
from pabal.platform.web.visit import Visit

router = APIRouter(prefix="/messages/schedules", include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Redisplay:
    """The form is shown again: with this draft, saying this."""

    draft: Draft
    messages: FormMessages
    status: int = 200


Again = Callable[[Visit, Redisplay], Awaitable[Response]]


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
        form = await load_form(tx, posted.visit, sent.draft)
    return await posted.visit.show("messaging/preview.html", form=form)


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
        if isinstance(made, Redisplay):
            raise _Kept(made)
        return _go(visit, made, is_new=draft.number is None)

    key = f"form:{draft.once[:100]}" if draft.once and draft.number is None else None
    try:
        return await Once(visit, key).run(act, fingerprint=b"message schedule")
    except _Kept as kept:
        return await (again or _show_again)(visit, kept.redisplay)


class _Kept(Exception):
    """Takes the draft out of a transaction in which nothing may be left behind."""

    def __init__(self, redisplay: Redisplay) -> None:
        self.redisplay = redisplay


def _go(visit: Visit, made: Schedule, *, is_new: bool) -> Response:
    said = ("Scheduled: {title}", "예약했습니다: {title}") if is_new else ("Saved: {title}", "저장했습니다: {title}")
    return visit.go(f"/messages/schedules/{made.id}", said=said, title=made.title)


async def _show_again(visit: Visit, redisplay: Redisplay) -> Response:
    return await _show(visit, redisplay.draft, redisplay.messages, redisplay.status)


async def _show(visit: Visit, draft: Draft, messages: FormMessages = QUIET, status: int = 200) -> Response:
    async with visit.read() as tx:
        form = await load_form(tx, visit, draft, messages)
    return await visit.show("messaging/form.html", status, form=form)


MOVES = ("left", "right", "other", "drop")


async def change_draft(visit: Visit, sent: PostedDraft) -> Redisplay:
    """Every button but those that save: what was typed redisplay, and something is done to it."""
    what, _, where = sent.do.partition(":")
    if what == "load":
        return await load_template(visit, sent.draft, sent.refused)
    if what == "keep":
        return await keep_template(visit, sent)
    draft = sent.draft
    group, _, index = where.partition(":")
    if what in MOVES and group in GROUPS and index.isdigit():
        draft = rearrange(draft, what, group, int(index[:4]))
    return Redisplay(draft, FormMessages(refused=sent.refused), 422 if sent.refused else 200)


async def load_template(visit: Visit, draft: Draft, refused: Sequence[Refused] = ()) -> Redisplay:
    number = read_number(draft.template_id)
    if number is None:
        return Redisplay(draft, FormMessages(said=Said(("No template is chosen.", "고른 템플릿이 없습니다."), "attn")))
    try:
        async with visit.read() as tx:
            found = await get_template(tx, await visible_to(tx, visit.actor), number)
    except TemplateNotFound as error:
        return Redisplay(draft, FormMessages(more=(_find(error, "template_id"),)), 422)
    said = Said((f"Loaded: {found.name}", f"불러왔습니다: {found.name}"))
    return Redisplay(draft.with_content(found.content), FormMessages(refused=tuple(refused), said=said))


async def keep_template(visit: Visit, sent: PostedDraft) -> Redisplay:
    draft = sent.draft
    new = NewTemplate(draft.template_name.strip(), draft.text, draft.images_1, draft.images_2)
    try:
        async with visit.change() as tx:
            made = await templates.save(tx, visit.actor, new)
    except FieldsRefused as error:
        return Redisplay(draft, FormMessages(more=_at_template(error.findings), refused=sent.refused), 422)
    except TemplateNameTaken as error:
        return Redisplay(draft, FormMessages(more=(_find(error, "template_name"),), refused=sent.refused), 422)
    said = Said((f"Kept as a template: {made.name}", f"템플릿으로 저장했습니다: {made.name}"))
    draft = replace(draft, template_id=str(made.id), template_name="")
    return Redisplay(draft, FormMessages(refused=sent.refused, said=said))


async def save(visit: Visit, draft: Draft, tx: Tx) -> Schedule | Redisplay:
    """Within the caller's transaction. What does not fit comes back with the draft, and nothing was saved."""
    room = await find_room(tx, read_number(draft.room_id) or 0)
    understood = understand(draft, {room.id: room} if room else {}, tx.now)
    if understood.faults:
        return Redisplay(draft, FormMessages(is_told=True), 422)
    try:
        return await _write(visit, draft, understood.new, tx)
    except FieldsRefused:
        return Redisplay(draft, FormMessages(is_told=True), 422)
    except ScheduleChanged as error:
        return await _was_changed(visit, draft, tx, error)


async def _write(visit: Visit, draft: Draft, new: NewSchedule, tx: Tx) -> Schedule:
    if draft.number is None:
        return await schedules.create(tx, visit.actor, new)
    return await schedules.edit(tx, visit.actor, draft.number, new, expect_version=read_number(draft.version))


async def _was_changed(visit: Visit, draft: Draft, tx: Tx, error: PabalError) -> Redisplay:
    """What was typed redisplay. Saved once more it counts, now that one knows."""
    now = await get_schedule(tx, await visible_to(tx, visit.actor), draft.number or 0)
    english, korean = explain(error, "en"), explain(error, "ko")
    said: Pair = (
        f"{english} What you typed is still here; saving again replaces the other's change.",
        f"{korean} 적은 내용은 그대로 있습니다. 다시 저장하면 다른 사람의 변경을 덮어씁니다.",
    )
    return Redisplay(replace(draft, version=str(now.version)), FormMessages(said=Said(said, "attn")), 409)


def _at_template(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """A template's name is another field here than in its own form."""
    return tuple(replace(one, field="template_name") if one.field == "name" else one for one in findings)


def _find(error: PabalError, field: str) -> Finding:
    return Finding(error.code, field, (explain(error, "en"), explain(error, "ko")))


LAST = 4
STEPS = {
    1: {
        "title", "description", "room_type", "room_id", "bot_id", "unit_id", "rooms", "group_id", "rooms_csv",
        "share_bots", "spread_minutes", "window_minutes",
    },
    2: {*CONTENT, "template_id", "template_name"},
    3: {
        "schedule_type", "schedule_date", "schedule_time", "more_times", "schedule_weekdays", "every_weeks", "zone",
        "valid_from", "valid_until", "late_policy",
    },
    4: {"state"},
}  # fmt: skip


@dataclass(frozen=True)
class WizardView(FormView):
    """`notes` say under each step what was chosen there."""

    @property
    def step(self) -> int:
        return read_step(self.draft)

    @property
    def notes(self) -> tuple[Pair, Pair, Pair, Pair]:
        preview, draft = self.preview, self.draft
        where = (
            NOT_YET if preview.room is None else _both(" · ".join(filter(None, (preview.room.name, preview.bot_name))))
        )
        if preview.checked.bulk is not None:
            rooms = len(preview.checked.bulk.rooms)
            where = (f"{rooms} rooms", f"톡방 {rooms}곳")
        count = len(draft.images_1) + len(draft.images_2)
        what = (f"text {int(bool(draft.text))} · images {count}", f"글 {int(bool(draft.text))} · 그림 {count}")
        check = ("limits · conflicts · rights", "제한 · 겹침 · 권한")
        return where, NOT_YET if not (draft.text or count) else what, preview.says, check

    @property
    def elsewhere(self) -> list[str]:
        """The fields of the other steps, which travel along."""
        return [name for number, names in STEPS.items() if number != self.step for name in sorted(names)]

    @property
    def bad_steps(self) -> set[int]:
        return {find_step(one) for one in self.preview.problems}


@router.get("/wizard")
async def begin(visit: Visitor, copy: str = "", template: str = "", room: str = "", draft: str = "") -> Response:
    """`draft` names a schedule that was saved inactive for a test: it goes on at the last step."""
    visit.actor.require(Right.WRITE, AREA)
    number = read_number(draft)
    if number is None:
        return await _show_step(visit, await begin_draft(visit, copy, template, room))
    async with visit.read() as tx:
        found = await get_schedule(tx, visit.scope, number)
    kept = replace(Draft.of(found), schedule_id=str(number), state="active", step=str(LAST))
    return await _show_step(visit, kept)


@router.post("/wizard")
async def go_on(posted: PostedForm) -> Response:
    sent, visit = await receive(posted), posted.visit
    step = read_step(sent.draft)
    if sent.refused:
        return await _show_step_again(visit, await change_draft(visit, replace(sent, do="look")))
    match sent.do:
        case "next":
            return await _step_on(visit, sent.draft, step)
        case "back":
            return await _show_step(visit, replace(sent.draft, step=str(max(1, step - 1))))
        case "save":
            return await save_once(visit, sent.draft, again=_show_faulty)
        case "test":
            return await _test(visit, sent)
    return await _show_step_again(visit, await change_draft(visit, sent))


def read_step(draft: Draft) -> int:
    return min(LAST, max(1, read_number(draft.step) or 1))


def find_step(finding: Finding) -> int:
    return next((number for number, names in STEPS.items() if finding.field in names), LAST)


async def _step_on(visit: Visit, draft: Draft, step: int) -> Response:
    """Onward only when this step is complete; what is wrong elsewhere is told when one gets there."""
    async with visit.read() as tx:
        form = await load_form(tx, visit, draft)
    wrong = tuple(one for one in form.preview.problems if find_step(one) == step)
    if wrong:
        return await _show_step(visit, draft, FormMessages(more=wrong), 422)
    return await _show_step(visit, replace(draft, step=str(min(LAST, step + 1))))


async def _show_faulty(visit: Visit, redisplay: Redisplay) -> Response:
    """Where the first thing is that must be mended; a save that was not refused for a field redisplay at the end."""
    async with visit.read() as tx:
        form = await load_form(tx, visit, redisplay.draft)
    step = min((find_step(one) for one in form.preview.problems), default=LAST)
    return await _show_step_again(visit, replace(redisplay, draft=replace(redisplay.draft, step=str(step))))


async def _test(visit: Visit, sent: PostedDraft) -> Response:
    """It must be saved to be sent: as inactive, until somebody says schedule it."""
    room_id = read_number(sent.rest.get("test_room_id", "")) or 0
    draft = sent.draft
    try:
        async with visit.change() as tx:
            made = await save(visit, replace(draft, state="inactive"), tx)
            if isinstance(made, Redisplay):
                raise _Kept(made)
            await _send(tx, visit, made, room_id)
    except _Kept as error:
        return await _show_faulty(visit, replace(error.redisplay, draft=draft))
    except PabalError as error:
        said = Said((explain(error, "en"), explain(error, "ko")), "attn")
        return await _show_step(visit, draft, FormMessages(said=said), 409)
    there = f"/messages/schedules/wizard?draft={made.id}"
    return visit.go(there, said=("Saved as inactive, and sent as a test.", "비활성으로 저장하고 시험 발송했습니다."))


async def _send(tx: Tx, visit: Visit, made: Schedule, room_id: int) -> None:
    if made.is_active:
        await schedules.deactivate(tx, visit.actor, made.id)
    await deliveries.send_test(tx, visit.actor, made.id, room_id)


async def _show_step_again(visit: Visit, redisplay: Redisplay) -> Response:
    return await _show_step(visit, redisplay.draft, redisplay.messages, redisplay.status)


async def _show_step(visit: Visit, draft: Draft, messages: FormMessages = QUIET, status: int = 200) -> Response:
    async with visit.read() as tx:
        loaded = await load_form(tx, visit, draft, messages)
    values: dict[str, Any] = {each.name: getattr(loaded, each.name) for each in fields(FormView)}
    return await visit.show("messaging/wizard.html", status, form=WizardView(**values))


def _both(text: str) -> Pair:
    return text, text
