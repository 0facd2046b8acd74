"""`pabal ad flag|mismatch`: whose state is shown, where calculator and machine differ, and whom to believe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.errors import BadFlag
from pabal.apps.adgroups.legacy.model import FlagKind
from pabal.apps.adgroups.model.adgroups import OPEN
from pabal.apps.adgroups.resources.groups import AdGroupFilter
from pabal.apps.adgroups.resources.migration import (
    FLAGS,
    MISMATCH,
    NO_FLAGS,
    NO_MISMATCHES,
    ComparedView,
    DifferingView,
    FlagChangedView,
    FlagSetView,
)
from pabal.apps.adgroups.resources.names import show_statuses
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, Yes, see
from pabal.platform.commands.resources import add_commands, show_rows, show_views
from pabal.platform.commands.shell import Shell
from pabal.platform.resources import Viewer

if TYPE_CHECKING:
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.adgroups import settings as own_settings
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.legacy import flags as actions
    from pabal.apps.adgroups.legacy import shadow
    from pabal.apps.adgroups.resources import views
    from pabal.apps.adgroups.store import adgroups as store
    from pabal.platform import settings

flags = typer.Typer(help="Flags: whose state is shown, the stored one or the calculator's.", no_args_is_help=True)
mismatches = typer.Typer(help="Mismatches: where the calculator and the machine differ.", no_args_is_help=True)
add_commands(mismatches, MISMATCH)

Kind = Annotated[
    FlagKind,
    typer.Argument(metavar="KIND", case_sensitive=False, help="id, campaign, percent or new; the first set decides."),
]
Value = Annotated[
    str | None,
    typer.Argument(metavar="OF", help="The ad group, the campaign, or how many of a hundred; nothing for new."),
]
PAGE = 1000


@flags.command("list")
def list_flags(ctx: typer.Context) -> None:
    """All that are set, and how many ad groups come to use which."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            rows = await actions.list_flags(tx, await see(tx, shell))
            counted = await actions.count_sources(tx, shell.actor)
            extra = {"sources": {source.value: count for source, count in counted.items()}}
            columns = FLAGS.listings[0].columns
            answer = await show_rows(tx, shell, FLAGS, rows, columns, extra=extra, empty=NO_FLAGS)
        shell.show(answer)

    shell.run(work())


@flags.command("set")
def set_flag(
    ctx: typer.Context,
    kind: Kind,
    of: Value = None,
    on: Annotated[bool, typer.Option("--on/--off", help="On: the stored state. Off: the calculator's.")] = True,
    dry_run: DryRun = False,
) -> None:
    """Answers how many ad groups are shown by the other way now."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            value = await _read(tx, shell, kind, of)
            changed = await actions.set_flag(tx, shell.actor, kind, value, is_on=on)
            flag = actions.Flag(kind, value, on, None, shell.actor.name, tx.now)
            shown = views.view_flag_set(flag, changed, Viewer(shell.actor, shell.lang, tx.now))
        columns = (*FLAGS.listings[0].columns, "changed")
        shell.show(show_views(shell, FlagSetView, [shown], columns, single=True))

    shell.run(work())


@flags.command("clear")
def clear_flag(ctx: typer.Context, kind: Kind, of: Value = None, dry_run: DryRun = False) -> None:
    """What the next kind in order says holds again."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            value = 0 if kind in actions.OF_HOUSE else await _read(tx, shell, kind, of)
            changed = await actions.clear_flag(tx, shell.actor, kind, value)
        shell.show(show_views(shell, FlagChangedView, [FlagChangedView(changed=changed)], single=True))

    shell.run(work())


@flags.command("machine-only")
def machine_only(ctx: typer.Context, yes: Yes = False, dry_run: DryRun = False) -> None:
    """The end of the migration: every ad group shows its stored state, and the calculator is asked no more."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm(words.ASK_SWITCH, yes=yes)

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            changed = await actions.switch_off_calculator(tx, shell.actor)
        shell.show(show_views(shell, FlagChangedView, [FlagChangedView(changed=changed)], single=True))

    shell.run(work())


@mismatches.command()
def compare(ctx: typer.Context, dry_run: DryRun = False) -> None:
    """All open ad groups, now. Servers do it all the time. With --dry-run nothing is written down."""
    shell: Shell = ctx.obj
    shell.run(_look(shell) if dry_run else _compare(shell))


async def _compare(shell: Shell) -> None:
    async with shell.database() as database:
        compared = await shadow.compare_all(database)
        async with database.transaction() as tx:
            counted = await shadow.count_open(tx, await see(tx, shell))
    causes = {str(cause): count for cause, count in counted.items()}
    shown = ComparedView(compared=compared, differing=sum(causes.values()), causes=causes)
    shell.show(show_views(shell, ComparedView, [shown], ("compared", "differing"), single=True))


async def _look(shell: Shell) -> None:
    compared, found, cursor = 0, list[shadow.Differing](), None
    async with shell.transaction() as tx:
        grace = await settings.value(tx, own_settings.LATE_AFTER)
        scope, wanted = await see(tx, shell), AdGroupFilter(status=show_statuses(OPEN))
        while True:
            page = await store.list_ad_groups(tx, scope, wanted, cursor, PAGE)
            found += shadow.compare(page.items, tx.now, grace)
            compared, cursor = compared + len(page.items), page.cursor
            if cursor is None:
                break
    shown = [views.view_differing(one) for one in found]
    columns = ("name", "calculated", "stored", "source", "cause")
    shell.show(show_views(shell, DifferingView, shown, columns, extra={"compared": compared}, empty=NO_MISMATCHES))
    shell.tell("dry_run")


async def _read(tx: Tx, shell: Shell, kind: FlagKind, text: str | None) -> int:
    if kind is FlagKind.NEW:
        return 0
    if text is None:
        raise BadFlag(f"{kind}: of what?")
    if kind is FlagKind.ID:
        return (await finding.find_group(tx, await see(tx, shell), text)).id
    if kind is FlagKind.CAMPAIGN:
        return await finding.find_campaign_id(tx, await see(tx, shell), text)
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise BadFlag(text[:50])
    return int(text)
