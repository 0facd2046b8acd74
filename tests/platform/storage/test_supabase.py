"""One bucket, two doors: our store comes by S3, Supabase's own client by REST. Both see the same files."""

from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from pathlib import Path

import httpx2
import pytest
from storage3 import AsyncStorageClient
from storage3.exceptions import StorageApiError

from pabal.base.database import Database
from pabal.platform import storage
from pabal.platform.storage import ContentMissing, File, Files, Mover, Upload, read_address, sweep_once
from pabal.platform.storage.gateway import PART
from tests.platform.storage.samples import stream
from tests.support.buckets import BUCKET
from tests.support.people import Tree, person, plant
from tests.support.supabase import SERVICE_KEY, Supabase, supabase

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("buckets")]
LARGE = bytes(range(256)) * (2 * PART // 256) + b"and a little more"


@pytest.fixture(scope="module")
def opened() -> Iterator[Supabase]:
    with supabase() as shown:
        yield shown


@pytest.fixture
def project(opened: Supabase) -> Iterator[Supabase]:
    opened.asked.clear()
    opened.by_s3 = 0
    yield opened
    for key in opened.objects.list_keys():
        opened.objects.client.delete_object(Bucket=BUCKET, Key=key)


@pytest.fixture
def files(project: Supabase) -> Files:
    return Files(read_address(project.s3_address))


@pytest.fixture
async def client(project: Supabase) -> AsyncIterator[AsyncStorageClient]:
    headers = {"Authorization": f"Bearer {SERVICE_KEY}", "apikey": SERVICE_KEY}
    async with AsyncStorageClient(project.rest_url, headers) as made:
        yield made


@pytest.fixture
async def tree(db: Database) -> Tree:
    return await plant(db)


async def accept(db: Database, files: Files, tree: Tree, content: bytes) -> File:
    upload = Upload(stream(content), "report.csv", unit_id=tree.busan.id)
    return await storage.accept_file(db, files, person(tree.hq), upload, max_bytes=10**9)


async def read_all(files: Files, key: str) -> bytes:
    return b"".join([chunk async for chunk in (await files.open(key)).chunks])


def folder_of(file: File) -> str:
    return file.key.rpartition("/")[0]


async def fetch(link: str | None) -> bytes:
    async with httpx2.AsyncClient() as anybody:
        return (await anybody.get(link or "")).content


@pytest.mark.req("D-84")
async def test_what_we_keep_at_supabase_its_own_client_lists_downloads_and_signs(
    db: Database, tree: Tree, project: Supabase, files: Files, client: AsyncStorageClient
):
    small, large = await accept(db, files, tree, b"a report"), await accept(db, files, tree, LARGE)
    bucket = client.from_(BUCKET)

    [folder], listed = await bucket.list("kept"), await bucket.list(folder_of(small))
    signed = await bucket.create_signed_url(small.key, 60)
    ours = await storage.sign_link(files, person(tree.hq), small, timedelta(minutes=1))

    sizes = {f"{folder_of(small)}/{one['name']}": one["metadata"]["size"] for one in listed}
    assert (f"kept/{folder['name']}", folder["id"]) == (folder_of(small), None)
    assert sizes == {small.key: 8, large.key: len(LARGE)}
    assert await bucket.download(small.key) == b"a report"
    assert await bucket.download(large.key) == LARGE
    assert [await fetch(link) for link in (signed["signedURL"], ours)] == [b"a report", b"a report"]
    assert f":{project.port}/storage/v1/s3/{BUCKET}/{small.key}?" in ours
    assert project.by_s3 > 4
    assert project.asked == [
        f"POST /object/list/{BUCKET}",
        f"POST /object/list/{BUCKET}",
        f"POST /object/sign/{BUCKET}/{small.key}",
        f"GET /object/{BUCKET}/{small.key}",
        f"GET /object/{BUCKET}/{large.key}",
    ]


@pytest.mark.req("D-84")
async def test_what_its_own_client_uploads_and_removes_our_store_sees(
    db: Database, tree: Tree, files: Files, client: AsyncStorageClient
):
    bucket, ours = client.from_(BUCKET), await accept(db, files, tree, b"a report")
    made = await bucket.upload("kept/by-hand.csv", b"1,2,3", {"content-type": "text/csv"})

    assert made.full_path == f"{BUCKET}/kept/by-hand.csv"
    assert await read_all(files, "kept/by-hand.csv") == b"1,2,3"
    with pytest.raises(StorageApiError, match="Duplicate"):
        await bucket.upload("kept/by-hand.csv", b"4,5,6")
    removed = await bucket.remove([ours.key, "kept/nothing"])
    assert [one["name"] for one in removed] == [ours.key]
    with pytest.raises(ContentMissing):
        await files.open(ours.key)


@pytest.mark.req("D-84")
async def test_what_is_over_here_is_gone_for_its_own_client_too(
    db: Database, tree: Tree, files: Files, client: AsyncStorageClient
):
    bucket, file = client.from_(BUCKET), await accept(db, files, tree, b"a report")
    async with db.transaction() as tx:
        await storage.remove_file(tx, person(tree.hq), file.id)

    await sweep_once(db, files)

    assert await bucket.list("kept") == []
    with pytest.raises(StorageApiError, match="Object not found"):
        await bucket.download(file.key)


async def test_files_of_a_folder_move_to_supabase_and_back(
    db: Database, tree: Tree, files: Files, client: AsyncStorageClient, root: Path
):
    folder = Files(root)
    file = await accept(db, folder, tree, LARGE)

    there = await Mover(db, folder, files).run()
    seen = await client.from_(BUCKET).download(file.key)
    back = await Mover(db, files, folder).run()

    assert (there.files, back.files, seen == LARGE) == (1, 1, True)
    assert await read_all(folder, file.key) == LARGE
    assert await client.from_(BUCKET).list("kept") == []


async def test_neither_door_opens_with_another_key(db: Database, tree: Tree, project: Supabase):
    stranger = Files(read_address(project.s3_address.replace("AKIDTESTS", "AKIDOTHER")))
    headers = {"Authorization": "Bearer another", "apikey": "another"}

    with pytest.raises(storage.StoreFailed):
        await accept(db, stranger, tree, b"a report")
    async with AsyncStorageClient(project.rest_url, headers) as client:
        with pytest.raises(StorageApiError, match="Unauthorized"):
            await client.from_(BUCKET).list("kept")
    assert project.objects.list_keys() == []
