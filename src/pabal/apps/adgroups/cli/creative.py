"""`pabal ad creative`: what an ad group shows."""

from typing import Annotated

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.group import CREATIVE_COLUMNS, Which
from pabal.apps.adgroups.cli.words import reply
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, see
from pabal.platform.commands.shell import Shell

with lazily():
    from pabal.apps.adgroups.actions import adgroups as actions
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.cli import rows as views
    from pabal.apps.adgroups.store import adgroups as store

app = typer.Typer(help="Creatives: what an ad group shows.", no_args_is_help=True)


@app.command("list")
def list_(ctx: typer.Context, ad_group: Which) -> None:
    """Those of one ad group."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            rows = [views.creative_row(one) for one in await store.list_creatives(tx, found.id)]
        shell.show(reply(CREATIVE_COLUMNS, rows, empty=words.NO_CREATIVES))

    shell.run(work())


@app.command()
def add(
    ctx: typer.Context,
    ad_group: Which,
    name: Annotated[str, typer.Option("--name", help="What people call it.")],
    url: Annotated[str, typer.Option("--url", help="Where it lies: https://…")],
    dry_run: DryRun = False,
) -> None:
    """While the ad group is a draft or ready."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            await actions.add_creative(tx, shell.actor, found.id, name=name, url=url)
            rows = [views.creative_row(one) for one in await store.list_creatives(tx, found.id)]
        shell.show(reply(CREATIVE_COLUMNS, rows))

    shell.run(work())


@app.command()
def remove(
    ctx: typer.Context,
    ad_group: Which,
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1, max=2**63 - 1, help="As the list shows it.")],
    dry_run: DryRun = False,
) -> None:
    """While the ad group is a draft or ready."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            await actions.remove_creative(tx, shell.actor, found.id, number)
            rows = [views.creative_row(one) for one in await store.list_creatives(tx, found.id)]
        shell.show(reply(CREATIVE_COLUMNS, rows, empty=words.NO_CREATIVES))

    shell.run(work())
