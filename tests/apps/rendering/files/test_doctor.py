"""The path doctor tells what each side calls a path and what this server could really do there."""

import os
import threading
from pathlib import Path

import pytest

from pabal.apps.rendering.files.doctor import examine
from pabal.apps.rendering.files.paths import PathMap, PathVariable, read_variables


@pytest.fixture
def known(tmp_path: Path) -> PathMap:
    return PathMap((PathVariable("nas", str(tmp_path), "Z:/broadcast", r"\\NAS\broadcast"),))


async def test_a_folder_is_shown_as_each_side_calls_it_and_was_really_tried(known: PathMap, tmp_path: Path):
    (tmp_path / "out").mkdir()

    [seen] = await examine(["Z:/broadcast/out"], known)

    assert (seen.server, seen.worker, seen.unc) == (str(tmp_path / "out"), "Z:/broadcast/out", r"\\NAS\broadcast\out")
    assert (seen.exists, seen.is_folder, seen.readable, seen.writable) == (True, True, True, True)
    assert seen.free_bytes is not None
    assert seen.free_bytes > 0
    assert seen.problem is None
    assert os.listdir(tmp_path / "out") == []


async def test_a_file_is_read_and_its_folder_tried(known: PathMap, tmp_path: Path):
    (tmp_path / "a.aep").write_bytes(b"x")

    [seen] = await examine(["{nas}/a.aep"], known)

    assert (seen.exists, seen.is_folder, seen.readable, seen.writable) == (True, False, True, True)


async def test_what_is_missing_or_has_no_name_here_is_said(known: PathMap):
    missing, unmapped, outside = await examine(["{nas}/none/a.aep", "D:/else/x.aep", "{nas}/../x"], known)

    assert (missing.exists, missing.writable, missing.problem.code) == (False, False, "path_missing")  # type: ignore[union-attr]
    assert (unmapped.server, unmapped.worker, unmapped.problem.code) == (None, "D:/else/x.aep", "path_not_mapped")  # type: ignore[union-attr]
    assert outside.problem is not None
    assert outside.problem.code == "outside_folder"


@pytest.mark.skipif(
    not Path("/sys/kernel").is_dir(), reason="a folder that the kernel lets nobody write, root included"
)
async def test_a_folder_that_cannot_be_written_is_said():
    [seen] = await examine(["{sys}"], read_variables("sys = /sys/kernel | D:/sys"))

    assert (seen.exists, seen.readable, seen.writable) == (True, True, False)
    assert seen.problem is not None
    assert seen.problem.code == "path_read_only"


@pytest.mark.beside
async def test_a_share_that_hangs_keeps_no_other_waiting(
    known: PathMap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    hung, go_on = tmp_path / "hung", threading.Event()
    real = Path.is_dir

    def is_dir(path: Path) -> bool:
        return go_on.wait(30) if path == hung else real(path)

    monkeypatch.setattr(Path, "is_dir", is_dir)

    slow, quick = await examine(["{nas}/hung", "{nas}"], known, patience=2)

    go_on.set()
    assert (slow.exists, slow.problem.code) == (None, "nas_unavailable")  # type: ignore[union-attr]
    assert quick.problem is None
