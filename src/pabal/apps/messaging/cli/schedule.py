"""`pabal msg schedule`: what is described, and what is not: saving with files and a try, one moment, a send, a test."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.uploads import TIMES, Images1, Images2, Spread, check_files, trying
from pabal.apps.messaging.model.schedules import Schedule
from pabal.apps.messaging.resources.checks import SentScheduleView, SkippedScheduleView
from pabal.apps.messaging.resources.deliveries import DELIVERY, MessageDeliveryFilter
from pabal.apps.messaging.resources.schedules import SCHEDULE, MessageScheduleEdit
from pabal.engine import ids
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, Yes, see, tell_more
from pabal.platform.commands.resources import (
    add_commands,
    by_option,
    options_of,
    read_options,
    show_rows,
    show_views,
    signed,
)
from pabal.platform.commands.shell import Shell
from pabal.platform.resources.asks import asked_of

if TYPE_CHECKING:
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.messaging.actions import checking, deliveries, schedules
    from pabal.apps.messaging.cli import explain, finding, schedule_options
    from pabal.apps.messaging.store import deliveries as delivery_store
    from pabal.apps.messaging.store import schedules as store
    from pabal.platform import tenants
    from pabal.platform.commands import moments

app = typer.Typer(help="Schedules: what is sent where, and when.", no_args_is_help=True)
add_commands(app, SCHEDULE)

Which = Annotated[str, typer.Argument(metavar="SCHEDULE", help=SCHEDULE.which)]
Moment = Annotated[
    str | None, typer.Option("--at", help="내일 09:00, tomorrow 09:00, +2h, an ISO moment; in the schedule's zone.")
]
Active = Annotated[bool | None, typer.Option("--active/--inactive", help="Whether it is sent.")]
_BY_NAME = tuple(name for name, about in asked_of(MessageScheduleEdit).items() if about.find)
_SAID = {
    **options_of(MessageScheduleEdit),
    "images_1": (Images1, None),
    "images_2": (Images2, None),
    "is_active": (Active, None),
    "dry_run": (DryRun, False),
}


def _new(ctx: typer.Context, dry_run: bool, **said: Any) -> None:
    shell: Shell = ctx.obj
    check_files(shell, said["text"], said["images_1"], said["images_2"])
    shell.run(_save(shell, None, said, dry_run=dry_run))


def _edit(ctx: typer.Context, schedule: str, dry_run: bool, **said: Any) -> None:
    shell: Shell = ctx.obj
    check_files(shell, said["text"], said["images_1"], said["images_2"])
    shell.run(_save(shell, schedule, said, dry_run=dry_run))


app.command("new", cls=Spread)(
    signed(
        _new,
        "A new schedule. With --dry-run: its next moments, the room's limits, and what to know, without saving it.",
        **_SAID,
    )
)
app.command("edit", cls=Spread)(
    signed(
        _edit,
        "Changes what is said; the rest stays. What has begun goes on as it was.",
        schedule=(Which, Parameter.empty),
        **_SAID,
    )
)


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
        shell.show(show_views(shell, SentScheduleView, [SentScheduleView.of(found, job=job)], single=True))
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
            answer = await show_rows(tx, shell, DELIVERY, [made], _SENT, single=True)
        shell.show(answer)
        if not dry_run and shell.output == "table":
            shell.tell(words.LOOK_AT, id=ids.show("dlv", made.id))

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
            answer = await show_rows(tx, shell, SCHEDULE, [found], SCHEDULE.columns, single=True)
            await (schedules.purge if purge else schedules.delete)(tx, shell.actor, found.id)
        shell.show(answer)

    shell.run(work())


@app.command()
def logs(ctx: typer.Context, schedule: Which, limit: Limit = 20, cursor: Cursor = None) -> None:
    """What became of its sends, the newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        [listing] = DELIVERY.listings
        async with shell.transaction() as tx:
            scope = await see(tx, shell)
            wanted = MessageDeliveryFilter(schedule=(await finding.find_schedule(tx, scope, schedule)).id)
            page = await delivery_store.list_deliveries(tx, scope, wanted, cursor=cursor, limit=limit)
            extra = {"next_cursor": page.cursor}
            answer = await show_rows(tx, shell, DELIVERY, page.items, listing.columns, empty=listing.empty, extra=extra)
        shell.show(answer)
        tell_more(shell, page.cursor)

    shell.run(work())


_SENT = ("id", "stands", "schedule_title", "room_name", "bot_name", "job")


async def _save(shell: Shell, schedule: str | None, said: Mapping[str, Any], *, dry_run: bool) -> None:
    async with trying(shell, dry_run=dry_run) as here:
        tx, old, scope = here.tx, None, await see(here.tx, shell)
        if schedule is not None:
            old = await finding.find_schedule(tx, scope, schedule)
        named = await read_options(tx, scope, MessageScheduleEdit, {name: said[name] for name in _BY_NAME})
        wanted = await schedule_options.understand(shell, here, {**said, **named}, old)
        with by_option(MessageScheduleEdit, TIMES):
            checked = await checking.check(tx, shell.actor, wanted, schedule_id=None if old is None else old.id)
            if old is None:
                saved = await schedules.create(tx, shell.actor, wanted)
            else:
                saved = await schedules.edit(tx, shell.actor, old.id, wanted, expect_version=old.version)
        answer = await show_rows(tx, shell, SCHEDULE, [saved], SCHEDULE.columns, single=True)
        fold, now = await checking.read_fold(tx), tx.now
    if dry_run:
        explain.show_checked(shell, checked, saved.when, fold, now)
    else:
        shell.show(answer)
        explain.tell_warnings(shell, checked)


async def _one_moment(
    shell: Shell, schedule: str, act: Callable[[Tx, Schedule], Awaitable[datetime]], *, dry_run: bool
) -> None:
    async with shell.change(dry_run=dry_run) as tx:
        found = await finding.find_schedule(tx, await see(tx, shell), schedule)
        moment = await act(tx, found)
        after = await store.get_schedule(tx, await see(tx, shell), found.id)
    view = SkippedScheduleView.of(after, at=moment)
    shell.show(show_views(shell, SkippedScheduleView, [view], words=SCHEDULE.words, single=True))


def _read(text: str, schedule: Schedule, tx: Tx) -> datetime:
    return moments.read_moment(text, tx.now, ZoneInfo(schedule.when.zone))
