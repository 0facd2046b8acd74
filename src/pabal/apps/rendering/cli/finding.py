"""Finds what a command names: workers by name or id, compositions by id or exact name; reads data from files."""

import json
import re
import sys
from datetime import date
from pathlib import Path
from typing import Any
from uuid import UUID

from pabal.apps.rendering.errors import BadRender, CompositionNotFound, SlotNotFound
from pabal.apps.rendering.model.slots import BadHours
from pabal.apps.rendering.resources import rows
from pabal.apps.rendering.resources.rows import SlotRow
from pabal.apps.rendering.store import showing
from pabal.apps.rendering.store.compositions import CompositionRow, find_named
from pabal.base.database import Tx
from pabal.base.errors import Invalid
from pabal.platform.commands.moments import BadMoment
from pabal.platform.commands.options import NameAmbiguous
from pabal.platform.tenants import Scope

LARGEST_FILE = 2 * 1024 * 1024
_HOURS = re.compile(r"([1-7](?:[-,][1-7])*)\s+(\d{2}:\d{2})-(\d{2}:\d{2})(?:\s+(\S+))?")
ALWAYS = ("always", "항상", "-")


class CannotRead(Invalid, code="cannot_read_file"):
    """This file cannot be read. Name a text file of at most 2 MB, or - for what comes on stdin."""


async def find_worker(tx: Tx, scope: Scope, text: str) -> SlotRow:
    return await rows.get_worker(tx, scope, await find_worker_id(tx, scope, text))


async def find_worker_id(tx: Tx, scope: Scope, text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        found = await showing.find_worker_ids(tx, text.strip())
    if not found:
        raise SlotNotFound(text[:100])
    if len(found) > 1:
        raise NameAmbiguous(", ".join(str(one) for one in found))
    return found[0]


async def find_composition(tx: Tx, scope: Scope, text: str) -> CompositionRow:
    """An exact name, where only one of one's own has it."""
    try:
        return await rows.get_composition(tx, scope, text)
    except CompositionNotFound:
        found = await find_named(tx, scope, text.strip())
    if len(found) > 1:
        raise NameAmbiguous(", ".join(found))
    return await rows.get_composition(tx, scope, found[0] if found else text)


async def read_gfx(tx: Tx, scope: Scope, text: str) -> dict[str, Any]:
    """From a file, or - for stdin."""
    found = read_json(text)
    if not isinstance(found, dict):
        raise BadRender(text[:100])
    return found


async def read_date(tx: Tx, scope: Scope, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadMoment(text[:50]) from error


async def read_hours(tx: Tx, scope: Scope, text: str) -> dict[str, Any] | None:
    """`1-5 09:00-18:00 Asia/Seoul`, or `always`."""
    if text.strip().lower() in ALWAYS:
        return None
    found = _HOURS.fullmatch(text.strip())
    if found is None:
        raise BadHours(text[:100])
    days, begins, ends, zone = found.groups()
    return {"days": _read_days(days), "begins": begins, "ends": ends, "zone": zone or "Asia/Seoul"}


def read_json(where: str) -> Any:
    try:
        return json.loads(read_text(where))
    except (json.JSONDecodeError, RecursionError) as error:
        raise BadRender(f"{where[:100]}: {error}") from error


def read_text(where: str) -> str:
    try:
        if where == "-":
            return sys.stdin.read(LARGEST_FILE)
        path = Path(where)
        if path.stat().st_size > LARGEST_FILE:
            raise CannotRead(f"{where[:200]}: more than 2 MB")
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CannotRead(f"{where[:200]}: {error}") from error


def _read_days(text: str) -> list[int]:
    days: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        days += range(int(first), int(last or first) + 1)
    return days
