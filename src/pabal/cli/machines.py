"""`pabal machines`: the machines of the apps loaded here, and their pictures."""

from typing import Annotated

import typer

from pabal.cli.shell import Shell
from pabal.platform.commands.resources import show_views
from pabal.resources.machines import MachineView, view_machine

app = typer.Typer(help="State machines.", no_args_is_help=True)


@app.command("list")
def list_(ctx: typer.Context) -> None:
    """The machines of the apps loaded here."""
    shell: Shell = ctx.obj

    async def work() -> None:
        views = [view_machine(machine, one.name) for one in shell.slices for machine in one.machines]
        shell.show(show_views(shell, MachineView, views, ("name", "app", "states")))

    shell.run(work())


@app.command()
def diagram(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="The machine's name.")],
    current: Annotated[str | None, typer.Option(help="Highlight this state.")] = None,
) -> None:
    """A machine as Mermaid text."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.exits import MachineUnknown

        machines = {machine.name: machine for one in shell.slices for machine in one.machines}
        if name not in machines:
            raise MachineUnknown(f"{name}; there are: {', '.join(sorted(machines))}")
        typer.echo(machines[name].diagram(current), nl=False)

    shell.run(work())
