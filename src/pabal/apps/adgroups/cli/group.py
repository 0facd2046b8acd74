"""`pabal ad list|show|create|edit`: ad groups, and everything of one as options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.timing import Timed, read_schedule
from pabal.apps.adgroups.cli.words import reply, reply_one
from pabal.apps.adgroups.errors import BadCreative
from pabal.apps.adgroups.model.adgroups import AdGroup, NewAdGroup, Source, State
from pabal.platform.commands.answers import Answer
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, see, tell_more, unit_names
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.adgroups.actions import adgroups as actions
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.cli import rows as views
    from pabal.apps.adgroups.store import adgroups as store

Which = Annotated[str, typer.Argument(metavar="AD_GROUP", help="Its id (adg_…), its number, or its name.")]
CampaignOption = Annotated[str | None, typer.Option("--campaign", help="A campaign: id (cmp_…), number or name.")]
From = Annotated[str | None, typer.Option("--from", help="Its start: 내일 09:00, +2h, 2026-12-01; now if left out.")]
Until = Annotated[str | None, typer.Option("--until", help="Its end: 2026-12-31 is to the end of that day.")]
Zone = Annotated[str | None, typer.Option("--zone", help="Whose wall clock; Asia/Seoul if left out.")]
Hours = Annotated[
    str | None,
    typer.Option("--hours", help="'mon-fri 09:00-18:00; 토 22:00-02:00; off 2026-12-25', 'daily 09:00-18:00', always."),
]
COLUMNS = ("id", "state", "name", "reason", "next_event", "next_at", "campaign", "hours", "org")
FIELDS = (
    *("id", "state", "name", "reason", "next_event", "next_at", "campaign", "start_at", "end_at", "hours", "zone"),
    *("is_held", "creatives", "inventories", "org", "source", "legacy_id", "created_by", "created_at", "updated_at"),
)
CREATIVE_COLUMNS = ("id", "name", "url", "created_at")


def list_(
    ctx: typer.Context,
    state: Annotated[
        list[State] | None,
        typer.Option(case_sensitive=False, help="Only in this state; may be repeated. Deleted ones only so."),
    ] = None,
    campaign: CampaignOption = None,
    source: Annotated[Source | None, typer.Option(help="Only those whose state comes from there.")] = None,
    q: Annotated[str | None, typer.Option("--find", help="A part of the name.")] = None,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:  # long: each filter is an option
    """The newest first, each with why it is as it is and what comes next."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            scope = await see(tx, shell, org)
            wanted = store.Wanted(
                scope.listed,
                states=[one.value for one in state or ()],
                campaign_id=None if campaign is None else (await finding.find_campaign(tx, scope, campaign)).id,
                source=source,
                q=q,
            )
            page = await store.list_ad_groups(tx, wanted, cursor, limit)
            names, now = await unit_names(tx), tx.now
        rows = [views.group_row(one, names, shell.lang, now) for one in page.items]
        extra = {"next_cursor": page.cursor}
        shell.show(reply(COLUMNS, rows, extra=extra, empty=words.NO_GROUPS, family="adgroup"))
        tell_more(shell, page.cursor)

    shell.run(work())


def show(ctx: typer.Context, ad_group: Which) -> None:
    """One ad group, with its creatives and its inventory."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            answer = await show_group(tx, shell, found)
            creatives = [views.creative_row(one) for one in await store.list_creatives(tx, found.id)]
        shell.show(answer)
        if shell.output == "table":
            shell.show(reply(CREATIVE_COLUMNS, creatives))

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

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            scope = await see(tx, shell)
            schedule = read_schedule(Timed(since, until, zone, hours), tx.now, None)
            owner = await finding.find_campaign(tx, scope, campaign)
            made = await actions.create(tx, shell.actor, NewAdGroup(name, owner.id, schedule))
            for one in creative or ():
                await _add_creative(tx, shell, made.id, one)
            if inventory:
                places = [one.id for one in await finding.find_inventory(tx, scope, inventory)]
                await actions.set_inventories(tx, shell.actor, made.id, places)
            answer = await show_group(tx, shell, await store.get_ad_group(tx, scope, made.id))
        shell.show(answer)

    shell.run(work())


def edit(
    ctx: typer.Context,
    ad_group: Which,
    name: Annotated[str | None, typer.Option("--name", help="What people call it.")] = None,
    campaign: CampaignOption = None,
    since: From = None,
    until: Until = None,
    zone: Zone = None,
    hours: Hours = None,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of an ad group is an option
    """Changes what is said; the rest stays. Its delayed events follow."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            scope = await see(tx, shell)
            old = await finding.find_group(tx, scope, ad_group)
            schedule = read_schedule(Timed(since, until, zone, hours), tx.now, old.schedule)
            owner = old.campaign_id if campaign is None else (await finding.find_campaign(tx, scope, campaign)).id
            new = NewAdGroup(old.name if name is None else name, owner, schedule)
            edited = await actions.edit(tx, shell.actor, old.id, new, expect_version=old.schedule_version)
            answer = await show_group(tx, shell, edited)
        shell.show(answer)

    shell.run(work())


async def show_group(tx: Tx, shell: Shell, group: AdGroup) -> Answer:
    """Shown after the commit."""
    creatives = [views.creative_row(one) for one in await store.list_creatives(tx, group.id)]
    places = [one.code for one in await store.list_inventories_of(tx, group.id)]
    row = views.group_row(group, await unit_names(tx), shell.lang, tx.now)
    row |= {"inventory": places, "creative_list": creatives}
    if shell.output == "table":
        row |= {"inventories": places, "is_held": group.schedule.is_held or ""}
    return reply_one(shell, FIELDS, row, family="adgroup")


async def _add_creative(tx: Tx, shell: Shell, ad_group_id: int, said: str) -> None:
    name, equals, url = said.partition("=")
    if not equals:
        raise BadCreative(said[:100])
    await actions.add_creative(tx, shell.actor, ad_group_id, name=name, url=url)
