"""`pabal ad send|explain|forecast|simulate|history|at`: events sent, what each would do, what happens and happened."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.group import Which
from pabal.apps.adgroups.cli.timing import read_argument
from pabal.apps.adgroups.errors import EventRefused
from pabal.apps.adgroups.model.adgroups import AdGroup, Event, State
from pabal.apps.adgroups.resources.events import (
    MOST_DAYS,
    ChangeView,
    ExplainedView,
    SentView,
    StatusAtView,
    StretchView,
)
from pabal.apps.adgroups.resources.groups import NO_GROUPS, AdGroupFilter
from pabal.apps.adgroups.resources.names import STATUS_WORDS, AdGroupStatus, show_id, show_status
from pabal.engine.recurrence import find_zone
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, Yes, see, tell_more
from pabal.platform.commands.resources import show_views
from pabal.platform.commands.shell import Shell
from pabal.platform.resources import Viewer, plain

if TYPE_CHECKING:
    from pabal.apps.adgroups.machine import Subject
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.adgroups import foresight, machine
    from pabal.apps.adgroups.actions import events
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.resources import views
    from pabal.apps.adgroups.store import adgroups as store
    from pabal.engine import machine as engine_machine
    from pabal.engine import transitions
    from pabal.platform.commands import moments

Then = Annotated[str | None, typer.Option("--at", help="As if it were then: 내일 09:00, +2h; now if left out.")]
SENT_COLUMNS = ("id", "name", "before", "status", "detail")
EXPLAIN_COLUMNS = ("event", "allowed", "target", "conditions", "is_extension")
FORECAST_COLUMNS = ("status", "since", "until", "event")
HISTORY_COLUMNS = ("at", "event", "source", "target", "actor", "reason")
AT_COLUMNS = ("id", "status", "name", "at")


def send(
    ctx: typer.Context,
    event: Annotated[Event, typer.Argument(metavar="EVENT", case_sensitive=False, help="PAUSE, approve, …")],
    ad_groups: Annotated[list[str], typer.Argument(metavar="AD_GROUP...", help="By id, number or name.")],
    reason: Annotated[str | None, typer.Option("--reason", "-m", metavar="TEXT", help="Kept in the history.")] = None,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Sends an event. All that can take it do; the others are shown with why not. With --dry-run: who would."""
    shell: Shell = ctx.obj
    if event is Event.DELETE and not dry_run:
        shell.confirm(words.ASK_DELETE, yes=yes, count=len(ad_groups))
    shell.run(_send(shell, event, ad_groups, reason, dry_run=dry_run))


async def _send(shell: Shell, event: Event, texts: list[str], reason: str | None, *, dry_run: bool) -> None:
    async with shell.change(dry_run=dry_run) as tx:
        groups = await finding.find_groups(tx, await see(tx, shell), texts)
        subjects = {one.id: one for one in await machine.load_subjects(tx, [group.id for group in groups])}
        moved = await events.send_many(tx, shell.actor, list(subjects), event, reason=reason)
        after = {one.id: one for one in await store.load_ad_groups(tx, list(subjects))}
        viewer = Viewer(shell.actor, shell.lang, tx.now)
    explained = {one.id: events.explain_one(subjects[one.id], event, viewer.now, shell.actor) for one in groups}
    sent = [views.view_sent(one, after[one.id], explained[one.id], viewer) for one in groups]
    shell.show(show_views(shell, SentView, sent, SENT_COLUMNS, words=STATUS_WORDS))
    if moved.refused:
        raise EventRefused(f"{event.upper()}: {len(moved.refused)} / {len(groups)}")


