"""`pabal ad migration`: old ad groups brought over: a dry run first, then the run, going on, and taking it back."""

from __future__ import annotations

import errno
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.errors import CannotRead
from pabal.apps.adgroups.legacy.model import FromFile, FromTable, Mode, Run
from pabal.apps.adgroups.model.adgroups import AREA
from pabal.apps.adgroups.resources.migration import NO_ROWS, RUN, ReportView, RunRowView, RunView
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, Yes, find_unit, tell_more
from pabal.platform.commands.resources import show_rows, show_views
from pabal.platform.commands.shell import Shell
from pabal.platform.resources import Viewer

if TYPE_CHECKING:
    from pabal.base.database import Database, Tx

with lazily():
    from pabal.apps.adgroups.legacy import actions
    from pabal.apps.adgroups.resources import views
    from pabal.platform import storage, tenants
    from pabal.platform.commands import files as command_files

app = typer.Typer(help="Migration: old ad groups brought over.", no_args_is_help=True)

Which = Annotated[int, typer.Argument(metavar="RUN", min=1, max=2**63 - 1, help="Its number.")]
Here = Annotated[bool, typer.Option("--here", help="Do it in this process, without a server.")]
ROW_COLUMNS = ("n", "legacy_id", "name", "calculated", "status", "doubts", "refusal", "problem", "outcome", "ad_group")
BLOCK, MOST_BYTES = 1 << 20, 1 << 30


class ModeName(StrEnum):
    ONE_TRANSACTION = "one-transaction"
    BATCHES = "batches"


@app.command()
def check(
    ctx: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="FILE.csv", help="id,name,campaign,start_at,end_at,…; see the manual.")
    ] = None,
    table: Annotated[bool, typer.Option("--table", help="The table legacy_ad_groups of this database.")] = False,
    org: Annotated[str | None, typer.Option("--org", metavar="UNIT", help="Whose they become; the HQ's.")] = None,
) -> None:
    """Reads and maps everything, keeps the plan and its report, and makes no ad group."""
    shell: Shell = ctx.obj
    if (file is None) is not table:
        shell.fail(CannotRead("FILE.csv / --table"))
    if file is not None and not file.is_file():
        shell.fail(CannotRead(f"{file}: {os.strerror(errno.ENOENT)}"))

    async def work() -> None:
        command_files.open_files(shell)
        async with shell.database() as database, shell.services(database) as services:
            unit_id = await _find_owner(database, org)
            origin: FromFile | FromTable = FromTable()
            if file is not None:
                upload = storage.Upload(_read(file), file.name, unit_id=unit_id, area=AREA)
                kept = await storage.accept_file(database, services.files, shell.actor, upload, max_bytes=MOST_BYTES)
                origin = FromFile(kept.id)
            run = await actions.dry_run(services, shell.actor, origin, unit_id)
        _show(shell, run)
        shell.tell(words.START_IT, run=run.id)

    shell.run(work())


@app.command()
def run(
    ctx: typer.Context,
    number: Which,
    mode: Annotated[ModeName | None, typer.Option(help="Without it by the number of rows: see the setting.")] = None,
    here: Here = False,
    dry_run: DryRun = False,
) -> None:
    """Does what a dry run planned."""
    wanted = None if mode is None else Mode(mode.value.replace("-", "_"))

    async def act(tx: Tx) -> Run:
        return await actions.start(tx, ctx.obj.actor, number, wanted)

    _order(ctx.obj, act, here=here, dry_run=dry_run)


