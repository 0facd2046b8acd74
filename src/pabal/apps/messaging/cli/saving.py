"""`pabal msg schedule new` and `edit`: everything of a schedule as options; with --dry-run what would come of it.

`app` is that of schedule.py, with these two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.messaging.cli.schedule import Which, app, show_schedule
from pabal.apps.messaging.cli.timing import Timed
from pabal.apps.messaging.cli.trying import Images1, Images2, Spread, Text, check_files, in_words, trying
from pabal.apps.messaging.model.content import SendOrder
from pabal.apps.messaging.model.schedules import LatePolicy
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, OrgOption, see
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.apps.messaging.cli.understanding import Given

with lazily():
    from pabal.apps.messaging.actions import checking, schedules
    from pabal.apps.messaging.cli import checked as checks
    from pabal.apps.messaging.cli import finding, understanding

RoomOption = Annotated[str | None, typer.Option("--room", help="Where: number, name or channel id.")]
BotOption = Annotated[str | None, typer.Option("--bot", help="Who sends: number or name; without it the room's first.")]
Title = Annotated[str | None, typer.Option(help="Without it the first line of the text.")]
Description = Annotated[str | None, typer.Option(help="For whoever looks later.")]
Order = Annotated[SendOrder | None, typer.Option("--order", help="What comes first.")]
Interval = Annotated[int | None, typer.Option(min=0, help="Seconds between text and images.")]
Wait1 = Annotated[int | None, typer.Option("--wait1", min=0, help="Milliseconds after group 1; 0: the bot's own.")]
Wait2 = Annotated[int | None, typer.Option("--wait2", min=0, help="Milliseconds after group 2; 0: the bot's own.")]
At = Annotated[str | None, typer.Option("--at", help="Once: 내일 09:00, tomorrow 09:00, +2h, an ISO moment.")]
Daily = Annotated[str | None, typer.Option("--daily", metavar="TIME", help="Every day: 09:00.")]
Weekly = Annotated[str | None, typer.Option("--weekly", metavar="'DAYS TIME'", help="'mon,thu 09:00', '월,목 09:00'.")]
Zone = Annotated[str | None, typer.Option("--zone", help="Whose wall clock; Asia/Seoul if left out.")]
From = Annotated[str | None, typer.Option("--from", help="Valid from; now if left out.")]
Until = Annotated[str | None, typer.Option("--until", help="Valid until: 2026-12-31 is to the end of that day.")]
Late = Annotated[LatePolicy | None, typer.Option("--late-policy", help="What to do when it could not be sent in time.")]
TemplateOption = Annotated[str | None, typer.Option("--template", help="Begin with this one: number or name.")]


@app.command("new", cls=Spread)
def new(
    ctx: typer.Context,
    room: Annotated[str, typer.Option("--room", help="Where: number, name or channel id.")],
    bot: BotOption = None,
    title: Title = None,
    text: Text = None,
    images1: Images1 = None,
    images2: Images2 = None,
    at: At = None,
    daily: Daily = None,
    weekly: Weekly = None,
    zone: Zone = None,
    since: From = None,
    until: Until = None,
    order: Order = None,
    interval: Interval = None,
    wait1: Wait1 = None,
    wait2: Wait2 = None,
    late: Late = None,
    template: TemplateOption = None,
    description: Description = None,
    org: OrgOption = None,
    inactive: Annotated[bool, typer.Option("--inactive", help="Saved, and not sent until it is resumed.")] = False,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a schedule is an option
    """A new schedule. With --dry-run: its next moments, the room's limits, and what to know, without saving it."""
    timed = Timed(at, daily, weekly, zone, since, until)
    given = understanding.Given(
        *(room, bot, org, template, title, description, text, images1, images2, order, interval, wait1, wait2),
        *(late, not inactive, timed),
    )
    shell: Shell = ctx.obj
    check_files(shell, text, images1, images2)
    shell.run(_save(shell, None, given, dry_run=dry_run))


@app.command("edit", cls=Spread)
def edit(
    ctx: typer.Context,
    schedule: Which,
    room: RoomOption = None,
    bot: BotOption = None,
    title: Title = None,
    text: Text = None,
    images1: Images1 = None,
    images2: Images2 = None,
    at: At = None,
    daily: Daily = None,
    weekly: Weekly = None,
    zone: Zone = None,
    since: From = None,
    until: Until = None,
    order: Order = None,
    interval: Interval = None,
    wait1: Wait1 = None,
    wait2: Wait2 = None,
    late: Late = None,
    template: TemplateOption = None,
    description: Description = None,
    org: OrgOption = None,
    active: Annotated[bool | None, typer.Option("--active/--inactive", help="Whether it is sent.")] = None,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a schedule is an option
    """Changes what is said; the rest stays. What has begun goes on as it was."""
    timed = Timed(at, daily, weekly, zone, since, until)
    given = understanding.Given(
        *(room, bot, org, template, title, description, text, images1, images2, order, interval, wait1, wait2),
        *(late, active, timed),
    )
    shell: Shell = ctx.obj
    check_files(shell, text, images1, images2)
    shell.run(_save(shell, schedule, given, dry_run=dry_run))


async def _save(shell: Shell, schedule: str | None, given: Given, *, dry_run: bool) -> None:
    async with trying(shell, dry_run=dry_run) as here:
        tx, old = here.tx, None
        if schedule is not None:
            old = await finding.find_schedule(tx, await see(tx, shell), schedule)
        wanted = await understanding.understand(shell, here, given, old)
        with in_words(shell):
            checked = await checking.check(tx, shell.actor, wanted, schedule_id=None if old is None else old.id)
            if old is None:
                saved = await schedules.create(tx, shell.actor, wanted)
            else:
                saved = await schedules.edit(tx, shell.actor, old.id, wanted, expect_version=old.version)
        answer, now = await show_schedule(tx, shell, saved), tx.now
    if dry_run:
        checks.show_checked(shell, checked, saved.when, now)
    else:
        shell.show(answer)
        checks.tell_warnings(shell, checked)
