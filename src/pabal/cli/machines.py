"""`pabal machines`: the machines of the apps loaded here, and their pictures."""

from typing import Annotated

import typer

from pabal.cli.shell import Shell

app = typer.Typer(help="State machines.", no_args_is_help=True)


@app.command("list")
def list_(ctx: typer.Context) -> None:
    """The machines of the apps loaded here."""
    from pabal.cli.output import Answer

    shell: Shell = ctx.obj

    async def work() -> None:
        rows = [
            {"name": machine.name, "app": one.name, "states": ", ".join(machine.states), "table": machine.table}
            for one in shell.slices
            for machine in one.machines
        ]
        shell.show(Answer(("name", "app", "states"), rows))

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
