import asyncio
import hashlib
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pabal.base import clock
from pabal.base.database import Database
from pabal.base.errors import PabalError
from pabal.platform import audit
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.audit import Wanted
from pabal.platform.storage import (
    Files,
    NotAPicture,
    TooManyPixels,
    Upload,
    UploadExpired,
    UploadLimits,
    UploadTooLarge,
    accept_file,
    accept_image,
    read,
    read_thumbnail,
)
from pabal.platform.tenants import UnitNotFound, remove_unit, visible_to
from tests.platform.storage.samples import LIMITS, cut, everything_in, noise, picture, stream, until_empty
from tests.support.people import person, plant


async def test_a_picture_is_kept_with_what_decoding_found(db: Database, files: Files):
    tree = await plant(db)
    content = picture("PNG", noise(64, 48))

    file = await accept_image(db, files, person(tree.haeundae), Upload(stream(content), "C:\\전단지.jpg"), LIMITS)

    assert (file.name, file.media_type, file.size) == ("전단지.jpg", "image/png", len(content))
    assert (file.width, file.height, file.frames) == (64, 48, 1)
    assert file.sha256 == hashlib.sha256(content).hexdigest()
    assert (file.unit_id, file.made_by) == (tree.haeundae.id, "user:1")
    assert file.shown_id.startswith("file_")
    assert await all_of(await read(files, file)) == content
    assert (await all_of(await read_thumbnail(files, file)))[8:12] == b"WEBP"


@pytest.mark.parametrize(
    ("content", "refusal"),
    [
        (b"MZ this is a program", NotAPicture),
        (picture("PNG", noise(30, 30)), TooManyPixels),
    ],
    ids=["no picture", "too large"],
)
async def test_a_refused_picture_is_named_and_said_what_to_do_about(
    db: Database, files: Files, content: bytes, refusal: type[PabalError]
):
    tree = await plant(db)
    few = replace(LIMITS, max_pixels=100)

    with pytest.raises(refusal) as refused:
        await accept_image(db, files, person(tree.haeundae), Upload(stream(content), "C:\\전단지.jpg"), few)

    assert refused.value.detail.startswith("전단지.jpg: ")
    assert "again. (전단지.jpg: " in str(refused.value)


async def test_a_plain_file_is_not_looked_into(db: Database, files: Files):
    tree = await plant(db)

    file = await accept_file(db, files, person(tree.hq), Upload(stream(b"GIF89a or so"), "a.gif"), max_bytes=100)

    assert (file.media_type, file.width, file.thumbnail_key) == ("application/octet-stream", None, None)
    assert await all_of(await read(files, file)) == b"GIF89a or so"


async def test_an_upload_is_written_into_the_audit(db: Database, files: Files):
    tree = await plant(db)

    file = await accept_image(db, files, person(tree.nampo), Upload(stream(picture()), "a.jpg"), LIMITS)

    async with db.transaction() as tx:
        [entry] = await audit.list_entries(tx, Wanted(action="files.*"))
    assert (entry.action, entry.about, entry.unit_id) == ("files.add", file.shown_id, tree.nampo.id)
    assert entry.after == {"name": "a.jpg", "size": file.size, "sha256": file.sha256, "media_type": "image/jpeg"}


async def test_a_superior_uploads_for_a_unit_below_and_the_engine_for_the_hq(db: Database, files: Files):
    tree = await plant(db)

    below = await accept_image(
        db, files, person(tree.busan), Upload(stream(picture()), "a.jpg", unit_id=tree.nampo.id), LIMITS
    )
    own = await accept_image(db, files, ENGINE, Upload(stream(picture()), "a.jpg"), LIMITS)

    assert (below.unit_id, own.unit_id) == (tree.nampo.id, tree.hq.id)


async def test_who_may_not_upload_is_refused_before_a_byte_is_read(db: Database, files: Files):
    tree = await plant(db)
    chunks = Untouched()

    with pytest.raises(NotAllowed):
        await accept_image(db, files, person(tree.nampo, Role.VIEWER), Upload(chunks, "a.jpg"), LIMITS)
    token = Actor("token:1", tree.nampo.id, Role.ADMIN, scopes=("files:read",))
    with pytest.raises(NotAllowed):
        await accept_file(db, files, token, Upload(chunks, "a.jpg"), max_bytes=10)
    other = Upload(chunks, "a.jpg", unit_id=tree.gangnam.id)
    with pytest.raises(UnitNotFound):
        await accept_image(db, files, person(tree.nampo), other, LIMITS)

    assert not chunks.touched


async def test_an_app_asks_for_the_right_in_its_own_area(db: Database, files: Files):
    tree = await plant(db)
    token = Actor("token:1", tree.nampo.id, Role.OPERATOR, scopes=("messaging:write",))

    file = await accept_image(db, files, token, Upload(stream(picture()), "a.jpg", area="messaging"), LIMITS)

    assert file.unit_id == tree.nampo.id


