"""Pictures are believed only after decoding. One at a time in this process, in a thread, with bounded memory."""

import asyncio
import io
import struct
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import BinaryIO

from PIL import Image, ImageFile, UnidentifiedImageError

from pabal.base.errors import PabalError
from pabal.platform.storage.model import (
    MEDIA_TYPES,
    FormatNotAccepted,
    NotAPicture,
    TooManyFrames,
    TooManyPixels,
    UploadLimits,
)

THUMBNAIL_SIDE = 320
THUMBNAIL_ENDING = ".webp"
THUMBNAIL_MEDIA_TYPE = "image/webp"
ALL_FRAMES = 10
_STRIP_PIXELS = 500_000
_ORIENTATION = 0x0112
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
# One thread, not a semaphore: a request that is cancelled leaves its decoding behind, and the next waits for it too.
_decoder = ThreadPoolExecutor(max_workers=1, thread_name_prefix="pictures")

Source = Callable[[], BinaryIO]


@dataclass(frozen=True, slots=True)
class Picture:
    """The thumbnail is WEBP, upright, and carries nothing of the camera's notes (place, moment, device)."""

    media_type: str
    width: int
    height: int
    frames: int
    thumbnail: bytes


async def inspect(source: Source, limits: UploadLimits) -> Picture:
    return await asyncio.get_running_loop().run_in_executor(_decoder, inspect_blocking, source, limits)


def inspect_blocking(source: Source, limits: UploadLimits) -> Picture:
    """`source` opens the upload anew each time it is called."""
    try:
        with source() as file:
            _open(file, limits).verify()
        with source() as file:
            return _decode(_open(file, limits), limits)
    except PabalError:
        raise
    except UnidentifiedImageError as error:
        raise NotAPicture(f"accepted are {', '.join(limits.formats)}") from error
    except Image.DecompressionBombError as error:
        raise TooManyPixels(f"at most {limits.max_pixels}") from error
    except Exception as error:  # a decoder fed damaged or hostile bytes may raise anything
        raise NotAPicture(f"{type(error).__name__}: {error}") from error


def _open(file: BinaryIO, limits: UploadLimits) -> ImageFile.ImageFile:
    """Only the head is read here, so a picture that is too large costs nothing."""
    image = Image.open(file, formats=list(MEDIA_TYPES))
    if _format(image) not in limits.formats:
        raise FormatNotAccepted(f"{_format(image)}; accepted are {', '.join(limits.formats)}")
    _check_pixels(image, limits)
    return image


def _format(image: ImageFile.ImageFile) -> str:
    # Phones put a second picture behind a JPEG (MPO); every other program shows the first.
    return "JPEG" if image.format == "MPO" else str(image.format)


def _check_pixels(image: ImageFile.ImageFile, limits: UploadLimits) -> int:
    pixels = image.width * image.height
    if pixels > limits.max_pixels:
        raise TooManyPixels(f"{image.width}×{image.height}, {pixels} pixels; at most {limits.max_pixels}")
    return pixels


def _decode(image: ImageFile.ImageFile, limits: UploadLimits) -> Picture:
    width, height = image.size
    orientation = _orientation(image)
    # A JPEG is read to its end, but unpacked only as large as the thumbnail needs it. Others ignore this.
    image.draft(None, (2 * THUMBNAIL_SIDE, 2 * THUMBNAIL_SIDE))
    image.load()
    thumbnail = _encode(_turn(_shrink(image), orientation))
    frames = 1 if _format(image) == "JPEG" else _walk_frames(image, limits)
    if orientation >= 5:
        width, height = height, width
    return Picture(MEDIA_TYPES[_format(image)], width, height, frames, thumbnail)


def _walk_frames(image: ImageFile.ImageFile, limits: UploadLimits) -> int:
    frames, pixels = 1, _check_pixels(image, limits)
    while True:
        try:
            image.seek(frames)
        except EOFError:
            return frames
        frames += 1
        if frames > limits.max_frames:
            raise TooManyFrames(f"at most {limits.max_frames}")
        # A later frame may claim a larger canvas.
        pixels += _check_pixels(image, limits)
        if pixels > ALL_FRAMES * limits.max_pixels:
            raise TooManyPixels(f"all frames together at most {ALL_FRAMES * limits.max_pixels}")
        image.load()


def _orientation(image: ImageFile.ImageFile) -> int:
    """Broken notes of a camera are no reason to refuse a good picture."""
    try:
        found = image.getexif().get(_ORIENTATION, 1)
    except (SyntaxError, ValueError, TypeError, KeyError, OSError, struct.error):
        return 1
    return found if found in _TURNS else 1


def _shrink(image: Image.Image) -> Image.Image:
    """Strip by strip: turning all of a large picture into another mode would hold it twice."""
    mode = "RGBA" if image.has_transparency_data else "RGB"
    factor = max(1, max(image.size) // (2 * THUMBNAIL_SIDE))
    rows = max(1, _STRIP_PIXELS // image.width // factor) * factor
    small = Image.new(mode, (-(-image.width // factor), -(-image.height // factor)))
    for top in range(0, image.height, rows):
        strip = image.crop((0, top, image.width, min(top + rows, image.height)))
        small.paste(_as_mode(strip, mode).reduce(factor), (0, top // factor))
    small.thumbnail((THUMBNAIL_SIDE, THUMBNAIL_SIDE), Image.Resampling.LANCZOS)
    return small


def _as_mode(strip: Image.Image, mode: str) -> Image.Image:
    if strip.mode.startswith("I"):  # 16 bits of grey: Pillow would cut off all above 255
        strip = strip.convert("I").point(lambda value: value * (1 / 257)).convert("L")
    return strip.convert(mode)


def _turn(image: Image.Image, orientation: int) -> Image.Image:
    return image.transpose(_TURNS[orientation]) if orientation in _TURNS else image


def _encode(image: Image.Image) -> bytes:
    into = io.BytesIO()
    image.save(into, "WEBP", quality=80)
    return into.getvalue()
