"""Compositions and how fields become layers, as the database has them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pabal.apps.rendering.errors import CompositionNotFound
from pabal.apps.rendering.model.compositions import Composition, FieldMapping
from pabal.base.database import Tx
from pabal.base.sql import load
from pabal.engine.listing import Page, paging
from pabal.platform.tenants import Scope

SQL = load(__file__)


@dataclass(frozen=True, slots=True)
class CompositionRow:
    id: str
    unit_id: int
    name: str
    template_src: str
    output_module: str
    output_ext: str
    width: int
    height: int
    codec: str
    duration_seconds: float | None
    duration_tolerance: float | None
    flag_path_template: str | None
    text_limits: dict[str, int]
    updated_at: datetime
    fields: int

    @property
    def composition(self) -> Composition:
        return Composition(
            id=self.id,
            name=self.name,
            template_src=self.template_src,
            output_module=self.output_module,
            output_ext=self.output_ext,
            width=self.width,
            height=self.height,
            codec=self.codec,
            duration_seconds=self.duration_seconds,
            duration_tolerance=self.duration_tolerance,
            flag_path_template=self.flag_path_template,
            text_limits=self.text_limits,
        )


async def get_composition(tx: Tx, scope: Scope, composition_id: str) -> CompositionRow:
    found = await find_composition(tx, composition_id)
    if found is None or not scope.holds(found.unit_id):
        raise CompositionNotFound(composition_id[:100])
    return found


async def find_composition(tx: Tx, composition_id: str) -> CompositionRow | None:
    """Whoever asks: for the app's own work."""
    return await tx.one(CompositionRow, SQL.find_composition, id=composition_id)


async def list_compositions(
    tx: Tx, scope: Scope, *, q: str | None = None, cursor: str | None = None, limit: int = 50
) -> Page[CompositionRow]:
    found = await tx.all(
        CompositionRow,
        SQL.list_compositions,
        units=scope.listed,
        q=q or None,
        after="" if cursor is None else paging.read_cursor(cursor, str)[0],
        most=paging.one_more(limit),
    )
    return paging.cut(found, limit, lambda one: paging.show_cursor(one.id))


async def hold_composition(tx: Tx, composition_id: str) -> int | None:
    """Whose it is; locked until the commit."""
    found: int | None = await tx.value(SQL.hold_composition, id=composition_id)
    return found


async def find_named(tx: Tx, scope: Scope, name: str) -> list[str]:
    return [row["id"] for row in await tx.rows(SQL.find_named, name=name, units=scope.listed)]


async def put_composition(tx: Tx, unit_id: int, one: Composition) -> bool:
    """Whether it is there now as given: not if another unit has one of this id."""
    given: dict[str, Any] = {
        "id": one.id,
        "name": one.name,
        "template_src": one.template_src,
        "output_module": one.output_module,
        "output_ext": one.output_ext,
        "width": one.width,
        "height": one.height,
        "codec": one.codec,
        "duration_seconds": one.duration_seconds,
        "duration_tolerance": one.duration_tolerance,
        "flag_path_template": one.flag_path_template,
        "text_limits": dict(one.text_limits),
    }
    return await tx.value(SQL.put_composition, unit_id=unit_id, now=tx.now, **given) is not None


async def delete_composition(tx: Tx, composition_id: str) -> int:
    return await tx.run(SQL.delete_composition, id=composition_id)


async def list_mappings(tx: Tx, composition_ids: Sequence[str]) -> list[FieldMapping]:
    return await tx.all(FieldMapping, SQL.list_mappings, composition_ids=list(composition_ids))


async def put_mappings(tx: Tx, composition_id: str, mappings: Sequence[FieldMapping], *, is_whole: bool) -> int:
    """`is_whole`: what is not among them goes."""
    if is_whole:
        keep = [one.field_name for one in mappings]
        await tx.run(SQL.delete_mappings, composition_id=composition_id, keep=keep)
    return await tx.run(
        SQL.put_mappings,
        composition_id=composition_id,
        field_names=[one.field_name for one in mappings],
        layer_names=[one.layer_name for one in mappings],
        kinds=[str(one.kind) for one in mappings],
        properties=[one.property for one in mappings],
    )
