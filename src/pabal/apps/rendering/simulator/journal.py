"""What the simulated nexrender saw and did, in order: a list in memory, and lines of JSON that outlive the process."""

import asyncio
import json
import os
import re
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pabal.base.clock import host_time
from pabal.base.errors import Invalid


class BadRenderJournal(Invalid, code="bad_render_journal"):
    """The file for what the simulated nexrender sees cannot be written."""


@dataclass(frozen=True)
class RequestReceived:
    """Written before anything is done about the request. `uid` is that of the path, else that of the body."""

    at: datetime
    number: int
    method: str
    path: str
    uid: str


@dataclass(frozen=True)
class RequestAnswered:
    """`status` None: the connection was closed without an answer."""

    at: datetime
    number: int
    status: int | None


@dataclass(frozen=True)
class JobPicked:
    """`worker` None: by a worker outside the simulator, over HTTP."""

    at: datetime
    uid: str
    worker: int | None


@dataclass(frozen=True)
class RenderBegan:
    """`render` counts the renders since `farm_started`, so that two of one uid can be told apart."""

    at: datetime
    render: int
    uid: str
    worker: int
    composition: str
    seconds: float


@dataclass(frozen=True)
class RenderEnded:
    """`state` is finished, error, abandoned (the server refused `started`) or killed. `is_reported`: the server has
    taken the worker's last word; it has not when the job was deleted meanwhile or the server was away."""

    at: datetime
    render: int
    uid: str
    worker: int
    state: str
    error: str
    is_reported: bool


@dataclass(frozen=True)
class CopyBegan:
    """From here on the file may exist, and is incomplete until `copy_ended`."""

    at: datetime
    render: int
    uid: str
    path: str


@dataclass(frozen=True)
class CopyEnded:
    at: datetime
    render: int
    uid: str
    path: str
    size: int
    sha256: str


@dataclass(frozen=True)
class FarmChange:
    """Something done to the farm on purpose: a restart, a fault that struck, a worker that was killed. The first of
    each process is `farm_started`: renders before it that have no end died with the process before."""

    at: datetime
    what: str
    uid: str = ""
    detail: str = ""


FarmEntry = (
    RequestReceived | RequestAnswered | JobPicked | RenderBegan | RenderEnded | CopyBegan | CopyEnded | FarmChange
)


class FarmJournal:
    """One write and one fsync per line, so that a line is whole or absent whatever dies, the machine included."""

    def __init__(self, path: Path | None = None, *, tell: Callable[[FarmEntry], None] | None = None) -> None:
        self.entries: list[FarmEntry] = []
        self._tell = tell
        self._file = None if path is None else _open(path)
        self._changed = asyncio.Event()

    def add(self, entry: FarmEntry) -> None:
        self.entries.append(entry)
        if self._file is not None:
            os.write(self._file, json.dumps(show_entry(entry), ensure_ascii=False).encode() + b"\n")
            os.fsync(self._file)
        if self._tell is not None:
            self._tell(entry)
        self.wake()

    def wake(self) -> None:
        """Those who wait look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def until(self, is_so: Callable[[], bool], seconds: float | None = 30.0) -> None:
        """Raises TimeoutError. None: for as long as it takes."""
        async with asyncio.timeout(seconds):
            while not is_so():
                await self._changed.wait()

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def show_entry(entry: FarmEntry) -> dict[str, Any]:
    """`kind` is the entry's class in small letters: RenderEnded is render_ended."""
    kind = re.sub(r"(?<!^)(?=[A-Z])", "_", type(entry).__name__).lower()
    return {"kind": kind, **asdict(entry), "at": entry.at.isoformat()}


def moment() -> datetime:
    """The other side has only its own clock, so a witness's moments are the machine's."""
    return datetime.fromtimestamp(host_time(), UTC)


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise BadRenderJournal(f"{path}: {error.strerror}") from error
