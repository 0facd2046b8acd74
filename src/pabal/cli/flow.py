"""`pabal flow`: workflows as YAML in and out, starting them, and what one does with a run."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.options import DryRun, OrgOption, find_org
from pabal.cli.shell import Shell
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import see
from pabal.platform.commands.resources import add_commands, by_option, change_row, needed
from pabal.resources.workflows import STEP_KIND, WORKFLOW, WORKFLOW_RUN

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope

with lazily():
    from pabal.resources import workflow_rows

app = typer.Typer(help="Workflows: chains of steps that survive anything, and their runs.", no_args_is_help=True)
add_commands(app, WORKFLOW)
add_commands(app, WORKFLOW_RUN)
add_commands(app, STEP_KIND)

Which = Annotated[str, typer.Argument(metavar="WORKFLOW", help="Its name, or its number.")]
WhichRun = Annotated[str, typer.Argument(metavar="RUN", help="Its number; pabal flow runs lists them.")]
Input = Annotated[
    str | None, typer.Option("--input", metavar="JSON", help="What it is given: a JSON object; - reads it from stdin.")
]
FILE = typer.Argument(metavar="FILE", help="A YAML file; - reads it from stdin.")


@app.command("import")
def import_(ctx: typer.Context, file: Annotated[str, FILE], org: OrgOption = None, dry_run: DryRun = False) -> None:
    """Saves a workflow from YAML; with --dry-run it is only checked, with every mistake at its line."""
    shell: Shell = ctx.obj
    text = _read(file)

    async def act(tx: "Tx", _scope: "Scope") -> Any:
        unit_id = None if org is None else (await find_org(tx, org)).id
        needs = needed(shell, WORKFLOW.needs)
        return await workflow_rows.save_workflow(tx, shell.actor, yaml=text, unit_id=unit_id, **needs)

    with by_option(None, {"yaml": file}):
        shell.run(change_row(shell, WORKFLOW, act, dry_run=dry_run))


@app.command()
def export(ctx: typer.Context, which: Which) -> None:
    """Writes a workflow as YAML; what is written can be imported again."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            needs = needed(shell, WORKFLOW.needs)
            found = await workflow_rows.find_workflow(tx, await see(tx, shell), which, **needs)
        sys.stdout.write(found.yaml)

    shell.run(work())


@app.command()
def run(ctx: typer.Context, which: Which, given: Input = None, dry_run: DryRun = False) -> None:
    """Starts a run; its number is what the other commands ask for."""
    shell: Shell = ctx.obj
    asked = _read_object(given)

    async def act(tx: "Tx", scope: "Scope") -> Any:
        needs = needed(shell, WORKFLOW.needs)
        found = await workflow_rows.find_workflow(tx, scope, which, **needs)
        return await workflow_rows.start_run(tx, shell.actor, found.id, input=asked, **needs)

    shell.run(change_row(shell, WORKFLOW_RUN, act, dry_run=dry_run))


@app.command()
def again(ctx: typer.Context, which: WhichRun, given: Input = None, dry_run: DryRun = False) -> None:
    """Starts a new run of the same version, with another input where one is given."""
    shell: Shell = ctx.obj
    asked = None if given is None else _read_object(given)

    async def act(tx: "Tx", scope: "Scope") -> Any:
        needs = needed(shell, WORKFLOW_RUN.needs)
        found = await workflow_rows.find_run(tx, scope, which, **needs)
        return await workflow_rows.run_again(tx, shell.actor, found.id, input=asked, **needs)

    shell.run(change_row(shell, WORKFLOW_RUN, act, dry_run=dry_run))


@app.command()
def signal(
    ctx: typer.Context,
    which: WhichRun,
    event: Annotated[str, typer.Argument(help="The event it waits for, as orders.paid.")],
    data: Annotated[str | None, typer.Option(metavar="JSON", help="What it says: a JSON object.")] = None,
    dry_run: DryRun = False,
) -> None:
    """Tells one run that an event has come."""
    shell: Shell = ctx.obj
    said = _read_object(data)

    async def act(tx: "Tx", scope: "Scope") -> Any:
        needs = needed(shell, WORKFLOW_RUN.needs)
        found = await workflow_rows.find_run(tx, scope, which, **needs)
        return await workflow_rows.send_signal(tx, shell.actor, found.id, event=event, data=said, **needs)

    shell.run(change_row(shell, WORKFLOW_RUN, act, dry_run=dry_run))


def _read(file: str) -> str:
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"{file} cannot be read: {error}", param_hint="FILE") from error


def _read_object(text: str | None) -> dict[str, Any]:
    import json

    if text is None:
        return {}
    try:
        found = json.loads(sys.stdin.read() if text == "-" else text)
    except ValueError as error:
        raise typer.BadParameter(f"no JSON: {error}", param_hint="--input") from error
    if not isinstance(found, dict):
        raise typer.BadParameter('a JSON object is needed, as {"limit": 500}', param_hint="--input")
    return found
