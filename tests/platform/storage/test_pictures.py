import asyncio
import io
import struct
import zlib
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from pabal.base.errors import Invalid
from pabal.platform.storage import FormatNotAccepted, NotAPicture, TooManyFrames, TooManyPixels, UploadLimits
from pabal.platform.storage.pictures import Picture, inspect, inspect_blocking
from tests.platform.storage.samples import ALL_FORMATS, LIMITS, animation, noise, picture

RED, BLUE = (255, 0, 0), (0, 0, 255)


def look_at(content: bytes, limits: UploadLimits = ALL_FORMATS) -> Picture:
    return inspect_blocking(lambda: io.BytesIO(content), limits)


def thumbnail_of(found: Picture) -> Image.Image:
    return Image.open(io.BytesIO(found.thumbnail))


@pytest.mark.parametrize(
    ("format", "media_type"),
    [("JPEG", "image/jpeg"), ("PNG", "image/png"), ("GIF", "image/gif"), ("WEBP", "image/webp")],
)
def test_the_media_type_is_what_decoding_found(format: str, media_type: str):
    found = look_at(picture(format, noise(64, 48)))

    assert (found.media_type, found.width, found.height, found.frames) == (media_type, 64, 48, 1)
    assert thumbnail_of(found).format == "WEBP"


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK", "YCbCr"])
def test_every_mode_of_a_picture_has_a_thumbnail(mode: str):
    image = Image.new("L", (900, 700), 200) if mode == "I;16" else Image.new("RGB", (900, 700), RED)

    found = look_at(picture("JPEG" if mode in ("CMYK", "YCbCr") else "PNG", image.convert(mode)))

    assert thumbnail_of(found).size == (320, 249)


@pytest.mark.parametrize(
    ("size", "small"),
    [
        ((4000, 3000), (320, 240)),
        ((3000, 4000), (240, 320)),
        ((100, 50), (100, 50)),
        ((9000, 3), (320, 1)),
        ((1, 1), (1, 1)),
    ],
)
def test_a_thumbnail_fits_into_320_pixels_and_is_never_larger_than_the_picture(
    size: tuple[int, int], small: tuple[int, int]
):
    found = look_at(picture("PNG", Image.new("L", size)))

    assert (found.width, found.height) == size
    assert thumbnail_of(found).size == small


