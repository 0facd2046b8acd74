"""`pabal schedules`: list, preview, pause, resume."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.shell import Shell

if TYPE_CHECKING:
    from datetime import datetime

    from pabal.base.database import Tx
    from pabal.engine.schedules import Schedule

app = typer.Typer(help="Schedules: when what happens.", no_args_is_help=True)
COLUMNS = ("id", "name", "state", "next_at", "kind", "says")

ScheduleId = Annotated[str, typer.Argument(metavar="ID", help="Like sch_12, or just 12.")]

DryRun = Annotated[bool, typer.Option("--dry-run", help="Show it as it is; change nothing.")]


@app.command("list")
def list_(
    ctx: typer.Context,
    kind: Annotated[str | None, typer.Option(help="Only those that enqueue this kind.")] = None,
    about: Annotated[str | None, typer.Option(help="Only about this subject.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Go on after this id: the last one of the page before.")] = None,
) -> None:
    """In the order they were made."""
    from pabal.engine import schedules, why

    shell: Shell = ctx.obj

    async def work() -> None:
        after = 0 if cursor is None else why.read_schedule(cursor)
        async with shell.transaction() as tx:
            found = await schedules.list_schedules(tx, kind=kind, about=about, after=after, limit=limit + 1)
        _show(shell, found[:limit], has_more=len(found) > limit)

    shell.run(work())


@app.command()
def preview(
    ctx: typer.Context,
    schedule: ScheduleId,
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 10,
) -> None:
    """The next moments, with a reason beside those that will not fire."""
    shell: Shell = ctx.obj
    shell.run(_preview(shell, schedule, count))


@app.command()
def pause(ctx: typer.Context, schedule: ScheduleId, dry_run: DryRun = False) -> None:
    """Nothing more is enqueued until it is resumed; what is enqueued already goes on."""
    from pabal.cli.shell import administrator
    from pabal.engine import why
    from pabal.platform import operating

    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            schedule_id = why.read_schedule(schedule)
            found = await operating.pause_schedule(
                tx, administrator(), schedule_id, owners=shell.owners, dry_run=dry_run
            )
        _show(shell, [found])

    shell.run(work())


@app.command()
def resume(ctx: typer.Context, schedule: ScheduleId, dry_run: DryRun = False) -> None:
    """Goes on with the next moment; those that passed meanwhile are skipped."""
    from pabal.cli.shell import administrator
    from pabal.engine import why
    from pabal.platform import operating

    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            schedule_id = why.read_schedule(schedule)
            found = await operating.resume_schedule(
                tx, administrator(), schedule_id, owners=shell.owners, dry_run=dry_run
            )
        _show(shell, [found])

    shell.run(work())


async def occurrences_until(tx: "Tx", until: "datetime", *, most: int) -> list[dict[str, Any]]:
    """For `pabal next`."""
    from pabal.engine import forecasts, why

    return [
        {
            "at": one.moment,
            "what": "schedule",
            "id": why.show_schedule(one.schedule.id),
            "kind": one.schedule.kind,
            "about": one.schedule.about,
            "note": "skipped" if one.is_skipped else one.schedule.name,
        }
        for one in await forecasts.list_upcoming(tx, until=until, limit=most)
    ]


async def _preview(shell: Shell, text: str, count: int) -> None:
    from pabal.cli.output import Answer
    from pabal.engine import forecasts, schedules, why
    from pabal.platform.commands.printing import printable

    schedule_id = why.read_schedule(text)
    async with shell.transaction() as tx:
        schedule = await schedules.get(tx, schedule_id)
        coming = await forecasts.preview(tx, schedule_id, count)
    if shell.output == "table":
        line = f"{why.show_schedule(schedule_id)}  {schedule.name}  {_sentence(shell, schedule)}"
        typer.echo(printable(line))
    rows = [
        {"at": one.moment, "wall": f"{one.wall:%Y-%m-%d %H:%M:%S}", "excluded": one.excluded, "note": one.note}
        for one in coming
    ]
    shell.show(Answer(("wall", "at", "excluded", "note"), rows, empty="preview.none"))


def _show(shell: Shell, found: "list[Schedule]", *, has_more: bool = False) -> None:
    from pabal.cli.output import Answer

    rows = [_row(shell, one) for one in found]
    extra = {"next_cursor": rows[-1]["id"] if has_more else None}
    shell.show(Answer(COLUMNS, rows, extra=extra, empty="schedules.none"))
    if has_more and shell.output == "table":
        shell.tell("schedules.more", cursor=rows[-1]["id"])


def _row(shell: Shell, schedule: "Schedule") -> dict[str, Any]:
    from pabal.engine import why
    from pabal.engine.recurrence import to_json

    state = "paused" if schedule.is_paused else "active" if schedule.next_at else "over"
    return {
        "id": why.show_schedule(schedule.id),
        "name": schedule.name,
        "state": state,
        "next_at": None if schedule.is_paused else schedule.next_at,
        "kind": schedule.kind,
        "about": schedule.about,
        "says": _sentence(shell, schedule),
        "recurrence": to_json(schedule.recurrence),
        "zone": schedule.zone,
        "paused_by": schedule.paused_by,
        "problem": schedule.problem,
    }


def _sentence(shell: Shell, schedule: "Schedule") -> str:
    """A rule that can no longer be read has no sentence, and must not hide the others."""
    from pabal.base.errors import Invalid
    from pabal.engine.recurrence import describe

    try:
        return describe(schedule.timing, shell.lang)
    except Invalid as error:
        return str(error)
