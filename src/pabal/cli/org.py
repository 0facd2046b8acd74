"""`pabal org`: the tree HQ › distributor › agency › branch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pabal.cli.options import DryRun, OrgOption, find_org, find_unit
from pabal.cli.shell import Shell
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import see
from pabal.platform.commands.resources import add_commands, change_row
from pabal.platform.resources import plain
from pabal.resources.people import LEVELS, UNIT, UnitView

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope, Unit

with lazily():
    from pabal.cli import output
    from pabal.platform import tenants
    from pabal.resources import verbs

app = typer.Typer(help="The organisation: HQ, distributors, agencies, branches.", no_args_is_help=True)

UnitArgument = Annotated[str, typer.Argument(metavar="UNIT", help="Its number or its name.")]
Below = Annotated[str | None, typer.Option("--below", metavar="UNIT", help="The unit above; the HQ if left out.")]
# There is one HQ, and it is there from the start.
NewLevel = Literal["distributor", "agency", "branch"]
add_commands(app, UNIT)


@app.command()
def tree(ctx: typer.Context, org: OrgOption = None) -> None:
    """All units, each below its parent."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            units = await tenants.list_units(tx, (await see(tx, shell, org)).listed)
        columns, words = ("id", "tree", "level", "is_demo"), {f"level.{name}": word for name, word in LEVELS.items()}
        shell.show(output.Answer(columns, _grown(units), empty="org.none", words=words))

    shell.run(work())


@app.command()
def add(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="What it is called.")],
    level: Annotated[NewLevel, typer.Option(help="What it is.")],
    below: Below = None,
    dry_run: DryRun = False,
) -> None:
    """A new unit below another."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, _scope: Scope) -> Any:
        parent = await find_org(tx, below)
        return await verbs.add_unit(tx, shell.actor, parent_id=parent.id, level=level, name=name)

    shell.run(change_row(shell, UNIT, act, dry_run=dry_run))


@app.command()
def rename(
    ctx: typer.Context,
    unit: UnitArgument,
    name: Annotated[str, typer.Argument(help="What it is called from now on.")],
    dry_run: DryRun = False,
) -> None:
    """Give a unit another name."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, _scope: Scope) -> Any:
        return await tenants.rename_unit(tx, shell.actor, (await find_unit(tx, unit)).id, name)

    shell.run(change_row(shell, UNIT, act, dry_run=dry_run))


@app.command()
def move(ctx: typer.Context, unit: UnitArgument, below: Below = None, dry_run: DryRun = False) -> None:
    """Put a unit, with everything below it, below another."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, _scope: Scope) -> Any:
        found, parent = await find_unit(tx, unit), await find_org(tx, below)
        return await tenants.move_unit(tx, shell.actor, found.id, parent_id=parent.id)

    shell.run(change_row(shell, UNIT, act, dry_run=dry_run))


def _grown(units: list[Unit]) -> list[dict[str, Any]]:
    depths: dict[int | None, int] = {}
    grown = []
    for unit in units:
        depths[unit.id] = depths.get(unit.parent_id, -1) + 1
        indent = "  " * depths[unit.id]
        shown = plain(UnitView.of(unit, level=str(unit.level)))
        grown.append({**shown, "depth": depths[unit.id], "tree": f"{indent}{unit.name}"})
    return grown
