"""`pabal broker`: whether the broker answers, and what became of the events that came in."""

import typer

from pabal.cli.shell import Shell, administrator
from pabal.platform.commands.resources import add_commands, show_views
from pabal.resources.broker import EVENT, BrokerLineView, BrokerView, view_broker

app = typer.Typer(help="The broker: facts that go out, events that come in.", no_args_is_help=True)
add_commands(app, EVENT)


@app.callback()
def brokered() -> None:
    """The broker: facts that go out, events that come in."""


@app.command()
def status(ctx: typer.Context) -> None:
    """Whether it answers, how far facts are behind, and how many events are in hand."""
    shell: Shell = ctx.obj
    shell.run(_status(shell))


async def _status(shell: Shell) -> None:
    from pabal.platform import broker
    from pabal.platform.broker.words import NO_LINES

    async with shell.transaction() as tx:
        view = view_broker(await broker.describe(tx, administrator()), is_set=bool(shell.settings.broker_url))
    columns = ("is_set", "is_connected", "lag_seconds", "pending")
    shell.show(show_views(shell, BrokerView, [view], columns, single=True))
    if shell.output == "table":
        shell.show(show_views(shell, BrokerLineView, view.lines, empty=NO_LINES))
