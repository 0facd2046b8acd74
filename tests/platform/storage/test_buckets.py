"""Files in a bucket: against moto's S3 server on a real socket, looked at with boto3 beside it."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import storage
from pabal.platform.actor import Actor, NotAllowed, Role
from pabal.platform.storage import (
    ContentMissing,
    File,
    FileNotFound,
    Files,
    MoveFailed,
    Mover,
    NoLinks,
    Span,
    StoreFailed,
    Upload,
    sweep_once,
)
from pabal.platform.storage.gateway import PART, incoming_key, kept_key
from pabal.platform.tenants import visible_to
from tests.platform.storage.samples import stream
from tests.support.buckets import BUCKET, ObjectServer, object_server
from tests.support.people import Tree, person, plant

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("buckets")]
LARGE = os.urandom(2 * PART + 12_345)


@pytest.fixture(scope="module")
def server() -> Iterator[ObjectServer]:
    with object_server() as opened:
        yield opened


@pytest.fixture
def bucket(server: ObjectServer) -> Iterator[Files]:
    yield server.files()
    for key in server.list_keys():
        server.client.delete_object(Bucket=BUCKET, Key=key)


@pytest.fixture
async def tree(db: Database) -> Tree:
    return await plant(db)


async def read_all(files: Files, key: str, span: Span = storage.Span()) -> bytes:  # noqa: B008 -- frozen
    return b"".join([chunk async for chunk in (await files.open(key, span)).chunks])


async def accept(db: Database, files: Files, tree: Tree, content: bytes = b"a report", unit: int | None = None) -> File:
    upload = Upload(stream(content), "report.csv", unit_id=unit or tree.busan.id)
    return await storage.accept_file(db, files, person(tree.hq), upload, max_bytes=10**9)


@pytest.mark.req("D-84")
async def test_what_is_uploaded_lies_in_the_bucket_and_comes_back(
    db: Database, tree: Tree, bucket: Files, server: ObjectServer
):
    small, large = await accept(db, bucket, tree), await accept(db, bucket, tree, LARGE)

    assert sorted(server.list_keys()) == sorted([small.key, large.key])
    assert await read_all(bucket, small.key) == b"a report"
    assert hashlib.sha256(await read_all(bucket, large.key)).hexdigest() == large.sha256
    assert await read_all(bucket, large.key, Span(PART - 5, PART + 5)) == LARGE[PART - 5 : PART + 5]
    async with db.transaction() as tx:
        [kept] = await storage.count_by_store(tx)
    assert (kept.store, kept.files, kept.bytes) == (bucket.name, 2, 8 + len(LARGE))


async def test_a_large_one_goes_in_parts_and_is_never_whole_in_memory(bucket: Files, server: ObjectServer):
    taken = 0

    async def chunks() -> AsyncIterator[bytes]:
        nonlocal taken
        for start in range(0, len(LARGE), 1 << 20):
            taken += 1
            yield LARGE[start : start + (1 << 20)]

    await bucket.put("kept/a", chunks())

    tag = server.client.head_object(Bucket=BUCKET, Key="kept/a")["ETag"]
    assert tag.strip('"').endswith("-3")
    assert await read_all(bucket, "kept/a") == LARGE


async def test_an_upload_that_is_broken_off_leaves_nothing_to_be_seen(
    db: Database, tree: Tree, bucket: Files, server: ObjectServer
):
    async def broken() -> AsyncIterator[bytes]:
        yield LARGE[: PART + 10]
        raise ConnectionResetError

    upload = Upload(broken(), "report.csv", unit_id=tree.busan.id)
    with pytest.raises(ConnectionResetError):
        await storage.accept_file(db, bucket, person(tree.hq), upload, max_bytes=10**9)

    assert server.list_keys() == []
    async with db.transaction() as tx:
        assert await storage.count_by_store(tx) == []


@pytest.mark.req("D-77", "D-94")
async def test_who_may_not_see_the_unit_gets_neither_the_file_nor_a_link(db: Database, tree: Tree, bucket: Files):
    file = await accept(db, bucket, tree, unit=tree.busan.id)

    async def find(actor: Actor) -> File:
        async with db.transaction() as tx:
            return await storage.get_file(tx, await visible_to(tx, actor), file.id)

    for unit in (tree.busan, tree.hq):
        assert await find(person(unit, Role.VIEWER)) == file
    for unit in (tree.haeundae, tree.nampo, tree.seoul, tree.gangnam):
        with pytest.raises(FileNotFound):
            await find(person(unit))
    viewer = person(tree.busan, Role.VIEWER)
    with pytest.raises(NotAllowed):
        await storage.sign_link(bucket, viewer, file, timedelta(minutes=1))
    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await storage.remove_file(tx, viewer, file.id)


async def test_a_link_opens_one_file_without_a_key_until_it_ends(db: Database, tree: Tree, bucket: Files):
    file = await accept(db, bucket, tree)

    link = await storage.sign_link(bucket, person(tree.busan, Role.OPERATOR), file, timedelta(minutes=1))
    async with httpx2.AsyncClient() as client:
        opened = await client.get(link)

    assert (opened.status_code, opened.content) == (200, b"a report")
    assert "X-Amz-Expires=60" in link
    assert "X-Amz-Signature=" in link
    assert "secret" not in link


async def test_a_folder_gives_no_links(db: Database, tree: Tree, tmp_path: Path):
    folder = Files(tmp_path / "files")

    with pytest.raises(NoLinks):
        await storage.sign_link(folder, person(tree.hq), await accept(db, folder, tree), timedelta(minutes=1))


async def test_what_nothing_refers_to_goes_from_the_bucket_and_strays_once_a_day(
    db: Database, tree: Tree, bucket: Files, server: ObjectServer
):
    file = await accept(db, bucket, tree)
    await clock.advance(db, timedelta(hours=25))
    await sweep_once(db, bucket)
    gone = server.list_keys()
    async with db.transaction() as tx:
        stray_id = await tx.value(storage.store.SQL.new_id)
    await bucket.put(kept_key(stray_id), stream(b"x"))
    await bucket.put(incoming_key(stray_id), stream(b"x"))
    await bucket.put("kept/somebody-elses", stream(b"x"))
    await clock.advance(db, timedelta(hours=25))
    await sweep_once(db, bucket)
    left = server.list_keys()
    await bucket.put(kept_key(stray_id), stream(b"x"))
    await sweep_once(db, bucket)
    same_day = server.list_keys()

    assert gone == [], file.key
    assert left == ["kept/somebody-elses"]
    assert len(same_day) == 2


@pytest.fixture
def own_server() -> Iterator[ObjectServer]:
    """One that may be killed."""
    with object_server() as opened:
        yield opened


async def test_a_store_killed_in_the_middle_of_an_upload_is_said_and_nothing_is_listed(
    db: Database, tree: Tree, own_server: ObjectServer
):
    files = own_server.files()

    async def dying() -> AsyncIterator[bytes]:
        yield LARGE[: PART + 10]
        own_server.kill()
        yield LARGE[PART + 10 :]

    upload = Upload(dying(), "report.csv", unit_id=tree.busan.id)
    with pytest.raises(StoreFailed) as failed:
        await storage.accept_file(db, files, person(tree.hq), upload, max_bytes=10**9)
    own_server.restart()
    again = await accept(db, files, tree, LARGE)

    assert "AKIDTESTS" not in str(failed.value)
    async with db.transaction() as tx:
        [kept] = await storage.count_by_store(tx)
    assert (kept.files, await read_all(files, again.key) == LARGE) == (1, True)


async def test_all_files_move_compared_and_the_old_store_is_empty_afterwards(
    db: Database, tree: Tree, bucket: Files, server: ObjectServer, tmp_path: Path
):
    folder = Files(tmp_path / "files")
    made = [await accept(db, folder, tree, content) for content in (b"one", b"", LARGE)]

    moved = await Mover(db, folder, bucket).run()
    again = await Mover(db, folder, bucket).run()

    assert (moved.files, moved.bytes, moved.missing) == (3, 3 + len(LARGE), ())
    assert again.files == 0
    assert [await read_all(bucket, file.key) for file in made] == [b"one", b"", LARGE]
    assert [path for path in (tmp_path / "files").rglob("*") if path.is_file()] == []
    assert sorted(server.list_keys()) == sorted(file.key for file in made)


async def test_while_files_move_a_server_with_both_addresses_finds_each(
    db: Database, tree: Tree, bucket: Files, server: ObjectServer, tmp_path: Path
):
    folder = Files(tmp_path / "files")
    first, second = await accept(db, folder, tree, b"one"), await accept(db, folder, tree, b"two")
    await Mover(db, folder, bucket).move(first)
    both = server.files(folder)

    third = await accept(db, both, tree, b"three")

    assert [await read_all(both, file.key) for file in (first, second, third)] == [b"one", b"two", b"three"]
    with pytest.raises(ContentMissing):
        await read_all(bucket, second.key)


async def test_what_arrives_changed_is_not_pointed_to(db: Database, tree: Tree, bucket: Files, tmp_path: Path):
    folder = Files(tmp_path / "files")
    file = await accept(db, folder, tree, b"one")
    (tmp_path / "files" / file.key).write_bytes(b"two")

    with pytest.raises(MoveFailed):
        await Mover(db, folder, bucket).run()

    async with db.transaction() as tx:
        assert [one.store for one in await storage.count_by_store(tx)] == [folder.name]
    with pytest.raises(ContentMissing):
        await bucket.open(file.key)


async def test_a_file_whose_content_is_gone_keeps_no_other_back(
    db: Database, tree: Tree, bucket: Files, tmp_path: Path
):
    folder = Files(tmp_path / "files")
    lost, kept = await accept(db, folder, tree, b"one"), await accept(db, folder, tree, b"two")
    (tmp_path / "files" / lost.key).unlink()

    moved = await Mover(db, folder, bucket).run()

    assert (moved.files, moved.missing) == (1, (lost.shown_id,))
    assert await read_all(bucket, kept.key) == b"two"


async def test_a_move_whose_store_is_killed_goes_on_when_it_is_back(
    db: Database, tree: Tree, own_server: ObjectServer, tmp_path: Path
):
    folder, target = Files(tmp_path / "files"), own_server.files()
    file = await accept(db, folder, tree, LARGE)
    put = target.put

    async def dying(key: str, chunks: AsyncIterator[bytes]) -> None:
        async def through() -> AsyncIterator[bytes]:
            async for chunk in chunks:
                yield chunk
                own_server.kill()

        await put(key, through())

    target.put = dying  # type: ignore[method-assign] -- the store dies in the middle, not our code
    with pytest.raises(StoreFailed):
        await Mover(db, folder, target).run()
    target.put = put  # type: ignore[method-assign] -- as above
    kept = await read_all(folder, file.key) == LARGE
    own_server.restart()
    moved = await Mover(db, folder, target).run()

    assert (kept, moved.files, await read_all(target, file.key) == LARGE) == (True, 1, True)


async def test_a_move_that_is_cut_off_after_its_commit_is_tidied_by_the_next(
    db: Database, tree: Tree, bucket: Files, tmp_path: Path
):
    folder = Files(tmp_path / "files")
    file = await accept(db, folder, tree, b"one")
    mover = Mover(db, folder, bucket)

    async def cut(*_: str) -> None:
        raise asyncio.CancelledError

    mover._clear = cut  # type: ignore[method-assign] -- as if the process ended here
    with suppress(asyncio.CancelledError):
        await mover.run()
    left = (tmp_path / "files" / file.key).exists()
    again = await Mover(db, folder, bucket).run()

    assert (left, again.files, again.tidied) == (True, 0, 1)
    assert await read_all(bucket, file.key) == b"one"
