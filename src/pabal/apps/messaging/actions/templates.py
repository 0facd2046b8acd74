"""The verbs of a template. To use one, it may be of a unit above; to change it, it must be in sight itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from pabal.apps.messaging import settings
from pabal.apps.messaging.actions import checking
from pabal.apps.messaging.actions.checking import AREA
from pabal.apps.messaging.errors import TemplateNameTaken, TemplateNotFound, TemplateRefused
from pabal.apps.messaging.model.checks import Allowed, clean_text, list_content_problems, list_picture_ids
from pabal.apps.messaging.model.content import LONGEST_NAME, NewTemplate, Template
from pabal.apps.messaging.model.findings import find
from pabal.apps.messaging.model.rooms import RoomLimits
from pabal.apps.messaging.store import templates as store
from pabal.base.database import ConstraintBroken, Tx
from pabal.engine import facts
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.findings import Finding
from pabal.platform.settings import values
from pabal.platform.tenants import Scope, UnitNotFound, get_unit, visible_to


async def save(tx: Tx, actor: Actor, new: NewTemplate) -> Template:
    """A new one; it belongs to the actor's unit unless another in sight is named."""
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    unit_id = await _owner(tx, scope, new.unit_id)
    checked = await _check(tx, scope, new)
    async with _named(tx, checked.name):
        made = await store.insert_template(tx, checked, unit_id=unit_id, created_by=actor.name)
    template = await store.get_template(tx, scope, made)
    await checking.settle(tx, template.about, [], list_picture_ids(template.content))
    await _tell(tx, actor, "save", template, after=_shown(template))
    return template


async def edit(tx: Tx, actor: Actor, template_id: int, new: NewTemplate) -> Template:
    """Schedules made from it keep what they have."""
    before, scope = await _hold(tx, actor, template_id)
    unit_id = before.unit_id if new.unit_id is None else await _owner(tx, scope, new.unit_id)
    checked = await _check(tx, scope, new)
    async with _named(tx, checked.name):
        await store.update_template(tx, template_id, checked, unit_id=unit_id)
    after = await store.get_template(tx, scope, template_id)
    await checking.settle(tx, after.about, list_picture_ids(before.content), list_picture_ids(after.content))
    await _tell(tx, actor, "edit", after, before=_shown(before), after=_shown(after))
    return after


async def delete(tx: Tx, actor: Actor, template_id: int) -> None:
    """Schedules made from it stay as they are."""
    template, _ = await _hold(tx, actor, template_id)
    await store.delete_template(tx, template_id)
    await checking.settle(tx, template.about, list_picture_ids(template.content), [])
    await _tell(tx, actor, "delete", template, before=_shown(template))


async def _owner(tx: Tx, scope: Scope, wanted: int | None) -> int:
    unit_id = scope.unit_id if wanted is None else wanted
    if unit_id is None or not scope.holds(unit_id):
        raise UnitNotFound(str(unit_id))
    return (await get_unit(tx, unit_id)).id


async def _hold(tx: Tx, actor: Actor, template_id: int) -> tuple[Template, Scope]:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    await store.lock_template(tx, template_id)
    found = await store.get_template(tx, scope, template_id)
    if not scope.holds(found.unit_id):
        raise TemplateNotFound(str(template_id))
    return found, scope


async def _check(tx: Tx, scope: Scope, new: NewTemplate) -> NewTemplate:
    """As it is kept, or a TemplateRefused. The longest text is the setting's: a room's own counts when it is used."""
    text = clean_text(new.text or "")
    cleaned = replace(new, name=" ".join(clean_text(new.name).split()), text=text if text.strip() else None)
    content, problems = await checking.describe(tx, scope, cleaned.content)
    said = await values(tx, (settings.MAX_TEXT_LENGTH, settings.MAX_IMAGES_PER_GROUP, settings.MAX_IMAGES))
    allowed = Allowed(
        RoomLimits(),
        max_text_length=said[settings.MAX_TEXT_LENGTH],
        max_images_per_group=said[settings.MAX_IMAGES_PER_GROUP],
        max_images=said[settings.MAX_IMAGES],
    )
    problems = [*_name_problems(cleaned.name), *problems, *list_content_problems(content, allowed)]
    if problems:
        raise TemplateRefused(problems)
    return replace(cleaned, images_1=content.images_1, images_2=content.images_2)


def _name_problems(name: str) -> list[Finding]:
    if not name:
        return [find("title_missing", "name")]
    return [find("title_too_long", "name", length=len(name), most=LONGEST_NAME)] if len(name) > LONGEST_NAME else []


@asynccontextmanager
async def _named(tx: Tx, name: str) -> AsyncIterator[None]:
    """The database forbids two of a name in a unit; this says so."""
    try:
        async with tx.savepoint():
            yield
    except ConstraintBroken as error:
        raise TemplateNameTaken(name) from error


def _shown(template: Template) -> dict[str, Any]:
    return {
        "name": template.name,
        "text": template.text,
        "images_1": [picture.name for picture in template.images_1],
        "images_2": [picture.name for picture in template.images_2],
        "unit_id": template.unit_id,
    }


async def _tell(
    tx: Tx,
    actor: Actor,
    verb: str,
    template: Template,
    *,
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
) -> None:
    about, unit_id = template.about, template.unit_id
    said = {"save": "saved", "edit": "edited", "delete": "deleted"}[verb]
    await facts.record(tx, f"messaging.template_{said}", about, {"actor": actor.name, "name": template.name}, unit_id)
    action = f"messaging.{verb}_template"
    await audit.record(tx, actor, action, about, unit_id=unit_id, before=before, after=after)
