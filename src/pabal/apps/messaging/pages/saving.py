"""What the buttons of the form do: rearrange pictures, load and keep templates, save, test."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pabal.apps.messaging.actions import schedules, templates
from pabal.apps.messaging.errors import ContentRefused, ScheduleChanged, TemplateNameTaken, TemplateNotFound
from pabal.apps.messaging.model.findings import Finding
from pabal.apps.messaging.model.schedules import NewSchedule, Schedule
from pabal.apps.messaging.model.templates import NewTemplate
from pabal.apps.messaging.pages.reading import GROUPS, Draft, rearrange, understand
from pabal.apps.messaging.pages.receiving import Sent
from pabal.apps.messaging.pages.sheet import Refused, Said, Telling
from pabal.apps.messaging.store.rooms import find_room
from pabal.apps.messaging.store.schedules import get_schedule
from pabal.apps.messaging.store.templates import get_template
from pabal.base.database import Tx
from pabal.base.errors import PabalError
from pabal.platform.language.errors import explain
from pabal.platform.language.pairs import Pair
from pabal.platform.tenants import visible_to
from pabal.platform.web.lists import read_number
from pabal.platform.web.visit import Visit

MOVES = ("left", "right", "other", "drop")


@dataclass(frozen=True, slots=True)
class Stays:
    """The form is shown again: with this draft, saying this."""

    draft: Draft
    telling: Telling
    status: int = 200


async def change_draft(visit: Visit, sent: Sent) -> Stays:
    """Every button but those that save: what was typed stays, and something is done to it."""
    what, _, where = sent.do.partition(":")
    if what == "load":
        return await load_template(visit, sent.draft, sent.refused)
    if what == "keep":
        return await keep_template(visit, sent)
    draft = sent.draft
    group, _, index = where.partition(":")
    if what in MOVES and group in GROUPS and index.isdigit():
        draft = rearrange(draft, what, group, int(index[:4]))
    return Stays(draft, Telling(refused=sent.refused), 422 if sent.refused else 200)


async def load_template(visit: Visit, draft: Draft, refused: Sequence[Refused] = ()) -> Stays:
    number = read_number(draft.template_id)
    if number is None:
        return Stays(draft, Telling(said=Said(("No template is chosen.", "고른 템플릿이 없습니다."), "attn")))
    try:
        async with visit.read() as tx:
            found = await get_template(tx, await visible_to(tx, visit.actor), number)
    except TemplateNotFound as error:
        return Stays(draft, Telling(more=(_find(error, "template_id"),)), 422)
    said = Said((f"Loaded: {found.name}", f"불러왔습니다: {found.name}"))
    return Stays(draft.with_content(found.content), Telling(refused=tuple(refused), said=said))


async def keep_template(visit: Visit, sent: Sent) -> Stays:
    draft = sent.draft
    new = NewTemplate(draft.template_name.strip(), draft.text, draft.images_1, draft.images_2)
    try:
        async with visit.change() as tx:
            made = await templates.save(tx, visit.actor, new)
    except ContentRefused as error:
        return Stays(draft, Telling(more=_at_template(error.findings), refused=sent.refused), 422)
    except TemplateNameTaken as error:
        return Stays(draft, Telling(more=(_find(error, "template_name"),), refused=sent.refused), 422)
    said = Said((f"Kept as a template: {made.name}", f"템플릿으로 저장했습니다: {made.name}"))
    draft = replace(draft, template_id=str(made.id), template_name="")
    return Stays(draft, Telling(refused=sent.refused, said=said))


async def save(visit: Visit, draft: Draft, tx: Tx) -> Schedule | Stays:
    """Within the caller's transaction. What does not fit comes back with the draft, and nothing was saved."""
    room = await find_room(tx, read_number(draft.room_id) or 0)
    understood = understand(draft, {room.id: room} if room else {}, tx.now)
    if understood.faults:
        return Stays(draft, Telling(is_told=True), 422)
    try:
        return await _write(visit, draft, understood.new, tx)
    except ContentRefused:
        return Stays(draft, Telling(is_told=True), 422)
    except ScheduleChanged as error:
        return await _was_changed(visit, draft, tx, error)


async def _write(visit: Visit, draft: Draft, new: NewSchedule, tx: Tx) -> Schedule:
    if draft.number is None:
        return await schedules.create(tx, visit.actor, new)
    return await schedules.edit(tx, visit.actor, draft.number, new, expect_version=read_number(draft.version))


async def _was_changed(visit: Visit, draft: Draft, tx: Tx, error: PabalError) -> Stays:
    """What was typed stays. Saved once more it counts, now that one knows."""
    now = await get_schedule(tx, await visible_to(tx, visit.actor), draft.number or 0)
    english, korean = explain(error, "en"), explain(error, "ko")
    said: Pair = (
        f"{english} What you typed is still here; saving again replaces the other's change.",
        f"{korean} 적은 내용은 그대로 있습니다. 다시 저장하면 다른 사람의 변경을 덮어씁니다.",
    )
    return Stays(replace(draft, version=str(now.version)), Telling(said=Said(said, "attn")), 409)


def _at_template(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """A template's name is another field here than in its own form."""
    return tuple(replace(one, field="template_name") if one.field == "name" else one for one in findings)


def _find(error: PabalError, field: str) -> Finding:
    return Finding(error.code, field, (explain(error, "en"), explain(error, "ko")))
