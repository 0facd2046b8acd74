"""`pabal relay msg`: what users said, and what became of it."""

import typer

from pabal.apps.relay.resources.messages import MESSAGE, TRACE
from pabal.platform.commands.resources import add_commands

app = typer.Typer(help="Messages: what users said, and what became of it.", no_args_is_help=True)
add_commands(app, MESSAGE)
add_commands(app, TRACE)
