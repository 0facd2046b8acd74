"""The tables of templates and pictures: seen by their unit and those above; templates also by those below."""

import re
from typing import Any

from pabal.apps.messaging.errors import TemplateNotFound
from pabal.apps.messaging.model import content, deliveries, schedules
from pabal.apps.messaging.model.content import NewTemplate, Picture, Template
from pabal.apps.messaging.resources.templates import MessageTemplateFilter
from pabal.base.database import Row, Tx
from pabal.base.sql import load
from pabal.engine.listing.paging import Page, cut, one_more, read_cursor, show_cursor
from pabal.platform.storage import File, FileNotFound, get_file
from pabal.platform.storage.store import list_uses
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


EVERYTHING = Scope(None, None)


async def get_picture_file(tx: Tx, scope: Scope, file_id: int) -> File:
    """A superior's image in a branch's schedule, or in a template from above, is not the branch's file; it is shown."""
    try:
        return await get_file(tx, scope, file_id)
    except FileNotFound:
        if not await _is_shown(tx, scope, await list_uses(tx, file_id)):
            raise
        return await get_file(tx, EVERYTHING, file_id)


async def _is_shown(tx: Tx, scope: Scope, uses: list[str]) -> bool:
    if not uses:
        return False
    ids: dict[str, list[int]] = {}
    for use in uses:
        kind, _, number = use.rpartition(":")
        if number.isdigit():
            ids.setdefault(kind, []).append(int(number))
    return bool(
        await tx.value(
            SQL.shows_one,
            schedule_ids=ids.get(schedules.ABOUT, []),
            template_ids=ids.get(content.ABOUT, []),
            delivery_ids=ids.get(deliveries.ABOUT, []),
            units=scope.listed,
            template_units=await list_readable(tx, scope),
        )
    )
