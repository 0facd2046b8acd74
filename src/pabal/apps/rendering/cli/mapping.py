"""`pabal render mapping`: which field goes into which layer, as files; checked and tried before a render."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.rendering.resources.compositions import (
    COMPOSITION,
    MAPPING,
    FileFormat,
    ImportedMappingsView,
    MappingTestView,
    view_imported,
    view_test,
)
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, OrgOption, see
from pabal.platform.commands.resources import add_commands, show_views, viewer_of
from pabal.platform.commands.shell import Shell
from pabal.platform.findings import FindingView

if TYPE_CHECKING:
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.rendering import exporting
    from pabal.apps.rendering.cli import finding, words
    from pabal.apps.rendering.resources import verbs
    from pabal.platform.commands import options

app = typer.Typer(help="Mappings: which field goes into which layer, as files.", no_args_is_help=True)
add_commands(app, MAPPING)
File = Annotated[str, typer.Argument(metavar="FILE", help="CSV or JSON; - is stdin. Its ending says which it is.")]
Format = Annotated[FileFormat | None, typer.Option("--format", help="csv or json, if the file's name does not say it.")]
Which = Annotated[str, typer.Argument(metavar="COMPOSITION", help=COMPOSITION.which)]
Data = Annotated[str | None, typer.Option("--data", metavar="FILE", help="gfx_data as JSON; - is stdin.")]
COUNTED = ("compositions", "mappings")
TRIED = ("composition_id", "is_sample", "used", "unmapped", "unused", "empty")
FOUND = ("pointer", "code", "detail")


@app.command("import")
def import_(
    ctx: typer.Context, file: File, format: Format = None, org: OrgOption = None, dry_run: DryRun = False
) -> None:
    """Takes in compositions and their mappings, all of the file or nothing."""
    shell: Shell = ctx.obj
    shell.run(_import(shell, file, format, org, dry_run=dry_run))


@app.command()
def check(ctx: typer.Context, file: File, format: Format = None, org: OrgOption = None) -> None:
    """Says everything that is wrong with a file, each with its line. Nothing is saved."""
    shell: Shell = ctx.obj

    async def work() -> None:
        await _import(shell, file, format, org, dry_run=True)
        shell.tell(words.CHECKED)

    shell.run(work())


async def _import(shell: Shell, file: str, format: FileFormat | None, org: str | None, *, dry_run: bool) -> None:
    content = finding.read_text(file)
    kind = format or ("json" if Path(file).suffix.lower() == ".json" else "csv")
    async with shell.change(dry_run=dry_run) as tx:
        unit_id = await _find_unit(tx, shell, org)
        made = await verbs.import_mappings(tx, shell.actor, format=kind, content=content, unit_id=unit_id)
        view = view_imported(made, viewer_of(shell, tx))
    shell.show(show_views(shell, ImportedMappingsView, [view], COUNTED, single=True))


async def _find_unit(tx: Tx, shell: Shell, org: str | None) -> int | None:
    return None if org is None else await options.find_unit_id(tx, await see(tx, shell), org)


@app.command()
def export(
    ctx: typer.Context,
    format: Annotated[FileFormat, typer.Option("--format", help="csv or json.")] = "csv",
    org: OrgOption = None,
) -> None:
    """Writes compositions and mappings to stdout, as a file that can be imported again."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            content = await exporting.write_file(tx, await see(tx, shell, org), format)
        typer.echo(content, nl=False)

    shell.run(work())


@app.command("test")
def try_(ctx: typer.Context, composition: Which, data: Data = None) -> None:
    """Says what a render of some data, or of the sample data, would send to nexrender. Nothing is rendered."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            scope = await see(tx, shell)
            row = await finding.find_composition(tx, scope, composition)
            gfx = None if data is None else await finding.read_gfx(tx, scope, data)
            run = await verbs.try_mapping(tx, shell.actor, row.id, gfx_data=gfx)
            view = view_test(run, viewer_of(shell, tx))
        shell.show(show_views(shell, MappingTestView, [view], TRIED, single=True))
        found = [*view.findings, *view.warnings]
        if found and shell.output == "table":
            shell.show(show_views(shell, FindingView, found, FOUND))

    shell.run(work())


@app.command("clear-cache")
def clear_cache(ctx: typer.Context, dry_run: DryRun = False) -> None:
    """Lets every worker read compositions and mappings again."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            await verbs.clear_cache(tx, shell.actor)
        shell.tell(words.CLEARED)

    shell.run(work())