@app.command()
def status(
    ctx: typer.Context,
    number: Annotated[int | None, typer.Argument(metavar="RUN", min=1, max=2**63 - 1, help="Without it all.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """One migration, or all, the newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            if number is not None:
                _show(shell, await actions.get_run(tx, shell.actor, number))
                return
            page = await actions.list_runs(tx, shell.actor, cursor, limit)
            listing, extra = RUN.listings[0], {"next_cursor": page.cursor}
            answer = await show_rows(tx, shell, RUN, page.items, listing.columns, extra=extra, empty=listing.empty)
        shell.show(answer)
        tell_more(shell, page.cursor)

    shell.run(work())


@app.command()
def rows(
    ctx: typer.Context,
    number: Which,
    only: Annotated[str | None, typer.Option(help="suspicious, refused, a mark, or a reason to leave it out.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """What each old ad group would become, or became."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            page = await actions.list_rows(tx, shell.actor, number, only=only, cursor=cursor, limit=limit)
            viewer = Viewer(shell.actor, shell.lang, tx.now)
        shown = [views.view_run_row(one, viewer) for one in page.items]
        extra = {"next_cursor": page.cursor}
        shell.show(show_views(shell, RunRowView, shown, ROW_COLUMNS, words=RUN.words, extra=extra, empty=NO_ROWS))
        tell_more(shell, page.cursor)

    shell.run(work())


@app.command()
def report(
    ctx: typer.Context,
    number: Which,
    to: Annotated[Path | None, typer.Option(metavar="FILE", help="A new file; without it migration-RUN.csv.")] = None,
) -> None:
    """Copies its report into a file: the plan's before it ran, what was done afterwards."""
    shell: Shell = ctx.obj
    target = to or Path(f"migration-{number}.csv")

    async def work() -> None:
        files = command_files.open_files(shell)
        async with shell.transaction() as tx:
            file = await actions.get_report(tx, shell.actor, number)
        await command_files.write_new(target, (await storage.read(files, file)).chunks)
        shell.show(show_views(shell, ReportView, [ReportView(id=number, to=str(target))], single=True))

    shell.run(work())


@app.command()
def resume(ctx: typer.Context, number: Which, here: Here = False, dry_run: DryRun = False) -> None:
    """Goes on after the last checkpoint, whichever way it was going."""

    async def act(tx: Tx) -> Run:
        return await actions.resume(tx, ctx.obj.actor, number)

    _order(ctx.obj, act, here=here, dry_run=dry_run)


@app.command()
def rollback(
    ctx: typer.Context,
    number: Which,
    even_touched: Annotated[bool, typer.Option("--even-touched", help="Also what people changed since.")] = False,
    here: Here = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Removes what it made and restores what it changed; what people changed since is kept."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm(words.ASK_ROLL_BACK, yes=yes, run=number)

    async def act(tx: Tx) -> Run:
        return await actions.rollback(tx, shell.actor, number, even_touched=even_touched)

    _order(shell, act, here=here, dry_run=dry_run)


@app.command()
def discard(ctx: typer.Context, number: Which, dry_run: DryRun = False) -> None:
    """A plan that nobody wants."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await actions.get_run(tx, shell.actor, number)
            await actions.discard(tx, shell.actor, number)
        _show(shell, found)

    shell.run(work())


def _order(shell: Shell, act: Callable[[Tx], Awaitable[Run]], *, here: bool, dry_run: bool) -> None:
    """A server does it, or this process."""

    is_mine = here and not dry_run

    async def work() -> None:
        if is_mine:
            command_files.open_files(shell)
        async with shell.change(dry_run=dry_run) as tx:
            found = await act(tx)
        if is_mine:
            async with shell.database() as database, shell.services(database) as services:
                found = await actions.work(services, found.id)
        _show(shell, found)
        if not here and not dry_run:
            shell.tell(words.FOLLOW_IT, run=found.id)

    shell.run(work())


def _show(shell: Shell, found: Run) -> None:
    view = views.view_run(found, Viewer(shell.actor, shell.lang, found.created_at))
    shell.show(show_views(shell, RunView, [view], RUN.columns, words=RUN.words, single=True))


async def _find_owner(database: Database, org: str | None) -> int:
    async with database.transaction() as tx:
        return (await tenants.ensure_hq(tx) if org is None else await find_unit(tx, org)).id


async def _read(file: Path) -> AsyncIterator[bytes]:
    try:
        with file.open("rb") as opened:
            while block := opened.read(BLOCK):
                yield block
    except OSError as error:
        raise CannotRead(f"{file}: {error.strerror}") from error
