"""`pabal backup`: the backups there are, one more now, and whether one brings everything back."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.exits import BackupBad, BackupFailed, read_id
from pabal.cli.options import Cursor, DryRun, Limit, cut, tell_more
from pabal.cli.shell import Shell, administrator

if TYPE_CHECKING:
    from pabal.base.database import Database, Tx
    from pabal.engine.queue import Enqueued
    from pabal.platform.backup import Backup

app = typer.Typer(
    help="Backups: taken daily, proven by bringing one back.",
    no_args_is_help=True,
    epilog="To bring one back: pabal db restore FILE. See docs/operations/recovery.md.",
)

NoWait = Annotated[bool, typer.Option("--no-wait", help="Only ask for it.")]
COLUMNS = ("id", "state", "started_at", "size", "host", "file", "check_result", "reason")


@app.command("list")
def list_(ctx: typer.Context, limit: Limit = 50, cursor: Cursor = None) -> None:
    """Newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import backup
        from pabal.platform.backup.store import NEWEST

        before = NEWEST if cursor is None else read_id("bak", cursor)
        async with shell.transaction() as tx:
            found = await backup.list_backups(tx, administrator(), before=before, limit=limit + 1)
        page, has_more = cut(found, limit)
        rows = [_row(one) for one in page]
        after = rows[-1]["id"] if has_more else None
        shell.show(Answer(COLUMNS, rows, extra={"next_cursor": after}, empty="backup.none", family="backup"))
        tell_more(shell, after)

    shell.run(work())


@app.command()
def take(ctx: typer.Context, no_wait: NoWait = False, dry_run: DryRun = False) -> None:
    """One more backup, now: a server takes it, and this waits until it has ended."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import backup

        async with shell.change(dry_run=dry_run) as tx:
            asked = await backup.back_up_now(tx, administrator())
        if dry_run or no_wait:
            _show_asked(shell, asked)
            return
        shell.tell("backup.asked", job=asked)
        async with shell.database() as database:
            taken = await _wait(shell, database, asked)
        _show(shell, taken)
        if not taken.is_whole:
            raise BackupFailed(taken.reason or "")

    shell.run(work())


@app.command()
def check(
    ctx: typer.Context,
    which: Annotated[str | None, typer.Argument(metavar="ID", help="The newest good one if left out.")] = None,
    no_wait: NoWait = False,
    dry_run: DryRun = False,
) -> None:
    """Bring a backup back into a scratch database and compare; the database itself is not touched."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.waiting import until_ended
        from pabal.platform import backup

        async with shell.change(dry_run=dry_run) as tx:
            wanted = await _find(tx, which)
            asked = await backup.check_now(tx, administrator(), wanted)
        if dry_run or no_wait:
            _show_asked(shell, asked)
            return
        shell.tell("backup.asked", job=asked)
        async with shell.database() as database:
            await until_ended(shell, database, asked.id)
            async with database.transaction() as tx:
                checked = await backup.get_backup(tx, wanted)
        _show(shell, checked)
        if checked.check_result != "good":
            raise BackupBad(checked.check_detail or "")

    shell.run(work())


async def _find(tx: "Tx", text: str | None) -> int:
    from pabal.platform import backup

    if text is not None:
        return read_id("bak", text)
    newest = await backup.find_newest_good(tx)
    if newest is None:
        raise backup.BackupNotFound
    return newest.id


async def _wait(shell: Shell, database: "Database", asked: "Enqueued") -> "Backup":
    from pabal.cli.waiting import until_ended
    from pabal.platform import backup

    place = await until_ended(shell, database, asked.id)
    async with database.transaction() as tx:
        found = [one for one in await backup.list_backups(tx, administrator()) if one.job_id == asked.id]
    if not found:
        raise BackupFailed(str((place.error or {}).get("reason") or place.result))
    return found[0]


def _show_asked(shell: Shell, asked: "Enqueued") -> None:
    from pabal.cli.output import Answer

    row = {"job": str(asked), "is_new": asked.is_new}
    shell.show(Answer(("job", "is_new"), [row], single=True))


def _show(shell: Shell, backup: "Backup") -> None:
    from pabal.cli.output import Answer

    columns = (*COLUMNS, "ended_at", "folder", "sha256", "checked_at", "check_detail")
    shell.show(Answer(columns, [_row(backup)], single=True, family="backup"))


def _row(backup: "Backup") -> dict[str, Any]:
    from dataclasses import asdict

    from pabal.engine import ids

    shown = {"id": ids.show("bak", backup.id), "job_id": ids.show("job", backup.job_id)}
    return {**asdict(backup), **shown, "state": backup.ending or "running"}
