"""What a rendered file is: only what could be decoded counts, and whatever a file does, it does to a child process."""

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest

from pabal.apps.rendering.video import child
from pabal.apps.rendering.video.errors import Unreadable, VideoUnreadable
from pabal.apps.rendering.video.inspecting import VideoFacts, inspect, judge_output
from tests.support.embedded import has_ended
from tests.support.films import Film, cut, damage, make_film, make_sound
from tests.support.programs import PIPE, start
from tests.support.servers import ROOT, until

# As a codec that never comes back.
HANGS = "import signal; signal.pause()  # instead of pabal.apps.rendering.video.decoding"
GOOD = VideoFacts(size_bytes=102_401, codec="h264", width=1920, height=1080, duration=10.02, frames=300)


@dataclass(frozen=True)
class Wanted:
    width: int = 1920
    height: int = 1080
    codec: str = "h264"
    duration_seconds: float | None = None
    duration_tolerance: float | None = None


async def refuse(path: Path, *, seconds: float = 30, memory_mb: int = 256) -> Unreadable:
    with pytest.raises(VideoUnreadable) as refused:
        await inspect(path, seconds=seconds, memory_mb=memory_mb)
    return refused.value.reason


@pytest.mark.req("B-54")
@pytest.mark.parametrize(("codec", "name"), [("libx264", "h264"), ("mpeg4", "mpeg4")])
async def test_codec_size_and_duration_are_read(tmp_path: Path, codec: str, name: str):
    film = make_film(tmp_path / "film.mp4", Film(codec, width=640, height=360, frames=45))

    facts = await inspect(film, seconds=30, memory_mb=256)

    assert facts == VideoFacts(film.stat().st_size, name, 640, 360, pytest.approx(1.5), 45)


@pytest.mark.req("B-54")
async def test_a_file_without_a_video_stream_is_refused(tmp_path: Path):
    assert await refuse(make_sound(tmp_path / "sound.mp4")) is Unreadable.NO_VIDEO_STREAM


@pytest.mark.req("B-52")
async def test_a_file_that_is_not_there_is_refused(tmp_path: Path):
    assert await refuse(tmp_path / "nothing.mp4") is Unreadable.MISSING
    assert await refuse(tmp_path) is Unreadable.MISSING


