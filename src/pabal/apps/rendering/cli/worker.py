"""`pabal render worker`: who renders, and who takes nothing for now."""

import typer

from pabal.apps.rendering.resources.workers import WORKER
from pabal.platform.commands.resources import add_commands

app = typer.Typer(help="Workers: who renders, and who takes nothing for now.", no_args_is_help=True)
add_commands(app, WORKER)
