"""Removes what runs left in the cache: scratch folders that nobody finished, exports that nobody used lately."""

import shutil
import tempfile
from collections.abc import Collection
from datetime import timedelta
from pathlib import Path

KEPT_EXPORTS = 50
YOUNG = timedelta(hours=1)


def tidy_cache(
    cache: Path, *, running: Collection[str], kept_exports: int = KEPT_EXPORTS, young: timedelta = YOUNG
) -> int:
    """How many folders were removed. `running` are runs of all servers that share this folder."""
    if not cache.is_dir():
        return 0
    before = _read_disk_clock(cache) - young.total_seconds()
    exports = sorted(_list(cache / "exports"), key=lambda folder: folder.stat().st_mtime, reverse=True)
    scratch = [folder for folder in _list(cache / "scratch") if folder.name not in running]
    old = [folder for folder in (*exports[kept_exports:], *scratch) if folder.stat().st_mtime < before]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    return len(old)


def _list(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _read_disk_clock(cache: Path) -> float:
    """What the disk would write down now: its own times are compared with nothing else."""
    with tempfile.NamedTemporaryFile(dir=cache) as file:
        return Path(file.name).stat().st_mtime
