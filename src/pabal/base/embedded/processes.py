"""Runs a program to its end, as ourselves or as an unprivileged user, and waits for locks and conditions."""

import fcntl
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pabal.base.errors import Unavailable

LOCK_SECONDS = 600.0
_TICK_SECONDS = 0.05


class NoAccount(Unavailable, code="no_account"):
    """PostgreSQL does not run as root, and no other user could be used for it. Start Pabal as an ordinary user,
    or give PABAL_DATABASE_URL."""


class LockTimeout(Unavailable, code="lock_timeout"):
    """Another process has been making or starting the private PostgreSQL for too long. Look at that process,
    then try again."""


@dataclass(frozen=True)
class Account:
    uid: int
    gid: int


@dataclass(frozen=True)
class Ended:
    code: int
    output: str


def run(
    command: list[str],
    *,
    account: Account | None = None,
    env: Mapping[str, str] | None = None,
    seconds: float = 600,
    keep_open: tuple[int, ...] = (),
) -> Ended:
    """Output goes to a file: a server that inherited a pipe would keep its reader waiting for ever."""
    with tempfile.TemporaryFile() as output:
        try:
            code = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd="/",
                env={**_quiet_environment(), **(env or {})},
                umask=0o077,
                user=account.uid if account else None,
                group=account.gid if account else None,
                extra_groups=[] if account else None,
                start_new_session=True,
                pass_fds=keep_open,
                timeout=seconds,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired as error:
            return Ended(-1, str(error))
        output.seek(0)
        return Ended(code, output.read().decode(errors="replace").strip())


def can_run(command: list[str], account: Account | None) -> bool:
    """Asked of the system itself: mode bits do not tell about access lists, mounts and missing libraries."""
    try:
        return run(command, account=account, seconds=30).code == 0
    except OSError:
        return False


def poll(is_met: Callable[[], bool], *, seconds: float) -> bool:
    ceiling = time.monotonic() + seconds
    while not is_met():
        if time.monotonic() > ceiling:
            return False
        time.sleep(_TICK_SECONDS)
    return True


@contextmanager
def locked(path: Path) -> Iterator[int]:
    """Between processes and threads alike. The kernel frees it when the last holder of the descriptor is gone."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if not poll(lambda: _try_lock(descriptor), seconds=LOCK_SECONDS):
            raise LockTimeout(str(path))
        yield descriptor
    finally:
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _quiet_environment() -> dict[str, str]:
    """PGDATA, PGPORT and the like of whoever started us must not bend a server that is ours."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return {**inherited, "LC_ALL": "C", "HOME": "/"}
