"""Options and small rules that many commands share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pabal.platform.commands.options import (
    Cursor,
    DryRun,
    Limit,
    Note,
    OrgOption,
    Yes,
    find_unit,
    tell_more,
    unit_names,
)

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.auth import User
    from pabal.platform.tenants import Scope, Unit

__all__ = [
    "Cursor",
    "DryRun",
    "Limit",
    "Note",
    "OrgOption",
    "Yes",
    "cut",
    "find_org",
    "find_person",
    "find_unit",
    "scope_of",
    "tell_more",
    "unit_names",
]


async def find_org(tx: "Tx", text: str | None) -> "Unit":
    """The HQ when none is named."""
    from pabal.platform.tenants import ensure_hq

    return await ensure_hq(tx) if text is None else await find_unit(tx, text)


async def scope_of(tx: "Tx", text: str | None) -> "Scope":
    from pabal.cli.shell import administrator
    from pabal.platform.tenants import visible_to

    return await visible_to(tx, administrator(), within=None if text is None else (await find_unit(tx, text)).id)


async def find_person(tx: "Tx", text: str) -> "User":
    """By login, or by number."""
    from pabal.cli.finding import find_user

    return await find_user(tx, await scope_of(tx, None), text)


def cut(found: Sequence[Any], limit: int) -> tuple[Sequence[Any], bool]:
    """Of one more than was asked for: the page, and whether there is another."""
    return found[:limit], len(found) > limit
