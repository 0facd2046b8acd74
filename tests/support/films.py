"""Small real video files, made with av: what a renderer would leave, and what it must not."""

import os
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
from PIL import Image


@dataclass(frozen=True)
class Film:
    codec: str = "libx264"
    width: int = 320
    height: int = 180
    frames: int = 30
    rate: int = 30
    has_noise: bool = False
    is_streamable: bool = False


def make_film(path: Path, film: Film = Film()) -> Path:  # noqa: B008 -- it is frozen
    """Red at first, green in the middle, blue at last; with noise it does not become small."""
    options = {"movflags": "faststart"} if film.is_streamable else {}
    with av.open(str(path), "w", format="mp4", options=options) as container:
        stream = container.add_stream(film.codec, rate=film.rate)
        stream.width, stream.height, stream.pix_fmt = film.width, film.height, "yuv420p"
        stream.time_base = Fraction(1, film.rate)
        for number in range(film.frames):
            frame = av.VideoFrame.from_image(_draw(film, number))
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def make_sound(path: Path) -> Path:
    """An MP4 without a video stream."""
    with av.open(str(path), "w", format="mp4") as container:
        stream = container.add_stream("aac", rate=48_000)
        frame = av.AudioFrame(format="fltp", layout="mono", samples=1024)
        frame.sample_rate = 48_000
        for plane in frame.planes:
            plane.update(bytes(plane.buffer_size))
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def damage(path: Path) -> Path:
    """Every picture is noise, behind an index and headers that are in order."""
    content = path.read_bytes()
    start, end = content.index(b"mdat") + 4, content.rindex(b"moov") - 4
    path.write_bytes(content[:start] + os.urandom(end - start) + content[end:])
    return path


def cut(path: Path, part: float) -> Path:
    os.truncate(path, int(path.stat().st_size * part))
    return path


def _draw(film: Film, number: int) -> Image.Image:
    size = (film.width, film.height)
    if film.has_noise:
        return Image.frombytes("RGB", size, os.urandom(film.width * film.height * 3))
    colours = ((200, 0, 0), (0, 200, 0), (0, 0, 200))
    return Image.new("RGB", size, colours[min(2, number * 3 // film.frames)])
