"""The process whose children the programs of tests are (programs.py). It imports everything, then waits and forks."""

import array
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any

from pabal.base import killpoints
from pabal.base.settings import Settings, split_list
from pabal.cli.app import COMMANDS
from pabal.platform.commands.tree import Later
from pabal.platform.slice import load_slice

ROOT = Path(__file__).parents[2]
OTHERS = ("pabal.main", "pabal.web", "pabal.serving", "pabal.demo", "pabal.testing", "tests.support.work")


def import_everything() -> None:
    for name in OTHERS:
        import_module(name)
    for command in COMMANDS:
        load_tree(command)
    for one in (load_slice(name) for name in split_list(Settings.model_fields["apps"].default)):
        for module in filter(None, (one.api, one.pages)):
            import_module(module)
    for module in list(sys.modules.values()):
        getattr(module, "__name__", "")  # one that is imported lazily is loaded by this


def load_tree(command: Any) -> None:
    found = command.load() if isinstance(command, Later) else command
    for one in getattr(found, "commands", {}).values():
        load_tree(one)


def fork_until_asked_to_be_one(line: socket.socket) -> dict[str, Any]:
    """In this process it never returns; in each child it does, with what to be."""
    living: dict[int, socket.socket] = {}
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.set_wakeup_fd(wakes)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready = select.select([line.fileno(), woken], [], [])[0]
        if woken in ready:
            os.read(woken, 4096)
            tell_ends(living)
        if line.fileno() not in ready:
            continue
        said, descriptors = read_request(line)
        if not said:
            sys.exit()
        pid = os.fork()
        if pid == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            forget(line, living, woken, wakes)
            take_streams(descriptors)
            found: dict[str, Any] = json.loads(said)
            return found
        living[pid] = socket.socket(fileno=descriptors.pop())
        living[pid].send(array.array("i", [pid]))
        for descriptor in descriptors:
            os.close(descriptor)


def tell_ends(living: dict[int, socket.socket]) -> None:
    while living:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        with living.pop(pid) as told:
            told.send(array.array("i", [os.waitstatus_to_exitcode(status)]))


def read_request(line: socket.socket) -> tuple[bytes, list[int]]:
    """One line; its first byte brings the streams. Who asked waits for the pid before asking again."""
    said, descriptors, _, _ = socket.recv_fds(line, 1, 4)
    while said and not said.endswith(b"\n"):
        said += line.recv(2**16)
    return said, descriptors


def forget(line: socket.socket, living: dict[int, socket.socket], *descriptors: int) -> None:
    """What others wait for the end of must not stay open here."""
    for each in (line, *living.values()):
        each.close()
    for descriptor in descriptors:
        os.close(descriptor)


def take_streams(descriptors: list[int]) -> None:
    for number, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, number)
    for descriptor in descriptors:
        os.close(descriptor)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)


def become(cwd: str, env: dict[str, str], arguments: list[str]) -> None:
    """All that a process is given, and what ours decide about themselves when they are imported."""
    ours = {os.fspath(ROOT), *os.environ["PYTHONPATH"].split(os.pathsep)}
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.path[:] = [cwd, *env.get("PYTHONPATH", "").split(os.pathsep), *(one for one in sys.path if one not in ours)]
    sys.argv[1:] = arguments
    importlib.invalidate_caches()
    killpoints.arm(env.get("PABAL_KILL_POINT"))


if __name__ == "__main__":
    import_everything()
    gc.freeze()
    wanted = fork_until_asked_to_be_one(socket.socket(fileno=int(sys.argv[1])))
    become(wanted["cwd"], wanted["env"], wanted["arguments"])
    runpy.run_module(wanted["module"], run_name="__main__", alter_sys=True)
