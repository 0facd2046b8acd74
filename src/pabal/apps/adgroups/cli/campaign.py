"""`pabal ad campaign`: campaigns, which ad groups belong to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.timing import read_end
from pabal.apps.adgroups.cli.words import reply, reply_one
from pabal.apps.adgroups.model.adgroups import ZONE, Campaign, CampaignState
from pabal.engine.recurrence import find_zone
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, find_unit, see, tell_more, unit_names
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.apps.adgroups.store.campaigns import NewCampaign
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.adgroups.actions import campaigns as actions
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.cli import rows as views
    from pabal.apps.adgroups.store import campaigns as store
    from pabal.platform import tenants
    from pabal.platform.commands import moments

app = typer.Typer(help="Campaigns, which ad groups belong to.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(metavar="CAMPAIGN", help="Its id (cmp_…), its number, or its name.")]
From = Annotated[str | None, typer.Option("--from", help="Its start; now if left out.")]
Until = Annotated[str | None, typer.Option("--until", help="Its end: a date is to its end; '': none.")]
State = Annotated[CampaignState | None, typer.Option("--state", help="A closed one lets no ad group be approved.")]
COLUMNS = ("id", "campaign_state", "name", "start_at", "end_at", "org")
FIELDS = (*COLUMNS, "created_at", "updated_at")


@app.command("list")
def list_(ctx: typer.Context, org: OrgOption = None, limit: Limit = 50, cursor: Cursor = None) -> None:
    """The newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            page = await store.list_campaigns(tx, await see(tx, shell, org), cursor, limit)
            names = await unit_names(tx)
        rows = [views.campaign_row(one, names) for one in page.items]
        shell.show(reply(COLUMNS, rows, extra={"next_cursor": page.cursor}, empty=words.NO_CAMPAIGNS))
        tell_more(shell, page.cursor)

    shell.run(work())


@app.command()
def show(ctx: typer.Context, campaign: Which) -> None:
    """One campaign. Its ad groups: pabal ad list --campaign CAMPAIGN."""

    async def act(tx: Tx) -> Campaign:
        return await finding.find_campaign(tx, await see(tx, ctx.obj), campaign)

    _show(ctx.obj, act, dry_run=False, is_looking=True)


@app.command()
def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What people call it.")],
    since: From = None,
    until: Until = None,
    state: State = None,
    org: Annotated[str | None, typer.Option("--org", metavar="UNIT", help="Whose; the HQ's if left out.")] = None,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a campaign is an option
    """A campaign of a unit; its ad groups are that unit's too."""
    shell: Shell = ctx.obj

    async def act(tx: Tx) -> Campaign:
        unit = await tenants.ensure_hq(tx) if org is None else await find_unit(tx, org)
        old = store.NewCampaign(name, tx.now)
        return await actions.create_campaign(tx, shell.actor, _read(tx, old, since, until, state), unit_id=unit.id)

    _show(shell, act, dry_run=dry_run)


@app.command()
def edit(
    ctx: typer.Context,
    campaign: Which,
    name: Annotated[str | None, typer.Option("--name", help="What people call it.")] = None,
    since: From = None,
    until: Until = None,
    state: State = None,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a campaign is an option
    """Changes what is said; the rest stays. Closing it stops no ad group that was approved."""
    shell: Shell = ctx.obj

    async def act(tx: Tx) -> Campaign:
        found = await finding.find_campaign(tx, await see(tx, shell), campaign)
        old = store.NewCampaign(found.name if name is None else name, found.start_at, found.end_at, found.state)
        return await actions.edit_campaign(tx, shell.actor, found.id, _read(tx, old, since, until, state))

    _show(shell, act, dry_run=dry_run)


def _read(tx: Tx, old: NewCampaign, since: str | None, until: str | None, state: CampaignState | None) -> NewCampaign:
    zone = find_zone(ZONE)
    start = old.start_at if since is None else moments.read_moment(since, tx.now, zone)
    end = old.end_at if until is None else None if until == "" else read_end(until, tx.now, zone)
    return store.NewCampaign(old.name, start, end, state or old.state)


def _show(shell: Shell, act: Callable[[Tx], Awaitable[Campaign]], *, dry_run: bool, is_looking: bool = False) -> None:
    async def work() -> None:
        async with shell.transaction() if is_looking else shell.change(dry_run=dry_run) as tx:
            row = views.campaign_row(await act(tx), await unit_names(tx))
        shell.show(reply_one(shell, FIELDS, row))

    shell.run(work())
