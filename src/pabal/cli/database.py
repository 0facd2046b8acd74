"""`pabal db`: the database's address, backup, restore, migrations."""

from pathlib import Path
from typing import Annotated

import typer

from pabal.cli.shell import Shell

app = typer.Typer(help="The database.", no_args_is_help=True)


@app.command()
def url(ctx: typer.Context) -> None:
    """The address, with its password: for psql and the like."""
    shell: Shell = ctx.obj

    async def work() -> None:
        typer.echo(await _ensured_url(shell))

    shell.run(work())


@app.command()
def backup(
    ctx: typer.Context, file: Annotated[Path, typer.Argument(help="Where to; replaced if it is there.")]
) -> None:
    """Write everything in the database to one file, while Pabal runs."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.base import embedded

        await embedded.backup(await _ensured_url(shell), file)
        shell.tell("db.backed_up", file=file, size=f"{file.stat().st_size:,}")

    shell.run(work())


@app.command()
def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(help="A file that backup wrote.")],
    replace: Annotated[bool, typer.Option("--replace", help="Drop all that the database holds first.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Bring a backup back into an empty database, or in place of what is there. Stop every server first."""
    shell: Shell = ctx.obj
    if not file.is_file():
        from pabal.base.embedded.dumps import RestoreFailed

        shell.fail(RestoreFailed(f"there is no file {file}"))
    if replace:
        shell.confirm("db.restore.ask", yes=yes)
    shell.run(_restore(shell, file, replace=replace))


@app.command()
def migrate(
    ctx: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be applied; change nothing.")] = False,
) -> None:
    """Bring the database's tables up to date. Servers do it themselves when they start."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.base.database import Database
        from pabal.base.migrations import compare, migrate
        from pabal.cli.output import Answer
        from pabal.platform.slice import list_migrations

        database = await Database.open(await _ensured_url(shell), size=1)
        try:
            migrations = list_migrations(shell.loaded)
            if dry_run:
                found = await compare(database, migrations)
                found.refuse_unknown()
                applied = [*found.amended, *found.missing]
            else:
                applied = await migrate(database, migrations)
        finally:
            await database.close()
        rows = [{"owner": one.owner, "migration": one.name} for one in applied]
        shell.show(Answer(("owner", "migration"), rows, empty="db.current"))

    shell.run(work())


async def _ensured_url(shell: Shell) -> str:
    """Unlike for other commands the private PostgreSQL is started if need be: this is about the database itself."""
    from pabal.base import embedded

    if shell.settings.database_url:
        return shell.settings.database_url
    return (await embedded.ensure(shell.settings.postgres_dir)).url()


async def _restore(shell: Shell, file: Path, *, replace: bool) -> None:
    from pabal.base import embedded
    from pabal.cli.exits import InUse

    url = await _ensured_url(shell)
    await _refuse_newer_dump(shell, url, file)
    if replace:
        alive = await _living_servers(url)
        if alive:
            raise InUse(", ".join(alive))
    await embedded.restore(url, file, replace=replace)
    await _renew_cursors(url)
    shell.tell("db.restored", file=file)


async def _refuse_newer_dump(shell: Shell, url: str, file: Path) -> None:
    """Before anything is replaced by what this version could not work on."""
    from pabal.base import embedded
    from pabal.base.migrations import Applied, compare_applied
    from pabal.platform.slice import list_migrations

    rows = await embedded.read_dumped(url, file, schema="pabal", table="migration")
    applied = [Applied(row["owner"], int(row["number"]), row["name"], row["checksum"]) for row in rows]
    compare_applied(applied, list_migrations(shell.loaded)).refuse_unknown()


async def _renew_cursors(url: str) -> None:
    """Cursors of facts and places in events hold transaction numbers of the cluster the backup was made in."""
    from pabal.base.database import Database
    from pabal.engine import facts
    from pabal.platform import events

    database = await Database.open(url, size=1)
    try:
        async with database.transaction() as tx:
            await facts.renew_cursors(tx)
        async with database.transaction() as tx:
            await events.renew(tx)
    finally:
        await database.close()


async def _living_servers(url: str) -> list[str]:
    from pabal.base.database import Database, DatabaseError
    from pabal.engine import workers

    database = await Database.open(url, size=1)
    try:
        async with database.transaction() as tx:
            return [f"{one.host} pid {one.meta.get('pid')}" for one in await workers.list_workers(tx) if one.is_alive]
    except DatabaseError:
        return []  # no tables of ours, so no servers of ours
    finally:
        await database.close()
