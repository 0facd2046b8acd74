"""`pabal msg schedule`: list, show, and every verb of a schedule but saving it; that is saving.py."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.delivery import Asked, show_list
from pabal.apps.messaging.cli.words import reply, reply_one
from pabal.apps.messaging.model.schedules import Schedule
from pabal.engine import ids
from pabal.platform.actor import Actor
from pabal.platform.commands.answers import Answer
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, Yes, see, tell_more, unit_names
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx

    Verb = Callable[[Tx, Actor, int], Awaitable[Schedule]]

with lazily():
    from pabal.apps.messaging.actions import deliveries, schedules
    from pabal.apps.messaging.cli import finding
    from pabal.apps.messaging.cli import rows as views
    from pabal.apps.messaging.store import schedules as store
    from pabal.platform import tenants
    from pabal.platform.commands import moments

app = typer.Typer(help="Schedules: what is sent where, and when.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(metavar="SCHEDULE", help="Its number, or its title.")]
Moment = Annotated[
    str | None, typer.Option("--at", help="내일 09:00, tomorrow 09:00, +2h, an ISO moment; in the schedule's zone.")
]
RoomOption = Annotated[str | None, typer.Option("--room", help="Only to this one: number, name or channel id.")]
BotOption = Annotated[str | None, typer.Option("--bot", help="Only by this one: number or name.")]
COLUMNS = ("id", "state", "title", "says", "next_send_at", "room", "room_type", "bot", "last_sent_at", "org")
FIELDS = (
    *("id", "state", "title", "description", "says", "next_send_at", "valid_from", "valid_until", "room", "room_type"),
    *("bot", "org", "text", "images_1", "images_2", "send_order", "send_interval_seconds", "late_policy"),
    *("last_sent_at", "send_count", "failures", "created_by", "created_at", "updated_at"),
)


class StateName(StrEnum):
    ACTIVE = "active"
    INACTIVE = "inactive"
    COMPLETED = "completed"
    ERROR = "error"


@app.command("list")
def list_(
    ctx: typer.Context,
    state: Annotated[list[StateName] | None, typer.Option(help="Only in this state; may be repeated.")] = None,
    room: RoomOption = None,
    bot: BotOption = None,
    q: Annotated[str | None, typer.Option("--find", help="A part of the title or the text.")] = None,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:  # long: each filter is an option
    """What is sent next first, then those with nothing ahead."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            scope = await see(tx, shell, org)
            wanted = store.Wanted(
                scope.listed,
                states=[one.value for one in state or ()],
                room_id=None if room is None else (await finding.find_room(tx, scope, room)).id,
                bot_id=None if bot is None else (await finding.find_bot(tx, scope, bot)).id,
                q=q,
            )
            page = await store.list_schedules(tx, wanted, cursor, limit)
            names = await unit_names(tx)
        rows = [views.schedule_row(one, names, shell.lang) for one in page.items]
        extra = {"next_cursor": page.cursor}
        shell.show(reply(COLUMNS, rows, extra=extra, empty=words.NO_SCHEDULES, family="message_schedule"))
        tell_more(shell, page.cursor)

    shell.run(work())


@app.command()
def show(ctx: typer.Context, schedule: Which) -> None:
    """One schedule. How it will look and its next moments: pabal msg preview."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_schedule(tx, await see(tx, shell), schedule)
            answer = await show_schedule(tx, shell, found)
        shell.show(answer)

    shell.run(work())


@app.command()
def pause(ctx: typer.Context, schedule: Which, dry_run: DryRun = False) -> None:
    """Nothing more is sent; what waits is withdrawn, what has begun goes on."""
    _change(ctx, schedule, schedules.deactivate, dry_run=dry_run)


@app.command()
def resume(ctx: typer.Context, schedule: Which, dry_run: DryRun = False) -> None:
    """Goes on with its next moment."""
    _change(ctx, schedule, schedules.activate, dry_run=dry_run)


@app.command()
def skip(ctx: typer.Context, schedule: Which, at: Moment = None, dry_run: DryRun = False) -> None:
    """One moment is not sent: the next, or the one you name."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, found: Schedule) -> datetime:
        moment = None if at is None else _read(at, found, tx)
        return await schedules.skip(tx, shell.actor, found.id, moment)

    shell.run(_one_moment(shell, schedule, act, dry_run=dry_run))


