"""`pabal ad`: ad groups, their events and delayed events from the command line. Only `app` is for others."""

import typer

from pabal.apps.adgroups.cli import (
    campaign,
    creative,
    delayed,
    flag,
    group,
    inventory,
    looking,
    migration,
    mismatch,
    sending,
    serving,
)
from pabal.apps.adgroups.cli.words import NEXT
from pabal.apps.adgroups.korean import KO
from pabal.platform.commands.shell import Shell
from pabal.platform.language import errors

app = typer.Typer(help="Ad groups: campaigns, events, delayed events, migration.", no_args_is_help=True)


@app.callback()
def begin(ctx: typer.Context) -> None:
    shell: Shell = ctx.obj
    errors.add(KO)
    shell.next_commands.update(NEXT)


group.add_to(app)
app.command()(sending.send)
looking.add_to(app)
app.add_typer(delayed.app, name="delayed")
app.add_typer(campaign.app, name="campaign")
app.add_typer(inventory.app, name="inventory")
app.add_typer(creative.app, name="creative")
app.add_typer(migration.app, name="migration")
app.add_typer(flag.app, name="flag")
app.add_typer(mismatch.app, name="mismatch")
app.add_typer(serving.app, name="serving")
