"""What saving from the command line needs: the files it names, a try that is taken back, and refusals in words."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from typer.core import TyperCommand

from pabal.apps.messaging.errors import BadFile, NoServerFolder
from pabal.apps.messaging.model.content import Picture
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Database, Tx
    from pabal.platform.storage import Files

with lazily():
    from pabal.apps.messaging import settings
    from pabal.platform import settings as platform_settings
    from pabal.platform import storage

AREA = "messaging"
# when something is sent is said by one of these
TIMES = {
    "schedule_date": "--at",
    "schedule_time": "--at, --daily, --weekly",
    "schedule_weekdays": "--weekly",
}
MB, PIECE = 1024 * 1024, 256 * 1024
Text = Annotated[str | None, typer.Option(metavar="TEXT|@FILE", help="The text; @FILE reads it, @- from stdin.")]
Images1 = Annotated[
    list[str] | None, typer.Option("--images1", metavar="FILE…", help="Image group 1: JPG, PNG, GIF; '' is none.")
]
Images2 = Annotated[
    list[str] | None, typer.Option("--images2", metavar="FILE…", help="Image group 2: JPG, PNG, GIF; '' is none.")
]


class Spread(TyperCommand):
    """Lets several files stand behind one option: `--images1 a.jpg b.jpg`. Arguments come before them."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        return super().parse_args(ctx, spread(args, ("--images1", "--images2")))


def spread(args: Sequence[str], options: Sequence[str]) -> list[str]:
    made: list[str] = []
    option, taken = "", 0
    for word in args:
        if word.startswith("-") and word != "-":
            option, taken = (word if word in options else ""), 0
            made.append(word)
            continue
        made += [option, word] if option and taken else [word]
        taken += 1
    return made


@dataclass(frozen=True)
class Try:
    """An open transaction to save in, and where its images go."""

    tx: Tx
    files: Files


@asynccontextmanager
async def trying(shell: Shell, *, dry_run: bool) -> AsyncIterator[Try]:
    """With --dry-run everything is done and taken back; its images are put aside and thrown away."""
    if not dry_run and not shell.settings.data_dir.is_dir():
        raise NoServerFolder(str(shell.settings.data_dir))
    try:
        with tempfile.TemporaryDirectory() as aside:
            files = storage.Files(Path(aside)) if dry_run else storage.open_files_of(shell.settings)
            async with shell.transaction() as tx:
                yield Try(tx, files)
                if dry_run:
                    raise _TakenBack
    except _TakenBack:
        return


async def upload(shell: Shell, into: Try, names: Sequence[str], unit_id: int | None) -> tuple[Picture, ...]:
    """In the transaction that saves what shows them: refused, neither is kept. One empty name is no image."""
    limits = storage.UploadLimits(max_bytes=await platform_settings.value(into.tx, settings.MAX_IMAGE_BYTES) * MB)
    database = cast("Database", _Within(into.tx))
    pictures = []
    for name in names:
        if not name:
            continue
        given = storage.Upload(_read(Path(name)), Path(name).name, unit_id, area=AREA)
        file = await storage.accept_image(database, into.files, shell.actor, given, limits)
        size = (file.width or 0, file.height or 0)
        pictures.append(Picture(file.id, file.name, file.media_type, file.size, *size, file.frames or 1))
    return tuple(pictures)


def check_files(shell: Shell, text: str | None, *images: list[str] | None) -> None:
    """Before the database is asked: a file that cannot be read is refused at once."""
    names = [name for group in images for name in group or () if name]
    if text is not None and text.startswith("@") and text[1:2] not in ("@", "-"):
        names.append(text[1:])
    for name in names:
        try:
            Path(name).open("rb").close()
        except OSError as error:
            shell.fail(BadFile(f"{name}: {error.strerror}"))


def read_text(given: str) -> str:
    """@FILE is the text of a file, @- of stdin, without the end of its last line; @@ a text that begins with @."""
    if not given.startswith("@") or given.startswith("@@"):
        return given.removeprefix("@")
    try:
        text = sys.stdin.read() if given == "@-" else Path(given[1:]).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError) as error:
        raise BadFile(f"{given[1:]}: {error}") from error
    return text.rstrip("\r\n")


async def _read(path: Path) -> AsyncIterator[bytes]:
    try:
        with path.open("rb") as file:
            while piece := file.read(PIECE):
                yield piece
    except OSError as error:
        raise BadFile(f"{path}: {error.strerror}") from error


class _Within:
    """The open transaction in the place of a database: what is uploaded in it stands or falls with it."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Tx]:
        yield self._tx


class _TakenBack(Exception):
    """Ends a transaction that was only tried."""
