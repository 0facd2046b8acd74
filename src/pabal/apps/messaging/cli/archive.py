"""`pabal msg archive`: finished months of deliveries, as they were put away in the file store."""

from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.finding import see
from pabal.apps.messaging.cli.words import reply, reply_one
from pabal.apps.messaging.errors import ArchiveNotFound, CannotWrite, FilesNotHere
from pabal.apps.messaging.store.archives import Archive, list_archives
from pabal.base.database import Tx
from pabal.platform.commands.shell import Shell
from pabal.platform.storage import File, Files, get_file, read

app = typer.Typer(help="Archives: finished months of deliveries.", no_args_is_help=True)

COLUMNS = ("month", "deliveries", "size", "made_at", "file")
FIELDS = (*COLUMNS, "to")


@app.command("list")
def list_(ctx: typer.Context) -> None:
    """The months that were put away, the newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            rows = [_row(*one) for one in await _list(tx, shell)]
        shell.show(reply(COLUMNS, rows, empty=words.NO_ARCHIVES))

    shell.run(work())


@app.command()
def get(
    ctx: typer.Context,
    month: Annotated[str, typer.Argument(metavar="MONTH", help="Like 2026-10.")],
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A new file; without it deliveries-MONTH.jsonl.gz, here.")
    ] = None,
) -> None:
    """Copy the deliveries of a month into a file: gzipped JSON lines, one a delivery."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = [one for one in await _list(tx, shell) if f"{one[0].month:%Y-%m}" == month]
        if not found:
            raise ArchiveNotFound(month[:20])
        archive, file = found[0]
        target = to or Path(file.name)
        content = await read(_open_files(shell), file)
        await _write(target, content.chunks)
        shell.show(reply_one(shell, FIELDS, {**_row(archive, file), "to": str(target)}))

    shell.run(work())


async def _list(tx: Tx, shell: Shell) -> list[tuple[Archive, File]]:
    scope = await see(tx, shell)
    return [(one, await get_file(tx, scope, one.file_id)) for one in reversed(await list_archives(tx))]


def _open_files(shell: Shell) -> Files:
    """Where there are none, none are made."""
    folder = shell.settings.data_dir / "files"
    if not folder.is_dir():
        raise FilesNotHere(str(shell.settings.data_dir))
    return Files(folder)


async def _write(target: Path, chunks: AsyncIterator[bytes]) -> None:
    """All of it, or no file."""
    try:
        with target.open("xb") as file, ExitStack() as undo:
            undo.callback(target.unlink)
            async for chunk in chunks:
                file.write(chunk)
            file.flush()
            undo.pop_all()
    except OSError as error:
        raise CannotWrite(f"{target}: {error.strerror}") from error


def _row(archive: Archive, file: File) -> dict[str, Any]:
    return {
        "month": f"{archive.month:%Y-%m}",
        "deliveries": archive.deliveries,
        "size": file.size,
        "made_at": archive.made_at,
        "file": file.name,
    }
