"""`pabal backup`: the backups there are, one more now, and whether one brings everything back."""

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.cli.exits import BackupBad, BackupFailed
from pabal.cli.options import DryRun
from pabal.cli.shell import Shell, administrator
from pabal.platform.commands.resources import add_commands, show_rows
from pabal.resources.backups import BACKUP

if TYPE_CHECKING:
    from pabal.base.database import Database
    from pabal.engine.queue import Enqueued
    from pabal.platform.backup import Backup

app = typer.Typer(
    help="Backups: taken daily, proven by bringing one back.",
    no_args_is_help=True,
    epilog="To bring one back: pabal db restore FILE. See docs/operations/recovery.md.",
)

NoWait = Annotated[bool, typer.Option("--no-wait", help="Only ask for it.")]
add_commands(app, BACKUP)


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
            await _show(shell, database, taken)
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
        from pabal.cli.finding import find_backup
        from pabal.cli.waiting import until_ended
        from pabal.platform import backup

        async with shell.change(dry_run=dry_run) as tx:
            wanted = (await find_backup(tx, which)).id
            asked = await backup.check_now(tx, administrator(), wanted)
        if dry_run or no_wait:
            _show_asked(shell, asked)
            return
        shell.tell("backup.asked", job=asked)
        async with shell.database() as database:
            await until_ended(shell, database, asked.id)
            async with database.transaction() as tx:
                checked = await backup.get_backup(tx, wanted)
            await _show(shell, database, checked)
        if checked.check_result != "good":
            raise BackupBad(checked.check_detail or "")

    shell.run(work())


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


async def _show(shell: Shell, database: "Database", backup: "Backup") -> None:
    async with database.transaction() as tx:
        answer = await show_rows(tx, shell, BACKUP, [backup], BACKUP.columns, single=True)
    shell.show(answer)
