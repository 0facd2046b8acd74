"""`pabal schedules`: list, preview, pause, resume."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.cli.options import Cursor, Limit, tell_more
from pabal.cli.shell import Shell
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import see
from pabal.platform.commands.printing import printable
from pabal.platform.commands.resources import add_commands, show_rows, show_views, viewer_of
from pabal.resources.schedules import SCHEDULE, NextView, ScheduleFilter, view_next, view_schedule

if TYPE_CHECKING:
    pass

with lazily():
    from pabal.engine import forecasts, listing, schedules, why
    from pabal.resources import rows

app = typer.Typer(help="Schedules: when what happens.", no_args_is_help=True)

ScheduleId = Annotated[str, typer.Argument(metavar="ID", help="Like sch_12, or just 12.")]


@app.command("list")
def list_(
    ctx: typer.Context,
    kind: Annotated[str | None, typer.Option(help="Only those that enqueue this kind.")] = None,
    about: Annotated[str | None, typer.Option(help="Only about this subject.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """In the order they were made."""
    shell: Shell = ctx.obj
    wanted = ScheduleFilter(kind=kind, about=about, sort="id")
    [listed] = SCHEDULE.listings

    async def work() -> None:
        async with shell.transaction() as tx:
            page = await rows.list_schedules(tx, await see(tx, shell), wanted, cursor=cursor, limit=limit)
            more = {"next_cursor": page.cursor}
            answer = await show_rows(tx, shell, SCHEDULE, page.items, SCHEDULE.columns, empty=listed.empty, extra=more)
        shell.show(answer)
        tell_more(shell, page.cursor)

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


add_commands(app, SCHEDULE)


async def _preview(shell: Shell, text: str, count: int) -> None:
    schedule_id = why.read_schedule(text)
    async with shell.transaction() as tx:
        await schedules.get(tx, schedule_id)
        [line] = await listing.show_schedules(tx, [schedule_id])
        coming = [view_next(one) for one in await forecasts.preview(tx, schedule_id, count)]
        view = view_schedule(line, viewer_of(shell, tx))
    if shell.output == "table":
        typer.echo(printable(f"{view.id}  {view.name}  {view.says}"))
    shell.show(show_views(shell, NextView, coming, ("wall", "at", "excluded", "note"), empty="preview.none"))
