"""`pabal msg bot`: bots, and the devices that say they are one. A secret is read from stdin, never from the line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.apps.messaging.resources.bots import BOT, DEVICE, BotSecret
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun
from pabal.platform.commands.resources import add_commands, change_row, read_secrets
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope

with lazily():
    from pabal.apps.messaging.actions import bots
    from pabal.apps.messaging.cli import finding

app = typer.Typer(help="Bots, and the devices that say they are one.", no_args_is_help=True)
add_commands(app, BOT)
add_commands(app, DEVICE)


@app.command()
def secret(
    ctx: typer.Context,
    bot: Annotated[str, typer.Argument(metavar="BOT", help=BOT.which)],
    remove: Annotated[bool, typer.Option("--remove", help="Ask for no signature any more.")] = False,
    dry_run: DryRun = False,
) -> None:
    """What its devices must sign with: asked for, or read from stdin (secret, then salt, a line each). Never shown."""
    shell: Shell = ctx.obj
    said = {} if remove else read_secrets(shell, BotSecret)

    async def act(tx: Tx, scope: Scope) -> Any:
        found = await finding.find_bot(tx, scope, bot)
        return await bots.set_secret(tx, shell.actor, found.id, vault=shell.vault, **said)

    shell.run(change_row(shell, BOT, act, dry_run=dry_run))
