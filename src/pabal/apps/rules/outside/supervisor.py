"""Starts one program and ends everything of it: when it is done, too slow, too large, or nobody asks for it any more.

A program of its own, so that it outlives the server by no more than the moment it takes to end what that started.
Standard input is the server: the first line says how long the order is that follows, any byte after that is a sign of
life, `s` a wish to stop, the end of it the end of the server. Standard output is the verdict: one word and its fact.

It is started for every run, so it imports nothing that is written in Python: json, contextlib, signal and typing would
make it more than twice as slow to start. The order has the form of marshal, between equal versions of Python.
"""

import _signal  # type: ignore[import-not-found]  # the part of signal that is written in C has no stub
import marshal
import os
import resource
import select
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TICK_MS = 100
# Counting a folder costs more than counting memory.
TICKS_BETWEEN_SIZES = 5
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36


def main() -> None:
    try:
        order, told = _read_order()
        if not order["is_enclosed"]:
            _prctl(PR_SET_CHILD_SUBREAPER, 1)
        verdict = "stopped" if b"s" in told else _watch(_start(order), order)
        _end_all()
    except Exception as error:  # noqa: BLE001 -- whatever it is, the server is told, and nothing of the program stays
        _end_all()
        verdict = f"broken {error!r}"
    try:  # noqa: SIM105 -- contextlib is one of those
        os.write(1, verdict.encode())
    except OSError:
        pass  # nobody is there to hear it


def _read_order() -> "tuple[dict[str, Any], bytes]":
    """The order, and what the server said right after it."""
    told = b""
    while b"\n" not in told:
        told += _read_more()
    size, _, told = told.partition(b"\n")
    while len(told) < int(size):
        told += _read_more()
    # It comes from the server, which may do whatever this process may.
    return marshal.loads(told[: int(size)]), told[int(size) :]  # noqa: S302 -- see above # nosec B302


def _read_more() -> bytes:
    return os.read(0, 1 << 16) or os._exit(0)


def _start(order: "dict[str, Any]") -> int:
    supervisor = os.getpid()
    child = os.fork()
    if child:
        for fd in order["fds"]:
            if fd >= 0:
                os.close(fd)
        return child
    try:
        _become_program(order, supervisor)
    finally:
        os._exit(127)


def _become_program(order: "dict[str, Any]", supervisor: int) -> None:
    os.setsid()
    _signal.signal(_signal.SIGTERM, _signal.SIG_DFL)
    _signal.signal(_signal.SIGPIPE, _signal.SIG_DFL)
    if not order["is_enclosed"]:
        _prctl(PR_SET_PDEATHSIG, _signal.SIGKILL)
        if os.getppid() != supervisor:
            return
    given, out, err, *kept = order["fds"]
    if given < 0:
        given = os.open(os.devnull, os.O_RDONLY)
    for place, fd in enumerate((given, out, err)):
        os.dup2(fd, place)
        os.close(fd)
    for fd in kept:
        os.set_inheritable(fd, True)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (order["file_bytes"], order["file_bytes"]))
    # Where memory is short on the whole machine, it goes before a server or a database.
    try:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
    except OSError:
        pass  # some containers forbid it
    os.chdir(order["cwd"])
    os.execve(order["command"][0], order["command"], order["environment"])  # noqa: S606 -- no shell # nosec B606


def _watch(child: int, order: "dict[str, Any]") -> str:
    begun = heard = time.monotonic()
    ended = os.pidfd_open(child)
    events = select.poll()
    events.register(0, select.POLLIN)
    events.register(ended, select.POLLIN)
    ticks = 0
    while True:
        ready = dict(events.poll(TICK_MS))
        now = time.monotonic()
        if 0 in ready:
            told = os.read(0, 4096)
            if not told or b"s" in told:
                return "stopped" if told else "server_gone"
            heard = now
        if ended in ready:
            return f"exit {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}"
        if now - heard > order["lease_seconds"]:
            return "lease"
        if now - begun > order["seconds"]:
            return "timeout"
        ticks += 1
        if order["memory_bytes"] and _memory() > order["memory_bytes"]:
            return "memory"
        is_counted = order["folder_bytes"] and ticks % TICKS_BETWEEN_SIZES == 0
        if is_counted and _folder_size(order["folder"]) > order["folder_bytes"]:
            return "folder"


def _end_all() -> None:
    """Stopped before they are killed, so that none starts another one between the list and the kill.

    Orphans come to a subreaper, so that whoever has no child left has no descendant left.
    """
    _signal.signal(_signal.SIGTERM, _signal.SIG_IGN)
    seen: set[tuple[int, str]] = set()
    while True:
        pids = _descendants()
        seen.update((pid, _birth(pid)) for pid in pids)
        for how in (_signal.SIGSTOP, _signal.SIGKILL):
            for pid in pids:
                try:
                    os.kill(pid, how)
                except ProcessLookupError:
                    continue
        if _reap() and not any(birth and _birth(pid) == birth for pid, birth in seen):
            return
        time.sleep(0.002)


def _reap() -> bool:
    """Whether no child is left."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return True
    return False


def _descendants() -> list[int]:
    found = _children(os.getpid())
    for pid in found:  # which grows while it is read
        found += _children(pid)
    return found


def _children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    return [int(child) for thread in threads for child in _read(f"/proc/{pid}/task/{thread}/children").split()]


def _birth(pid: int) -> str:
    """Empty for one that is gone, a zombie too: numbers are used again, births are not."""
    fields = _read(f"/proc/{pid}/stat").rpartition(")")[2].split()
    return "" if not fields or fields[0] in "ZX" else fields[19]


def _memory() -> int:
    """What belongs to the processes alone, and once the most that one of them shares."""
    own = shared = 0
    for pid in _descendants():
        pages = _read(f"/proc/{pid}/statm").split()
        if pages:
            resident, common = int(pages[1]), int(pages[2])
            own += resident - common
            shared = max(shared, common)
    return (own + shared) * resource.getpagesize()


def _read(path: str) -> str:
    """Empty for a process that has just ended."""
    try:
        with open(path) as file:
            return file.read()
    except OSError:
        return ""


def _folder_size(folder: str) -> int:
    total = 0
    folders = [folder]
    for one in folders:  # which grows while it is read
        try:
            with os.scandir(one) as entries:
                for entry in entries:
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
        except OSError:
            continue  # it has just been removed
    return total


def _prctl(option: int, value: int) -> None:
    """Only without bubblewrap, which does the same by itself: ctypes is as slow to import as Python is to start."""
    import ctypes  # noqa: PLC0415 -- see above

    if ctypes.CDLL(None).prctl(option, value, 0, 0, 0) != 0:
        raise OSError("prctl")


def _be_told_to_end(*_: object) -> None:
    raise InterruptedError("told to end")


if __name__ == "__main__":
    _signal.signal(_signal.SIGTERM, _be_told_to_end)
    main()
