"""Small real videos, as an After Effects render leaves them: H.264 in MP4, above 100 KB, titled with the job's uid."""

import io
import random
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from zlib import crc32

import av

_RATE = 25
_BITS = 3_000_000
_BAR = 48
_NOISE_ROWS = 48


@dataclass(frozen=True)
class Film:
    width: int = 1920
    height: int = 1080
    seconds: float = 2.0
    bits_per_second: int = _BITS

    @property
    def frames(self) -> int:
        return max(1, round(self.seconds * _RATE))


def make_film(film: Film, *, composition: str, uid: str) -> bytes:
    """The picture's colour is the composition's. The title is the uid, so every job's file differs from all others."""
    return _retitle(_draw(film, crc32(composition.encode()) % 256), uid)


def make_short_film(film: Film, *, composition: str, uid: str) -> bytes:
    """A video that plays and is below 100 KB: one frame of it."""
    return make_film(replace(film, seconds=1 / _RATE, bits_per_second=200_000), composition=composition, uid=uid)


@lru_cache(maxsize=32)
def _draw(film: Film, hue: int) -> bytes:
    """Drawing takes a second of a processor and is the same for all jobs of a composition: it is done once."""
    made = io.BytesIO()
    with av.open(made, "w", format="mp4") as container:
        stream = container.add_stream("libx264", rate=_RATE, options={"preset": "ultrafast", "tune": "zerolatency"})
        stream.width, stream.height, stream.pix_fmt = film.width, film.height, "yuv420p"
        stream.bit_rate = film.bits_per_second
        stream.time_base = Fraction(1, _RATE)
        for number in range(film.frames):
            container.mux(stream.encode(_draw_frame(film, number, hue)))
        container.mux(stream.encode())
    return made.getvalue()


def _draw_frame(film: Film, number: int, hue: int) -> av.VideoFrame:
    """A plain ground, a bar that crosses the picture once, and a line of noise that the codec cannot make small."""
    frame = av.VideoFrame(film.width, film.height, "yuv420p")
    light, blue, red = frame.planes
    left = (film.width - _BAR) * number // film.frames
    row = bytearray(b"\x40" * light.line_size)
    row[left : left + _BAR] = b"\xd0" * _BAR
    noise = random.Random(number).randbytes(light.line_size * _NOISE_ROWS)
    light.update(bytes(row) * (film.height - _NOISE_ROWS) + noise)
    blue.update(bytes([hue]) * blue.buffer_size)
    red.update(bytes([255 - hue]) * red.buffer_size)
    frame.pts = number
    frame.time_base = Fraction(1, _RATE)
    return frame


def _retitle(film: bytes, title: str) -> bytes:
    """The same packets in a new file: no frame is encoded again."""
    made = io.BytesIO()
    with av.open(io.BytesIO(film), "r") as source, av.open(made, "w", format="mp4") as target:
        target.metadata["title"] = title
        video = source.streams.video[0]
        stream = target.add_stream_from_template(video)
        for packet in source.demux(video):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    return made.getvalue()
