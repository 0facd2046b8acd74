"""The verbs of a group of rooms: a rule over units, kinds and tags that is kept under a name."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict, replace
from typing import Any

from pabal.apps.messaging.errors import GroupInUse, GroupRefused
from pabal.apps.messaging.model.bulks import NewGroup, RoomGroup
from pabal.apps.messaging.model.checks import clean_text
from pabal.apps.messaging.model.content import LONGEST_NAME
from pabal.apps.messaging.model.findings import find
from pabal.apps.messaging.model.rooms import LONGEST_TAG
from pabal.apps.messaging.store import groups as store
from pabal.base.database import ConstraintBroken, Tx
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.findings import Finding
from pabal.platform.tenants import Scope, UnitNotFound, ensure_hq, list_subtree, visible_to

AREA = "messaging"


async def save(tx: Tx, actor: Actor, new: NewGroup) -> RoomGroup:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    unit_id = await _owner(tx, scope, new.unit_id)
    checked = await _check(tx, scope, new, unit_id)
    async with _named(), tx.savepoint():
        made = await store.insert_group(tx, checked, unit_id=unit_id, created_by=actor.name)
    group = await store.get_group(tx, scope, made)
    await _note(tx, actor, "save_group", group, after=_shown(group))
    return group


async def edit(tx: Tx, actor: Actor, group_id: int, new: NewGroup) -> RoomGroup:
    """Schedules that send to it send to what it holds when their moment comes."""
    before, scope = await _hold(tx, actor, group_id)
    unit_id = before.unit_id if new.unit_id is None else await _owner(tx, scope, new.unit_id)
    checked = await _check(tx, scope, new, unit_id)
    async with _named(), tx.savepoint():
        await store.update_group(tx, group_id, checked, unit_id=unit_id)
    after = await store.get_group(tx, scope, group_id)
    await _note(tx, actor, "edit_group", after, before=_shown(before), after=_shown(after))
    return after


async def delete(tx: Tx, actor: Actor, group_id: int) -> None:
    group, _ = await _hold(tx, actor, group_id)
    if group.schedules:
        raise GroupInUse(group.name)
    await store.delete_group(tx, group_id)
    await _note(tx, actor, "delete_group", group, before=_shown(group))


async def _hold(tx: Tx, actor: Actor, group_id: int) -> tuple[RoomGroup, Scope]:
    actor.require(Right.WRITE, AREA)
    scope = await visible_to(tx, actor)
    await store.lock_group(tx, group_id)
    return await store.get_group(tx, scope, group_id), scope


async def _owner(tx: Tx, scope: Scope, wanted: int | None) -> int:
    unit_id = scope.unit_id if wanted is None else wanted
    if unit_id is None and wanted is None:
        unit_id = (await ensure_hq(tx)).id
    if unit_id is None or not scope.holds(unit_id):
        raise UnitNotFound(str(unit_id))
    return unit_id


async def _check(tx: Tx, scope: Scope, new: NewGroup, unit_id: int) -> NewGroup:
    """The rooms are of the owner or of units below it: a group is no door to what its owner does not see."""
    name, tag = (" ".join(clean_text(text or "").split()) for text in (new.name, new.tag))
    problems: list[Finding] = []
    if not name:
        problems.append(find("title_missing", "name"))
    if len(name) > LONGEST_NAME:
        problems.append(find("title_too_long", "name", length=len(name), most=LONGEST_NAME))
    if len(tag) > LONGEST_TAG:
        problems.append(find("tag_too_long", "tag", length=len(tag), most=LONGEST_TAG))
    below = await list_subtree(tx, unit_id)
    if new.within_id is not None and not (scope.holds(new.within_id) and new.within_id in below):
        problems.append(find("unit_not_found", "within_id"))
    if problems:
        raise GroupRefused(problems)
    return replace(new, name=name, tag=tag or None)


@asynccontextmanager
async def _named() -> AsyncIterator[None]:
    """The database forbids two of a name in a unit; this says so."""
    try:
        yield
    except ConstraintBroken as error:
        raise GroupRefused([find("group_name_taken", "name")]) from error


def _shown(group: RoomGroup) -> dict[str, Any]:
    names = ("unit_id", "name", "within_id", "room_type", "tag")
    return {name: value for name, value in asdict(group).items() if name in names}


async def _note(tx: Tx, actor: Actor, action: str, group: RoomGroup, **said: dict[str, Any]) -> None:
    await audit.record(tx, actor, f"messaging.{action}", group.about, unit_id=group.unit_id, **said)
