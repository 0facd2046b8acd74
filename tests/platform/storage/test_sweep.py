"""Retention, and that a crash between any two of its steps loses nothing and leaves nothing."""

import asyncio
import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform.actor import ENGINE
from pabal.platform.storage import (
    ContentMissing,
    File,
    FileNotFound,
    Files,
    Upload,
    accept_file,
    get_file,
    keep,
    read,
    release,
    remove_file,
    store,
    sweep,
    sweep_once,
)
from pabal.platform.storage.gateway import incoming_key, kept_key
from pabal.platform.tenants import visible_to
from tests.platform.storage.samples import add_picture, everything_in, stream
from tests.support.people import person, plant

DAY = timedelta(hours=24)
MOMENT = timedelta(seconds=1)


async def test_what_nothing_refers_to_goes_after_a_day(db: Database, files: Files, root: Path):
    file = await some_picture(db, files)

    await clock.advance(db, DAY - MOMENT)
    early = await sweep_all(db, files)
    still = everything_in(root)
    await clock.advance(db, 2 * MOMENT)
    late = await sweep_all(db, files)

    assert (early, late) == (0, 1)
    assert len(still) == 2
    assert everything_in(root) == []
    assert not await is_there(db, file)


async def test_what_something_refers_to_stays_for_ever(db: Database, files: Files):
    file = await some_picture(db, files)
    await use(db, file, "schedule:7")

    await clock.advance(db, timedelta(days=4000))
    await sweep_all(db, files)

    assert await is_there(db, file)
    assert (await read(files, file)).size == file.size


async def test_it_stays_while_one_of_two_still_refers_to_it_and_a_day_after_the_last(db: Database, files: Files):
    file = await some_picture(db, files)
    await use(db, file, "schedule:7")
    await use(db, file, "template:2")

    await let_go(db, file, "schedule:7")
    await clock.advance(db, 3 * DAY)
    await sweep_all(db, files)
    with_one = await is_there(db, file)
    await let_go(db, file, "template:2")
    await sweep_all(db, files)
    just_released = await is_there(db, file)
    await clock.advance(db, DAY)
    await sweep_all(db, files)

    assert with_one
    assert just_released
    assert not await is_there(db, file)


async def test_keep_until_holds_it_without_a_reference(db: Database, files: Files):
    await plant(db)
    async with db.transaction() as tx:
        until = tx.now + timedelta(days=30)
    upload = Upload(stream(b"report"), "report.csv", keep_until=until)
    file = await accept_file(db, files, ENGINE, upload, max_bytes=100)

    await clock.advance(db, timedelta(days=29))
    await sweep_all(db, files)
    before = await is_there(db, file)
    await clock.advance(db, timedelta(days=1))
    await sweep_all(db, files)

    assert before
    assert not await is_there(db, file)


async def test_a_removed_file_goes_with_the_next_round(db: Database, files: Files, root: Path):
    file = await some_picture(db, files)
    async with db.transaction() as tx:
        await remove_file(tx, ENGINE, file.id)

    await sweep_once(db, files)

    assert everything_in(root) == []


async def test_a_crash_after_dooming_is_mended(db: Database, files: Files, root: Path):
    file = await some_picture(db, files)
    await clock.advance(db, DAY)

    await sweep.doom_loose(db)
    async with db.transaction() as tx:
        with pytest.raises(FileNotFound):
            await keep(tx, await visible_to(tx, ENGINE), file.id, "schedule:7")
    await sweep_all(db, files)

    assert everything_in(root) == []
    assert await rows_left(db, file) == 0


async def test_a_crash_after_deleting_the_content_is_mended(db: Database, files: Files, root: Path):
    file = await some_picture(db, files)
    await clock.advance(db, DAY)

    await sweep.doom_loose(db)
    await sweep.delete_content(files, await sweep.list_doomed(db))
    with pytest.raises(ContentMissing):
        await read(files, file)
    assert not await is_there(db, file)
    await sweep_all(db, files)

    assert await rows_left(db, file) == 0


async def test_a_crash_between_thumbnail_and_picture_is_mended(db: Database, files: Files, root: Path):
    file = await some_picture(db, files)
    await clock.advance(db, DAY)

    await sweep.doom_loose(db)
    await files.delete(file.thumbnail_key or "")
    await sweep_all(db, files)

    assert everything_in(root) == []
    assert await rows_left(db, file) == 0


async def test_the_row_gone_first_leaves_a_stray_that_goes_too(db: Database, files: Files, root: Path):
    """The order we never use: whatever removed the row, the content does not stay for ever."""
    file = await some_picture(db, files)
    await clock.advance(db, DAY)

    await sweep.doom_loose(db)
    await sweep.forget_doomed(db, await sweep.list_doomed(db))
    await clock.advance(db, MOMENT)
    await sweep_all(db, files)

    assert everything_in(root) == []
    assert await rows_left(db, file) == 0


