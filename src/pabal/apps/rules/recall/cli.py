"""`pabal rule case`: what a language model learns from."""

import typer

from pabal.apps.rules.recall.resources import CASE
from pabal.platform.commands.resources import add_commands

app = typer.Typer(help="Cases: requests with good answers, as examples for a language model.", no_args_is_help=True)
add_commands(app, CASE)
