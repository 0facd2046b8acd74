"""`pabal jobs`: list, show, cancel, retry."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.shell import Shell

if TYPE_CHECKING:
    from pabal.engine.listing import JobLine
    from pabal.engine.listing.jobs import Wanted
    from pabal.platform.operating import Done

app = typer.Typer(help="Jobs: what there is to do and what became of it.", no_args_is_help=True)

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
    from pabal.engine.listing.jobs import Wanted

    shell: Shell = ctx.obj
    states = [one.strip() for one in (state or "").split(",") if one.strip()]
    shell.run(_show_list(shell, Wanted(None, states, kind=kind, about=about), limit, cursor))


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


async def _show_list(shell: Shell, wanted: "Wanted", limit: int, cursor: str | None) -> None:
    from pabal.cli.output import Answer
    from pabal.engine import listing

    async with shell.transaction() as tx:
        page = await listing.list_jobs(tx, wanted, limit=limit, cursor=cursor)
    columns = ("id", "kind", "state", "about", "created_at", "note")
    rows = [_row(job) for job in page.items]
    shell.show(Answer(columns, rows, extra={"next_cursor": page.cursor}, empty="jobs.none"))
    if page.cursor is not None and shell.output == "table":
        shell.tell("jobs.more", cursor=page.cursor)


def _row(job: "JobLine") -> dict[str, Any]:
    from dataclasses import asdict

    from pabal.engine import ids

    # Whatever is most worth a glance: why it ended, or what it waits for.
    note = job.error or (job.reason and f"{job.reason} → {job.due_at:%H:%M:%S}Z") or None
    holder = None if job.lane_holder is None else ids.show("job", job.lane_holder)
    shown = {"id": ids.show("job", job.id), "worker": _worker(job.worker), "lane_holder": holder}
    return {**asdict(job), **shown, "note": note}


async def _show(shell: Shell, text: str) -> None:
    from dataclasses import asdict

    from pabal.cli.output import Answer
    from pabal.engine import ids, listing, queue

    async with shell.transaction() as tx:
        job_id = await listing.resolve_job(tx, text)
        place = await queue.get_place(tx, job_id)
        attempts = await queue.list_attempts(tx, job_id)
    row = {
        **asdict(place),
        "id": ids.show("job", job_id),
        "state": place.result or _PLACES.get(place.place, place.place),
    }
    row["attempts"] = [{**asdict(attempt), "worker": _worker(attempt.worker)} for attempt in attempts]
    row["worker"] = _worker(place.worker)
    hidden = {"place", "result", "token", "attempts", "priority"}
    columns = ["id", "kind", "state", *(name for name in row if name not in {"id", "kind", "state"} | hidden)]
    shell.show(Answer(columns, [row], single=True))
    if shell.output == "table" and attempts:
        typer.echo()
        shell.show(Answer(("token", "result", "started_at", "ended_at", "worker", "error"), row["attempts"]))
    if shell.output == "table":
        shell.tell("hint.why", id=row["id"])


_PLACES = {"lease": "running"}


def _worker(worker: int | None) -> str | None:
    """Numbers past 2^53 leave the process only as text."""
    from pabal.engine import ids

    return None if worker is None else ids.show("wrk", worker)


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
    _show_results(shell, [{"id": one.id, "result": one.result} for one in done])
    untouched = [one.id for one in done if one.error is not None]
    if untouched:
        raise EndedBefore(", ".join(untouched)) if len(untouched) == len(done) else SomeFailed(", ".join(untouched))


async def _retry(shell: Shell, text: str, *, dry_run: bool) -> None:
    from pabal.cli.shell import administrator
    from pabal.platform import operating

    async with shell.transaction() as tx:
        [done] = await operating.retry_jobs(tx, administrator(), [text], owners=shell.owners, dry_run=dry_run)
        _raise(done)
    result = {"id": done.made or done.id, "result": done.result, "cause": done.id, "dry_run": dry_run}
    _show_results(shell, [result])
    if done.made is not None and shell.output == "table":
        shell.tell("hint.why", id=done.made)


def _raise(done: "Done") -> None:
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


def _show_results(shell: Shell, rows: list[dict[str, Any]]) -> None:
    from pabal.cli.output import Answer

    shell.show(Answer(("id", "result"), rows))
