"""`pabal msg archive`: finished months of deliveries, as they were put away in the file store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.words import reply, reply_one
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.apps.messaging.actions.archives import Month

with lazily():
    from pabal.apps.messaging.actions import archives
    from pabal.platform import storage
    from pabal.platform.commands import files

app = typer.Typer(help="Archives: finished months of deliveries.", no_args_is_help=True)

COLUMNS = ("month", "deliveries", "size", "made_at", "file")
FIELDS = (*COLUMNS, "to")


@app.command("list")
def list_(ctx: typer.Context) -> None:
    """The months that were put away, the newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            rows = [_row(one) for one in await archives.list_months(tx, shell.actor)]
        shell.show(reply(COLUMNS, rows, empty=words.NO_ARCHIVES))

    shell.run(work())


@app.command()
def get(
    ctx: typer.Context,
    month: Annotated[str, typer.Argument(metavar="MONTH", help="Like 2026-10.")],
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A new file; without it deliveries-MONTH.jsonl.gz, here.")
    ] = None,
) -> None:
    """Copy the deliveries of a month into a file: gzipped JSON lines, one a delivery."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await archives.get_month(tx, shell.actor, month)
        target = to or Path(found.file.name)
        content = await storage.read(files.open_files(shell), found.file)
        await files.write_new(target, content.chunks)
        shell.show(reply_one(shell, FIELDS, {**_row(found), "to": str(target)}))

    shell.run(work())


def _row(month: Month) -> dict[str, Any]:
    return {
        "month": month.name,
        "deliveries": month.archive.deliveries,
        "size": month.file.size,
        "made_at": month.archive.made_at,
        "file": month.file.name,
    }
