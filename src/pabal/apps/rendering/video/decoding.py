"""The child's program: decodes one file under limits, and answers one line of JSON."""

import base64
import io
import json
import os
import resource
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import av
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream
from PIL import Image

from pabal.apps.rendering.video.errors import Unreadable, VideoUnreadable

# No demuxer that opens other files or addresses (playlists, concat scripts, SDP).
FORMATS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mxf,mpegts"
MOST_PIXELS = 8192 * 8192
READ_AT_ONCE = 1024 * 1024
# The most a decoder takes for each pixel of one picture: four channels of sixteen bits.
PIXEL_BYTES = 8
FRAME_WIDTH = 480
QUALITY = 80
LOOP_SECONDS, LOOP_RATE, LOOP_QUALITY = 2.0, 12, 60
NAMES = ("first", "middle", "last")


def main() -> None:
    _, task, path, memory_mb = sys.argv[1:5]
    # What a codec prints must not be taken for the answer.
    out = os.dup(1)
    os.dup2(2, 1)
    answer = _answer(task, Path(path), int(memory_mb))
    with os.fdopen(out, "wb") as writing:
        writing.write(json.dumps(answer).encode() + b"\n")


def _answer(task: str, path: Path, memory_mb: int) -> dict[str, Any]:
    try:
        limit_process(memory_mb)
        with _open_file(path) as file:
            return _TASKS[task](file)
    except VideoUnreadable as error:
        return _refuse(error.reason, error.fact)
    except (MemoryError, av.error.MemoryError):
        return _refuse(Unreadable.TOO_MUCH_MEMORY, f"{memory_mb} MB")
    except av.error.FFmpegError as error:
        return _refuse(Unreadable.NOT_A_VIDEO, str(error.strerror))


def _refuse(reason: Unreadable, fact: str) -> dict[str, Any]:
    return {"unreadable": reason, "fact": fact}


def limit_process(memory_mb: int) -> None:
    """On top of what Python and the codecs have mapped by now, which is nothing the file could have asked for."""
    wanted = {
        resource.RLIMIT_AS: _read_kb("VmSize") * 1024 + memory_mb * 1024 * 1024,
        resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_CORE: 0,
    }
    for limit, value in wanted.items():
        resource.setrlimit(limit, (value, value))


def _read_kb(name: str) -> int:
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)


