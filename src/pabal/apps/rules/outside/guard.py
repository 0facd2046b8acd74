"""Stands between the server and a program it started, as a process of its own that imports nothing of ours.

Ends the program and everything it left behind, also what moved to a session of its own: when the program ends, when
the server says so, and when the server is killed. `python -I -S guard.py <fd> program …`; the pipe behind the number
is the server's word: while it is open, the program may run.
"""

import ctypes
import os
import resource
import select
import signal
import sys

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
# what the shell answers for a program that is not there
NOT_STARTED = 127
LARGEST_FILE = 64 << 20


def main() -> None:
    line = int(sys.argv[1])
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    ended, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    program = _start(sys.argv[2:], line)
    status = _wait(program, line, ended)
    _end_all()
    os._exit(_code(status))


def _start(argv: list[str], line: int) -> int:
    here = os.getpid()
    program = os.fork()
    if program:
        # the other end of these is the server's; a program that closes its own must be seen to have done so
        os.close(0)
        return program
    try:
        os.setsid()
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.close(line)
        if os.getppid() == here:
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)
            # a list from the operator's settings; that there is no shell is the point
            os.execvp(argv[0], argv)  # noqa: S606  # nosec B606
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode())
    os._exit(NOT_STARTED)


def _wait(program: int, line: int, ended: int) -> int | None:
    """Its status; None when the server wants it gone, or is gone itself."""
    while True:
        found, status = os.waitpid(program, os.WNOHANG)
        if found:
            return status
        ready, _, _ = select.select([line, ended], [], [])
        if line in ready:
            return None
        os.read(ended, 4096)


def _end_all() -> None:
    """Whatever is left of it. What a killed one leaves becomes ours, so this ends when there is nobody any more."""
    while True:
        for child in _children():
            os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    here, found = os.getpid(), []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    # behind the name, which may hold anything: state, parent
                    parent = int(file.read().rpartition(b")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            if parent == here:
                found.append(int(name))
    return found


def _code(status: int | None) -> int:
    if status is None:
        return 128 + signal.SIGKILL
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value)


if __name__ == "__main__":
    main()
