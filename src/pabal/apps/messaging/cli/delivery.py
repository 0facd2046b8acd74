"""`pabal msg delivery`: the send log, and what can still be done about a send."""

from __future__ import annotations

import typer

from pabal.apps.messaging.resources.deliveries import DELIVERY, OPEN_DELIVERY
from pabal.platform.commands.resources import add_commands, either, list_command
from pabal.platform.commands.shell import Shell

app = typer.Typer(help="Deliveries: what was sent, what was missed, what is under way.", no_args_is_help=True)
_ALL, _OPEN = (list_command(noun, noun.listings[0]) for noun in (DELIVERY, OPEN_DELIVERY))
app.command("list")(either(_ALL, "--open", "Only what is under way, the longest due first.", _OPEN))
add_commands(app, DELIVERY)


@app.callback()
def begin(ctx: typer.Context) -> None:
    shell: Shell = ctx.obj
    shell.next_commands["move_not_allowed"] = "pabal msg delivery list"
