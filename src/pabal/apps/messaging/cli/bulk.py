"""`pabal msg bulk` and `pabal msg group`: sends to many rooms, and groups of rooms to send to."""

from __future__ import annotations

import typer

from pabal.apps.messaging.resources.bulks import BULK, GROUP
from pabal.platform.commands.resources import add_commands

app = typer.Typer(help="Sends to many rooms: how many got it, and what is missing.", no_args_is_help=True)
add_commands(app, BULK)
groups = typer.Typer(help="Groups of rooms that are kept: by unit, kind and tag.", no_args_is_help=True)
add_commands(groups, GROUP)
