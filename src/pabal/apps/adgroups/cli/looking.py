"""`pabal ad explain|forecast|simulate|history|at`: what each event would do, what will happen, and what happened."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.group import Which
from pabal.apps.adgroups.cli.sending import EventName
from pabal.apps.adgroups.cli.timing import read_argument
from pabal.apps.adgroups.cli.words import reply
from pabal.apps.adgroups.errors import EventRefused
from pabal.apps.adgroups.model.adgroups import Event, State
from pabal.engine.recurrence import find_zone
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, Limit, OrgOption, see, tell_more
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.apps.adgroups.machine import Subject

with lazily():
    from pabal.apps.adgroups import foresight, machine
    from pabal.apps.adgroups.actions import events
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.cli import rows as views
    from pabal.apps.adgroups.store import adgroups as store
    from pabal.engine import machine as engine_machine
    from pabal.engine import transitions
    from pabal.platform.commands import moments

Then = Annotated[str | None, typer.Option("--at", help="As if it were then: 내일 09:00, +2h; now if left out.")]
EXPLAIN_COLUMNS = ("event", "is_allowed", "target", "conditions", "is_extension")
FORECAST_COLUMNS = ("state", "since", "until", "by")
HISTORY_COLUMNS = ("at", "event", "before", "target", "actor", "reason")
AT_COLUMNS = ("id", "state", "name", "at")


def explain(ctx: typer.Context, ad_group: Which, at: Then = None) -> None:
    """For each event: where it leads, or why not, condition by condition with the values compared."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            moment = tx.now if at is None else moments.read_moment(at, tx.now, find_zone(found.schedule.zone))
            [subject] = await machine.load_subjects(tx, [found.id])
        explained = [
            events.explain_one(subject, Event(event), moment, shell.actor) for event in machine.AD_GROUP.events
        ]
        rows = [views.explained_row(one, found, moment, shell.lang) for one in explained]
        extra = {"id": views.show_group_id(found.id), "status": found.state.upper(), "at": moment}
        shell.show(reply(EXPLAIN_COLUMNS, rows, extra=extra))

    shell.run(work())


def forecast(
    ctx: typer.Context,
    ad_group: Which,
    days: Annotated[int, typer.Option(min=1, max=366, help="How far.")] = 7,
) -> None:
    """What it will do if nobody interferes: its states, one after the other."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            [subject] = await machine.load_subjects(tx, [found.id])
            now = tx.now
        rows = [views.stretch_row(one) for one in foresight.foresee(subject, now, now + timedelta(days=days))]
        shell.show(reply(FORECAST_COLUMNS, rows, extra={"id": views.show_group_id(found.id)}, family="adgroup"))

    shell.run(work())


def simulate(
    ctx: typer.Context,
    ad_group: Which,
    after: Annotated[
        EventName | None, typer.Option("--after", case_sensitive=False, help="As if this event were sent now.")
    ] = None,
) -> None:
    """Its whole life from here, to its end: also as it would be after an event that nobody sent."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            [subject] = await machine.load_subjects(tx, [found.id])
            now = tx.now
        stretches = foresight.foresee_life(
            subject, now, after=None if after is None else _lead(subject, Event(after.value), now)
        )
        extra = {"id": views.show_group_id(found.id), "after": None if after is None else after.upper()}
        rows = [views.stretch_row(one) for one in stretches]
        shell.show(reply(FORECAST_COLUMNS, rows, extra=extra, family="adgroup"))

    shell.run(work())


def _lead(subject: Subject, event: Event, now: datetime) -> tuple[Event, State]:
    decided = machine.AD_GROUP.decide(subject, event, now)
    if isinstance(decided, engine_machine.Refusal):
        raise EventRefused(f"{event.upper()}: {decided.reason}")
    return event, State(decided)


def history(
    ctx: typer.Context,
    ad_group: Which,
    at: Annotated[str | None, typer.Option("--at", metavar="MOMENT", help="Only up to then: -2h, 어제 09:00.")] = None,
) -> None:
    """Every transition from its beginning: when, by which event, who, why. With --at the last is what held then."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_group(tx, await see(tx, shell), ad_group)
            upto = tx.now if at is None else moments.read_moment(at, tx.now, find_zone(found.schedule.zone))
            made = [one for one in await transitions.history(tx, machine.AD_GROUP, found.id) if one.at <= upto]
        status = made[-1].target.upper() if made else None
        extra = {"id": views.show_group_id(found.id), "at": upto, "status": status}
        shell.show(reply(HISTORY_COLUMNS, [views.history_row(one) for one in made], extra=extra))

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
            asked = read_argument(moment, tx.now)
            following = None
            if ad_groups:
                groups = await finding.find_groups(tx, scope, ad_groups)
            else:
                wanted = store.Wanted(scope.listed, states=list(machine.AD_GROUP.states))
                page = await store.list_ad_groups(tx, wanted, cursor, limit)
                groups, following = page.items, page.cursor
            states = {one.id: await transitions.state_at(tx, machine.AD_GROUP, one.id, asked) for one in groups}
        rows = [
            {
                "id": views.show_group_id(one.id),
                "state": states[one.id],
                "status": None if states[one.id] is None else str(states[one.id]).upper(),
                "name": one.name,
                "at": asked,
            }
            for one in groups
        ]
        extra = {"next_cursor": following}
        shell.show(reply(AT_COLUMNS, rows, extra=extra, empty=words.NO_GROUPS, family="adgroup"))
        tell_more(shell, following)

    shell.run(work())