def test_strips_of_a_large_picture_meet_without_a_seam():
    image = Image.new("RGB", (2003, 3001), BLUE)
    image.paste(RED, (0, 0, 2003, 1500))

    small = thumbnail_of(look_at(picture("PNG", image))).convert("RGB")

    column = [_name(small.getpixel((small.width // 2, y))) for y in range(small.height)]
    assert column[:155] == ["red"] * 155
    assert column[-155:] == ["blue"] * 155


def test_grey_of_sixteen_bits_keeps_its_shades():
    image = Image.new("I;16", (400, 400), 32768)

    level = thumbnail_of(look_at(picture("PNG", image))).convert("L").getpixel((100, 100))

    assert 120 <= int(level) <= 136


def test_transparency_stays_in_the_thumbnail():
    small = thumbnail_of(look_at(picture("PNG", Image.new("RGBA", (700, 700), (255, 0, 0, 0)))))

    assert small.mode == "RGBA"
    assert small.getpixel((5, 5))[3] == 0


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_taken_sideways_stands_upright(orientation: int):
    upright = Image.new("RGB", (80, 40), BLUE)
    upright.paste(RED, (0, 0, 20, 20))
    exif = Image.Exif()
    exif[0x0112] = orientation

    found = look_at(picture("JPEG", _as_camera_holds_it(upright, orientation), exif=exif, quality=95))

    small = thumbnail_of(found).convert("RGB")
    assert (found.width, found.height) == small.size == (80, 40)
    assert _name(small.getpixel((5, 5))) == "red"
    assert _name(small.getpixel((70, 30))) == "blue"


def test_a_thumbnail_carries_nothing_of_the_cameras_notes():
    exif = Image.Exif()
    exif[0x010F] = "SECRET PHONE"
    exif.get_ifd(0x8825)[1] = "N"

    found = look_at(picture("JPEG", exif=exif, icc_profile=b"profile" * 100, comment=b"SECRET PLACE"))

    assert b"SECRET" not in found.thumbnail
    assert not thumbnail_of(found).getexif()


def test_broken_notes_of_a_camera_are_no_reason_to_refuse():
    found = look_at(picture("JPEG", noise(64, 48), exif=b"Exif\x00\x00garbage, not a TIFF header"))

    assert (found.width, found.height) == (64, 48)


def test_a_jpeg_with_a_second_picture_behind_it_is_a_jpeg():
    content = picture("MPO", noise(64, 48), save_all=True, append_images=[noise(64, 48)])

    found = look_at(content, LIMITS)

    assert (found.media_type, found.frames) == ("image/jpeg", 1)


@pytest.mark.parametrize("progressive", [False, True])
def test_a_jpeg_cut_off_anywhere_is_refused(progressive: bool):
    content = picture("JPEG", noise(300, 300), progressive=progressive)

    for part in (0.01, 0.3, 0.6, 0.9, 0.98):
        with pytest.raises(NotAPicture):
            look_at(content[: int(len(content) * part)])


@pytest.mark.parametrize("format", ["PNG", "GIF", "WEBP"])
def test_a_picture_cut_in_half_is_refused(format: str):
    content = picture(format, noise(300, 300))

    with pytest.raises(NotAPicture):
        look_at(content[: len(content) // 2])


def test_a_png_with_a_wrong_checksum_is_refused():
    content = bytearray(picture("PNG", noise(50, 50)))
    content[content.index(b"IDAT") + 100] ^= 0xFF

    with pytest.raises(NotAPicture):
        look_at(bytes(content))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"hello",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%PDF-1.7",
        b"\xff\xd8\xff",
        b"GIF89a",
        b"\x89PNG\r\n\x1a\n",
    ],
)
def test_what_is_no_picture_is_refused(content: bytes):
    with pytest.raises(NotAPicture):
        look_at(content)


@pytest.mark.parametrize("format", ["BMP", "TIFF", "ICO", "PPM"])
def test_formats_we_do_not_know_are_not_even_tried(format: str):
    with pytest.raises(NotAPicture, match="accepted are JPEG, PNG, GIF"):
        look_at(picture(format), LIMITS)


def test_a_format_that_is_not_accepted_here_is_named():
    with pytest.raises(FormatNotAccepted, match="WEBP; accepted are JPEG, PNG, GIF"):
        look_at(picture("WEBP"), LIMITS)


def test_a_picture_with_too_many_pixels_is_refused_by_its_head_alone():
    head = picture("JPEG", Image.new("L", (5001, 5000)))[:1000]

    with pytest.raises(TooManyPixels, match="5001×5000"):
        look_at(head)


def test_a_decompression_bomb_is_refused():
    with pytest.raises(TooManyPixels):
        look_at(_png_bomb(60_000, 60_000))


def test_every_frame_of_a_moving_picture_is_counted():
    for format in ("GIF", "PNG", "WEBP"):
        assert look_at(animation(7, format)).frames == 7


def test_too_many_frames_are_refused():
    limits = UploadLimits(max_frames=5)

    assert look_at(animation(5), limits).frames == 5
    with pytest.raises(TooManyFrames, match="at most 5"):
        look_at(animation(6), limits)


def test_frames_together_may_have_ten_times_the_pixels_of_one():
    limits = UploadLimits(max_pixels=200)

    assert look_at(animation(10), limits).frames == 10
    with pytest.raises(TooManyPixels, match="together at most 2000"):
        look_at(animation(11), limits)


def test_a_gif_whose_later_frame_grows_the_canvas_is_refused():
    content = animation(2)
    second = content.rindex(b"\x2c", 0, content.rindex(b"\x2c\x00\x00\x00\x00\x14\x00\x0a\x00") + 1)
    grown = content[: second + 5] + struct.pack("<HH", 6000, 6000) + content[second + 9 :]

    with pytest.raises(TooManyPixels, match="6000×6000"):
        look_at(grown)


@pytest.mark.parametrize(
    "make", [lambda: picture("JPEG"), lambda: picture("PNG"), lambda: animation(3), lambda: picture("WEBP")]
)
def test_damaged_pictures_are_refused_or_decoded_never_anything_else(make: Callable[[], bytes]):
    content = make()

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.integers(0, len(content) - 1), st.integers(0, 255)), min_size=1, max_size=10))
    def damage(changes: list[tuple[int, int]]) -> None:
        damaged = bytearray(content)
        for place, value in changes:
            damaged[place] = value
        with suppress(Invalid):
            assert isinstance(look_at(bytes(damaged)), Picture)

    damage()


async def test_pictures_are_decoded_one_at_a_time_even_when_nobody_waits_for_them_any_more():
    content, opened, most = picture("PNG", noise(400, 400)), [0], [0]

    class Counted(io.BytesIO):
        def __enter__(self) -> "Counted":
            opened[0] += 1
            most[0] = max(most[0], opened[0])
            return self

        def __exit__(self, *_: object) -> None:
            opened[0] -= 1

    looking = [asyncio.create_task(inspect(lambda: Counted(content), LIMITS)) for _ in range(6)]
    await asyncio.sleep(0)
    looking[0].cancel()
    found = await asyncio.gather(*looking, return_exceptions=True)

    assert [isinstance(one, Picture) for one in found] == [False, True, True, True, True, True]
    assert most == [1]


def _as_camera_holds_it(upright: Image.Image, orientation: int) -> Image.Image:
    turned = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    return upright.transpose(turned[orientation]) if orientation in turned else upright


def _name(pixel: object) -> str:
    red, _, blue = pixel  # type: ignore[misc]
    return "red" if red > 200 and blue < 60 else "blue" if blue > 200 and red < 60 else "mixed"


def _png_bomb(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(bytes(1_000_000)))
        + chunk(b"IEND", b"")
    )