async def test_keeping_between_the_look_and_the_deed_saves_the_file(db: Database, files: Files):
    file = await some_picture(db, files)
    await clock.advance(db, DAY)

    async with db.transaction() as tx:
        await keep(tx, await visible_to(tx, ENGINE), file.id, "schedule:7")
        doomed = await sweep.doom_loose(db)
    await sweep_all(db, files)

    assert doomed == 0
    assert await is_there(db, file)
    assert (await read(files, file)).size == file.size


async def test_two_servers_sweep_at_once(db: Database, files: Files, root: Path):
    await plant(db)
    for n in range(5):
        await accept_file(db, files, ENGINE, Upload(stream(b"text"), f"{n}"), max_bytes=10)
    await clock.advance(db, DAY)

    counts = await asyncio.gather(*(sweep_once(db, files) for _ in range(4)))

    assert sum(counts) == 5
    assert everything_in(root) == []


async def test_content_without_a_row_goes_after_a_day_and_not_before(db: Database, files: Files, root: Path):
    number = await taken_id(db)
    for key in (kept_key(number), kept_key(number, ".webp"), incoming_key(number)):
        await files.put(key, stream(b"content"))

    await clock.advance(db, DAY - timedelta(minutes=1))
    early = await sweep_all(db, files)
    await clock.advance(db, timedelta(minutes=2))
    late = await sweep_all(db, files)

    assert (early, late) == (0, 3)
    assert everything_in(root) == []


async def test_content_of_a_file_is_no_stray_however_old(db: Database, files: Files, root: Path):
    file = await some_picture(db, files)
    await use(db, file, "schedule:7")
    before = everything_in(root)
    await clock.advance(db, timedelta(days=4000))

    gone = await sweep.remove_strays(db, files)

    assert gone == 0
    assert everything_in(root) == before


async def test_what_is_not_ours_is_left_alone(db: Database, files: Files, root: Path):
    for name in ("kept/notes.txt", "incoming/README"):
        await files.put(name, stream(b"an operator's own"))
    await clock.advance(db, timedelta(days=4000))

    await sweep_all(db, files)

    assert everything_in(root) == ["incoming/README", "kept/notes.txt"]


async def test_what_a_killed_process_left_half_written_is_never_seen_and_goes(db: Database, files: Files, root: Path):
    number = await taken_id(db)
    await killed_while_putting(root, incoming_key(number))
    assert everything_in(root) == [f"{incoming_key(number)}#1"]

    with pytest.raises(ContentMissing):
        await files.open(incoming_key(number))
    early = await sweep_all(db, files)
    await clock.advance(db, DAY + MOMENT)
    await sweep_all(db, files)

    assert early == 0
    assert everything_in(root) == []


HALF = """
import asyncio, sys
from pathlib import Path
from pabal.platform.storage import Files

async def chunks():
    yield bytes(3_000_000)
    sys.stdout.write("half\\n")
    sys.stdout.flush()
    await asyncio.Event().wait()

asyncio.run(Files(Path(sys.argv[1])).put(sys.argv[2], chunks()))
"""


async def killed_while_putting(root: Path, key: str) -> None:
    process = subprocess.Popen([sys.executable, "-c", HALF, str(root), key], stdout=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        assert await asyncio.wait_for(asyncio.to_thread(process.stdout.readline), 30) == b"half\n"
        os.kill(process.pid, signal.SIGKILL)


async def some_picture(db: Database, files: Files) -> File:
    tree = await plant(db)
    return await add_picture(db, files, person(tree.hq))


async def sweep_all(db: Database, files: Files) -> int:
    total = 0
    while gone := await sweep_once(db, files):
        total += gone
    return total


async def is_there(db: Database, file: File) -> bool:
    async with db.transaction() as tx:
        try:
            await get_file(tx, await visible_to(tx, ENGINE), file.id)
        except FileNotFound:
            return False
    return True


async def rows_left(db: Database, file: File) -> int:
    async with db.transaction() as tx:
        return 1 - len(await store.list_strays(tx, [file.id], before=tx.now + DAY))


async def taken_id(db: Database) -> int:
    async with db.transaction() as tx:
        return await store.new_id(tx)


async def use(db: Database, file: File, about: str) -> None:
    async with db.transaction() as tx:
        await keep(tx, await visible_to(tx, ENGINE), file.id, about)


async def let_go(db: Database, file: File, about: str) -> None:
    async with db.transaction() as tx:
        await release(tx, file.id, about)
