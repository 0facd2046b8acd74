"""A render comes to the NAS whole or not at all, whatever the NAS does meanwhile."""

import asyncio
import hashlib
import os
import shutil
import threading
from pathlib import Path

import pytest

from pabal.apps.rendering.files.copying import Copied, copy_verified
from pabal.apps.rendering.files.errors import (
    CopyMismatch,
    NasFull,
    NasReadOnly,
    NasUnavailable,
    SourceMissing,
    SourceUnreadable,
)
from tests.support.disk import cramped
from tests.support.servers import until

CHUNK = 4096
SIZE = 25 * CHUNK + 17


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "job_7.mp4"
    path.write_bytes(os.urandom(SIZE))
    path.chmod(0o640)
    os.utime(path, ns=(1_700_000_000_000_000_000, 1_700_000_001_234_567_000))
    return path


@pytest.fixture
def nas(tmp_path: Path) -> Path:
    (tmp_path / "nas").mkdir()
    return tmp_path / "nas"


def files_below(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.req("B-59", "B-60", "B-69")
async def test_a_copy_is_whole_keeps_its_times_and_mode_and_makes_its_folder(source: Path, nas: Path):
    target = nas / "output" / "2026-07-03" / "칩_카운트_7.mp4"

    copied = await copy_verified(source, target, root=nas, chunk=CHUNK)

    assert target.read_bytes() == source.read_bytes()
    assert copied == Copied(SIZE, hashlib.sha256(source.read_bytes()).hexdigest())
    assert target.stat().st_mtime_ns == source.stat().st_mtime_ns
    assert target.stat().st_mode == source.stat().st_mode
    assert files_below(nas) == ["output/2026-07-03/칩_카운트_7.mp4"]


@pytest.mark.parametrize("size", [0, 1, CHUNK, 2 * CHUNK])
async def test_a_file_of_any_size_is_copied(source: Path, nas: Path, size: int):
    source.write_bytes(os.urandom(size))

    await copy_verified(source, nas / "a.mp4", chunk=CHUNK)

    assert (nas / "a.mp4").read_bytes() == source.read_bytes()


async def test_an_earlier_file_is_replaced_in_one_step(source: Path, nas: Path, monkeypatch: pytest.MonkeyPatch):
    (nas / "a.mp4").write_bytes(b"yesterday")
    seen: list[bytes] = []
    when_synced(monkeypatch, lambda: seen.append((nas / "a.mp4").read_bytes()))

    await copy_verified(source, nas / "a.mp4", root=nas, chunk=CHUNK)

    assert seen == [b"yesterday"]
    assert (nas / "a.mp4").read_bytes() == source.read_bytes()


async def test_a_copy_that_failed_leaves_the_earlier_file(source: Path, nas: Path, monkeypatch: pytest.MonkeyPatch):
    (nas / "a.mp4").write_bytes(b"yesterday")
    spoil_when_synced(monkeypatch, nas, "other")

    with pytest.raises(CopyMismatch):
        await copy_verified(source, nas / "a.mp4", root=nas, chunk=CHUNK)

    assert files_below(nas) == ["a.mp4"]
    assert (nas / "a.mp4").read_bytes() == b"yesterday"


async def test_progress_counts_what_was_written_and_what_was_read_back(source: Path, nas: Path):
    told: list[tuple[int, int]] = []

    await copy_verified(source, nas / "a.mp4", chunk=CHUNK, progress=lambda *both: told.append(both))

    assert told[-1] == (2 * SIZE, 2 * SIZE)
    assert told == sorted(told)


@pytest.mark.req("B-60")
@pytest.mark.parametrize("damage", ["other", "shorter", "longer"])
async def test_what_the_nas_changed_is_noticed_and_nothing_is_kept(
    source: Path, nas: Path, damage: str, monkeypatch: pytest.MonkeyPatch
):
    spoil_when_synced(monkeypatch, nas, damage)

    with pytest.raises(CopyMismatch):
        await copy_verified(source, nas / "a.mp4", root=nas, chunk=CHUNK)

    assert files_below(nas) == []


async def test_a_source_that_is_still_written_is_noticed(source: Path, nas: Path, monkeypatch: pytest.MonkeyPatch):
    when_synced(monkeypatch, lambda: source.write_bytes(b"late"))

    with pytest.raises(CopyMismatch):
        await copy_verified(source, nas / "a.mp4", root=nas, chunk=CHUNK)

    assert files_below(nas) == []


@pytest.mark.req("B-69")
async def test_a_nas_that_is_not_there_is_never_made(source: Path, tmp_path: Path):
    gone = tmp_path / "not mounted"

    with pytest.raises(NasUnavailable):
        await copy_verified(source, gone / "day" / "a.mp4", root=gone)
    with pytest.raises(NasUnavailable):
        await copy_verified(source, gone / "day" / "a.mp4")

    assert not gone.exists()


async def test_a_nas_that_disappears_midway_is_said_by_name(
    source: Path, nas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    when_synced(monkeypatch, lambda: nas.rename(tmp_path / "away"))

    with pytest.raises(NasUnavailable):
        await copy_verified(source, nas / "a.mp4", root=nas, chunk=CHUNK)

    assert not nas.exists()
    (tmp_path / "away").rename(nas)
    await copy_verified(source, nas / "a.mp4", root=nas, chunk=CHUNK)
    # what the first one could not take away any more is gone too
    assert files_below(nas) == ["a.mp4"]


async def test_a_full_nas_is_said_by_name_and_left_clean(source: Path, nas: Path):
    with cramped(10 * CHUNK), pytest.raises(NasFull):
        await copy_verified(source, nas / "a.mp4", root=nas, chunk=CHUNK)

    assert files_below(nas) == []


@pytest.mark.skipif(
    not Path("/sys/kernel").is_dir(), reason="a folder that the kernel lets nobody write, root included"
)
async def test_a_nas_that_cannot_be_written_is_said_by_name(source: Path):
    with pytest.raises(NasReadOnly):
        await copy_verified(source, Path("/sys/kernel/a.mp4"), root=Path("/sys/kernel"))


async def test_a_source_that_is_not_there_or_no_file_is_said_by_name(tmp_path: Path, nas: Path):
    os.mkfifo(tmp_path / "pipe")

    for path in (tmp_path / "nothing.mp4", tmp_path, tmp_path / "pipe"):
        with pytest.raises(SourceMissing):
            await copy_verified(path, nas / "a.mp4", root=nas)
    with pytest.raises(SourceUnreadable):
        await copy_verified(tmp_path / ("x" * 300), nas / "a.mp4", root=nas)

    assert files_below(nas) == []


async def test_a_cancelled_copy_has_ended_and_left_nothing(source: Path, nas: Path, monkeypatch: pytest.MonkeyPatch):
    reached, go_on = threading.Event(), threading.Event()
    when_synced(monkeypatch, lambda: (reached.set(), go_on.wait(30)))
    copying = asyncio.create_task(copy_verified(source, nas / "a.mp4", root=nas, chunk=CHUNK))
    await until(reached.is_set)

    copying.cancel()
    go_on.set()
    await asyncio.wait([copying])

    assert copying.cancelled()
    await until(lambda: files_below(nas) == [])


async def test_a_nas_that_hangs_is_given_up_and_the_loop_goes_on(
    source: Path, nas: Path, monkeypatch: pytest.MonkeyPatch
):
    go_on = threading.Event()
    when_synced(monkeypatch, lambda: go_on.wait(30))

    with pytest.raises(NasUnavailable, match="no answer"):
        await copy_verified(source, nas / "a.mp4", root=nas, chunk=CHUNK, stall_seconds=0.05)

    go_on.set()
    await until(lambda: files_below(nas) == [])


async def test_what_a_killed_copy_left_is_removed_by_the_next_and_nothing_else(
    source: Path, nas: Path, monkeypatch: pytest.MonkeyPatch
):
    parts: list[str] = []
    for name in ("a.mp4", "b.mp4"):
        when_synced(monkeypatch, lambda: parts.extend(path.name for path in nas.glob("*.pabal-part")))
        await copy_verified(source, nas / name, root=nas, chunk=CHUNK)
    _, others = parts
    for name in parts:
        shutil.copy(source, nas / name)

    await copy_verified(source, nas / "a.mp4", root=nas, chunk=CHUNK)

    assert files_below(nas) == sorted([others, "a.mp4", "b.mp4"])


def spoil_when_synced(monkeypatch: pytest.MonkeyPatch, nas: Path, damage: str) -> None:
    """As a NAS that loses or changes what it has said it kept."""

    def spoil() -> None:
        [part] = nas.glob(".*.pabal-part")
        content = part.read_bytes()
        changed = {"other": content[:-1] + bytes([content[-1] ^ 1]), "shorter": content[:-1], "longer": content + b"\0"}
        part.write_bytes(changed[damage])

    when_synced(monkeypatch, spoil)


def when_synced(monkeypatch: pytest.MonkeyPatch, act: object) -> None:
    """Runs in the copying thread, once, when the system is first asked to keep the file."""
    sync, acted = os.fsync, threading.Event()

    def fsync(opened: int) -> None:
        sync(opened)
        if not acted.is_set():
            acted.set()
            act()  # type: ignore[operator]

    monkeypatch.setattr(os, "fsync", fsync)
