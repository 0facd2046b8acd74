"""A large render to another folder, hashed and read back: our time by that of cp, sync and sha256sum of both files."""

import asyncio
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.ground import Ground, folder
from bench.messaging_ground import read_memory
from bench.result import Measured, Target, middle_ratio
from pabal.apps.rendering.files.copying import copy_verified

MB = 1024 * 1024


@dataclass(frozen=True)
class Sizes:
    bytes: int = 1_000_000_000
    rounds: int = 3


SMALL = Sizes(bytes=20_000_000, rounds=1)


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    place = Path(tempfile.mkdtemp(prefix="render_copy_", dir=folder()))
    try:
        source = _make_source(place, sizes.bytes)
        rounds = [await _round(source, place / "nas") for _ in range(sizes.rounds)]
    finally:
        shutil.rmtree(place)
    fields = {
        "of_cp": middle_ratio(rounds, "ours_s", "cp_s"),
        "of_cp_quick_hash": middle_ratio(rounds, "ours_s", "cp_quick_hash_s"),
        "peak_mb": max(one["peak_mb"] for one in rounds),
    }
    targets = (Target("of_cp", at_most=1.3), Target("peak_mb", at_most=64))
    notes = (
        "Both sides find the source in the page cache and are done when the copy is on the disk. Ours reads the copy "
        "back from the disk, sha256sum from the page cache.",
        "sha256sum of some systems does not use the processor's instructions for it; the quick hash is cp and sync "
        "with both files hashed by OpenSSL, one after the other.",
        "The peak is the most this process had resident during a copy, above what it had before.",
    )
    return Measured(fields, targets, rounds, asdict(sizes), notes)


def _make_source(place: Path, size: int) -> Path:
    source = place / "job_1.mp4"
    with source.open("wb") as file:
        for _ in range(size // 1_000_000):
            file.write(os.urandom(1_000_000))
        os.fsync(file.fileno())
    return source


async def _round(source: Path, nas: Path) -> dict[str, float]:
    nas.mkdir(exist_ok=True)
    target = nas / "film_1.mp4"
    sums = ["sha256sum", str(source), str(target)]
    cp_s = await _time(lambda: asyncio.to_thread(_cp, source, target))
    sums_s = await _time(lambda: asyncio.to_thread(subprocess.run, sums, check=True, stdout=subprocess.DEVNULL))
    quick_s = await _time(lambda: asyncio.to_thread(_hash_both, source, target))
    target.unlink()
    idle = read_memory(os.getpid(), "VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    ours_s = await _time(lambda: copy_verified(source, target, root=nas))
    peak = read_memory(os.getpid(), "VmHWM")
    target.unlink()
    return {
        "ours_s": ours_s,
        "cp_s": cp_s + sums_s,
        "cp_quick_hash_s": cp_s + quick_s,
        "peak_mb": (peak - idle) / MB,
    }


def _cp(source: Path, target: Path) -> None:
    subprocess.run(["cp", str(source), str(target)], check=True)
    # of this file alone, as ours does: the whole system's would wait for what others write
    subprocess.run(["sync", str(target)], check=True)


def _hash_both(*paths: Path) -> None:
    for path in paths:
        with path.open("rb") as file:
            hashlib.file_digest(file, "sha256")


async def _time(act: Callable[[], Awaitable[object]]) -> float:
    began = time.monotonic()
    await act()
    return time.monotonic() - began
