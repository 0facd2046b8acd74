"""`pabal org`: the tree HQ › distributor › agency › branch."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.options import DryRun, OrgOption, Yes, find_org, find_unit, scope_of
from pabal.cli.shell import Shell, administrator

if TYPE_CHECKING:
    from pabal.platform.tenants import Unit

app = typer.Typer(help="The organisation: HQ, distributors, agencies, branches.", no_args_is_help=True)

UnitArgument = Annotated[str, typer.Argument(metavar="UNIT", help="Its number or its name.")]
Below = Annotated[str | None, typer.Option("--below", metavar="UNIT", help="The unit above; the HQ if left out.")]
COLUMNS = ("id", "name", "level", "parent_id")


class NewLevel(StrEnum):
    """There is one HQ, and it is there from the start."""

    DISTRIBUTOR = "distributor"
    AGENCY = "agency"
    BRANCH = "branch"


@app.command()
def tree(ctx: typer.Context, org: OrgOption = None) -> None:
    """All units, each below its parent."""
    from pabal.cli.output import Answer
    from pabal.platform.tenants import list_units

    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            scope = await scope_of(tx, org)
            units = await list_units(tx, scope.listed)
        shell.show(Answer(("id", "tree", "level", "is_demo"), _grown(units), empty="org.none"))

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
    from pabal.platform import tenants

    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            parent = await find_org(tx, below)
            place = tenants.Level(level.value)
            made = await tenants.add_unit(tx, administrator(), parent_id=parent.id, level=place, name=name)
        _show(shell, made)

    shell.run(work())


@app.command()
def rename(
    ctx: typer.Context,
    unit: UnitArgument,
    name: Annotated[str, typer.Argument(help="What it is called from now on.")],
    dry_run: DryRun = False,
) -> None:
    """Give a unit another name."""
    from pabal.platform import tenants

    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            named = await tenants.rename_unit(tx, administrator(), (await find_unit(tx, unit)).id, name)
        _show(shell, named)

    shell.run(work())


@app.command()
def move(ctx: typer.Context, unit: UnitArgument, below: Below = None, dry_run: DryRun = False) -> None:
    """Put a unit, with everything below it, below another."""
    from pabal.platform import tenants

    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found, parent = await find_unit(tx, unit), await find_org(tx, below)
            moved = await tenants.move_unit(tx, administrator(), found.id, parent_id=parent.id)
        _show(shell, moved)

    shell.run(work())


@app.command()
def remove(ctx: typer.Context, unit: UnitArgument, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Remove a unit that has nothing below it and owns nothing."""
    from pabal.platform import tenants

    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm("org.remove.ask", yes=yes, unit=unit)

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await find_unit(tx, unit)
            await tenants.remove_unit(tx, administrator(), found.id)
        _show(shell, found)

    shell.run(work())


def _show(shell: Shell, unit: "Unit") -> None:
    from pabal.cli.output import Answer

    shell.show(Answer(COLUMNS, [_row(unit)], single=True))


def _row(unit: "Unit") -> dict[str, Any]:
    from dataclasses import asdict

    return {**asdict(unit), "level": str(unit.level)}


def _grown(units: "list[Unit]") -> list[dict[str, Any]]:
    depths: dict[int | None, int] = {}
    rows = []
    for unit in units:
        depths[unit.id] = depths.get(unit.parent_id, -1) + 1
        indent = "  " * depths[unit.id]
        rows.append({**_row(unit), "depth": depths[unit.id], "tree": f"{indent}{unit.name}"})
    return rows
