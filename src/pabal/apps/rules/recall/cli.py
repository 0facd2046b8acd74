"""`pabal rule case`: what the planner learns from."""

import typer

from pabal.apps.rules.recall.resources import CASE
from pabal.platform.commands.resources import add_commands

app = typer.Typer(help="Cases: requests that went well before, as examples for the planner.", no_args_is_help=True)
add_commands(app, CASE)
