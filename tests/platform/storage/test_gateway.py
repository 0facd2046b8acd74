import asyncio
import os
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pabal.platform.storage import BadSpan, ContentMissing, Files, Span, StoreFailed
from pabal.platform.storage.gateway import PIECE, file_id_of, incoming_key, kept_key
from pabal.platform.storage.model import WHOLE
from tests.platform.storage.samples import cut, everything_in, stream, until_empty

CONTENT = os.urandom(3_000_000)


class Broken(Exception):
    pass


async def read_all(files: Files, key: str, span: Span = WHOLE) -> bytes:
    return b"".join([chunk async for chunk in (await files.open(key, span)).chunks])


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 1_500_000), max_size=8))
def test_any_chunking_gives_the_same_content(sizes: list[int]):
    async def put_and_read() -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            files = Files(Path(folder))
            await files.put("kept/a", stream(*cut(CONTENT, sizes)))
            return await read_all(files, "kept/a")

    assert asyncio.run(put_and_read()) == CONTENT


async def test_content_is_handed_out_in_pieces(files: Files):
    await files.put("kept/a", stream(CONTENT))

    content = await files.open("kept/a")

    assert content.size == len(CONTENT)
    assert max([len(chunk) async for chunk in content.chunks]) <= 2 * PIECE


@pytest.mark.parametrize("span", [Span(0, 1), Span(10, 70_000), Span(2_999_999), Span(3_000_000), Span(5, 9**9)])
async def test_a_range_is_those_bytes(files: Files, span: Span):
    await files.put("kept/a", stream(CONTENT))

    content = await files.open("kept/a", span)

    assert b"".join([chunk async for chunk in content.chunks]) == CONTENT[span.start : span.end]
    assert content.end - content.start == len(CONTENT[span.start : span.end])


async def test_a_range_behind_the_end_is_refused(files: Files):
    await files.put("kept/a", stream(b"ten bytes."))

    with pytest.raises(BadSpan):
        await files.open("kept/a", Span(11))


async def test_an_empty_file_can_be_put_and_read(files: Files):
    await files.put("kept/a", stream())

    assert await read_all(files, "kept/a") == b""


async def test_nothing_is_visible_before_the_last_byte(files: Files, root: Path):
    async def chunks() -> AsyncIterator[bytes]:
        yield CONTENT
        with pytest.raises(ContentMissing):
            await files.open("incoming/a")
        yield b"end"

    await files.put("incoming/a", chunks())

    assert everything_in(root) == ["incoming/a"]


async def test_a_stream_that_breaks_leaves_nothing_and_is_heard(files: Files, root: Path):
    async def chunks() -> AsyncIterator[bytes]:
        yield CONTENT
        assert everything_in(root) == ["incoming/a#1"]
        raise Broken

    with pytest.raises(Broken):
        await files.put("incoming/a", chunks())

    await until_empty(root)


async def test_an_error_of_the_sender_is_not_blamed_on_the_store(files: Files):
    async def chunks() -> AsyncIterator[bytes]:
        yield b"a"
        raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await files.put("incoming/a", chunks())


async def test_a_cancelled_put_stops_reading_and_leaves_nothing(files: Files, root: Path):
    reached, closed = asyncio.Event(), asyncio.Event()

    async def chunks() -> AsyncIterator[bytes]:
        try:
            yield CONTENT
            reached.set()
            await asyncio.Event().wait()
        finally:
            closed.set()

    putting = asyncio.create_task(files.put("incoming/a", chunks()))
    await reached.wait()
    putting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await putting
    del putting

    assert closed.is_set()
    await until_empty(root)


async def test_what_is_kept_moves_whole(files: Files, root: Path):
    await files.put("incoming/a", stream(b"content"))

    await files.keep("incoming/a", "kept/01h/a")

    assert everything_in(root) == ["kept/01h/a"]
    assert await read_all(files, "kept/01h/a") == b"content"


async def test_deleting_twice_is_deleting(files: Files, root: Path):
    await files.put("kept/a", stream(b"content"))

    await files.delete("kept/a", "kept/never")
    await files.delete("kept/a")

    assert everything_in(root) == []


async def test_content_that_is_gone_is_named(files: Files):
    with pytest.raises(ContentMissing, match="kept/a"):
        await files.open("kept/a")
    with pytest.raises(ContentMissing):
        files.read_blocking("kept/a").read()


async def test_a_store_that_cannot_be_written_is_unavailable(files: Files, root: Path):
    (root / "incoming").write_text("a file where the folder should be")

    with pytest.raises(StoreFailed):
        await files.put("incoming/a", stream(CONTENT))


async def test_blocking_reads_seek(files: Files):
    await files.put("kept/a", stream(CONTENT))

    def look() -> tuple[bytes, bytes, int]:
        with files.read_blocking("kept/a") as file:
            start = file.read(10)
            file.seek(-10, os.SEEK_END)
            return start, file.read(), file.tell()

    assert await asyncio.to_thread(look) == (CONTENT[:10], CONTENT[-10:], len(CONTENT))


def test_a_key_tells_whose_content_it_is():
    for number in (1, 2**62, 388_000_000_000_000_000):
        for key in (kept_key(number), kept_key(number, ".webp"), incoming_key(number) + "#1"):
            assert file_id_of(key) == number
    for other in ("kept/01h/notes.txt", "kept/file_short", "kept/file_0000000000000.jpg"):
        assert file_id_of(other) is None
