"""Whether bubblewrap works here, found by running it, and the command line that keeps a script in its own folder."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pabal.apps.rules.outside.supervised import find_plain_python
from pabal.apps.rules.scripts.model import Allows, Containment, Environment, Isolation
from pabal.platform.language.pairs import Pair

PROBE_SECONDS = 10.0
# What the script sees, whatever its folders are called outside.
CODE, WORK, ARTIFACTS, PACKAGE = "/rule", "/scratch", "/artifacts", "/pabal"

_FULL: Pair = (
    "Scripts reach no network and no files besides their own, unless the server allows it.",
    "스크립트는 서버에서 허용하지 않는 한 네트워크와 다른 파일에 접근할 수 없습니다.",
)
_MISSING: Pair = (
    "Scripts are not isolated: bubblewrap (bwrap) is not installed. They can read and change whatever the server can.",
    "스크립트가 격리되지 않습니다: bubblewrap(bwrap)이 설치되어 있지 않습니다. "
    "서버가 접근할 수 있는 것은 스크립트도 모두 읽고 바꿀 수 있습니다.",
)
_REFUSED: Pair = (
    "Scripts are not isolated: bubblewrap is installed but this system refuses it ({fact}). "
    "They can read and change whatever the server can.",
    "스크립트가 격리되지 않습니다: bubblewrap이 설치되어 있지만 이 시스템이 실행을 거부합니다({fact}). "
    "서버가 접근할 수 있는 것은 스크립트도 모두 읽고 바꿀 수 있습니다.",
)
# In the order in which they are laid over each other. What is a link outside (/lib on a merged /usr) is one inside.
_SYSTEM = ("/usr", "/bin", "/lib", "/lib32", "/lib64")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives")
_NETWORK_FILES = (
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
    "/etc/services",
    "/etc/gai.conf",
    "/etc/ssl",
    "/etc/pki",
    "/etc/ca-certificates",
)


@dataclass(frozen=True)
class Folders:
    """Of one run, as they are called outside."""

    code: Path
    work: Path
    temporary: Path
    memory: Path
    artifacts: Path
    package: Path


@cache
def probe_isolation() -> Isolation:
    return probe(shutil.which("bwrap"))


def probe(program: str | None) -> Isolation:
    """Being installed proves nothing: some containers refuse what it does. So it starts this Python once."""
    if program is None:
        return Isolation(Containment.NONE, _MISSING)
    plain = Environment(python=find_plain_python(), folder=None)
    command = [*_enclose(program, plain, Allows()), "--", str(plain.python), "-I", "-S", "-c", "print('inside')"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PROBE_SECONDS, check=False, env={}, text=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        return _refused(str(error))
    if done.returncode != 0 or done.stdout.strip() != "inside":
        told = done.stderr.strip().splitlines()
        return _refused(told[-1] if told else f"exit code {done.returncode}")
    return Isolation(Containment.FULL, _FULL, program)


def _refused(fact: str) -> Isolation:
    english, korean = _REFUSED
    return Isolation(Containment.NONE, (english.format(fact=fact), korean.format(fact=fact)))


def enclose(isolation: Isolation, environment: Environment, folders: Folders, allows: Allows) -> list[str]:
    """The command line before the script's own."""
    if isolation.program is None:
        raise ValueError("there is nothing to enclose a script with")
    return [
        *_enclose(isolation.program, environment, allows, temporary=folders.temporary),
        *("--ro-bind", str(folders.code), CODE),
        *("--ro-bind", str(folders.package), f"{PACKAGE}/{folders.package.name}"),
        *("--bind", str(folders.artifacts), ARTIFACTS),
        *("--bind", str(folders.work), WORK),
        *("--bind", str(folders.memory), "/dev/shm"),  # noqa: S108 -- inside, and not in memory, where nobody counts it
        *("--remount-ro", "/dev"),
        *("--remount-ro", "/"),
        *("--chdir", WORK),
        "--",
    ]


def _enclose(program: str, environment: Environment, allows: Allows, *, temporary: Path | None = None) -> list[str]:
    return [
        *(program, "--unshare-all", "--unshare-user", "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL", "--uid", "1000", "--gid", "1000", "--hostname", "rule"),
        *(["--share-net"] if allows.network else []),
        *_system(),
        *("--proc", "/proc", "--dev", "/dev"),
        # before what may lie below it; of this run alone
        *(("--bind", str(temporary), "/tmp") if temporary else ()),  # noqa: S108 -- inside
        *(word for path in _SYSTEM_FILES for word in ("--ro-bind-try", path, path)),
        *(word for path in (_NETWORK_FILES if allows.network else ()) for word in ("--ro-bind-try", path, path)),
        *(word for path in _interpreter(environment) for word in ("--ro-bind", path, path)),
        *(word for path in allows.files for word in ("--ro-bind-try", path, path)),
        *(word for path in allows.write for word in ("--bind-try", path, path)),
    ]


@cache
def _system() -> tuple[str, ...]:
    words: list[str] = []
    for path in filter(os.path.lexists, _SYSTEM):
        words += ("--symlink", os.readlink(path), path) if os.path.islink(path) else ("--ro-bind", path, path)
    return tuple(words)


def _interpreter(environment: Environment) -> list[str]:
    """Its own folder, and that of the Python below it; most are below /usr already."""
    base = Path(sys.base_prefix).resolve() if environment.folder is None else _base_of(environment.folder)
    wanted = [str(path) for path in (base, environment.folder) if path is not None]
    return [path for path in wanted if not path.startswith("/usr/") and path != "/usr"]


def _base_of(folder: Path) -> Path:
    """Where a virtual environment's links to its interpreter end."""
    return (folder / "bin/python").resolve().parents[1]
