"""`pabal render job`: asks for renders, watches them, cancels them and tries them again."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.apps.rendering.resources.jobs import (
    JOB,
    FailedToRetry,
    RenderToMake,
    RequestedRenderView,
    RetriedRendersView,
    view_requested,
)
from pabal.apps.rendering.resources.traces import AUDIT, RenderLogView, view_line
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, see, unit_names
from pabal.platform.commands.resources import (
    add_commands,
    by_option,
    options_of,
    read_options,
    show_one,
    show_views,
    signed,
    viewer_of,
)
from pabal.platform.commands.shell import Shell
from pabal.platform.findings import FindingView
from pabal.platform.language.pairs import put

if TYPE_CHECKING:
    from pabal.apps.rendering.resources.rows import JobRow

with lazily():
    from pabal.apps.rendering import farm, input_files, labels, startup
    from pabal.apps.rendering.actions import renders as actions
    from pabal.apps.rendering.cli import words
    from pabal.apps.rendering.model import renders as model
    from pabal.apps.rendering.resources import rows, verbs
    from pabal.apps.rendering.store import renders, traces
    from pabal.base import settings as app_settings
    from pabal.platform.language import moments

app = typer.Typer(help="Render jobs: ask for one, watch it, cancel it, try it again.", no_args_is_help=True)
add_commands(app, JOB)
add_commands(app, AUDIT)
Which = Annotated[str, typer.Argument(metavar="JOB", help=JOB.which)]
LOG_COLUMNS = ("text",)
FOUND = ("pointer", "code", "detail")
LOOK_SECONDS = 2.0
BAR = 10


def _new(ctx: typer.Context, dry_run: bool = False, **given: Any) -> None:
    shell: Shell = ctx.obj

    async def work() -> None:
        here = farm.make_farm(app_settings.read_app_settings(startup.RenderingStartup))
        async with shell.transaction() as tx:
            said = await read_options(tx, await see(tx, shell), RenderToMake, given)
            unit_id = said.pop("unit_id", None)
            planned = await input_files.plan(tx, shell.actor, here, [verbs.read_request(**said)])
        with by_option(RenderToMake):
            if dry_run:
                await input_files.check_files(here, planned)
            [wanted] = await input_files.look_at_files(here, planned)
            async with shell.change(dry_run=dry_run) as tx:
                made = await verbs.request(tx, shell.actor, vault=shell.vault, request=wanted, unit_id=unit_id)
                view, names = view_requested(made, viewer_of(shell, tx)), await unit_names(tx)
        _show_requested(shell, view, names)

    shell.run(work())


def _show_requested(shell: Shell, view: RequestedRenderView, names: dict[int | None, str]) -> None:
    if shell.output != "table":
        shell.show(show_views(shell, RequestedRenderView, [view], ("id",), single=True))
        return
    show_one(shell, JOB, view.job, names)
    if view.warnings:
        shell.show(show_views(shell, FindingView, view.warnings, FOUND))
    if not view.is_new:
        shell.tell(words.SAME)


app.command("new")(
    signed(
        _new,
        "Asks for a render. With --dry-run only the check: everything that is wrong, at once.",
        **options_of(RenderToMake),
        dry_run=(DryRun, False),
    )
)


def _retry_failed(ctx: typer.Context, dry_run: bool = False, **given: Any) -> None:
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            asked = FailedToRetry.make(await read_options(tx, await see(tx, shell), FailedToRetry, given))
            wanted = renders.Filter(composition_id=asked.composition, since=asked.since, until=asked.until)
            stage = model.Stage(asked.stage)
            done = await actions.retry_failed(tx, shell.actor, wanted, error_code=asked.error_code, stage=stage)
        view = RetriedRendersView(retried=len(done), ids=[one.id for one in done])
        shell.show(show_views(shell, RetriedRendersView, [view], ("retried", "ids"), single=True))
        shell.tell(words.RETRIED, count=len(done))

    shell.run(work())


app.command("retry-failed")(
    signed(
        _retry_failed,
        "Tries all failed jobs of a filter again, at most 500 at once.",
        **options_of(FailedToRetry),
        dry_run=(DryRun, False),
    )
)


@app.command()
def log(ctx: typer.Context, job: Which) -> None:
    """Its log, a line each."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            row = await rows.name_job(tx, await see(tx, shell), job, vault=shell.opener)
            lines = await traces.list_lines(tx, row.id)
        if shell.output == "table":
            for one in lines:
                typer.echo(one.text)
            return
        shell.show(show_views(shell, RenderLogView, [view_line(one) for one in lines], LOG_COLUMNS))

    shell.run(work())


@app.command()
def watch(ctx: typer.Context, job: Which) -> None:
    """Follows a job until it has ended. Ends with an error unless it was completed."""
    shell: Shell = ctx.obj
    shell.run(_watch(shell, job))


async def _watch(shell: Shell, job: str) -> None:
    import asyncio  # noqa: PLC0415 -- a command that only helps need not import it

    is_terminal, before = sys.stdout.isatty(), ""
    async with shell.database() as database:
        is_open = True
        while is_open:
            async with database.transaction() as tx:
                row = await rows.name_job(tx, await see(tx, shell), job, vault=shell.opener)
                line, is_open = describe(shell, row, tx.now), row.render.is_open
            if line != before:
                typer.echo(f"\r\x1b[2K{line}" if is_terminal else line, nl=not is_terminal)
            before = line
            if is_open:
                await asyncio.sleep(LOOK_SECONDS)
    if is_terminal:
        typer.echo()
    if row.render.state != model.RenderState.COMPLETED:
        raise typer.Exit(1)


def describe(shell: Shell, row: JobRow, now: datetime) -> str:
    """One line: its bar, where it stands, how long it takes, who renders it, and whether it is in time."""
    render, foretold = row.render, row.forecast
    full = round(BAR * render.progress / 100)
    word = put(shell.lang, labels.STATUS["render"][render.state].word)
    parts = [f"{render.id} {render.composition_name}", f"{'█' * full}{'░' * (BAR - full)} {render.progress}%", word]
    if foretold is not None and foretold.ends_at is not None:
        parts.append(put(shell.lang, words.LEFT, span=_span(shell, foretold.ends_at - now)))
    if render.worker_name is not None and render.is_open:
        parts.append(render.worker_name)
    parts.append(put(shell.lang, words.ATTEMPT, n=render.attempt))
    if render.error_message is not None and not render.is_open:
        parts.append(render.error_message)
    if render.on_air_at is not None:
        parts.append(_on_air(shell, render.on_air_at, None if foretold is None else foretold.spare))
    return "   ".join(parts)


def _on_air(shell: Shell, at: datetime, spare: timedelta | None) -> str:
    shown = at.astimezone().strftime("%H:%M")
    if spare is None:
        return put(shell.lang, words.NEEDED, at=shown)
    return put(
        shell.lang, words.ON_AIR if spare >= timedelta(0) else words.LATE, at=shown, spare=_span(shell, abs(spare))
    )


def _span(shell: Shell, span: timedelta) -> str:
    return moments.show_span(max(span, timedelta(seconds=1)), shell.lang)
