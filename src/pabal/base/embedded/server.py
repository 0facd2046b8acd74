"""Makes, starts and stops the server in a place. Everything here blocks; the caller holds the place's lock."""

import asyncio
import os
import shutil
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import psutil

from pabal.base.embedded.binaries import Binaries, for_account, for_major, for_new
from pabal.base.embedded.place import (
    PORT,
    FolderUnusable,
    Place,
    find_place,
    make_password,
    prepare,
    sync_folder,
    write_private,
)
from pabal.base.embedded.processes import locked, poll, run
from pabal.base.errors import Unavailable
from pabal.base.telemetry import declare, emit

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


Mode = Literal["fast", "immediate"]
USER = DATABASE = "pabal"
START_SECONDS = 300
STOP_SECONDS = 120
_DEFAULTS = {
    "max_connections": "200",
    "shared_buffers": "256MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # One file for each day of the week, each overwritten after seven days: the log cannot fill the disk.
    "logging_collector": "on",
    "log_filename": "postgresql-%a.log",
    "log_rotation_age": "1d",
    "log_rotation_size": "0",
    "log_truncate_on_rotation": "on",
}


class InitFailed(Unavailable, code="init_failed"):
    """The private PostgreSQL could not be made. What initdb said follows; the next start tries anew."""


class StartFailed(Unavailable, code="start_failed"):
    """The private PostgreSQL did not start. The end of its log follows; the data is untouched."""


class StopFailed(Unavailable, code="stop_failed"):
    """The private PostgreSQL did not stop in time. Stop what is connected to it, or stop it with mode immediate,
    which loses nothing committed."""


@dataclass(frozen=True)
class Cluster:
    """A running private PostgreSQL. Its address stays the same when it is restarted."""

    data: Path
    socket_dir: Path
    port: int
    password: str = field(repr=False)
    user: str = USER

    def url(self, database: str = DATABASE) -> str:
        secret, name, host = (quote(part, safe="") for part in (self.password, database, str(self.socket_dir)))
        return f"postgresql://{self.user}:{secret}@/{name}?host={host}&port={self.port}"

    def environment(self, database: str) -> dict[str, str]:
        """The same address for PostgreSQL's own programs; a password on a command line is there for all to read."""
        address = {"PGHOST": str(self.socket_dir), "PGPORT": str(self.port), "PGDATABASE": database}
        return {**address, "PGUSER": self.user, "PGPASSWORD": self.password}


def find_cluster(place: Place) -> Cluster | None:
    postmaster = find_postmaster(place)
    if postmaster is None or not postmaster.is_ready:
        return None
    return Cluster(place.data, postmaster.socket_dir, postmaster.port, place.password())


def bring_up(place: Place, settings: Mapping[str, str], *, lock: int) -> bool:
    """Whether it had to be started."""
    _await_settled(place)
    if find_postmaster(place) is not None:
        return False
    if not place.has_cluster():
        _init(place, has_sync=settings.get("fsync", "on") != "off", lock=lock)
    _start(place, settings)
    return True


def bring_down(place: Place, mode: Mode) -> None:
    write_private(place.stopped_mark, "", None)
    if find_postmaster(place) is not None:
        pg_ctl = for_account(_binaries(place), place.account).program("pg_ctl")
        stop = [pg_ctl, "stop", "-D", str(place.data), "-m", mode, "-w", "-t", str(STOP_SECONDS), "-s"]
        ended = run(stop, account=place.account)
        if find_postmaster(place) is not None:
            raise StopFailed(ended.output)
    clear_remains(place)


def create_database(place: Place, cluster: Cluster) -> None:
    binaries = _binaries(place)
    env = cluster.environment("postgres")
    listed = run([binaries.program("psql"), "-X", "-w", "-q", "-A", "-t", "-l"], env=env)
    if listed.code != 0:
        raise StartFailed(listed.output)
    if DATABASE in (line.split("|")[0] for line in listed.output.splitlines()):
        return
    created = run([binaries.program("createdb"), "-w", DATABASE], env=env)
    if created.code != 0:
        raise StartFailed(created.output)


def _binaries(place: Place) -> Binaries:
    return for_major(int((place.data / "PG_VERSION").read_text()))


def _await_settled(place: Place) -> None:
    """A server may be starting or stopping at somebody else's wish; either ends by itself."""

    def is_settled() -> bool:
        postmaster = find_postmaster(place)
        return postmaster is None or postmaster.is_ready

    if not poll(is_settled, seconds=START_SECONDS):
        raise StartFailed(f"it has been starting or stopping for {START_SECONDS} s\n{_log_end(place)}")


