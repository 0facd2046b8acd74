"""Retention: what nothing refers to goes after a day. Doomed first, then the content, then the row."""

from datetime import timedelta

from pabal.base.database import Database
from pabal.base.telemetry import declare, emit
from pabal.platform.storage import store
from pabal.platform.storage.gateway import INCOMING, Files, file_id_of
from pabal.platform.storage.model import File

GRACE = timedelta(hours=24)
SEARCH_EVERY = timedelta(hours=24)
AT_ONCE = 200

declare("storage.swept", "Files removed: nothing referred to them, or somebody removed them", amount="count")
declare("storage.strays", "Objects removed from the file store that no file owned", amount="count")


async def sweep_once(database: Database, files: Files) -> int:
    """One round, safe on every server at once and after a crash at any point."""
    await doom_loose(database)
    doomed = await list_doomed(database)
    if doomed:
        await delete_content(files, doomed)
        return await forget_doomed(database, doomed)
    return await remove_strays(database, files)


async def doom_loose(database: Database) -> int:
    async with database.transaction() as tx:
        return await store.doom_loose(tx, before=tx.now - GRACE, limit=AT_ONCE)


async def list_doomed(database: Database) -> list[File]:
    async with database.transaction() as tx:
        return await store.list_doomed(tx, limit=AT_ONCE)


async def delete_content(files: Files, doomed: list[File]) -> None:
    for file in doomed:
        await files.delete(*(key for key in (file.thumbnail_key, file.key) if key is not None))


async def forget_doomed(database: Database, doomed: list[File]) -> int:
    async with database.transaction() as tx:
        gone = await store.delete_doomed(tx, [file.id for file in doomed])
    emit("storage.swept", count=gone)
    return gone


async def remove_strays(database: Database, files: Files) -> int:
    """Objects without a row, a day after their id was taken. What is not named like ours is left alone."""
    if not await _is_time(database, files):
        return 0
    gone = 0
    async for keys in files.list_kept():
        strays = await _pick_strays(database, keys)
        await files.delete(*strays)
        gone += len(strays)
    for key in await _pick_strays(database, [f"{INCOMING}/{name}" for name in await files.list_incoming()]):
        await files.delete_incoming(key.removeprefix(f"{INCOMING}/"))
        gone += 1
    if gone:
        emit("storage.strays", count=gone)
    return gone


async def _is_time(database: Database, files: Files) -> bool:
    """Of a bucket once a day: every object has to be asked for."""
    if not files.is_remote:
        return True
    async with database.transaction() as tx:
        now = tx.now
    if files.searched_at is not None and now - files.searched_at < SEARCH_EVERY:
        return False
    files.searched_at = now
    return True


async def _pick_strays(database: Database, keys: list[str]) -> list[str]:
    owners = {key: owner for key in keys if (owner := file_id_of(key)) is not None}
    if not owners:
        return []
    async with database.transaction() as tx:
        strays = await store.list_strays(tx, sorted(set(owners.values())), before=tx.now - GRACE)
    return [key for key, owner in owners.items() if owner in strays]
