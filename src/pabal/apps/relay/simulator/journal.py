"""What a simulator saw, in order: a list in memory, and lines of JSON in a file that outlive the process."""

import asyncio
import json
import os
import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from pabal.base.clock import host_time
from pabal.base.errors import Invalid


class BadJournalFile(Invalid, code="bad_journal_file"):
    """The file for what the simulator sees cannot be written."""


class JournalEntry(Protocol):
    """A frozen dataclass with the moment it was seen."""

    @property
    def at(self) -> datetime: ...


E = TypeVar("E", bound=JournalEntry)


class Journal(Generic[E]):
    """One write per line, so that a line is whole or absent whoever dies. Several processes may share a file."""

    def __init__(self, path: Path | None = None, *, tell: Callable[[E], None] | None = None) -> None:
        self.entries: list[E] = []
        self._tell = tell
        self._file = None if path is None else _open(path)
        self._changed = asyncio.Event()

    def add(self, entry: E) -> None:
        self.entries.append(entry)
        if self._file is not None:
            os.write(self._file, json.dumps(show_entry(entry), ensure_ascii=False).encode() + b"\n")
        if self._tell is not None:
            self._tell(entry)
        self.wake()

    def wake(self) -> None:
        """Those who wait look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, is_so: Callable[[], bool], seconds: float | None) -> None:
        """Raises TimeoutError. None: for as long as it takes."""
        async with asyncio.timeout(seconds):
            while not is_so():
                await self._changed.wait()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def show_entry(entry: Any) -> dict[str, Any]:
    """`kind` is the entry's class in small letters: CallbackUse is callback_use."""
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(entry).__name__).lower()
    return {"kind": kind, **asdict(entry), "at": entry.at.isoformat()}


def moment() -> datetime:
    """The other side has only its own clock, so a witness's moments are the machine's."""
    return datetime.fromtimestamp(host_time(), UTC)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise BadJournalFile(f"{path}: {error.strerror}") from error
