"""`pabal audit`: who changed what, before and after, and from where."""

import typer

from pabal.platform.commands.resources import add_commands
from pabal.resources.audit import ENTRY

app = typer.Typer(help="The audit: who changed what.", no_args_is_help=True)
add_commands(app, ENTRY)


@app.callback()
def audited() -> None:
    """The audit: who changed what."""
