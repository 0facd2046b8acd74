"""`pabal ad delayed`: what ad groups wait for; fired, moved or taken out by hand, and exported as the seed names it."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.group import Which, show_group
from pabal.apps.adgroups.cli.timing import Moments, read_argument
from pabal.apps.adgroups.cli.words import reply
from pabal.apps.adgroups.errors import EventRefused
from pabal.apps.adgroups.model.adgroups import AdGroup, Event
from pabal.engine.recurrence import find_zone
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, see, tell_more, unit_names
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx

    Verb = Callable[[Tx, AdGroup, Event], Awaitable[AdGroup]]

with lazily():
    from pabal.apps.adgroups import sentences
    from pabal.apps.adgroups.actions import delayed
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.cli import rows as views
    from pabal.engine import transitions

app = typer.Typer(help="Delayed events: what ad groups wait for.", no_args_is_help=True)

COLUMNS = ("due_at", "event", "id", "ad_group", "state", "org", "tries")
PAGE = 1000
_EXPORTED = ("key", "adGroupId", "event", "score", "dueAt", "scheduleVersion")


class TimedName(StrEnum):
    START = "start"
    EXPIRE = "expire"
    DAILY_START = "daily_start"
    DAILY_END = "daily_end"


WhichEvent = Annotated[
    TimedName, typer.Argument(metavar="EVENT", case_sensitive=False, help="START, EXPIRE, DAILY_START or DAILY_END.")
]


@app.command("list")
def list_(
    ctx: typer.Context,
    event: Annotated[
        list[TimedName] | None, typer.Option(case_sensitive=False, help="Only these; may be repeated.")
    ] = None,
    late: Annotated[bool, typer.Option("--late", help="Only what should have happened before now.")] = False,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """The next one first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            names = [one.value for one in event or ()]
            late_at = tx.now if late else None
            scope = await see(tx, shell, org)
            page = await delayed.list_delayed(tx, scope, names=names, late_at=late_at, cursor=cursor, limit=limit)
            units = await unit_names(tx)
        rows = [views.delayed_row(one, units) for one in page.items]
        extra = {"next_cursor": page.cursor}
        shell.show(reply(COLUMNS, rows, extra=extra, empty=words.NO_DELAYED, family="adgroup"))
        tell_more(shell, page.cursor)

    shell.run(work())


@app.command()
def fire(ctx: typer.Context, ad_group: Which, event: WhichEvent, dry_run: DryRun = False) -> None:
    """Now instead of then. Its guard decides as it would have."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, group: AdGroup, event: Event) -> AdGroup:
        try:
            return await delayed.fire(tx, shell.actor, group.id, event)
        except transitions.GuardRefused as error:
            said = sentences.tell_refusal(error.refusal, shell.lang, views.teller(group, tx.now, shell.lang))
            raise EventRefused(said) from error

    _change(shell, ad_group, event, act, dry_run=dry_run)


@app.command(cls=Moments)
def move(
    ctx: typer.Context,
    ad_group: Which,
    event: WhichEvent,
    to: Annotated[str, typer.Argument(metavar="MOMENT", help="내일 09:00, +2h, an ISO moment; on its wall clock.")],
    dry_run: DryRun = False,
) -> None:
    """START and EXPIRE are its dates; a daily one is moved for that day alone."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, group: AdGroup, event: Event) -> AdGroup:
        moment = read_argument(to, tx.now, find_zone(group.schedule.zone))
        return await delayed.move(tx, shell.actor, group.id, event, moment)

    _change(shell, ad_group, event, act, dry_run=dry_run)


@app.command()
def cancel(ctx: typer.Context, ad_group: Which, event: WhichEvent, dry_run: DryRun = False) -> None:
    """A start waits for another word; a daily one is passed over this once. EXPIRE can only be moved."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, group: AdGroup, event: Event) -> AdGroup:
        return await delayed.cancel(tx, shell.actor, group.id, event)

    _change(shell, ad_group, event, act, dry_run=dry_run)


@app.command()
def export(ctx: typer.Context, org: OrgOption = None) -> None:
    """All of them on stdout, under the seed's names: lines of JSON, or CSV with -o csv."""
    shell: Shell = ctx.obj

    async def work() -> None:
        put = _csv_writer(sys.stdout) if shell.output == "csv" else _json_writer(sys.stdout)
        count, cursor = 0, None
        async with shell.transaction() as tx:
            scope = await see(tx, shell, org)
            while True:
                page = await delayed.list_delayed(tx, scope, cursor=cursor, limit=PAGE)
                for one in page.items:
                    put(views.exported_row(one))
                count, cursor = count + len(page.items), page.cursor
                if cursor is None:
                    break
        shell.tell(words.EXPORTED, count=count)

    shell.run(work())


def _change(shell: Shell, ad_group: str, event: TimedName, act: Verb, *, dry_run: bool) -> None:
    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            answer = await show_group(tx, shell, await act(tx, found, Event(event.value)))
        shell.show(answer)

    shell.run(work())


def _json_writer(file: TextIO) -> Callable[[dict[str, Any]], object]:
    return lambda row: file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _csv_writer(file: TextIO) -> Callable[[dict[str, Any]], object]:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_EXPORTED)
    return lambda row: writer.writerow([{**row, **row["member"]}[name] for name in _EXPORTED])
