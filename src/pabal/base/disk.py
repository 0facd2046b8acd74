"""A full disk, whoever notices it: the file store, a program that was started, or PostgreSQL."""

import errno
import re

from pabal.base.clock import elapsed
from pabal.base.errors import Unavailable
from pabal.base.telemetry import declare, emit

# A size limit of the process or the file system (EFBIG) leaves no more room than a full disk does.
_NUMBERS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
# What is left of the number once a library or a program has made a sentence of it.
_WORDS = re.compile(r"No space left on device|Disk quota exceeded|File too large")
# PostgreSQL's own state for it; it has none for a quota, and answers with one of the families of broken machinery.
_DISK_FULL, _BROKEN = "53100", ("58", "XX")
# The log may lie on the disk that is full.
TOLD_AGAIN_SECONDS = 60.0
_told_at: dict[str, float] = {}

declare("disk.filled", "Writes that found no room on the disk", labels=("where",), level=40)


class DiskFull(Unavailable, code="disk_full"):
    """There was no room left on the disk to keep this, so nothing of it was kept. Free some space there, or make the
    disk larger; then try again."""

    retry_after = 60


def is_full(error: BaseException | None) -> bool:
    """Whether this error, or one that caused it, says that there was no room."""
    while error is not None:
        state = getattr(error, "sqlstate", None) or ""
        if state == _DISK_FULL or (state.startswith(_BROKEN) and says_full(str(error))):
            return True
        if isinstance(error, OSError) and error.errno in _NUMBERS:
            return True
        error = error.__cause__
    return False


def says_full(text: str) -> bool:
    """For what a library or a program says; never for a text that may hold what people wrote."""
    return _WORDS.search(text) is not None


def name_full(where: str, said: object) -> DiskFull:
    """The error to raise in the place of this one. The log is told once a minute for each place."""
    last = _told_at.get(where)
    if last is None or elapsed() - last >= TOLD_AGAIN_SECONDS:
        _told_at[where] = elapsed()
        emit("disk.filled", where=where, error=str(said).partition("\n")[0])
    return DiskFull(where)
