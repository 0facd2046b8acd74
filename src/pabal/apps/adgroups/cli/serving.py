"""`pabal ad serving`: what ad servers read from Redis: how it stands, compared, written anew."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.words import reply, reply_one
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.engine.queue import Enqueued

with lazily():
    from pabal.apps.adgroups.cli import rows
    from pabal.apps.adgroups.serving import actions

app = typer.Typer(help="Serving: what ad servers read from Redis.", no_args_is_help=True)

FIELDS = ("is_wanted", "running", "refreshed_at", "rebuilt_at", "away_since", "away_error")
CHECK_COLUMNS = ("at", "compared", "found", "mended", "took_ms", "asked_by", "error")


@app.command()
def status(ctx: typer.Context) -> None:
    """Whether it is served, and what the last checks found."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            described = await actions.describe(tx, shell.actor)
        checks = [rows.check_row(one) for one in described.checks]
        shell.show(reply_one(shell, FIELDS, {**rows.standing_row(described.standing), "checks": checks}))
        if shell.output == "table":
            shell.show(reply(CHECK_COLUMNS, checks, empty=words.NO_CHECKS))
            if not described.standing.is_wanted:
                shell.tell(words.NOT_SERVED)

    shell.run(work())


@app.command()
def rebuild(ctx: typer.Context, dry_run: DryRun = False) -> None:
    """Writes everything anew; nothing that runs is missing meanwhile. A server does it."""
    _order(ctx.obj, actions.rebuild_now, dry_run=dry_run)


@app.command()
def check(ctx: typer.Context, dry_run: DryRun = False) -> None:
    """Compares Redis with the database and mends what differs. A server does it, every five minutes by itself."""
    _order(ctx.obj, actions.check_now, dry_run=dry_run)


def _order(shell: Shell, verb: Callable[..., Awaitable[Enqueued]], *, dry_run: bool) -> None:
    async def ask(tx: Tx) -> Enqueued:
        return await verb(tx, shell.actor)

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            asked = await ask(tx)
        shell.show(reply_one(shell, ("job", "is_new"), {"job": str(asked), "is_new": asked.is_new}))
        if not dry_run:
            shell.tell(words.WHAT_BECOMES, job=str(asked))

    shell.run(work())