def _open_file(path: Path) -> IO[bytes]:
    try:
        # A pipe in its place would never open, were it waited for.
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        raise VideoUnreadable(Unreadable.MISSING, f"{path.name}: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        raise VideoUnreadable(Unreadable.MISSING, f"{path.name} is not a file")
    return os.fdopen(opened, "rb", buffering=0)


def _inspect(file: IO[bytes]) -> dict[str, Any]:
    """Every packet is read and the first and last pictures are decoded: a header can promise what is not there."""
    size = os.fstat(file.fileno()).st_size
    with _open(file) as container:
        stream = _video_of(container)
        packets = _count_packets(container, stream)
        facts = {
            "size_bytes": size,
            "codec": stream.codec_context.name,
            "width": stream.codec_context.width,
            "height": stream.codec_context.height,
            "duration": _duration(container, stream),
            "frames": packets,
        }
        _decode_at(container, stream, 0.0)
        _decode_at(container, stream, 1.0)
    return facts


def _cut_frames(file: IO[bytes]) -> dict[str, Any]:
    with _open(file) as container:
        stream = _video_of(container)
        pictures = [_shrink(_decode_at(container, stream, part)) for part in (0.0, 0.5, 1.0)]
        moving = [_shrink(frame) for frame in _decode_loop(container, stream)]
    shown = {name: _encode(picture) for name, picture in zip(NAMES, pictures, strict=True)}
    return {**shown, "sheet": _encode(_side_by_side(pictures)), "loop": _encode_loop(moving or pictures[1:2])}


_TASKS: dict[str, Callable[[IO[bytes]], dict[str, Any]]] = {"inspect": _inspect, "frames": _cut_frames}


def _open(file: IO[bytes]) -> InputContainer:
    return av.open(file, "r", options={"format_whitelist": FORMATS}, buffer_size=READ_AT_ONCE)


def _video_of(container: InputContainer) -> VideoStream:
    if not container.streams.video:
        raise VideoUnreadable(Unreadable.NO_VIDEO_STREAM)
    stream = container.streams.video[0]
    context = stream.codec_context
    if context.width * context.height > MOST_PIXELS:
        raise VideoUnreadable(Unreadable.TOO_LARGE, f"{context.width}×{context.height}")
    # One thread: every further one would hold frames of its own.
    context.thread_count = 1
    return stream


def _count_packets(container: InputContainer, stream: VideoStream) -> int:
    count = 0
    try:
        for packet in container.demux(stream):
            if packet.is_corrupt:
                break
            count += packet.size > 0
    except av.error.EOFError:
        # Some demuxers say so, others only stop.
        pass
    if count < max(1, stream.frames):
        raise VideoUnreadable(Unreadable.CUT_OFF, f"{count} of {stream.frames} frames")
    return count


def _duration(container: InputContainer, stream: VideoStream) -> float:
    if stream.duration is not None and stream.time_base is not None:
        return float(stream.duration * stream.time_base)
    return (container.duration or 0) / av.time_base


def _decode_at(container: InputContainer, stream: VideoStream, part: float) -> VideoFrame:
    """The first picture shown at or after this part of the whole, or else the last there is."""
    wanted = _duration(container, stream) * part
    base = float(stream.time_base or 1)
    start = stream.start_time or 0
    container.seek(start + int(wanted / base), stream=stream, backward=True)
    found = None
    for frame in _decode(container, stream):
        found = frame
        if frame.pts is not None and (frame.pts - start) * base >= wanted and part < 1.0:
            break
    if found is None:
        raise VideoUnreadable(Unreadable.CUT_OFF, "no picture could be decoded")
    return found


def _decode_loop(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    """Pictures from the middle, so many a second whatever the film has; of a shorter film, all of it."""
    length, base, begin = _duration(container, stream), float(stream.time_base or 1), stream.start_time or 0
    start = max(0.0, (length - LOOP_SECONDS) / 2)
    container.seek(begin + int(start / base), stream=stream, backward=True)
    wanted = start
    for frame in _decode(container, stream):
        at = wanted if frame.pts is None else (frame.pts - begin) * base
        if at >= start + LOOP_SECONDS:
            return
        if at >= wanted:
            yield frame
            wanted = max(wanted + 1 / LOOP_RATE, at)


def _decode(container: InputContainer, stream: VideoStream) -> Iterator[VideoFrame]:
    """Also those a decoder still holds back at the end of the file."""
    try:
        for packet in container.demux(stream):
            yield from packet.decode()
    except av.error.InvalidDataError as error:
        # H.264 calls a picture it got no memory for damaged.
        context = stream.codec_context
        if _left_bytes() < context.width * context.height * PIXEL_BYTES:
            raise MemoryError from error
        raise


def _left_bytes() -> int:
    """Of the memory, when most of it was taken."""
    return resource.getrlimit(resource.RLIMIT_AS)[0] - _read_kb("VmPeak") * 1024


def _shrink(frame: VideoFrame) -> Image.Image:
    width = min(FRAME_WIDTH, frame.width)
    height = max(1, round(frame.height * width / frame.width))
    small = frame.reformat(width=width, height=height, format="rgb24")
    picture: Image.Image = small.to_image()  # type: ignore[no-untyped-call]  # PyAV gives it no types
    return picture


def _side_by_side(pictures: list[Image.Image]) -> Image.Image:
    sheet = Image.new("RGB", (sum(one.width for one in pictures), max(one.height for one in pictures)))
    left = 0
    for picture in pictures:
        sheet.paste(picture, (left, 0))
        left += picture.width
    return sheet


def _encode_loop(pictures: list[Image.Image]) -> str:
    """Plays by itself and begins again: a picture, not a film, so that nothing must be clicked."""
    into = io.BytesIO()
    first, *others = pictures
    first.save(
        into,
        "WEBP",
        save_all=True,
        append_images=others,
        duration=round(1000 / LOOP_RATE),
        loop=0,
        quality=LOOP_QUALITY,
        method=2,
    )
    return base64.b64encode(into.getvalue()).decode()


def _encode(picture: Image.Image) -> str:
    into = io.BytesIO()
    picture.save(into, "JPEG", quality=QUALITY)
    return base64.b64encode(into.getvalue()).decode()
