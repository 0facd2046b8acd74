"""Options and small rules that many commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.base.errors import Conflict
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope, Unit

with lazily():
    from pabal.platform import tenants

Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Do it, show it, and take it back.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="How many.")]
Cursor = Annotated[str | None, typer.Option(help="Go on behind this: `next_cursor` of the page before.")]
OrgOption = Annotated[str | None, typer.Option("--org", metavar="UNIT", help="A unit: its number or its name.")]
Note = Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="Why, for whoever looks later.")]


class NameAmbiguous(Conflict, code="name_ambiguous"):
    """More than one has this name. Say its number."""


async def find_unit(tx: Tx, text: str) -> Unit:
    """By its number, or by its name where only one has it."""
    if text.isascii() and text.isdigit() and len(text) < 19:
        return await tenants.get_unit(tx, int(text))
    found = [unit for unit in await tenants.list_units(tx, None) if unit.name == " ".join(text.split())]
    if not found:
        raise tenants.UnitNotFound(text[:100])
    if len(found) > 1:
        raise NameAmbiguous(", ".join(f"{unit.id} {unit.name}" for unit in found))
    return found[0]


async def find_unit_id(tx: Tx, scope: Scope, text: str) -> int:
    """For asks that name a unit."""
    return (await find_unit(tx, text)).id


async def see(tx: Tx, shell: Shell, org: str | None = None) -> Scope:
    """What the command line may see: everything, or what is of a unit and below it."""
    return await tenants.visible_to(tx, shell.actor, within=None if org is None else (await find_unit(tx, org)).id)


async def unit_names(tx: Tx) -> dict[int | None, str]:
    return {unit.id: unit.name for unit in await tenants.list_units(tx, None)}


def tell_more(shell: Shell, cursor: object) -> None:
    if cursor is not None and shell.output == "table":
        shell.tell(("More: --cursor {cursor}", "더 보기: --cursor {cursor}"), cursor=cursor)
