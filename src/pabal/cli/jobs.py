"""`pabal jobs`: list, show, cancel, retry, priority."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pabal.cli.options import tell_more, unit_names
from pabal.cli.shell import Shell
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import see
from pabal.platform.commands.resources import change_row, show_rows, show_views
from pabal.resources.work import (
    JOB,
    AttemptView,
    JobFilter,
    JobResultView,
    WholeJobView,
    view_result,
    view_whole_job,
)

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.engine.listing import JobLine
    from pabal.platform.operating import Done
    from pabal.platform.tenants import Scope

with lazily():
    from pabal.engine import listing, queue
    from pabal.resources import rows

app = typer.Typer(help="Jobs: what there is to do and what became of it.", no_args_is_help=True)

WHOLE = (
    *("id", "kind", "state", "unit_id", "queue", "lane", "about", "cause", "args", "failures", "max_failures"),
    *("reason", "error", "worker", "host", "progress", "estimated_at", "checkpoint", "stop", "created_at", "ready_at"),
    *("due_at", "started_at", "deadline", "cancel_at", "expires_at", "ended_at", "data"),
)
JobId = Annotated[str, typer.Argument(metavar="ID", help="Like job_01h2xcejqtf2n; the first letters are enough.")]
JobIds = Annotated[
    list[str], typer.Argument(metavar="ID…", help="Like job_01h2xcejqtf2n; the first letters are enough.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done; change nothing.")]


@app.command("list")
def list_(
    ctx: typer.Context,
    kind: Annotated[str | None, typer.Option(help="Only of this kind.")] = None,
    about: Annotated[str | None, typer.Option(help="Only about this subject, like schedule:7.")] = None,
    state: Annotated[
        str | None,
        typer.Option(
            help="waiting, delayed, ready, running, done, partial, failed, cancelled, expired, quarantined; or several."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Go on after this id: the last one of the page before.")] = None,
) -> None:
    """Newest first."""
    shell: Shell = ctx.obj
    states = tuple(one.strip() for one in (state or "").split(",") if one.strip())
    wanted = JobFilter.make({"state": states, "kind": kind, "about": about})
    shell.run(_show_list(shell, wanted, limit, cursor))


@app.command()
def show(ctx: typer.Context, job: JobId) -> None:
    """One job: where it is, its arguments and its attempts."""
    shell: Shell = ctx.obj
    shell.run(_show(shell, job))


@app.command()
def cancel(
    ctx: typer.Context,
    jobs: JobIds,
    yes: Yes = False,
    dry_run: DryRun = False,
    force: Annotated[bool, typer.Option(help="Also where the code for the job's kind is not loaded here.")] = False,
) -> None:
    """End jobs that wait; those that run get a signal and start no new attempt."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm("jobs.cancel.ask", yes=yes, count=len(jobs))
    shell.run(_cancel(shell, jobs, dry_run=dry_run, force=force))


@app.command()
def retry(ctx: typer.Context, job: JobId, dry_run: DryRun = False) -> None:
    """Enqueue again, as a new job, what failed, was cancelled, expired or was quarantined."""
    shell: Shell = ctx.obj
    shell.run(_retry(shell, job, dry_run=dry_run))


@app.command()
def priority(
    ctx: typer.Context,
    job: JobId,
    to: Annotated[Literal["urgent", "high", "normal", "low"], typer.Argument(metavar="PRIORITY", help="urgent … low")],
    dry_run: DryRun = False,
) -> None:
    """Give a job that waits another priority."""
    shell: Shell = ctx.obj

    async def act(tx: Tx, scope: Scope) -> JobLine:
        from pabal.cli.shell import administrator

        job_id = await listing.resolve_job(tx, job, scope.listed, scope.veiled)
        return await rows.prioritise_job(tx, administrator(), job_id, priority=to, owners=shell.owners)

    shell.run(change_row(shell, JOB, act, dry_run=dry_run))


async def _show_list(shell: Shell, wanted: JobFilter, limit: int, cursor: str | None) -> None:
    [listed] = JOB.listings
    async with shell.transaction() as tx:
        page = await rows.list_jobs(tx, await see(tx, shell), wanted, limit=limit, cursor=cursor)
        more = {"next_cursor": page.cursor}
        answer = await show_rows(tx, shell, JOB, page.items, listed.columns, empty=listed.empty, extra=more)
    shell.show(answer)
    tell_more(shell, page.cursor)


async def _show(shell: Shell, text: str) -> None:
    async with shell.transaction() as tx:
        job_id = await listing.resolve_job(tx, text)
        place = await queue.get_place(tx, job_id)
        [line] = await listing.show_jobs(tx, [job_id])
        view = view_whole_job(line, place, await queue.list_attempts(tx, job_id))
        names = await unit_names(tx)
    shell.show(show_views(shell, WholeJobView, [view], WHOLE, names=names, single=True))
    if shell.output == "table":
        if view.attempts:
            typer.echo()
            columns = ("token", "result", "started_at", "ended_at", "worker", "error")
            shell.show(show_views(shell, AttemptView, view.attempts, columns))
        shell.tell("hint.why", id=view.id)


async def _cancel(shell: Shell, texts: list[str], *, dry_run: bool, force: bool) -> None:
    from pabal.cli.exits import EndedBefore, SomeFailed
    from pabal.cli.shell import administrator
    from pabal.engine import kinds
    from pabal.platform import operating

    async with shell.database() as database, shell.services(database) as services, database.transaction() as tx:
        known = kinds.merge(one.make_kinds(services) for one in shell.house)
        done = await operating.cancel_jobs(
            tx, administrator(), texts, kinds=known, owners=shell.owners, force=force, dry_run=dry_run
        )
        if len(done) == 1 and done[0].result != "ended_before":
            _raise(done[0])
    _show_results(shell, done)
    untouched = [one.id for one in done if one.error is not None]
    if untouched:
        raise EndedBefore(", ".join(untouched)) if len(untouched) == len(done) else SomeFailed(", ".join(untouched))


async def _retry(shell: Shell, text: str, *, dry_run: bool) -> None:
    from pabal.cli.shell import administrator
    from pabal.platform import operating

    async with shell.transaction() as tx:
        [done] = await operating.retry_jobs(tx, administrator(), [text], owners=shell.owners, dry_run=dry_run)
        _raise(done)
    _show_results(shell, [done])
    if done.made is not None and shell.output == "table":
        shell.tell("hint.why", id=done.made)


def _raise(done: Done) -> None:
    """A refusal here ends with the exit code of one, and names the command to go on with."""
    from pabal.cli.exits import HandlerNotHere, NotRetryable

    if done.error is None:
        return
    match done.result:
        case "handler_not_here":
            raise HandlerNotHere(done.error.detail, subject=done.id)
        case "not_retryable":
            raise NotRetryable(done.error.detail, subject=done.id)
        case _:
            raise done.error


def _show_results(shell: Shell, done: Sequence[Done]) -> None:
    columns = ("id", "result", "job") if any(one.made for one in done) else ("id", "result")
    shell.show(show_views(shell, JobResultView, [view_result(one) for one in done], columns))
