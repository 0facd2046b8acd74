"""Runs the real command line as its own process, against a test's database; forked, see programs.py."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from pabal.platform.commands.tree import Later
from tests.support.programs import PIPE, Program, start

ROOT = Path(__file__).parents[2]
CEILING = 30.0


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def environment(**given: str) -> dict[str, str]:
    """Nothing of the developer's own settings, language or file comes in."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PABAL_", "LC_", "LANG"))}
    return {**kept, "PYTHONPATH": str(ROOT / "src"), "PABAL_CONFIG": "/nowhere/pabal.toml", "TZ": "UTC", **given}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "pabal.cli", *arguments]


@dataclass(frozen=True)
class Cli:
    """`cli("jobs", "list")` in a folder of its own."""

    folder: Path
    settings: dict[str, str]

    def __call__(self, *arguments: str, **settings: str) -> Ran:
        env = environment(**{**self.settings, **settings})
        with TemporaryFile("w+", encoding="utf-8") as out, TemporaryFile("w+", encoding="utf-8") as err:
            code = start("pabal.cli", *arguments, cwd=self.folder, env=env, stdout=out, stderr=err).wait(60)
            return Ran(code, _read(out), _read(err))

    def as_installed(self, *arguments: str, **settings: str) -> Ran:
        """By a Python that has imported nothing yet."""
        done = subprocess.run(
            command(*arguments),
            cwd=self.folder,
            env=environment(**{**self.settings, **settings}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def running(self, *arguments: str) -> Iterator["Running"]:
        """A server as a process; killed at the end if it still lives."""
        env = environment(**self.settings)
        process = start("pabal.cli", *arguments, cwd=self.folder, env=env, stdout=PIPE, stderr=PIPE)
        try:
            yield Running(process)
        finally:
            process.kill()
            process.communicate()


def leaves(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    """Every command below this one as it is typed, `jobs list`, and what it is; groups are walked, not told."""
    found = command.load() if isinstance(command, Later) else command
    if not hasattr(found, "commands"):
        yield path, found
        return
    for name, one in found.commands.items():
        yield from leaves(f"{path} {name}", one)


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


@dataclass
class Running:
    process: Program

    def wait_for_url(self) -> str:
        """The first line it prints when it is ready."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise AssertionError(f"not ready: {line} {self.process.communicate()}")
        return line[line.index("http://") :].strip()

    def stop(self, number: int = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(timeout=CEILING)
