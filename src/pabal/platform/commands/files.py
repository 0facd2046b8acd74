"""The servers' files, and files of whoever types the command."""

import os
from collections.abc import AsyncIterator
from contextlib import ExitStack
from pathlib import Path

from pabal.base import disk
from pabal.base.errors import Forbidden, Invalid
from pabal.platform.commands.shell import Shell
from pabal.platform.storage import Files, find_address, open_files_of
from pabal.platform.storage.address import Folder


class FilesNotHere(Forbidden, code="files_not_here"):
    """The servers' files are not here. Do it in the folder of a server, or set PABAL_DATA_DIR as it has it; the console
    has what is in them, too."""


class CannotWrite(Invalid, code="cannot_write"):
    """This file cannot be written. Name a new one in a folder that is there; what is there already is not replaced."""


def open_files(shell: Shell) -> Files:
    """Where there are none, none are made."""
    settings = shell.settings
    at = find_address(settings.storage_url, settings.data_dir, os.environ)
    if isinstance(at, Folder) and not at.root.is_dir():
        raise FilesNotHere(str(settings.data_dir))
    return open_files_of(settings)


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
