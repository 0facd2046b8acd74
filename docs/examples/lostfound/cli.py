"""`pabal lostfound`: the same lists and verbs from the command line."""

import typer

from lostfound.resources import ITEM
from pabal.platform.commands.resources import add_commands

app = typer.Typer(name="lostfound", help="Lost and found: what was found, and who fetched it.", no_args_is_help=True)
add_commands(app, ITEM)
