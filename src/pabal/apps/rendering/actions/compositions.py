"""Compositions and their mappings: who may use one, and saving them singly or by the file."""

from collections.abc import Sequence

from pabal.apps.rendering.errors import CompositionNotFound, CompositionTaken, RenderRefused
from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.apps.rendering.model.renders import AREA, COMPOSITION_ABOUT, TEMPLATES
from pabal.apps.rendering.store import compositions
from pabal.apps.rendering.store.compositions import CompositionRow
from pabal.base.database import Tx
from pabal.platform import audit, tenants
from pabal.platform.actor import Actor, Right
from pabal.platform.findings import Finding
from pabal.platform.tenants import Scope, UnitNotFound, visible_to


async def find_usable(tx: Tx, scope: Scope, composition_id: str) -> CompositionRow:
    """One's own, those below, and those of the units above: a branch renders what its head office set up."""
    row = await compositions.find_composition(tx, composition_id)
    if row is not None and (scope.holds(row.unit_id) or row.unit_id in await list_above(tx, scope)):
        return row
    text = (CompositionNotFound.__doc__ or "", "그런 컴포지션이 없거나 볼 권한이 없습니다.")
    raise RenderRefused([Finding("composition_not_found", "composition_id", text)])


async def list_above(tx: Tx, scope: Scope) -> list[int]:
    return [] if scope.unit_id is None else [unit.id for unit in await tenants.list_path(tx, scope.unit_id)]


async def put_composition(
    tx: Tx, actor: Actor, one: Composition, mappings: Sequence[FieldMapping], *, unit_id: int | None = None
) -> CompositionRow:
    """With all its mappings: what is not among them goes."""
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    held = await compositions.hold_composition(tx, one.id)
    owner = held or unit_id or scope.unit_id
    if owner is None or not scope.holds(owner):
        raise CompositionTaken(one.id) if held else UnitNotFound(str(owner))
    if not await compositions.put_composition(tx, owner, one):
        raise CompositionTaken(one.id)
    await compositions.put_mappings(tx, one.id, mappings, is_whole=True)
    tx.hint(TEMPLATES)
    after = {"name": one.name, "fields": len(mappings)}
    about = f"{COMPOSITION_ABOUT}:{one.id}"
    await audit.record(tx, actor, "rendering.composition_put", about, unit_id=owner, after=after)
    return await compositions.get_composition(tx, scope, one.id)


async def import_all(
    tx: Tx, actor: Actor, given: Sequence[Composition], mappings: Sequence[FieldMapping], *, unit_id: int | None = None
) -> list[CompositionRow]:
    """What a file holds, all of it or nothing. Mappings of compositions that are there already may come alone."""
    made: list[CompositionRow] = []
    for one in given:
        of_it = [each for each in mappings if each.composition_id == one.id]
        made.append(await put_composition(tx, actor, one, of_it, unit_id=unit_id))
    known = {one.id for one in given}
    for composition_id in dict.fromkeys(each.composition_id for each in mappings):
        if composition_id not in known:
            of_it = [each for each in mappings if each.composition_id == composition_id]
            made.append(await put_mappings(tx, actor, composition_id, of_it))
    return made


async def put_mappings(tx: Tx, actor: Actor, composition_id: str, mappings: Sequence[FieldMapping]) -> CompositionRow:
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    owner = await compositions.hold_composition(tx, composition_id)
    if owner is None or not scope.holds(owner):
        raise CompositionNotFound(composition_id[:100])
    await compositions.put_mappings(tx, composition_id, mappings, is_whole=False)
    tx.hint(TEMPLATES)
    about = f"{COMPOSITION_ABOUT}:{composition_id}"
    after = {"fields": len(mappings)}
    await audit.record(tx, actor, "rendering.composition_put", about, unit_id=owner, after=after)
    return await compositions.get_composition(tx, scope, composition_id)


async def remove_composition(tx: Tx, actor: Actor, composition_id: str) -> None:
    """Renders of it that are under way go on with what they have read."""
    actor.require(Right.MANAGE, AREA)
    scope = await visible_to(tx, actor)
    owner = await compositions.hold_composition(tx, composition_id)
    if owner is None or not scope.holds(owner):
        raise CompositionNotFound(composition_id[:100])
    await compositions.delete_composition(tx, composition_id)
    tx.hint(TEMPLATES)
    about = f"{COMPOSITION_ABOUT}:{composition_id}"
    await audit.record(tx, actor, "rendering.composition_remove", about, unit_id=owner)


async def clear_template_cache(tx: Tx, actor: Actor) -> None:
    """On every server, after this commit."""
    await tenants.require_house(tx, actor, Right.MANAGE, AREA)
    tx.hint(TEMPLATES)
    await audit.record(tx, actor, "rendering.cache_clear", AREA)
