"""`pabal ad delayed`: what ad groups wait for; fired, moved or taken out by hand, and exported as the seed names it."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.group import Which
from pabal.apps.adgroups.cli.timing import Moments, read_argument
from pabal.apps.adgroups.errors import EventRefused
from pabal.apps.adgroups.model.adgroups import DELAYED_KEY, AdGroup, Event
from pabal.apps.adgroups.resources.events import DELAYED
from pabal.apps.adgroups.resources.groups import GROUP
from pabal.apps.adgroups.resources.names import TimedEvent, read_event, show_id
from pabal.engine.recurrence import find_zone
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, OrgOption, see
from pabal.platform.commands.resources import add_commands, show_rows
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.apps.adgroups.actions.delayed import DelayedEvent
    from pabal.base.database import Tx

    Verb = Callable[[Tx, AdGroup, Event], Awaitable[AdGroup]]

with lazily():
    from pabal.apps.adgroups import sentences
    from pabal.apps.adgroups.actions import delayed
    from pabal.apps.adgroups.cli import finding
    from pabal.engine import transitions

app = typer.Typer(help="Delayed events: what ad groups wait for.", no_args_is_help=True)
add_commands(app, DELAYED)

PAGE = 1000
_EXPORTED = ("key", "adGroupId", "event", "score", "dueAt", "scheduleVersion")
WhichEvent = Annotated[
    TimedEvent, typer.Argument(metavar="EVENT", case_sensitive=False, help="START, EXPIRE, DAILY_START or DAILY_END.")
]


@app.command()
def fire(ctx: typer.Context, ad_group: Which, event: WhichEvent, dry_run: DryRun = False) -> None:
    """Now instead of then. Its guard decides as it would have."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, group: AdGroup, event: Event) -> AdGroup:
        try:
            return await delayed.fire(tx, shell.actor, group.id, event)
        except transitions.GuardRefused as error:
            said = sentences.tell_refusal(
                error.refusal, shell.lang, sentences.teller(tx.now, group.schedule.zone, shell.lang)
            )
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
                    put(_export(one))
                count, cursor = count + len(page.items), page.cursor
                if cursor is None:
                    break
        shell.tell(words.EXPORTED, count=count)

    shell.run(work())


def _change(shell: Shell, ad_group: str, event: TimedEvent, act: Verb, *, dry_run: bool) -> None:
    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            moved = await act(tx, found, read_event(event))
            answer = await show_rows(tx, shell, GROUP, [moved], GROUP.columns, single=True)
        shell.show(answer)

    shell.run(work())


def _export(one: DelayedEvent) -> dict[str, Any]:
    """As the seed keeps it: a member of a sorted set, by Unix time. One in quarantine has none."""
    due_at = one.timer.due_at
    return {
        "key": DELAYED_KEY,
        "member": {"adGroupId": show_id(one.group.id), "event": one.timer.event.upper()},
        "score": one.score,
        "dueAt": None if due_at is None else due_at.isoformat(),
        "scheduleVersion": one.group.schedule_version,
    }


def _json_writer(file: TextIO) -> Callable[[dict[str, Any]], object]:
    return lambda row: file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _csv_writer(file: TextIO) -> Callable[[dict[str, Any]], object]:
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(_EXPORTED)
    return lambda row: writer.writerow([{**row, **row["member"]}[name] for name in _EXPORTED])
