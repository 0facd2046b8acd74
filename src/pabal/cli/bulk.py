"""`pabal bulk`: what was done to many rows at once, taking it back, and many approvals at once."""

from typing import Annotated

import typer

from pabal.cli.shell import Shell
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.resources import add_commands, many_commands
from pabal.resources.approvals import APPROVAL
from pabal.resources.bulks import BULK

with lazily():
    from pabal.engine import ids
    from pabal.platform import bulks
    from pabal.platform import slice as slices
    from pabal.platform.commands import many

app = typer.Typer(help="Bulks: what was done to many at once, row by row.", no_args_is_help=True)
add_commands(app, BULK)
# approvals have no group of their own: `pabal inbox`, `pabal approve`
app.add_typer(many_commands(APPROVAL), name="approvals")


@app.command()
def undo(ctx: typer.Context, which: Annotated[str, typer.Argument(metavar="BULK", help=BULK.which)]) -> None:
    """Takes a bulk back: the opposite is done to every row it was done to."""
    shell: Shell = ctx.obj
    shell.run(_undo(shell, which))


async def _undo(shell: Shell, which: str) -> None:
    hands = many.hands_of(shell, shell.actor)
    async with shell.database() as database:
        async with database.transaction() as tx:
            made = await bulks.undo(
                tx,
                shell.actor,
                ids.read(bulks.PREFIX, which),
                nouns=slices.list_nouns(shell.house),
                lang=shell.lang,
                hands=hands,
                sees_all=True,
            )
        view = await many.finish(shell, database, made)
    many.show_bulk(shell, view)
