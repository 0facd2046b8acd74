"""`pabal msg report`: how well and how late it was sent; `pabal msg archive`: finished months of deliveries."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.resources.statistics import (
    STATISTICS,
    USAGE,
    CopiedArchiveView,
    MessageArchiveView,
    PeriodFilter,
    archive_of,
)
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import OrgOption, unit_names
from pabal.platform.commands.resources import options_of, read_report, show_detail, show_one, show_views, signed
from pabal.platform.commands.shell import Shell

with lazily():
    from pabal.apps.messaging.actions import reports
    from pabal.platform import storage
    from pabal.platform.commands import files

app = typer.Typer(help="Archives: finished months of deliveries.", no_args_is_help=True)
By = Literal["unit", "room", "kind", "template", "reason"]
ARCHIVE_COLUMNS = ("month", "deliveries", "size", "made_at", "file")


def _report(ctx: typer.Context, by: By | None = None, org: str | None = None, **given: Any) -> None:
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            view = await read_report(tx, shell, STATISTICS if by is None else USAGE, org, given)
            names = await unit_names(tx)
        if by is None:
            show_one(shell, STATISTICS, view, names)
        else:
            show_detail(shell, USAGE, view, f"{by}s", names, empty=words.NOTHING)

    shell.run(work())


report = signed(
    _report,
    "How it went: success rate, delay, what is due and not sent. Tests are not counted.",
    **options_of(PeriodFilter),
    by=(Annotated[By | None, typer.Option(help="A line for each of these instead; reason: what was not sent.")], None),
    org=(OrgOption, None),
)


@app.command("list")
def list_(ctx: typer.Context) -> None:
    """The months that were put away, the newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            views = [MessageArchiveView(**archive_of(one)) for one in await reports.list_months(tx, shell.actor)]
        shell.show(show_views(shell, MessageArchiveView, views, ARCHIVE_COLUMNS, empty=words.NO_ARCHIVES))

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
            found = await reports.get_month(tx, shell.actor, month)
        target = to or Path(found.file.name)
        content = await storage.read(files.open_files(shell), found.file)
        await files.write_new(target, content.chunks)
        view = CopiedArchiveView(**archive_of(found), to=str(target))
        shell.show(show_views(shell, CopiedArchiveView, [view], (*ARCHIVE_COLUMNS, "to"), single=True))

    shell.run(work())
