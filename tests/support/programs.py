"""Real processes of our programs without the second that each would spend importing.

`start("pabal.cli", "jobs", "list", …)` is `python -m pabal.cli jobs list`, forked from a process that has imported
everything and done nothing else (nursery.py): its own environment, folder, signals, exit code, and end of the
interpreter. What a fork cannot show, that the program imports what it needs, is shown by those that start `python`.
"""

import array
import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[2]
PIPE = subprocess.PIPE
DEVNULL = subprocess.DEVNULL


class Program:
    """What the tests use of subprocess.Popen."""

    def __init__(self, status: socket.socket, stdout: IO[str] | None, stderr: IO[str] | None) -> None:
        self.stdout, self.stderr = stdout, stderr
        self.returncode: int | None = None
        self._status = status
        self.pid = self._read_number()

    def poll(self) -> int | None:
        if self.returncode is None and select.select([self._status], [], [], 0)[0]:
            self._end()
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            self._end()
        assert self.returncode is not None
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def communicate(self) -> tuple[str, str]:
        """Of a program that has ended or is about to, and has said little."""
        told = [stream.read() if stream is not None else "" for stream in (self.stdout, self.stderr)]
        self.wait(30)
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        return told[0], told[1]

    def _end(self) -> None:
        self.returncode = self._read_number()
        self._status.close()

    def _read_number(self) -> int:
        found = array.array("i", self._status.recv(4))
        assert found, "the nursery died"
        return found[0]


def start(
    module: str,
    *arguments: str,
    cwd: Path,
    env: Mapping[str, str],
    stdout: int | IO[Any] | None = None,
    stderr: int | IO[Any] | None = None,
) -> Program:
    """Its stdin is empty; its stdout and stderr are ours unless said otherwise."""
    ours, theirs = socket.socketpair()
    out, read_out = _output(stdout, 1)
    err, read_err = _output(stderr, 2)
    said = json.dumps({"module": module, "arguments": arguments, "cwd": str(cwd), "env": dict(env)}).encode() + b"\n"
    with open(os.devnull) as nothing, theirs:
        socket.send_fds(_nursery(), [said[:1]], [nothing.fileno(), out, err, theirs.fileno()])
        _nursery().sendall(said[1:])
        for descriptor, reader in ((out, read_out), (err, read_err)):
            if reader is not None:
                os.close(descriptor)
        return Program(ours, read_out, read_err)


def _output(wanted: int | IO[Any] | None, usual: int) -> tuple[int, IO[str] | None]:
    if wanted is None:
        return usual, None
    if not isinstance(wanted, int):
        return wanted.fileno(), None
    assert wanted == PIPE
    reading, writing = os.pipe()
    return writing, open(reading, encoding="utf-8")


@cache
def _nursery() -> socket.socket:
    """One for each worker of a session; it ends when this end is closed."""
    ours, theirs = socket.socketpair()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PABAL_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.nursery", str(theirs.fileno())],
        cwd=ROOT,
        env={**kept, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
        pass_fds=[theirs.fileno()],
    )
    theirs.close()

    def close() -> None:
        ours.close()
        process.wait(30)

    atexit.register(close)
    return ours
