"""`pabal ad list|show|create|edit`, and what an ad group needs: campaigns, creatives, inventory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.adgroups.cli.timing import Timed, read_schedule
from pabal.apps.adgroups.errors import BadCreative
from pabal.apps.adgroups.model.adgroups import NewAdGroup
from pabal.apps.adgroups.resources.campaigns import CAMPAIGN, INVENTORY
from pabal.apps.adgroups.resources.groups import GROUP, NO_CREATIVES, NO_PLACES, AdGroupAsk, CreativeView
from pabal.platform.commands.answers import Answer
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, see
from pabal.platform.commands.resources import (
    add_commands,
    by_option,
    list_command,
    many_commands,
    show_rows,
    show_views,
)
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.tenants import Scope

    Change = Callable[[Tx, Scope], Awaitable[int]]
    Shows = Callable[[Tx, Shell, int], Awaitable[Answer]]

with lazily():
    from pabal.apps.adgroups.actions import adgroups as actions
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.store import adgroups as store
    from pabal.apps.adgroups.store import campaigns as campaign_store

Which = Annotated[str, typer.Argument(metavar="AD_GROUP", help=GROUP.which)]
Campaign = Annotated[str | None, typer.Option("--campaign", help="A campaign: id (cmp_…), number or name.")]
From = Annotated[str | None, typer.Option("--from", help="Its start: 내일 09:00, +2h, 2026-12-01; now if left out.")]
Until = Annotated[str | None, typer.Option("--until", help="Its end: 2026-12-31 is to the end of that day.")]
Zone = Annotated[str | None, typer.Option("--zone", help="Whose wall clock; Asia/Seoul if left out.")]
Hours = Annotated[
    str | None,
    typer.Option("--hours", help="'mon-fri 09:00-18:00; 토 22:00-02:00; off 2026-12-25', 'daily 09:00-18:00', always."),
]

list_ = list_command(GROUP, GROUP.listings[0])
campaigns = typer.Typer(help="Campaigns, which ad groups belong to.", no_args_is_help=True)
add_commands(campaigns, CAMPAIGN)
inventory = typer.Typer(help="Inventory: where ads are shown.", no_args_is_help=True)
add_commands(inventory, INVENTORY)
many = many_commands(GROUP)
creatives = typer.Typer(help="Creatives: what an ad group shows.", no_args_is_help=True)


def show(ctx: typer.Context, ad_group: Which) -> None:
    """One ad group, with its creatives and its inventory."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            answer = await show_rows(tx, shell, GROUP, [found], GROUP.columns, single=True)
            below = [await _show_creatives(tx, shell, found.id), await _show_places(tx, shell, found.id)]
        for one in (answer, *below) if shell.output == "table" else (answer,):
            shell.show(one)

    shell.run(work())


def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Option("--name", help="What people call it.")],
    campaign: Annotated[str, typer.Option("--campaign", help="A campaign: id (cmp_…), number or name.")],
    until: Annotated[str, typer.Option("--until", help="Its end: 2026-12-31 is to the end of that day.")],
    since: From = None,
    zone: Zone = None,
    hours: Hours = None,
    creative: Annotated[
        list[str] | None, typer.Option("--creative", metavar="NAME=URL", help="May be repeated.")
    ] = None,
    inventory: Annotated[list[str] | None, typer.Option("--inventory", metavar="CODE", help="May be repeated.")] = None,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of an ad group is an option
    """A draft. It is delivered once its setup is complete, it is approved, and its start has come."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, scope: Scope) -> int:
        schedule = read_schedule(Timed(since, until, zone, hours), tx.now, None)
        owner = await finding.find_campaign_id(tx, scope, campaign)
        made = await actions.create(tx, shell.actor, NewAdGroup(name, owner, schedule))
        for one in creative or ():
            await _add_creative(tx, shell, made.id, one)
        if inventory:
            await _set_inventory(tx, shell, scope, made.id, inventory)
        return made.id

    _change(shell, act, _show_group, dry_run=dry_run)


def edit(
    ctx: typer.Context,
    ad_group: Which,
    name: Annotated[str | None, typer.Option("--name", help="What people call it.")] = None,
    campaign: Campaign = None,
    since: From = None,
    until: Until = None,
    zone: Zone = None,
    hours: Hours = None,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of an ad group is an option
    """Changes what is said; the rest stays. Its delayed events follow."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, scope: Scope) -> int:
        old = await finding.find_group(tx, scope, ad_group)
        schedule = read_schedule(Timed(since, until, zone, hours), tx.now, old.schedule)
        owner = old.campaign_id if campaign is None else await finding.find_campaign_id(tx, scope, campaign)
        new = NewAdGroup(old.name if name is None else name, owner, schedule)
        await actions.edit(tx, shell.actor, old.id, new, expect_version=old.schedule_version)
        return old.id

    _change(shell, act, _show_group, dry_run=dry_run)


