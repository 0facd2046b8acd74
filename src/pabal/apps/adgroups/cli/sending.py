"""`pabal ad send`: an event for one ad group or for many; who cannot take it is named, with why."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.words import reply
from pabal.apps.adgroups.errors import EventRefused
from pabal.apps.adgroups.model.adgroups import AdGroup, Event
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, Yes, see
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.apps.adgroups.machine import Subject

with lazily():
    from pabal.apps.adgroups import machine
    from pabal.apps.adgroups.actions import events
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.cli import rows as views
    from pabal.apps.adgroups.store import adgroups as store

COLUMNS = ("id", "name", "before", "state", "why")


class EventName(StrEnum):
    """What people send. What the clock sends is fired with `pabal ad delayed fire`."""

    COMPLETE_SETUP = "complete_setup"
    APPROVE = "approve"
    REJECT = "reject"
    PAUSE = "pause"
    RESUME = "resume"
    DELETE = "delete"


def send(
    ctx: typer.Context,
    name: Annotated[EventName, typer.Argument(metavar="EVENT", case_sensitive=False, help="PAUSE, approve, …")],
    ad_groups: Annotated[list[str], typer.Argument(metavar="AD_GROUP...", help="By id, number or name.")],
    reason: Annotated[str | None, typer.Option("--reason", "-m", metavar="TEXT", help="Kept in the history.")] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Sends an event. All that can take it do; the others are shown with why not. With --dry-run: who would."""
    shell: Shell = ctx.obj
    if name is EventName.DELETE and not dry_run:
        shell.confirm(words.ASK_DELETE, yes=yes, count=len(ad_groups))
    shell.run(_send(shell, Event(name.value), ad_groups, reason, dry_run=dry_run))


async def _send(shell: Shell, event: Event, texts: list[str], reason: str | None, *, dry_run: bool) -> None:
    async with shell.change(dry_run=dry_run) as tx:
        groups = await finding.find_groups(tx, await see(tx, shell), texts)
        subjects = {one.id: one for one in await machine.load_subjects(tx, [group.id for group in groups])}
        moved = await events.send_many(tx, shell.actor, list(subjects), event, reason=reason)
        after = {one.id: one for one in await store.load_ad_groups(tx, list(subjects))}
        now = tx.now
    rows = [_row(shell, group, subjects[group.id], after, event, now) for group in groups]
    shell.show(reply(COLUMNS, rows, family="adgroup"))
    if moved.refused:
        raise EventRefused(f"{event.upper()}: {len(moved.refused)} / {len(groups)}")


def _row(
    shell: Shell, group: AdGroup, subject: Subject, after: Mapping[int, AdGroup], event: Event, now: datetime
) -> dict[str, Any]:
    explained = views.explained_row(events.explain_one(subject, event, now, shell.actor), group, now, shell.lang)
    state = after[group.id].state
    return {
        "id": views.show_group_id(group.id),
        "name": group.name,
        "before": group.state.upper(),
        "state": state.value,
        "status": state.upper(),
        "is_done": explained["is_allowed"],
        "why": explained["why"],
        "checked": explained["checked"],
        "version": after[group.id].version,
    }
