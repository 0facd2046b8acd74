"""What arrived at simulated bots, and the file it is written to before anything else is done with it."""

import json
import os
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pabal.apps.messaging.simulator.frames import Image


@dataclass(frozen=True)
class Received:
    """One packet with content. `seq` counts per bot and process; `raw_size` is the frame's length in bytes."""

    bot: str
    at: datetime
    seq: int
    room: str
    channel_id: str
    kind: str
    text: str
    images: tuple[Image, ...]
    media_wait_time: int
    raw_size: int
    server: str


class Log:
    """Lines of JSON, appended with one write each: what is in it survives the death of everybody, us included.

    Many bots and processes may share a file. `is_synced` asks the disk too: against a machine that dies.
    """

    def __init__(self, path: Path, *, is_synced: bool = False) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._is_synced = is_synced

    def write(self, received: Received) -> None:
        self._append({**asdict(received), "at": received.at.isoformat()})

    def write_ignored(self, bot: str, at: datetime, *, reason: str, detail: str) -> None:
        self._append({"bot": bot, "at": at.isoformat(), "ignored": reason, "detail": detail})

    def close(self) -> None:
        os.close(self._file)

    def _append(self, line: dict[str, Any]) -> None:
        os.write(self._file, (json.dumps(line, ensure_ascii=False) + "\n").encode())
        if self._is_synced:
            os.fsync(self._file)


def read_log(path: Path) -> list[Received]:
    """What arrived, in the order of the file; what was ignored is left out."""
    # Not splitlines(): a text may hold separators that only Python takes for line ends.
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    return [_read_line(line) for line in lines if "ignored" not in line]


def _read_line(line: dict[str, Any]) -> Received:
    images = tuple(Image(**image) for image in line["images"])
    return Received(**{**line, "at": datetime.fromisoformat(line["at"]), "images": images})