async def test_a_pipe_in_its_place_keeps_nobody_waiting(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.mp4")

    assert await refuse(tmp_path / "pipe.mp4") is Unreadable.MISSING


@pytest.mark.parametrize("content", [b"", b"garbage" * 20_000, b"\0" * 200_000, b"#EXTM3U\nfile:///etc/passwd\n"])
async def test_what_is_no_video_is_refused(tmp_path: Path, content: bytes):
    path = tmp_path / "film.mp4"
    path.write_bytes(content)

    assert await refuse(path) is Unreadable.NOT_A_VIDEO


async def test_a_script_that_names_other_files_is_not_followed(tmp_path: Path):
    film = make_film(tmp_path / "film.mp4")
    script = tmp_path / "script.mp4"
    script.write_text(f"ffconcat version 1.0\nfile '{film.name}'\n")

    assert await refuse(script) is Unreadable.NOT_A_VIDEO


async def test_a_file_cut_in_the_middle_is_refused_whether_its_index_was_written_or_not(tmp_path: Path):
    unindexed = cut(make_film(tmp_path / "unindexed.mp4", Film(has_noise=True)), 0.5)
    indexed = cut(make_film(tmp_path / "indexed.mp4", Film(has_noise=True, is_streamable=True)), 0.5)

    assert await refuse(unindexed) is Unreadable.NOT_A_VIDEO
    assert await refuse(indexed) is Unreadable.CUT_OFF


async def test_damaged_pictures_are_not_blamed_on_the_memory(tmp_path: Path):
    film = damage(make_film(tmp_path / "film.mp4", Film(has_noise=True)))

    assert await refuse(film, memory_mb=40) is Unreadable.NOT_A_VIDEO


async def test_a_last_frame_that_is_cut_short_is_noticed(tmp_path: Path):
    film = make_film(tmp_path / "film.mp4", Film(has_noise=True, is_streamable=True))
    os.truncate(film, film.stat().st_size - 100)

    assert await refuse(film) is Unreadable.CUT_OFF


async def test_one_that_takes_too_long_is_given_up_and_its_process_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(child, "PROGRAM", HANGS)

    async with asyncio.timeout(30):
        assert await refuse(tmp_path / "film.mp4", seconds=0.5) is Unreadable.TOO_SLOW
    assert children_of(os.getpid()) == []


async def test_one_that_wants_too_much_memory_is_refused(tmp_path: Path):
    film = make_film(tmp_path / "film.mp4", Film(width=3840, height=2160, frames=2))

    assert await refuse(film, memory_mb=20) is Unreadable.TOO_MUCH_MEMORY


@pytest.mark.parametrize("end", ["os.kill(os.getpid(), signal.SIGSEGV)", "os._exit(3)", "print('x' * 9_000_000)"])
async def test_a_crash_hurts_only_the_child(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str):
    monkeypatch.setattr(child, "PROGRAM", f"import os, signal; {end}")

    assert await refuse(tmp_path / "film.mp4") is Unreadable.CRASHED


async def test_the_child_learns_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PABAL_SECRET", "hush")
    monkeypatch.setattr(child, "PROGRAM", HANGS)
    asking = asyncio.create_task(refuse(tmp_path / "film.mp4"))
    await until(lambda: children_of(os.getpid()))
    [pid] = children_of(os.getpid())

    learned = psutil.Process(pid).environ()
    asking.cancel()
    await asyncio.wait([asking])

    assert "PYTHONPATH" in learned
    assert "hush" not in learned.values()


def test_the_child_may_write_no_file(tmp_path: Path):
    program = "import sys; from pabal.apps.rendering.video.decoding import limit_process; limit_process(64)\n"
    writes = "open(sys.argv[1], 'wb', buffering=0).write(b'x')"

    command = [sys.executable, "-c", program + writes, str(tmp_path / "trace")]
    ended = subprocess.run(command, check=False, stderr=subprocess.PIPE, text=True)

    assert "File too large" in ended.stderr
    assert (tmp_path / "trace").read_bytes() == b""


async def test_a_caller_who_goes_away_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(child, "PROGRAM", HANGS)
    asking = asyncio.create_task(inspect(tmp_path / "film.mp4", seconds=30, memory_mb=256))
    await until(lambda: children_of(os.getpid()))

    asking.cancel()
    await asyncio.wait([asking])

    assert asking.cancelled()
    assert children_of(os.getpid()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's part is Linux")
@pytest.mark.beside
async def test_the_child_dies_with_its_server_even_by_kill_9(tmp_path: Path):
    film = make_film(tmp_path / "film.mp4")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    parent = start("tests.support.film_parent", str(film), cwd=ROOT, env=environment, stdout=PIPE)
    stopped = psutil.Process(await stop_a_child_of(parent.pid))

    parent.kill()
    parent.communicate()

    try:
        await until(lambda: has_ended(stopped))
    finally:
        # One that survived is stopped, and would stay for ever.
        with suppress(psutil.NoSuchProcess):
            stopped.kill()


@pytest.mark.req("B-53")
@pytest.mark.parametrize(("size", "codes"), [(102_400, ["output_too_small"]), (102_401, [])])
def test_an_output_must_be_larger_than_100_kb(size: int, codes: list[str]):
    assert [one.code for one in judge_output(replace(GOOD, size_bytes=size), Wanted())] == codes


@pytest.mark.req("B-53")
async def test_a_real_file_of_48_kb_is_a_video_but_too_small(tmp_path: Path):
    film = make_film(tmp_path / "film.mp4", Film(width=1920, height=1080, frames=3))
    assert film.stat().st_size < 48 * 1024
    with film.open("ab") as file:
        file.write(bytes(48 * 1024 - film.stat().st_size))

    facts = await inspect(film, seconds=30, memory_mb=256)

    assert facts.size_bytes == 48 * 1024
    assert [one.code for one in judge_output(facts, Wanted())] == ["output_too_small"]


@pytest.mark.req("B-54", "B-55")
def test_everything_that_differs_from_the_composition_is_said_at_once():
    wrong = VideoFacts(size_bytes=9, codec="mpeg4", width=1280, height=720, duration=8.0, frames=240)

    found = judge_output(wrong, Wanted(duration_seconds=10, duration_tolerance=0.5))

    assert {one.code for one in found} == {"output_too_small", "output_codec", "output_resolution", "output_duration"}
    assert all(english and korean for english, korean in (one.text for one in found))


@pytest.mark.req("B-54", "B-55")
def test_the_size_of_the_picture_is_the_compositions():
    small = replace(GOOD, width=1280, height=720)

    assert [one.code for one in judge_output(small, Wanted())] == ["output_resolution"]
    assert judge_output(small, Wanted(1280, 720)) == []
    assert [one.code for one in judge_output(replace(GOOD, height=1088), Wanted())] == ["output_resolution"]


@pytest.mark.parametrize("wanted", [Wanted(), Wanted(duration_seconds=60), Wanted(duration_tolerance=0.0)])
def test_a_duration_is_judged_only_where_a_composition_gives_both_numbers(wanted: Wanted):
    assert judge_output(GOOD, wanted) == []


def children_of(parent: int) -> list[int]:
    return [found.pid for found in _ours(parent)]


def _ours(parent: int) -> Iterator[psutil.Process]:
    for found in psutil.Process(parent).children():
        try:
            if "pabal.apps.rendering.video.decoding" in " ".join(found.cmdline()):
                yield found
        except psutil.Error:
            continue


async def stop_a_child_of(parent: int) -> int:
    """One that has begun to load its codecs. The parent asks again and again, so sooner or later one is caught."""
    caught: list[int] = []

    def has_stopped_one() -> bool:
        for found in _ours(parent):
            try:
                found.suspend()
                if "libavcodec" in Path(f"/proc/{found.pid}/maps").read_text():
                    caught.append(found.pid)
                    return True
                found.resume()
            except (psutil.Error, OSError):
                continue
        return False

    await until(has_stopped_one)
    return caught[0]
