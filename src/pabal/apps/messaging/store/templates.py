"""The table of message templates. Seen by its unit and those above, and by those below, which may use it."""

import re
from typing import Any

from pabal.apps.messaging.errors import TemplateNotFound
from pabal.apps.messaging.model.content import NewTemplate, Picture, Template
from pabal.apps.messaging.resources.templates import MessageTemplateFilter
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import Page, cut, one_more, read_cursor, show_cursor
from pabal.platform.tenants import Scope, list_path

SQL = load(__file__)
_ANY = MessageTemplateFilter()


async def get_template(tx: Tx, scope: Scope, template_id: int) -> Template:
    """To look at and to use; to change it, it must be in the scope itself."""
    rows = await _list(tx, scope, ids=[template_id])
    if not rows:
        raise TemplateNotFound(str(template_id))
    return _read(rows[0])


async def list_named(tx: Tx, scope: Scope, name: str, *, most: int) -> list[Template]:
    """Those of exactly this name."""
    return [_read(row) for row in await _list(tx, scope, name=name, most=most)]


async def list_templates(
    tx: Tx, scope: Scope, wanted: MessageTemplateFilter = _ANY, *, cursor: str | None = None, limit: int = 50
) -> Page[Template]:
    """By name, those of units above included."""
    most, q = one_more(limit), wanted.q
    after_name, after_id = ("", 0) if cursor is None else read_cursor(cursor, str, int)
    part = "%" + re.sub(r"([\\%_])", r"\\\1", q.strip()) + "%" if q and q.strip() else None
    rows = await _list(tx, scope, q=part, after_name=after_name, after_id=after_id, most=most)
    return cut([_read(row) for row in rows], limit, lambda one: show_cursor(one.name, one.id))


async def lock_template(tx: Tx, template_id: int) -> None:
    await tx.value(SQL.lock_template, id=template_id)


async def insert_template(tx: Tx, new: NewTemplate, *, unit_id: int, created_by: str) -> int:
    made: int = await tx.value(SQL.insert_template, **_columns(new), unit_id=unit_id, created_by=created_by, now=tx.now)
    return made


async def update_template(tx: Tx, template_id: int, new: NewTemplate, *, unit_id: int) -> None:
    await tx.run(SQL.update_template, id=template_id, **_columns(new), unit_id=unit_id, now=tx.now)


async def delete_template(tx: Tx, template_id: int) -> None:
    await tx.run(SQL.delete_template, id=template_id)


async def list_readable(tx: Tx, scope: Scope) -> list[int] | None:
    if scope.units is None or scope.unit_id is None:
        return scope.listed
    above = [unit.id for unit in await list_path(tx, scope.unit_id)]
    return sorted({*scope.units, *above})


async def _list(tx: Tx, scope: Scope, **given: Any) -> list[Row]:
    """One reads the templates of units above, but counts only the uses by units in the scope."""
    sight = {"units": await list_readable(tx, scope), "users": scope.listed}
    defaults: dict[str, Any] = {
        **sight,
        "ids": None,
        "name": None,
        "q": None,
        "after_name": "",
        "after_id": 0,
        "most": 1,
    }
    return await tx.rows(SQL.list_templates, **{**defaults, **given})


def _columns(new: NewTemplate) -> dict[str, Any]:
    content = new.content.to_json()
    return {"name": new.name, **{name: content[name] for name in ("text", "images_1", "images_2")}}


def _read(row: Row) -> Template:
    values = dict(row)
    for name in ("images_1", "images_2"):
        values[name] = tuple(Picture(**each) for each in values[name])
    return Template(**values)