def _init(place: Place, *, has_sync: bool, lock: int) -> None:
    """Under another name until it is whole. initdb holds our lock too, so nobody comes between if we are killed."""
    if place.data.exists() and any(place.data.iterdir()):
        raise FolderUnusable(f"{place.data} holds something that is no PostgreSQL cluster; move it away")
    make_password(place)
    shutil.rmtree(place.unfinished, ignore_errors=True)
    place.unfinished.mkdir(mode=0o700)
    if place.account:
        os.chown(place.unfinished, place.account.uid, place.account.gid)
    binaries = for_account(for_new(), place.account)
    command = [binaries.program("initdb"), "-D", str(place.unfinished), "-U", USER, f"--pwfile={place.password_file}"]
    command += ["--auth=scram-sha-256", "--locale=C.UTF-8", "--encoding=UTF8", "--no-instructions"]
    ended = run(command if has_sync else [*command, "--no-sync"], account=place.account, keep_open=(lock,))
    if ended.code != 0:
        raise InitFailed(ended.output)
    with (place.unfinished / "postgresql.conf").open("a") as file:
        file.write(f"\ninclude '../{place.settings_file.name}'\n")
        file.flush()
        os.fsync(file.fileno())
    place.unfinished.rename(place.data)
    sync_folder(place.home)


def _start(place: Place, settings: Mapping[str, str]) -> None:
    clear_remains(place)
    _write_settings(place, settings)
    write_private(place.start_log, "", place.account)
    pg_ctl = for_account(_binaries(place), place.account).program("pg_ctl")
    start = [pg_ctl, "start", "-D", str(place.data), "-l", str(place.start_log), "-w", "-t", str(START_SECONDS), "-s"]
    ended = run(start, account=place.account, seconds=START_SECONDS + 30)
    if ended.code != 0:
        # A server whose starter was killed a moment ago may have been quicker than ours.
        _await_settled(place)
        if find_postmaster(place) is None:
            raise StartFailed(f"{ended.output}\n{_log_end(place)}")


def _write_settings(place: Place, settings: Mapping[str, str]) -> None:
    ours = {
        "listen_addresses": "",
        "port": str(PORT),
        "unix_socket_directories": str(place.socket_dir),
        "cluster_name": place.name,
        "password_encryption": "scram-sha-256",
    }
    lines = [f"{name} = '{_escaped(value)}'\n" for name, value in {**_DEFAULTS, **settings, **ours}.items()]
    write_private(place.settings_file, "".join(lines), place.account)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n")


def _log_end(place: Place, lines: int = 12) -> str:
    logs = [place.start_log, *sorted(place.data.glob("log/*.log"), key=lambda log: log.stat().st_mtime)[-1:]]
    texts = [log.read_text(errors="replace") for log in logs if log.exists()]
    return "\n".join("\n".join(texts).splitlines()[-lines:])


declare("embedded.restarted", "The private PostgreSQL had died and was started again.")


async def ensure(folder: Path, *, settings: Mapping[str, str] | None = None) -> Cluster:
    """Made if there is none, started if it does not run. Any number of processes may ask at once and get the same one.

    Settings count for the start that happens here; a server that runs already keeps its own.
    """
    return await asyncio.to_thread(_ensure, folder, settings or {})


async def stop(folder: Path, *, mode: Mode = "fast") -> None:
    """Both modes keep everything committed; `immediate` does not say goodbye and recovers at the next start."""
    await asyncio.to_thread(_stop, folder, mode)


def find_running(folder: Path) -> Cluster | None:
    place = find_place(folder)
    return find_cluster(place) if place.has_cluster() else None


async def remove(folder: Path) -> None:
    """Stops it and deletes it with all its data, wherever that lies. Nobody else may be using it."""
    await asyncio.to_thread(_remove, folder)


class Keeper:
    """Starts a server again that has died. One that was stopped stays stopped until the next `ensure`."""

    def __init__(self, folder: Path, *, settings: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._settings = settings or {}

    async def run_once(self) -> int:
        if find_running(self._folder) is not None:
            return 0
        was_started = await asyncio.to_thread(_mend, self._folder, self._settings)
        if was_started:
            emit("embedded.restarted", folder=str(self._folder))
        return int(was_started)


def _ensure(folder: Path, settings: Mapping[str, str]) -> Cluster:
    place = find_place(folder)
    prepare(place)
    with locked(place.lock_file) as lock:
        place.stopped_mark.unlink(missing_ok=True)
        bring_up(place, settings, lock=lock)
        cluster = find_cluster(place)
        if cluster is None:
            raise StartFailed(f"it ended as soon as it had started; see {place.data / 'log'}")
        create_database(place, cluster)
    return cluster


def _mend(folder: Path, settings: Mapping[str, str]) -> bool:
    place = find_place(folder)
    if not place.has_cluster():
        return False
    prepare(place)
    with locked(place.lock_file) as lock:
        return not place.stopped_mark.exists() and bring_up(place, settings, lock=lock)


def _stop(folder: Path, mode: Mode) -> None:
    place = find_place(folder)
    if not place.has_cluster():
        return
    with locked(place.lock_file):
        bring_down(place, mode)


def _remove(folder: Path) -> None:
    _stop(folder, "immediate")
    place = find_place(folder)
    if place.home.exists():
        shutil.rmtree(place.home)
    if place.socket_dir.exists():
        shutil.rmtree(place.socket_dir)
