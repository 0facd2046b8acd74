"""What happened, as those to whom it happened saw it: one file per process, every line on disk before the next step."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pabal.base.clock import elapsed


@dataclass(frozen=True, slots=True)
class Line:
    """`at` is the steady clock, which all processes of one machine share."""

    who: str
    pid: int
    at: float
    what: str
    data: dict[str, Any]


class History:
    def __init__(self, folder: Path, who: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{who}-{os.getpid()}.jsonl"
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o644)

    def write(self, what: str, **data: Any) -> None:
        line = json.dumps({"at": elapsed(), "what": what, **data})
        os.write(self._file, f"{line}\n".encode())
        os.fdatasync(self._file)


def read(folder: Path) -> list[Line]:
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in _read_file(path)]
    return sorted(lines, key=lambda line: line.at)


def _read_file(path: Path) -> Iterator[Line]:
    who, _, pid = path.stem.rpartition("-")
    for text in path.read_text(encoding="utf-8").splitlines(keepends=True):
        # A process killed in the middle of its last line had not yet gone on to do what the line says.
        if text.endswith("\n"):
            data = json.loads(text)
            yield Line(who, int(pid), data.pop("at"), data.pop("what"), data)
