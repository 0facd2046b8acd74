"""`pabal render composition`: what can be rendered."""

import typer

from pabal.apps.rendering.resources.compositions import COMPOSITION
from pabal.platform.commands.resources import add_commands

app = typer.Typer(help="Compositions: what can be rendered.", no_args_is_help=True)
add_commands(app, COMPOSITION)
