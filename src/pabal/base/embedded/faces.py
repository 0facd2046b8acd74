"""The async faces of the private PostgreSQL. The work runs in a thread, and ends well even if nobody waits any more."""

import asyncio
import shutil
from collections.abc import Mapping
from pathlib import Path

from pabal.base.embedded.place import find_place, prepare
from pabal.base.embedded.processes import locked
from pabal.base.embedded.server import Cluster, Mode, StartFailed, bring_down, bring_up, create_database, find_cluster
from pabal.base.telemetry import declare, emit

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
