"""`pabal storage`: which stores files are in, and moving all of them to another."""

import os
from typing import Annotated

import typer

from pabal.cli.options import DryRun
from pabal.cli.shell import Shell
from pabal.platform.commands.resources import show_views
from pabal.resources.files import FilesMovedView, StoreView

app = typer.Typer(help="Files: which store they are in, and moving them to another.", no_args_is_help=True)


@app.command("list")
def list_stores(ctx: typer.Context) -> None:
    """How much lies in which store."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import storage
        from pabal.platform.commands.files import open_files

        here = open_files(shell).name
        async with shell.transaction() as tx:
            found = await storage.count_by_store(tx)
        views = [StoreView.of(one, is_main=one.store == here) for one in found]
        shell.show(show_views(shell, StoreView, views))

    shell.run(work())


@app.command()
def move(
    ctx: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="A folder, or s3://host/bucket?region=…; its KEY:SECRET@ may be in PABAL_STORAGE_KEY instead.",
        ),
    ],
    dry_run: DryRun = False,
) -> None:
    """All files to another store: copied, compared by size and SHA-256, and only then taken out of the old one.

    Start the servers with both addresses first (PABAL_STORAGE_URL the new one, PABAL_STORAGE_ALSO the old one), so that
    they find what has moved. Stopped at any moment, it goes on from there when it is run again.
    """
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import storage
        from pabal.platform.commands.files import open_files

        target = storage.Files(storage.read_address(_with_key(to)))
        source = open_files(shell)
        async with shell.database() as database:
            if dry_run:
                async with database.transaction() as tx:
                    moved = storage.foresee(await storage.count_by_store(tx), target.name)
            else:
                moved = await storage.Mover(database, source, target).run()
        view = FilesMovedView.of(moved, store=target.name, missing=list(moved.missing))
        shell.show(show_views(shell, FilesMovedView, [view], single=True))
        if dry_run:
            shell.tell("dry_run")

    shell.run(work())


def _with_key(address: str) -> str:
    """A secret on the line is seen by everybody on this machine, so that it may come from the environment."""
    key = os.environ.get("PABAL_STORAGE_KEY", "")
    scheme, found, rest = address.partition("://")
    return f"{scheme}://{key}@{rest}" if found and key and "@" not in rest else address
