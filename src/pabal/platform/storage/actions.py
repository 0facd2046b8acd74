"""Finding, reading, keeping and removing files. Who may not see a file is told there is none."""

import hashlib
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from pabal.base.database import ConstraintBroken, Database, Tx
from pabal.base.errors import Invalid
from pabal.base.telemetry import declare, emit
from pabal.engine import ids
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.storage import pictures, store
from pabal.platform.storage.gateway import Content, Files, incoming_key, kept_key
from pabal.platform.storage.model import (
    ANY_MEDIA_TYPE,
    AREA,
    LONGEST_LINK,
    WHOLE,
    BadLinkTime,
    File,
    FileInUse,
    FileNotFound,
    NoLinks,
    Span,
    Upload,
    UploadExpired,
    UploadLimits,
    UploadTooLarge,
    clean_name,
)
from pabal.platform.storage.pictures import THUMBNAIL_ENDING, Picture
from pabal.platform.tenants import Scope, UnitNotFound, visible_to


async def get_file(tx: Tx, scope: Scope, file_id: int) -> File:
    found = await store.find_file(tx, file_id, scope.listed)
    if found is None:
        raise FileNotFound(ids.show("file", file_id))
    return found


async def find_files(tx: Tx, scope: Scope, file_ids: Collection[int]) -> dict[int, File]:
    """Those there are."""
    return {file.id: file for file in await store.list_files(tx, file_ids, scope.listed)} if file_ids else {}


async def read(files: Files, file: File, span: Span = WHOLE) -> Content:
    """Not inside a transaction: a slow reader would hold it."""
    return await files.open(file.key, span)


async def read_thumbnail(files: Files, file: File) -> Content:
    """Always image/webp. Only pictures have one."""
    if file.thumbnail_key is None:
        raise FileNotFound(f"{file.shown_id} has no thumbnail")
    return await files.open(file.thumbnail_key)


async def sign_link(files: Files, actor: Actor, file: File, lifetime: timedelta) -> str:
    """An address of the store itself, which opens this one file to whoever has it until its time is over.

    The file comes from `get_file`, so only who may see it gets one; and as it lets others in, looking is not enough.
    """
    actor.require(Right.WRITE, AREA)
    if not timedelta(seconds=1) <= lifetime <= LONGEST_LINK:
        raise BadLinkTime(str(lifetime))
    link = await files.sign_link(file.key, lifetime)
    if link is None:
        raise NoLinks(files.name)
    return link


async def keep(tx: Tx, scope: Scope, file_id: int, about: str) -> File:
    """From now on `about` refers to it, and it stays until released. Only what is in the scope can be referred to."""
    if not await store.lock_file(tx, file_id):
        raise FileNotFound(ids.show("file", file_id))
    file = await get_file(tx, scope, file_id)
    await store.insert_use(tx, file_id, about)
    return file


async def keep_many(tx: Tx, uses: Collection[tuple[int, str]]) -> None:
    """Files, each with what refers to it from now on.

    For work of the engine's own, which asked long ago whose they are: those that are gone are left out.
    """
    if uses:
        await store.insert_uses(tx, uses)


async def release_all(tx: Tx, abouts: Sequence[str]) -> None:
    """None of these refers to anything any longer."""
    if abouts:
        await store.delete_uses(tx, abouts)


async def release(tx: Tx, file_id: int, about: str) -> None:
    """`about` refers to it no longer. Once nothing does, it stays a day more. May be repeated."""
    if await store.lock_file(tx, file_id):
        await store.delete_use(tx, file_id, about)


async def remove_loose(tx: Tx, unit_ids: Sequence[int], *, heir: int) -> None:
    """Of units that go: files to which nothing refers. Their rows are the heir's until the sweep has been there."""
    await store.hand_over(tx, unit_ids, heir)


async def remove_file(tx: Tx, actor: Actor, file_id: int, *, area: str = AREA) -> None:
    """Nobody sees it from here on; the sweep takes its content away."""
    actor.require(Right.WRITE, area)
    scope = await visible_to(tx, actor)
    await store.lock_file(tx, file_id)
    file = await get_file(tx, scope, file_id)
    uses = await store.list_uses(tx, file_id)
    if uses:
        raise FileInUse(f"{file.name}: {', '.join(uses[:5])}")
    await store.doom_file(tx, file_id)
    before = {"name": file.name, "size": file.size, "sha256": file.sha256, "media_type": file.media_type}
    await audit.record(tx, actor, "files.remove", file.shown_id, unit_id=file.unit_id, before=before)


# Half of what the sweep waits: content whose row is about to be written is never a stray.
LONGEST = timedelta(hours=12)

declare("storage.accepted", "Uploads kept", labels=("media_type",))