@app.command()
def keep(
    ctx: typer.Context,
    schedule: Which,
    at: Annotated[str, typer.Option(help="The moment that was skipped; in the schedule's zone.")],
    dry_run: DryRun = False,
) -> None:
    """Takes a skip back while its moment is ahead."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, found: Schedule) -> datetime:
        moment = _read(at, found, tx)
        await schedules.keep(tx, shell.actor, found.id, moment)
        return moment

    shell.run(_one_moment(shell, schedule, act, dry_run=dry_run))


@app.command("send-now")
def send_now(ctx: typer.Context, schedule: Which, yes: Yes = False, dry_run: DryRun = False) -> None:
    """One more send, now. It waits for the bot and the room's limits."""
    shell: Shell = ctx.obj

    async def find() -> Schedule:
        async with shell.transaction() as tx:
            return await finding.find_schedule(tx, await see(tx, shell), schedule)

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            job = ids.show("job", await schedules.send_now(tx, shell.actor, found.id))
        row = {"schedule": found.title, "room": found.room_name, "bot": found.bot_name, "job": job}
        shell.show(reply_one(shell, ("schedule", "room", "bot", "job"), row))
        if not dry_run and shell.output == "table":
            shell.tell(words.SENT_TO, job=job)

    found = shell.run(find())
    if not dry_run:
        shell.confirm(words.ASK_SEND, yes=yes, title=found.title, room=found.room_name)
    shell.run(work())


@app.command("test")
def send_test(
    ctx: typer.Context,
    schedule: Which,
    room: Annotated[str | None, typer.Option(help="A test room; without it the only one of the unit.")] = None,
    dry_run: DryRun = False,
) -> None:
    """Send it to a test room, now, and count it nowhere."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_schedule(tx, await see(tx, shell), schedule)
            below = await tenants.visible_to(tx, shell.actor, within=found.unit_id)
            place = await finding.find_test_room(tx, below if room is None else await see(tx, shell), room)
            made = await deliveries.send_test(tx, shell.actor, found.id, place.id)
            row = views.delivery_row(made, shell.lang, tx.now)
        shell.show(reply_one(shell, ("id", "state", "schedule", "room", "bot", "job"), row, family="delivery"))
        if not dry_run and shell.output == "table":
            shell.tell(words.LOOK_AT, id=row["id"])

    shell.run(work())


@app.command()
def delete(
    ctx: typer.Context,
    schedule: Which,
    purge: Annotated[bool, typer.Option("--purge", help="Also its log, for good.")] = False,
    yes: Yes = False,
    dry_run: DryRun = False,
) -> None:
    """Nothing more of it is sent, and nobody sees it any more; its log stays."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm(words.ASK_DELETE, yes=yes, schedule=schedule)

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_schedule(tx, await see(tx, shell), schedule)
            answer = await show_schedule(tx, shell, found)
            await (schedules.purge if purge else schedules.delete)(tx, shell.actor, found.id)
        shell.show(answer)

    shell.run(work())


@app.command()
def logs(ctx: typer.Context, schedule: Which, limit: Limit = 20, cursor: Cursor = None) -> None:
    """What became of its sends, the newest first."""
    shell: Shell = ctx.obj
    shell.run(show_list(shell, Asked(schedule=schedule), limit, cursor))


async def show_schedule(tx: Tx, shell: Shell, schedule: Schedule) -> Answer:
    """Shown after the commit."""
    row = views.schedule_row(schedule, await unit_names(tx), shell.lang)
    return reply_one(shell, FIELDS, row, family="message_schedule")


def _change(ctx: typer.Context, schedule: str, verb: Verb, *, dry_run: bool) -> None:
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_schedule(tx, await see(tx, shell), schedule)
            answer = await show_schedule(tx, shell, await verb(tx, shell.actor, found.id))
        shell.show(answer)

    shell.run(work())


async def _one_moment(
    shell: Shell, schedule: str, act: Callable[[Tx, Schedule], Awaitable[datetime]], *, dry_run: bool
) -> None:
    async with shell.change(dry_run=dry_run) as tx:
        found = await finding.find_schedule(tx, await see(tx, shell), schedule)
        moment = await act(tx, found)
        after = await store.get_schedule(tx, await see(tx, shell), found.id)
    row = {"id": after.id, "state": after.state, "title": after.title, "at": moment, "next_send_at": after.next_send_at}
    shell.show(reply_one(shell, tuple(row), row, family="message_schedule"))


def _read(text: str, schedule: Schedule, tx: Tx) -> datetime:
    return moments.read_moment(text, tx.now, ZoneInfo(schedule.when.zone))
