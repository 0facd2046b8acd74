"""A delivered render is read in ranges; nothing outside the NAS folder, and never two renders joined."""

import os
from pathlib import Path

import pytest

from pabal.apps.rendering.files import delivered
from pabal.apps.rendering.files.delivered import find_delivered
from pabal.apps.rendering.files.errors import OutsideFolder, RenderedFileMissing
from pabal.platform.storage import BadSpan, Content, Span

CONTENT = bytes(range(256)) * 4


@pytest.fixture
def film(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(delivered, "PIECE", 100)
    path = tmp_path / "nas" / "day" / "film_7.mp4"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    (tmp_path / "secret").write_bytes(b"secret")
    return path


async def read(content: Content) -> bytes:
    return b"".join([chunk async for chunk in content.chunks])


@pytest.mark.parametrize("span", [Span(), Span(0, 1), Span(99, 301), Span(1000), Span(1024), Span(500, 9999)])
async def test_a_range_is_exactly_its_bytes(film: Path, span: Span):
    found = await find_delivered(film.parents[1], "day/film_7.mp4")

    content = found.read(span)

    assert await read(content) == CONTENT[span.start : span.end]
    assert (content.size, content.start, content.end) == (1024, span.start, min(span.end or 1024, 1024))


async def test_a_range_behind_the_end_is_refused(film: Path):
    found = await find_delivered(film.parents[1], "day/film_7.mp4")

    with pytest.raises(BadSpan):
        found.read(Span(1025))


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "day/../../secret", "day", "day/link.mp4", "day/pipe"])
async def test_nothing_but_a_file_of_the_folder_is_opened(film: Path, path: str):
    (film.parent / "link.mp4").symlink_to(film.parents[2] / "secret")
    os.mkfifo(film.parent / "pipe")

    with pytest.raises(OutsideFolder):
        await find_delivered(film.parents[1], path)


async def test_one_that_was_deleted_is_said_by_name(film: Path):
    with pytest.raises(RenderedFileMissing):
        await find_delivered(film.parents[1], "day/film_8.mp4")


async def test_a_file_that_is_replaced_while_it_is_read_ends_with_an_error(film: Path):
    found = await find_delivered(film.parents[1], "day/film_7.mp4")
    chunks = found.read().chunks
    first = await anext(chunks)
    new = film.with_name("new")
    new.write_bytes(CONTENT[::-1])
    new.replace(film)

    with pytest.raises(RenderedFileMissing):
        await anext(chunks)

    assert first == CONTENT[:100]
    assert (await find_delivered(film.parents[1], "day/film_7.mp4")).tag != found.tag