@dataclass
class _Arrival:
    """An upload on its way in: its id is taken, its bytes are counted as they come."""

    id: int
    unit_id: int
    size: int = 0
    digest: "hashlib._Hash" = field(default_factory=hashlib.sha256)

    def incoming(self, ending: str = "") -> str:
        return incoming_key(self.id, ending)

    def kept(self, ending: str = "") -> str:
        return kept_key(self.id, ending)


async def accept_image(database: Database, files: Files, actor: Actor, upload: Upload, limits: UploadLimits) -> File:
    """Kept only if it can be decoded to its end. The original stays as it came, with the camera's notes in it."""
    arrival = await _begin(database, actor, upload)
    async with _tidied(files, arrival):
        await _receive(files, arrival, upload, limits.max_bytes)
        picture = await _inspect(files, arrival, upload, limits)
        await files.put(arrival.incoming(THUMBNAIL_ENDING), _once(picture.thumbnail))
        await files.keep(arrival.incoming(THUMBNAIL_ENDING), arrival.kept(THUMBNAIL_ENDING))
        await files.keep(arrival.incoming(), arrival.kept())
    return await _finish(database, files, actor, arrival, upload, picture)


async def _inspect(files: Files, arrival: _Arrival, upload: Upload, limits: UploadLimits) -> Picture:
    """What is refused is named: of ten files somebody must know which."""
    try:
        return await pictures.inspect(partial(files.read_blocking, arrival.incoming()), limits)
    except Invalid as error:
        raise type(error)(f"{clean_name(upload.name)}: {error.detail}") from error


async def accept_file(database: Database, files: Files, actor: Actor, upload: Upload, *, max_bytes: int) -> File:
    """Whatever it is: nothing looks into it, so it is served as a download and never shown."""
    arrival = await _begin(database, actor, upload)
    async with _tidied(files, arrival):
        await _receive(files, arrival, upload, max_bytes)
        await files.keep(arrival.incoming(), arrival.kept())
    return await _finish(database, files, actor, arrival, upload, None)


async def _begin(database: Database, actor: Actor, upload: Upload) -> _Arrival:
    """Before the first byte is read: who may not upload here need not send anything."""
    actor.require(Right.WRITE, upload.area)
    async with database.transaction() as tx:
        scope = await visible_to(tx, actor, within=upload.unit_id)
        if scope.unit_id is None:
            raise UnitNotFound("no unit to own the file")
        return _Arrival(await store.new_id(tx), scope.unit_id)


@asynccontextmanager
async def _tidied(files: Files, arrival: _Arrival) -> AsyncIterator[None]:
    """What fails here leaves nothing. Never around the row: a commit whose answer was lost may stand."""
    try:
        yield
    except BaseException:
        for ending in ("", THUMBNAIL_ENDING):
            await files.delete(arrival.incoming(ending), arrival.kept(ending))
        raise


async def _receive(files: Files, arrival: _Arrival, upload: Upload, max_bytes: int) -> None:
    async def counted() -> AsyncIterator[bytes]:
        async for chunk in upload.chunks:
            arrival.size += len(chunk)
            if arrival.size > max_bytes:
                raise UploadTooLarge(f"{clean_name(upload.name)}: {arrival.size} bytes so far; at most {max_bytes}")
            arrival.digest.update(chunk)
            yield chunk

    await files.put(arrival.incoming(), counted())


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


async def _finish(
    database: Database, files: Files, actor: Actor, arrival: _Arrival, upload: Upload, picture: Picture | None
) -> File:
    async with database.transaction() as tx:
        file = _describe(arrival, upload, picture, made_by=actor.name, created_at=tx.now)
        try:
            made = await store.insert_file(tx, file, oldest=tx.now - LONGEST, store=files.name)
        except ConstraintBroken as error:  # the unit was removed while the bytes came
            raise UnitNotFound(str(arrival.unit_id)) from error
        if made is None:
            raise UploadExpired(file.name)
        after = {"name": made.name, "size": made.size, "sha256": made.sha256, "media_type": made.media_type}
        await audit.record(tx, actor, "files.add", made.shown_id, unit_id=made.unit_id, after=after)
    emit("storage.accepted", media_type=made.media_type, size=made.size, about=made.shown_id)
    return made


def _describe(
    arrival: _Arrival, upload: Upload, picture: Picture | None, *, made_by: str, created_at: datetime
) -> File:
    return File(
        id=arrival.id,
        unit_id=arrival.unit_id,
        key=arrival.kept(),
        thumbnail_key=None if picture is None else arrival.kept(THUMBNAIL_ENDING),
        name=clean_name(upload.name),
        media_type=ANY_MEDIA_TYPE if picture is None else picture.media_type,
        size=arrival.size,
        sha256=arrival.digest.hexdigest(),
        width=None if picture is None else picture.width,
        height=None if picture is None else picture.height,
        frames=None if picture is None else picture.frames,
        made_by=made_by,
        created_at=created_at,
        keep_until=upload.keep_until,
    )
