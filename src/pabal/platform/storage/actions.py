"""Finding, reading, keeping and removing files. Who may not see a file is told there is none."""

from collections.abc import Collection, Sequence

from pabal.base.database import Tx
from pabal.engine import ids
from pabal.platform import audit
from pabal.platform.actor import Actor, Right
from pabal.platform.storage import store
from pabal.platform.storage.gateway import Content, Files
from pabal.platform.storage.model import AREA, WHOLE, File, FileInUse, FileNotFound, Span
from pabal.platform.tenants import Scope, visible_to


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
