"""`pabal ad mismatch`: where the calculator and the machine differ, and whom to believe."""

from typing import Annotated

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.words import reply, reply_one
from pabal.apps.adgroups.legacy.model import Cause
from pabal.apps.adgroups.model.adgroups import OPEN, Source
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, see, tell_more
from pabal.platform.commands.shell import Shell

with lazily():
    from pabal.apps.adgroups import settings as own_settings
    from pabal.apps.adgroups.cli import rows as views
    from pabal.apps.adgroups.legacy import shadow
    from pabal.apps.adgroups.store import adgroups as store
    from pabal.platform import settings

app = typer.Typer(help="Mismatches: where the calculator and the machine differ.", no_args_is_help=True)

COLUMNS = ("id", "ad_group", "calculated", "stored", "source", "cause", "since", "decision")
FIELDS = (*COLUMNS, "decided_by", "resolved_at")
DIFFERING_COLUMNS = ("ad_group", "calculated", "stored", "source", "cause")
PAGE = 1000


@app.command("list")
def list_(
    ctx: typer.Context,
    cause: Annotated[Cause | None, typer.Option(help="Only by this cause.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Those that are over, too.")] = False,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """The newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            wanted = shadow.WantedMismatches(cause=cause, is_open=None if all_ else True)
            page = await shadow.list_mismatches(tx, await see(tx, shell, org), wanted, cursor, limit)
        rows = [views.mismatch_row(one) for one in page.items]
        shell.show(reply(COLUMNS, rows, extra={"next_cursor": page.cursor}, empty=words.NO_MISMATCHES))
        tell_more(shell, page.cursor)

    shell.run(work())


@app.command()
def decide(
    ctx: typer.Context,
    number: Annotated[int, typer.Argument(metavar="NUMBER", min=1, max=2**63 - 1, help="As the list shows it.")],
    believed: Annotated[Source, typer.Argument(metavar="WHOM", help="machine: trust it; calculator: keep it.")],
    dry_run: DryRun = False,
) -> None:
    """Sets the flag of that one ad group."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            row = views.mismatch_row(await shadow.decide(tx, shell.actor, number, believed))
        shell.show(reply_one(shell, FIELDS, row))

    shell.run(work())


@app.command()
def compare(ctx: typer.Context, dry_run: DryRun = False) -> None:
    """All open ad groups, now. Servers do it all the time. With --dry-run nothing is written down."""
    shell: Shell = ctx.obj
    shell.run(_look(shell) if dry_run else _compare(shell))


async def _compare(shell: Shell) -> None:
    async with shell.database() as database:
        compared = await shadow.compare_all(database)
        async with database.transaction() as tx:
            counted = await shadow.count_open(tx, await see(tx, shell))
    row = {"compared": compared, "differing": sum(counted.values()), "causes": dict(counted)}
    shell.show(reply_one(shell, ("compared", "differing"), row))


async def _look(shell: Shell) -> None:
    compared, found, cursor = 0, list[shadow.Differing](), None
    async with shell.transaction() as tx:
        grace = await settings.value(tx, own_settings.LATE_AFTER)
        wanted = store.Wanted((await see(tx, shell)).listed, states=list(OPEN))
        while True:
            page = await store.list_ad_groups(tx, wanted, cursor, PAGE)
            found += shadow.compare(page.items, tx.now, grace)
            compared, cursor = compared + len(page.items), page.cursor
            if cursor is None:
                break
    rows = [views.differing_row(one) for one in found]
    shell.show(reply(DIFFERING_COLUMNS, rows, extra={"compared": compared}, empty=words.NO_MISMATCHES))
    shell.tell("dry_run")
