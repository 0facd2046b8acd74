"""`pabal lanes`: shared lanes, and letting more or fewer of one go at once."""

import typer

from pabal.platform.commands.resources import add_commands
from pabal.resources.lanes import LANE

app = typer.Typer(help="Shared lanes: at most so many at once.", no_args_is_help=True)
add_commands(app, LANE)
