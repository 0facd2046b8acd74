"""`pabal ad inventory`: where ads are shown, and which of it an ad group uses."""

from typing import Annotated

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.group import Which, show_group
from pabal.apps.adgroups.cli.words import reply, reply_one
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, find_unit, see, tell_more, unit_names
from pabal.platform.commands.shell import Shell

with lazily():
    from pabal.apps.adgroups.actions import adgroups
    from pabal.apps.adgroups.actions import campaigns as actions
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.cli import rows as views
    from pabal.apps.adgroups.store import adgroups as store
    from pabal.apps.adgroups.store import campaigns
    from pabal.platform import tenants

app = typer.Typer(help="Inventory: where ads are shown.", no_args_is_help=True)

COLUMNS = ("id", "code", "name", "org", "created_at")


@app.command("list")
def list_(ctx: typer.Context, org: OrgOption = None, limit: Limit = 50, cursor: Cursor = None) -> None:
    """The newest first. Ad servers ask by its code."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            page = await campaigns.list_inventories(tx, await see(tx, shell, org), cursor, limit)
            names = await unit_names(tx)
        rows = [views.inventory_row(one, names) for one in page.items]
        shell.show(reply(COLUMNS, rows, extra={"next_cursor": page.cursor}, empty=words.NO_INVENTORY))
        tell_more(shell, page.cursor)

    shell.run(work())


@app.command()
def add(
    ctx: typer.Context,
    code: Annotated[str, typer.Argument(metavar="CODE", help="What ad servers ask for: main-banner.")],
    name: Annotated[str, typer.Option("--name", help="What people call it.")],
    org: Annotated[str | None, typer.Option("--org", metavar="UNIT", help="Whose; the HQ's if left out.")] = None,
    dry_run: DryRun = False,
) -> None:
    """A place where ads are shown."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            unit = await tenants.ensure_hq(tx) if org is None else await find_unit(tx, org)
            made = await actions.add_inventory(tx, shell.actor, code=code, name=name, unit_id=unit.id)
            row = views.inventory_row(made, await unit_names(tx))
        shell.show(reply_one(shell, COLUMNS, row))

    shell.run(work())


@app.command("set")
def set_(
    ctx: typer.Context,
    ad_group: Which,
    codes: Annotated[
        list[str] | None, typer.Argument(metavar="CODE...", help="All of them; without it none any more.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Where an ad group is shown, while it is a draft or ready."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            scope = await see(tx, shell)
            found = await finding.find_group(tx, scope, ad_group)
            places = await finding.find_inventory(tx, scope, codes or ())
            await adgroups.set_inventories(tx, shell.actor, found.id, [one.id for one in places])
            answer = await show_group(tx, shell, await store.get_ad_group(tx, scope, found.id))
        shell.show(answer)

    shell.run(work())
