"""`pabal rule execution`: what became of each time."""

import typer

from pabal.apps.rules.resources.runs import EXECUTION
from pabal.platform.commands.resources import add_commands

app = typer.Typer(help="Runs of rules: what became of each time.", no_args_is_help=True)
add_commands(app, EXECUTION)
