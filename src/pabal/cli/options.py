"""Options and small rules that many commands share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.cli.shell import Shell
    from pabal.platform.auth import User
    from pabal.platform.tenants import Scope, Unit

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Do it, show it, and take it back.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="How many.")]
Cursor = Annotated[str | None, typer.Option(help="Go on behind this: `next_cursor` of the page before.")]
OrgOption = Annotated[str | None, typer.Option("--org", metavar="UNIT", help="A unit: its number or its name.")]
Note = Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="Why, for whoever looks later.")]


async def find_unit(tx: "Tx", text: str) -> "Unit":
    """By its number, or by its name where only one has it."""
    from pabal.cli.exits import NameAmbiguous
    from pabal.platform.tenants import UnitNotFound, get_unit, list_units

    if text.isascii() and text.isdigit() and len(text) < 19:
        return await get_unit(tx, int(text))
    found = [unit for unit in await list_units(tx, None) if unit.name == " ".join(text.split())]
    if not found:
        raise UnitNotFound(text[:100])
    if len(found) > 1:
        raise NameAmbiguous(", ".join(f"{unit.id} {unit.name}" for unit in found))
    return found[0]


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
    from pabal.platform.auth import UserNotFound, get_user, list_users

    scope = await scope_of(tx, None)
    for user in await list_users(tx, scope, words=text, limit=1000):
        if user.login == text.strip().lower():
            return user
    if text.isascii() and text.isdigit() and len(text) < 19:
        return await get_user(tx, scope, int(text))
    raise UserNotFound(text[:100])


async def unit_names(tx: "Tx") -> dict[int | None, str]:
    from pabal.platform.tenants import list_units

    return {unit.id: unit.name for unit in await list_units(tx, None)}


def cut(found: Sequence[Any], limit: int) -> tuple[Sequence[Any], bool]:
    """Of one more than was asked for: the page, and whether there is another."""
    return found[:limit], len(found) > limit


def tell_more(shell: "Shell", cursor: object) -> None:
    if cursor is not None and shell.output == "table":
        shell.tell("list.more", cursor=cursor)
