"""Files that a script made: into the file store while it is performed, held by its run from the commit of its end."""

import asyncio
import difflib
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any
from uuid import UUID

from pabal.apps.rules.model.rules import AREA, RUN_ABOUT, Run
from pabal.apps.rules.store import runs
from pabal.base.database import Database, DatabaseUnavailable, Tx
from pabal.base.errors import Invalid
from pabal.platform import storage
from pabal.platform.actor import ENGINE
from pabal.platform.storage import File, Files, Span, Upload, UploadLimits
from pabal.platform.tenants import Scope

LARGEST = 100 * 1024 * 1024
PREVIEW = 16 * 1024
# lines of a difference that are shown
MOST_DIFF = 200
_PIECE = 1 << 18
# between two looks whether the database is back
_AWAY_SECONDS = 0.2
_PICTURES = ("image/png", "image/jpeg", "image/gif")
_TEXTS = ("text/", "application/json", "application/xml")


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file on this server's disk, as its script named it."""

    name: str
    path: Path
    media_type: str


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of a run, and what of it a person may see at once: `text` is its beginning. `earlier` is the run that last
    made a file of this name, `is_same` whether nothing has changed since, `diff` what has, line by line."""

    file: File
    is_picture: bool
    text: str | None = None
    earlier: UUID | None = None
    is_same: bool = False
    diff: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Earlier:
    run_id: UUID
    file: File


class Shelf:
    """Puts files into the store for the unit of their rule. What no run holds in the end is swept after a day."""

    def __init__(self, database: Database, files: Files) -> None:
        self._database, self._files = database, files

    async def keep(self, unit_id: int, found: Sequence[FoundFile]) -> list[dict[str, Any]]:
        return [_describe(await self._keep_in_time(unit_id, one), one.media_type) for one in found]

    async def _keep_in_time(self, unit_id: int, found: FoundFile) -> File:
        """The script has run, and must neither run again nor fail because the database is away for a moment: that is
        waited for as long as the attempt may last."""
        while True:
            try:
                return await self._keep(unit_id, found)
            except DatabaseUnavailable:
                await asyncio.sleep(_AWAY_SECONDS)

    async def _keep(self, unit_id: int, found: FoundFile) -> File:
        """What says that it is a picture and can be drawn is kept as one; everything else as bytes."""
        if found.media_type in _PICTURES:
            try:
                return await storage.accept_image(
                    self._database, self._files, ENGINE, _upload(unit_id, found), UploadLimits(max_bytes=LARGEST)
                )
            except Invalid:
                pass
        return await storage.accept_file(
            self._database, self._files, ENGINE, _upload(unit_id, found), max_bytes=LARGEST
        )


async def hold(tx: Tx, run: Run, artifacts: Sequence[Mapping[str, Any]]) -> None:
    await storage.keep_many(tx, [(int(one["file"]), run.about) for one in artifacts])


async def release(tx: Tx, numbers: Sequence[int]) -> None:
    await storage.release_all(tx, [f"{RUN_ABOUT}:{number}" for number in numbers])


def path_of(artifacts: Sequence[Mapping[str, Any]]) -> str | None:
    """Of the first: where programs get it."""
    return f"/api/v1/files/{artifacts[0]['id']}/content" if artifacts else None


async def find_files(tx: Tx, scope: Scope, run: Run) -> list[File]:
    """In the order they were made; those that are still there."""
    found = await storage.find_files(tx, scope, [int(one["file"]) for one in run.artifacts])
    return [found[int(one["file"])] for one in run.artifacts if int(one["file"]) in found]


async def find_earlier(tx: Tx, scope: Scope, run: Run) -> dict[str, Earlier]:
    """By name, the file that the last run before made; of those that are still there."""
    known = await runs.list_before(tx, run)
    found = await storage.find_files(tx, scope, [one.file for one in known.values()])
    return {name: Earlier(one.run_id, found[one.file]) for name, one in known.items() if one.file in found}


async def show(files: Files, run: Run, found: Sequence[File], earlier: Mapping[str, Earlier]) -> list[Artifact]:
    """Outside a transaction: the store may be slow."""
    about = {int(one["file"]): one for one in run.artifacts}
    return [await _show(files, one, about[one.id], earlier.get(str(about[one.id]["name"]))) for one in found]


async def _show(files: Files, file: File, about: Mapping[str, Any], before: Earlier | None) -> Artifact:
    is_text = str(about["media_type"]).startswith(_TEXTS)
    text = await _begin(files, file) if is_text and file.size else None
    shown = Artifact(file, file.width is not None, text)
    if before is None:
        return shown
    is_same = before.file.sha256 == file.sha256
    shown = replace(shown, earlier=before.run_id, is_same=is_same)
    if text is None or is_same or before.file.size == 0:
        return shown
    return replace(shown, diff=compare(await _begin(files, before.file), text))


def compare(before: str, now: str) -> tuple[str, ...]:
    """The lines that differ, with a few around them; of what is shown of each."""
    lines = difflib.unified_diff(before.splitlines(), now.splitlines(), lineterm="", n=2)
    return tuple(islice(lines, 2, 2 + MOST_DIFF))


async def _begin(files: Files, file: File) -> str:
    content = await storage.read(files, file, Span(0, min(PREVIEW, file.size)))
    return b"".join([chunk async for chunk in content.chunks]).decode("utf-8", "replace").replace("\0", "")


def _upload(unit_id: int, found: FoundFile) -> Upload:
    return Upload(_read(found.path), found.name, unit_id=unit_id, area=AREA)


async def _read(path: Path) -> AsyncIterator[bytes]:
    with await asyncio.to_thread(path.open, "rb") as file:
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece


def _describe(file: File, media_type: str) -> dict[str, Any]:
    return {"file": file.id, "id": file.shown_id, "name": file.name, "media_type": media_type, "size": file.size}
