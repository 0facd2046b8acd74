"""`pabal rule heartbeat`: addresses that jobs elsewhere report to."""

import typer

from pabal.apps.rules.heartbeats.resources import HEARTBEAT
from pabal.platform.commands.resources import add_commands

app = typer.Typer(help="Heartbeats: addresses that jobs elsewhere report to.", no_args_is_help=True)
add_commands(app, HEARTBEAT)
