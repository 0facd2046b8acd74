"""Reads postmaster.pid, judges whether its process is really ours, and clears what a crash left behind."""

import os
import signal
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import psutil

from pabal.base.embedded.place import Place

_PROGRAMS = ("postgres", "postmaster")
_ORPHAN_SECONDS = 10


@dataclass(frozen=True)
class Postmaster:
    pid: int
    port: int
    socket_dir: Path
    is_ready: bool


def find_postmaster(place: Place) -> Postmaster | None:
    """None unless it lives."""
    lines = _pid_lines(place)
    pid = _pid(lines)
    if pid is None or not _is_ours(pid, place):
        return None
    lines += [""] * (8 - len(lines))  # while it starts, the file grows line by line
    port = int(lines[3]) if lines[3].isdigit() else 0
    return Postmaster(pid, port, Path(lines[4]), is_ready=lines[7].strip() == "ready")


def clear_remains(place: Place) -> None:
    """Only with the lock held and no living postmaster."""
    _end_orphans(place)
    pid = _pid(_pid_lines(place))
    # PostgreSQL itself sees that a process is gone, and then looks for leftover shared memory. It is fooled by a
    # zombie, by another process under the same number and by a file that a power failure left empty.
    if pid is None or psutil.pid_exists(pid):
        (place.data / "postmaster.pid").unlink(missing_ok=True)
    for left in place.socket_dir.glob(".s.PGSQL.*"):
        left.unlink(missing_ok=True)


def _pid_lines(place: Place) -> list[str]:
    try:
        return (place.data / "postmaster.pid").read_text(errors="replace").splitlines()
    except FileNotFoundError:
        return []


def _pid(lines: list[str]) -> int | None:
    return int(lines[0]) if lines and lines[0].isdigit() and int(lines[0]) > 0 else None


def _is_ours(pid: int, place: Place) -> bool:
    """In doubt yes: two servers on one folder destroy it, one that is taken for alive is only in the way."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE or process.name() not in _PROGRAMS:
            return False
        command = process.cmdline()
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True
    if command and command[0].startswith("postgres:"):
        return False  # a child of some server: the number was given away again
    return not _serves_elsewhere(command, place)


def _serves_elsewhere(command: list[str], place: Place) -> bool:
    folders = [Path(value) for option, value in pairwise(command) if option == "-D"]
    return any(folder.exists() and not os.path.samefile(folder, place.data) for folder in folders)


def _end_orphans(place: Place) -> None:
    """Busy backends of a killed postmaster hold its shared memory, and no new one starts while they do."""
    orphans = [process for process in psutil.process_iter() if _is_orphan(process, place)]
    for signal_number in (signal.SIGQUIT, signal.SIGKILL):
        for process in orphans:
            _send(process, signal_number)
        _, orphans = psutil.wait_procs(orphans, timeout=_ORPHAN_SECONDS)


def _is_orphan(process: psutil.Process, place: Place) -> bool:
    try:
        if process.name() not in _PROGRAMS or process.uids().real != place.uid:
            return False
        return " ".join(process.cmdline()).startswith(f"postgres: {place.name}: ")
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False


def _send(process: psutil.Process, signal_number: signal.Signals) -> None:
    try:
        process.send_signal(signal_number)
    except psutil.NoSuchProcess:
        return