@inventory.command("set")
def set_inventory(
    ctx: typer.Context,
    ad_group: Which,
    codes: Annotated[
        list[str] | None, typer.Argument(metavar="CODE...", help="All of them; without it none any more.")
    ] = None,
    dry_run: DryRun = False,
) -> None:
    """Where an ad group is shown, while it is a draft or ready."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, scope: Scope) -> int:
        found = await finding.find_group(tx, scope, ad_group)
        await _set_inventory(tx, shell, scope, found.id, codes or [])
        return found.id

    _change(shell, act, _show_places, dry_run=dry_run)


@inventory.command("show")
def show_inventory(ctx: typer.Context, ad_group: Which) -> None:
    """Where one ad group is shown, by code."""
    _look(ctx.obj, ad_group, _show_places)


@creatives.command("list")
def list_creatives(ctx: typer.Context, ad_group: Which) -> None:
    """Those of one ad group."""
    _look(ctx.obj, ad_group, _show_creatives)


@creatives.command("add")
def add_creative(
    ctx: typer.Context,
    ad_group: Which,
    name: Annotated[str, typer.Option("--name", help="What people call it.")],
    url: Annotated[str, typer.Option("--url", help="Where it lies: https://…")],
    dry_run: DryRun = False,
) -> None:
    """While the ad group is a draft or ready."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, scope: Scope) -> int:
        found = await finding.find_group(tx, scope, ad_group)
        await actions.add_creative(tx, shell.actor, found.id, name=name, url=url)
        return found.id

    _change(shell, act, _show_creatives, dry_run=dry_run)


@creatives.command("remove")
def remove_creative(
    ctx: typer.Context,
    ad_group: Which,
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1, max=2**63 - 1, help="As the list shows it.")],
    dry_run: DryRun = False,
) -> None:
    """While the ad group is a draft or ready."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, scope: Scope) -> int:
        found = await finding.find_group(tx, scope, ad_group)
        await actions.remove_creative(tx, shell.actor, found.id, number)
        return found.id

    _change(shell, act, _show_creatives, dry_run=dry_run)


def _look(shell: Shell, ad_group: str, show: Shows) -> None:
    async def work() -> None:
        async with shell.transaction() as tx:
            answer = await show(tx, shell, (await finding.find_group(tx, await see(tx, shell), ad_group)).id)
        shell.show(answer)

    shell.run(work())


def _change(shell: Shell, act: Change, show: Shows, *, dry_run: bool) -> None:
    """Shown after the commit."""

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            with by_option(AdGroupAsk):
                changed = await act(tx, await see(tx, shell))
            answer = await show(tx, shell, changed)
        shell.show(answer)

    shell.run(work())


async def _show_group(tx: Tx, shell: Shell, ad_group_id: int) -> Answer:
    group = await store.get_ad_group(tx, await see(tx, shell), ad_group_id)
    return await show_rows(tx, shell, GROUP, [group], GROUP.columns, single=True)


async def _show_creatives(tx: Tx, shell: Shell, ad_group_id: int) -> Answer:
    listed = await store.list_creatives(tx, ad_group_id)
    return show_views(shell, CreativeView, [CreativeView.of(one) for one in listed], empty=NO_CREATIVES)


async def _show_places(tx: Tx, shell: Shell, ad_group_id: int) -> Answer:
    [listing] = INVENTORY.listings
    listed = await store.list_inventories_of(tx, ad_group_id)
    return await show_rows(tx, shell, INVENTORY, listed, listing.columns, empty=NO_PLACES)


async def _add_creative(tx: Tx, shell: Shell, ad_group_id: int, said: str) -> None:
    name, equals, url = said.partition("=")
    if not equals:
        raise BadCreative(said[:100])
    await actions.add_creative(tx, shell.actor, ad_group_id, name=name, url=url)


async def _set_inventory(tx: Tx, shell: Shell, scope: Scope, ad_group_id: int, codes: list[str]) -> None:
    places = await campaign_store.get_inventories(tx, scope, codes)
    await actions.set_inventories(tx, shell.actor, ad_group_id, [one.id for one in places])
