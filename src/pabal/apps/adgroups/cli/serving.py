"""`pabal ad serving`: what ad servers read from Redis: how it stands, compared, written again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.resources.serving import (
    CHECK_COLUMNS,
    NO_CHECKS,
    NOT_SERVED,
    ServingCheckView,
    ServingJobView,
    ServingView,
)
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun
from pabal.platform.commands.resources import show_views
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.engine.queue import Enqueued

with lazily():
    from pabal.apps.adgroups.resources import views
    from pabal.apps.adgroups.serving import actions

app = typer.Typer(help="Serving: what ad servers read from Redis.", no_args_is_help=True)
FIELDS = ("is_wanted", "running", "refreshed_at", "rebuilt_at", "away_since", "away_error")


@app.command()
def status(ctx: typer.Context) -> None:
    """Whether it is served, and what the last checks found."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            shown = views.view_serving(await actions.describe(tx, shell.actor))
        shell.show(show_views(shell, ServingView, [shown], FIELDS, single=True))
        if shell.output == "table":
            shell.show(show_views(shell, ServingCheckView, shown.checks, CHECK_COLUMNS, empty=NO_CHECKS))
            if not shown.is_wanted:
                shell.tell(NOT_SERVED)

    shell.run(work())


@app.command()
def rebuild(ctx: typer.Context, dry_run: DryRun = False) -> None:
    """Writes everything again; nothing that runs is missing meanwhile. A server does it."""
    _order(ctx.obj, actions.rebuild_now, dry_run=dry_run)


@app.command()
def check(ctx: typer.Context, dry_run: DryRun = False) -> None:
    """Compares Redis with the database and fixes what differs. A server does it, every five minutes by itself."""
    _order(ctx.obj, actions.check_now, dry_run=dry_run)


def _order(shell: Shell, verb: Callable[..., Awaitable[Enqueued]], *, dry_run: bool) -> None:
    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            asked = await verb(tx, shell.actor)
        shown = ServingJobView(job=str(asked), is_new=asked.is_new)
        shell.show(show_views(shell, ServingJobView, [shown], single=True))
        if not dry_run:
            shell.tell(words.WHAT_BECOMES, job=str(asked))

    shell.run(work())