def explain(ctx: typer.Context, ad_group: Which, at: Then = None) -> None:
    """For each event: where it leads, or why not, condition by condition with the values compared."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found, subject = await _load(tx, shell, ad_group)
            moment = tx.now if at is None else moments.read_moment(at, tx.now, find_zone(found.schedule.zone))
            viewer = Viewer(shell.actor, shell.lang, moment)
        explained = [
            events.explain_one(subject, Event(event), moment, shell.actor) for event in machine.AD_GROUP.events
        ]
        shown = [views.view_explained(one, found, viewer) for one in explained]
        more = {"under": "events", "extra": plain({"at": moment, "status": show_status(found.state)})}
        shell.show(show_views(shell, ExplainedView, shown, EXPLAIN_COLUMNS, words=STATUS_WORDS, **more))

    shell.run(work())


def forecast(
    ctx: typer.Context,
    ad_group: Which,
    days: Annotated[int, typer.Option(min=1, max=MOST_DAYS, help="How far.")] = 7,
) -> None:
    """What it will do if nobody interferes: its states, one after the other."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found, subject = await _load(tx, shell, ad_group)
            stretches = foresight.foresee(subject, tx.now, tx.now + timedelta(days=days))
        _show_stretches(shell, stretches, {"id": show_id(found.id)})

    shell.run(work())


def simulate(
    ctx: typer.Context,
    ad_group: Which,
    after: Annotated[
        Event | None, typer.Option("--after", case_sensitive=False, help="As if this event were sent now.")
    ] = None,
) -> None:
    """Its whole life from here, to its end: also as it would be after an event that nobody sent."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found, subject = await _load(tx, shell, ad_group)
            sent = None if after is None else _lead(subject, after, tx.now)
            stretches = foresight.foresee_life(subject, tx.now, after=sent)
        extra = {"id": show_id(found.id), "after": None if after is None else after.upper()}
        _show_stretches(shell, stretches, extra)

    shell.run(work())


def history(
    ctx: typer.Context,
    ad_group: Which,
    at: Annotated[str | None, typer.Option("--at", metavar="MOMENT", help="Only up to then: -2h, 어제 09:00.")] = None,
) -> None:
    """Every transition, the newest first: when, by which event, who, why. With --at the first is what held then."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            upto = tx.now if at is None else moments.read_moment(at, tx.now, find_zone(found.schedule.zone))
            made = [one for one in await transitions.history(tx, machine.AD_GROUP, found.id) if one.at <= upto]
        shown = [views.view_change(one) for one in reversed(made)]
        extra = plain({"id": show_id(found.id), "at": upto, "status": shown[0].target if shown else None})
        shell.show(show_views(shell, ChangeView, shown, HISTORY_COLUMNS, words=STATUS_WORDS, extra=extra))

    shell.run(work())


def at(
    ctx: typer.Context,
    moment: Annotated[str, typer.Argument(metavar="MOMENT", help="-2h, 어제 09:00, 2026-07-03T09:00+09:00.")],
    ad_groups: Annotated[
        list[str] | None, typer.Argument(metavar="AD_GROUP...", help="By id, number or name; without it all.")
    ] = None,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """In which state they were at a moment, by their histories. Before its beginning an ad group has none."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            scope = await see(tx, shell, org)
            asked, following = read_argument(moment, tx.now), None
            if ad_groups:
                groups = await finding.find_groups(tx, scope, ad_groups)
            else:
                page = await store.list_ad_groups(tx, scope, AdGroupFilter(status=tuple(AdGroupStatus)), cursor, limit)
                groups, following = page.items, page.cursor
            states = {one.id: await transitions.state_at(tx, machine.AD_GROUP, one.id, asked) for one in groups}
        shown = [views.view_status_at(one, asked, states[one.id]) for one in groups]
        extra = {"next_cursor": following}
        shell.show(show_views(shell, StatusAtView, shown, AT_COLUMNS, words=STATUS_WORDS, extra=extra, empty=NO_GROUPS))
        tell_more(shell, following)

    shell.run(work())


async def _load(tx: Tx, shell: Shell, ad_group: str) -> tuple[AdGroup, Subject]:
    found = await finding.find_group(tx, await see(tx, shell), ad_group)
    [subject] = await machine.load_subjects(tx, [found.id])
    return found, subject


def _show_stretches(shell: Shell, stretches: list[Any], extra: dict[str, Any]) -> None:
    shown = [views.view_stretch(one) for one in stretches]
    shell.show(show_views(shell, StretchView, shown, FORECAST_COLUMNS, words=STATUS_WORDS, extra=extra))


def _lead(subject: Subject, event: Event, now: datetime) -> tuple[Event, State]:
    decided = machine.AD_GROUP.decide(subject, event, now)
    if isinstance(decided, engine_machine.Refusal):
        raise EventRefused(f"{event.upper()}: {decided.reason}")
    return event, State(decided)
