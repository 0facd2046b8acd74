"""`pabal ad explain|forecast|simulate|history|at`: what each event would do, what will happen, and what happened."""

from datetime import datetime, timedelta
from typing import Annotated

import typer

from pabal.apps.adgroups.actions.events import explain_one
from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.finding import find_group, find_groups
from pabal.apps.adgroups.cli.group import Which
from pabal.apps.adgroups.cli.rows import explained_row, history_row, show_group_id, stretch_row
from pabal.apps.adgroups.cli.sending import EventName
from pabal.apps.adgroups.cli.timing import Moments, read_argument
from pabal.apps.adgroups.cli.words import reply
from pabal.apps.adgroups.errors import EventRefused
from pabal.apps.adgroups.foresight import foresee, foresee_life
from pabal.apps.adgroups.machine import AD_GROUP, Subject, load_subjects
from pabal.apps.adgroups.model.adgroups import Event, State
from pabal.apps.adgroups.store import adgroups as store
from pabal.engine import transitions
from pabal.engine.machine import Refusal
from pabal.engine.recurrence import find_zone
from pabal.platform.commands.moments import read_moment
from pabal.platform.commands.options import Cursor, Limit, OrgOption, see, tell_more
from pabal.platform.commands.shell import Shell

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
            found = await find_group(tx, await see(tx, shell), ad_group)
            moment = tx.now if at is None else read_moment(at, tx.now, find_zone(found.schedule.zone))
            [subject] = await load_subjects(tx, [found.id])
        explained = [explain_one(subject, Event(event), moment, shell.actor) for event in AD_GROUP.events]
        rows = [explained_row(one, found, moment, shell.lang) for one in explained]
        extra = {"id": show_group_id(found.id), "status": found.state.upper(), "at": moment}
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
            found = await find_group(tx, await see(tx, shell), ad_group)
            [subject] = await load_subjects(tx, [found.id])
            now = tx.now
        rows = [stretch_row(one) for one in foresee(subject, now, now + timedelta(days=days))]
        shell.show(reply(FORECAST_COLUMNS, rows, extra={"id": show_group_id(found.id)}, family="adgroup"))

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
            found = await find_group(tx, await see(tx, shell), ad_group)
            [subject] = await load_subjects(tx, [found.id])
            now = tx.now
        stretches = foresee_life(subject, now, after=None if after is None else _lead(subject, Event(after.value), now))
        extra = {"id": show_group_id(found.id), "after": None if after is None else after.upper()}
        rows = [stretch_row(one) for one in stretches]
        shell.show(reply(FORECAST_COLUMNS, rows, extra=extra, family="adgroup"))

    shell.run(work())


def _lead(subject: Subject, event: Event, now: datetime) -> tuple[Event, State]:
    decided = AD_GROUP.decide(subject, event, now)
    if isinstance(decided, Refusal):
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
            found = await find_group(tx, await see(tx, shell), ad_group)
            upto = tx.now if at is None else read_moment(at, tx.now, find_zone(found.schedule.zone))
            made = [one for one in await transitions.history(tx, AD_GROUP, found.id) if one.at <= upto]
        status = made[-1].target.upper() if made else None
        extra = {"id": show_group_id(found.id), "at": upto, "status": status}
        shell.show(reply(HISTORY_COLUMNS, [history_row(one) for one in made], extra=extra))

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
                groups = await find_groups(tx, scope, ad_groups)
            else:
                wanted = store.Wanted(scope.listed, states=list(AD_GROUP.states))
                page = await store.list_ad_groups(tx, wanted, cursor, limit)
                groups, following = page.items, page.cursor
            states = {one.id: await transitions.state_at(tx, AD_GROUP, one.id, asked) for one in groups}
        rows = [
            {
                "id": show_group_id(one.id),
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


def add_to(app: typer.Typer) -> None:
    app.command()(explain)
    app.command()(forecast)
    app.command()(simulate)
    app.command()(history)
    app.command(cls=Moments)(at)
