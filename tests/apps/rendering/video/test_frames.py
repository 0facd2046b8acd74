"""The contact sheet shows the pictures that are really there."""

from pathlib import Path

import pytest
from PIL import Image

from pabal.apps.rendering.video.errors import VideoUnreadable
from pabal.apps.rendering.video.frames import contact_sheet
from tests.support.films import Film, make_film


def colour_of(path: Path, part: float = 0.5, *, kind: str = "JPEG") -> str:
    with Image.open(path) as picture:
        assert picture.format == kind
        pixel = picture.convert("RGB").getpixel((int(picture.width * part), picture.height // 2))
    assert isinstance(pixel, tuple)
    return "rgb"[pixel.index(max(pixel))]


@pytest.mark.parametrize("codec", ["libx264", "mpeg4"])
async def test_first_middle_and_last_are_what_they_say(tmp_path: Path, codec: str):
    film = make_film(tmp_path / "film.mp4", Film(codec, width=1280, height=720, frames=60))

    sheet = await contact_sheet(film, tmp_path / "frames", seconds=30, memory_mb=256)

    assert [colour_of(one) for one in (sheet.first, sheet.middle, sheet.last)] == ["r", "g", "b"]
    assert [colour_of(sheet.sheet, part) for part in (0.1, 0.5, 0.9)] == ["r", "g", "b"]
    with Image.open(sheet.first) as first, Image.open(sheet.sheet) as all_three:
        assert first.size == (480, 270)
        assert all_three.size == (3 * 480, 270)


@pytest.mark.parametrize(("frames", "seconds"), [(30 * 6, 2.0), (15, 0.5)])
async def test_the_loop_is_two_seconds_from_the_middle_or_all_of_a_shorter_film(
    tmp_path: Path, frames: int, seconds: float
):
    film = make_film(tmp_path / "film.mp4", Film(frames=frames, has_noise=True))

    made = await contact_sheet(film, tmp_path / "frames", seconds=30, memory_mb=256)

    with Image.open(made.loop) as loop:
        assert (loop.format, loop.info["loop"]) == ("WEBP", 0)
        assert loop.n_frames == pytest.approx(seconds * 12, abs=1)  # type: ignore[attr-defined]  # of moving pictures


async def test_the_loop_shows_the_middle(tmp_path: Path):
    film = make_film(tmp_path / "film.mp4", Film(frames=30 * 6))

    made = await contact_sheet(film, tmp_path / "frames", seconds=30, memory_mb=256)

    assert colour_of(made.loop, kind="WEBP") == "g"


async def test_a_film_of_one_picture_has_all_three(tmp_path: Path):
    film = make_film(tmp_path / "film.mp4", Film(frames=1))

    sheet = await contact_sheet(film, tmp_path / "frames", seconds=30, memory_mb=256)

    assert [colour_of(one) for one in (sheet.first, sheet.middle, sheet.last)] == ["r", "r", "r"]


async def test_a_file_that_cannot_be_read_leaves_no_picture(tmp_path: Path):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"no film" * 50_000)

    with pytest.raises(VideoUnreadable):
        await contact_sheet(path, tmp_path / "frames", seconds=30, memory_mb=256)

    assert not (tmp_path / "frames").exists()
