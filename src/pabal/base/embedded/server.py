"""Makes, starts and stops the server in a place. Everything here blocks; the caller holds the place's lock."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from pabal.base.embedded.binaries import Binaries, for_account, for_major, for_new
from pabal.base.embedded.place import PORT, FolderUnusable, Place, make_password, sync_folder, write_private
from pabal.base.embedded.postmaster import clear_remains, find_postmaster
from pabal.base.embedded.processes import poll, run
from pabal.base.errors import Unavailable

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


class InitFailed(Unavailable):
    """The private PostgreSQL could not be made. What initdb said follows; the next start tries anew."""


class StartFailed(Unavailable):
    """The private PostgreSQL did not start. The end of its log follows; the data is untouched."""


class StopFailed(Unavailable):
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
