"""`pabal jobs`: list, show, cancel, retry."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.engine.listing import Listed, Wanted
    from pabal.engine.queue import NewJob, Place
    from pabal.engine.withdrawals import Cancelled

app = typer.Typer(help="Jobs: what there is to do and what became of it.", no_args_is_help=True)
RETRYABLE = ("failed", "cancelled", "expired", "quarantined")

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
            help="waiting, delayed, ready, running, done, partial, failed, cancelled, expired or quarantined."
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 50,
    cursor: Annotated[str | None, typer.Option(help="Go on after this id: the last one of the page before.")] = None,
) -> None:
    """Newest first."""
    from pabal.engine import ids
    from pabal.engine.listing import LAST, Wanted

    shell: Shell = ctx.obj

    async def work() -> None:
        before = LAST if cursor is None else ids.read("job", cursor)
        # One more than asked tells whether there is a next page.
        await _show_list(shell, Wanted(kind, about, state, before, limit + 1))

    shell.run(work())


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


async def _show_list(shell: Shell, wanted: "Wanted") -> None:
    from pabal.cli.output import Answer
    from pabal.engine import ids, listing

    async with shell.transaction() as tx:
        found = await listing.list_jobs(tx, wanted)
    page = found[: wanted.most - 1]
    cursor = ids.show("job", page[-1].id) if len(found) == wanted.most else None
    columns = ("id", "kind", "state", "about", "created_at", "note")
    shell.show(Answer(columns, [_row(job) for job in page], extra={"next_cursor": cursor}, empty="jobs.none"))
    if cursor is not None and shell.output == "table":
        shell.tell("jobs.more", cursor=cursor)


def _row(job: "Listed") -> dict[str, Any]:
    from dataclasses import asdict

    from pabal.engine import ids

    # Whatever is most worth a glance: why it ended, or what it waits for.
    note = job.error or (job.reason and f"{job.reason} → {job.due_at:%H:%M:%S}Z") or None
    return {**asdict(job), "id": ids.show("job", job.id), "note": note}


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
    from pabal.base.errors import NotFound
    from pabal.cli.exits import EndedBefore, SomeFailed
    from pabal.engine import ids, kinds, listing, withdrawals

    known = kinds.merge(one.kinds for one in shell.slices())
    missing: list[str] = []
    async with shell.transaction() as tx:
        wanted: list[int] = []
        for text in texts:
            try:
                wanted.append(await listing.resolve_job(tx, text))
            except NotFound:
                if len(texts) == 1:
                    raise
                missing.append(text)
        await _check_handlers(tx, wanted, set(known), force=force)
        if dry_run:
            done = withdrawals.Cancelled([], [])
        else:
            done = await withdrawals.cancel_jobs(tx, wanted, kinds=known, reason=f"cancelled by {_actor()}")
    rows = [{"id": ids.show("job", job), "result": _what_became(job, done, dry_run=dry_run)} for job in wanted]
    rows += [{"id": text, "result": "not_found"} for text in missing]
    _show_results(shell, rows)
    untouched = [row["id"] for row in rows if row["result"] in ("not_found", "ended_before")]
    if untouched:
        raise EndedBefore(", ".join(untouched)) if len(untouched) == len(rows) else SomeFailed(", ".join(untouched))


def _actor() -> str:
    from pabal.cli.shell import actor

    return actor()


def _what_became(job_id: int, done: "Cancelled", *, dry_run: bool) -> str:
    if dry_run:
        return "would_cancel"
    return "cancelled" if job_id in done.ended else "signalled" if job_id in done.signalled else "ended_before"


async def _check_handlers(tx: "Tx", wanted: list[int], known: set[str], *, force: bool) -> None:
    """A handler's give_up belongs to the commit that ends its job; without its code that promise would be broken."""
    from pabal.cli.exits import HandlerNotHere
    from pabal.engine import ids, queue

    for job_id in [] if force else wanted:
        place = await queue.get_place(tx, job_id)
        # What runs is only signalled: the server that runs it has the code.
        if place.place not in ("ended", "lease") and place.kind not in known:
            raise HandlerNotHere(place.kind, subject=ids.show("job", job_id))


async def _retry(shell: Shell, text: str, *, dry_run: bool) -> None:
    from pabal.cli.exits import NotRetryable
    from pabal.engine import ids, listing, queue

    async with shell.transaction() as tx:
        job_id = await listing.resolve_job(tx, text)
        place = await queue.get_place(tx, job_id)
        old = ids.show("job", job_id)
        if place.result not in RETRYABLE:
            raise NotRetryable(f"{old} is {place.result or place.place}", subject=old)
        new = None if dry_run else await queue.enqueue(tx, _again(tx, place))
    _show_results(
        shell, [{"id": old if new is None else str(new), "result": "enqueued", "cause": old, "dry_run": dry_run}]
    )
    if new is not None and shell.output == "table":
        shell.tell("hint.why", id=str(new))


def _again(tx: "Tx", place: "Place") -> "NewJob":
    """The same request; an expiry that has passed already is left out, or it could never run."""
    from pabal.engine import ids
    from pabal.engine.queue import NewJob, Priority

    is_alive = place.expires_at is not None and place.expires_at > tx.now
    return NewJob(
        place.kind,
        place.args,
        lane=place.lane,
        route=place.queue if place.queue != place.kind else None,
        about=place.about,
        priority=Priority(place.priority),
        expires_at=place.expires_at if is_alive else None,
        deadline=place.deadline,
        max_failures=place.max_failures,
        max_recoveries=place.max_recoveries,
        unit_id=place.unit_id,
        cause=ids.show("job", place.id),
    )


def _show_results(shell: Shell, rows: list[dict[str, Any]]) -> None:
    from pabal.cli.output import Answer

    shell.show(Answer(("id", "result"), rows))
