"""What it costs to ask a command for help, or to mistype it: CPU seconds of the whole process, for every command."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from bench.ground import Ground
from bench.result import Measured, Target
from pabal.cli.app import COMMANDS
from pabal.platform.commands.tree import Later


@dataclass(frozen=True)
class Sizes:
    """`commands` 0: all of them. Each line counts with the least of its tries."""

    commands: int = 0
    tries: int = 2


SMALL = Sizes(commands=1, tries=1)


async def measure(_ground: Ground, sizes: Sizes) -> Measured:
    chosen = COMMANDS[: sizes.commands or None]
    lines = [("--help",), *(line for command in chosen for line in list_lines((str(command.name),), command))]
    with TemporaryDirectory() as folder:
        rounds = [
            {"line": " ".join(line), "cpu_s": min(_run(line, Path(folder)) for _ in range(sizes.tries))}
            for line in lines
        ]
    spent = [one["cpu_s"] for one in rounds]
    fields = {"slowest_s": max(spent), "median_s": median(spent), "lines": float(len(lines))}
    notes = (
        "A line is `pabal … --help` or `pabal … --nonsense`, each a Python of its own; user and system time together.",
        "Compare only on a quiet machine: what shares a core with others needs more CPU time for the same.",
    )
    return Measured(fields, (Target("slowest_s", at_most=0.35),), rounds, asdict(sizes), notes)


def list_lines(path: tuple[str, ...], command: Any) -> Iterator[tuple[str, ...]]:
    yield (*path, "--help")
    yield (*path, "--nonsense")
    found = command.load() if isinstance(command, Later) else command
    for name, one in getattr(found, "commands", {}).items():
        yield from list_lines((*path, name), one)


def _run(line: tuple[str, ...], folder: Path) -> float:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PABAL_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "pabal.cli", *line],
        cwd=folder,
        env={**kept, "PABAL_DATA_DIR": str(folder)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == (2 if line[-1] == "--nonsense" else 0), (line, process.returncode)
    return used.ru_utime + used.ru_stime
