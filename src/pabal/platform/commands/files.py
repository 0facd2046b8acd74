"""The servers' files, and files of whoever types the command."""

from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

from pabal.base import disk
from pabal.base.errors import Forbidden, Invalid
from pabal.platform.commands.shell import Shell
from pabal.platform.storage import Files


class FilesNotHere(Forbidden, code="files_not_here"):
    """The servers' files are not here. Do it in the folder of a server, or set PABAL_DATA_DIR as it has it; the console
    has what is in them, too."""


class CannotWrite(Invalid, code="cannot_write"):
    """This file cannot be written. Name a new one in a folder that is there; what is there already is not replaced."""


def open_files(shell: Shell) -> Files:
    """Where there are none, none are made."""
    folder = shell.settings.data_dir / "files"
    if not folder.is_dir():
        raise FilesNotHere(str(shell.settings.data_dir))
    return Files(folder)


async def write_new(target: Path, chunks: AsyncIterator[bytes]) -> None:
    """All of it, or no file."""
    try:
        with target.open("xb") as file, ExitStack() as undo:
            undo.callback(target.unlink)
            async for chunk in chunks:
                file.write(chunk)
            file.flush()
            undo.pop_all()
    except OSError as error:
        if disk.is_full(error):
            raise disk.name_full(str(target), error) from error
        raise CannotWrite(f"{target}: {error.strerror}") from error