async def test_an_upload_above_the_limit_is_refused_at_once_and_leaves_nothing(db: Database, files: Files, root: Path):
    tree = await plant(db)
    sent = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 65536
            yield bytes(65536)

    limits = UploadLimits(max_bytes=1_000_000)
    with pytest.raises(UploadTooLarge, match="1048576 bytes so far; at most 1000000"):
        await accept_image(db, files, person(tree.nampo), Upload(endless(), "a.jpg"), limits)

    assert sent == 1_048_576
    await until_empty(root)
    assert await audited(db) == []


async def test_exactly_the_limit_is_accepted(db: Database, files: Files):
    tree = await plant(db)

    file = await accept_file(db, files, person(tree.nampo), Upload(stream(bytes(1000)), "a"), max_bytes=1000)

    assert file.size == 1000


async def test_what_is_no_picture_leaves_nothing(db: Database, files: Files, root: Path):
    tree = await plant(db)
    content = picture("JPEG", noise(300, 300))

    with pytest.raises(NotAPicture):
        await accept_image(db, files, person(tree.nampo), Upload(stream(content[:5000]), "a.jpg"), LIMITS)

    assert everything_in(root) == []
    assert await audited(db) == []


async def test_an_upload_cancelled_half_way_leaves_nothing(db: Database, files: Files, root: Path):
    tree = await plant(db)
    reached = asyncio.Event()

    async def stalling() -> AsyncIterator[bytes]:
        yield bytes(2_000_000)
        reached.set()
        await asyncio.Event().wait()

    upload = Upload(stalling(), "a.jpg")
    uploading = asyncio.create_task(accept_image(db, files, person(tree.nampo), upload, LIMITS))
    await reached.wait()
    uploading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await uploading
    del uploading

    await until_empty(root)


async def test_an_upload_of_half_a_day_is_given_up_before_its_content_counts_as_a_stray(db: Database, files: Files):
    tree = await plant(db)

    async def slow() -> AsyncIterator[bytes]:
        yield b"begin"
        await clock.advance(db, timedelta(hours=12, seconds=1))
        yield b"end"

    with pytest.raises(UploadExpired):
        await accept_file(db, files, person(tree.nampo), Upload(slow(), "a"), max_bytes=100)

    assert await audited(db) == []


async def test_a_unit_removed_meanwhile_owns_nothing(db: Database, files: Files):
    tree = await plant(db)

    async def chunks() -> AsyncIterator[bytes]:
        yield b"begin"
        async with db.transaction() as tx:
            await remove_unit(tx, person(tree.hq), tree.nampo.id)

    with pytest.raises(UnitNotFound):
        await accept_file(db, files, person(tree.nampo), Upload(chunks(), "a"), max_bytes=100)


async def test_many_uploads_at_once_are_each_kept_under_their_own_name(db: Database, files: Files):
    tree = await plant(db)

    made = await asyncio.gather(
        *(accept_image(db, files, person(tree.nampo), Upload(stream(picture()), f"{n}.jpg"), LIMITS) for n in range(8))
    )

    assert sorted(file.name for file in made) == [f"{n}.jpg" for n in range(8)]
    assert len({file.key for file in made}) == 8


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(sizes=st.lists(st.integers(0, 3000), max_size=6))
async def test_any_chunking_gives_the_same_file(db: Database, files: Files, sizes: list[int]):
    async with db.transaction() as tx:
        if (await visible_to(tx, ENGINE)).unit_id is None:
            await plant(db)
    content = PICTURE

    file = await accept_image(db, files, ENGINE, Upload(stream(*cut(content, sizes)), "a.jpg"), LIMITS)

    assert file.sha256 == hashlib.sha256(content).hexdigest()
    assert await all_of(await read(files, file)) == content


PICTURE = picture()


class Untouched:
    """A stream that nobody may read."""

    touched = False

    def __aiter__(self) -> "Untouched":
        return self

    async def __anext__(self) -> bytes:
        self.touched = True
        raise StopAsyncIteration


async def all_of(content) -> bytes:
    return b"".join([chunk async for chunk in content.chunks])


async def audited(db: Database) -> list[str]:
    async with db.transaction() as tx:
        return [entry.action for entry in await audit.list_entries(tx, Wanted(action="files.*"))]


class Unkept(Files):
    """A store that dies when content is to be put where it stays."""

    async def keep(self, incoming: str, key: str) -> None:
        raise ConnectionResetError


@pytest.mark.parametrize("accept", ["file", "picture"])
async def test_nothing_is_listed_whose_content_is_not_where_it_stays(db: Database, tmp_path: Path, accept: str):
    tree, files = await plant(db), Unkept(tmp_path / "files")
    upload = Upload(stream(picture("PNG", noise(8, 8))), "report.png")

    actor = person(tree.haeundae)
    accepting = (
        accept_file(db, files, actor, upload, max_bytes=1_000_000)
        if accept == "file"
        else accept_image(db, files, actor, upload, LIMITS)
    )
    with pytest.raises(ConnectionResetError):
        await accepting

    async with db.transaction() as tx:
        assert await audit.list_entries(tx, Wanted(action="files.add")) == []
