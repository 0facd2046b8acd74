"""The checks of `pabal doctor`: each answers how it stands; what to do about it is in the catalogue of words."""

import asyncio
import os
import shutil
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pabal.platform
from pabal.base import clock
from pabal.base.database import Database, DatabaseError, PoolerNotAllowed
from pabal.base.errors import PabalError
from pabal.base.migrations import Comparison, compare
from pabal.base.pages import open_pages
from pabal.base.settings import Settings, trusts_everybody
from pabal.base.sql import load
from pabal.cli.output import show_moment
from pabal.cli.shell import Shell, administrator
from pabal.demo import SLICE as DEMO
from pabal.engine.wakeups import Wakeups
from pabal.platform import backup, notifications, settings
from pabal.platform.language.pairs import Pair, put
from pabal.platform.secrets import find_vault, key_file
from pabal.platform.slice import Slice, list_migrations

SQL = load(__file__)
OLDEST_PYTHON = (3, 11)
VERSIONS = range(15, 19)
SKEW_SECONDS = 2.0
OLD_SNAPSHOT_SECONDS = 300.0
DEAD_ROWS = 100_000
FULL_QUEUE = 0.5
CORE = ("base", "engine", "platform")
LEAST_ROOM = 2 * 1024**3
# A day, and some time for the backup itself.
FRESH = timedelta(hours=26)
ANSWER_SECONDS = 5.0


@dataclass(frozen=True)
class Check:
    """`state`: ok, warn (it works, but badly or not for long) or fail."""

    name: str
    state: str
    detail: str
    # an app's own words; of ours they are in the catalogue
    mend: Pair | None = None


async def run_checks(shell: Shell) -> AsyncIterator[Check]:
    """Those that need no database first, so that a broken one hides nothing."""
    for look in (_python, _folder, _disk, _port, _proxies, _secret, _files, _assets):
        yield look(shell.settings)
    slices, check = _apps(shell)
    yield check
    for look_outside in (one.doctor for one in slices if one.doctor is not None):
        for found in await look_outside():
            yield Check(*found)
    try:
        database = await Database.open(await shell.database_url(), size=2)
    except PoolerNotAllowed as error:
        yield Check("pooler", "fail", f"{error.code}: {error.detail}")
        return
    except (PabalError, DatabaseError, OSError, ValueError) as error:
        yield Check("database", "fail", f"{type(error).__name__}: {error}")
        return
    try:
        async for check in _database_checks(shell, database, slices):
            yield check
    finally:
        await database.close()


async def _database_checks(shell: Shell, database: Database, slices: tuple[Slice, ...]) -> AsyncIterator[Check]:
    yield Check("database", "ok", "private" if shell.settings.database_url is None else "given")
    yield await _version(database)
    # Every server has the demo's tables, though its app is seldom loaded.
    found = await compare(database, list_migrations((*slices, DEMO)))
    for check in _migrations(found):
        yield check
    if found.newer or any(one.owner in CORE for one in found.missing):
        return
    if shell.settings.pages_url is not None:
        yield await _pages(shell.settings, database)
    looks: tuple[Callable[[Database], Awaitable[Check]], ...] = (_skew, _hearing, _snapshot, _dead, _notices, _defaults)
    for look in looks:
        yield await look(database)
    async for check in _platform_checks(shell, database):
        yield check
    if not found.missing:
        yield await _routes(shell, database, slices)


def _python(_settings: Settings) -> Check:
    version = ".".join(map(str, sys.version_info[:3]))
    return Check("python", "ok" if sys.version_info[:2] >= OLDEST_PYTHON else "fail", version)


def _folder(settings: Settings) -> Check:
    folder = settings.data_dir.absolute()
    owner = _existing(folder)
    if folder.exists() and not folder.is_dir():
        return Check("folder", "fail", f"{folder} is not a folder")
    if not os.access(owner, os.W_OK | os.X_OK):
        return Check("folder", "fail", f"{owner} belongs to user {owner.stat().st_uid}; this is user {os.geteuid()}")
    if folder.exists() and folder.stat().st_mode & 0o002:
        return Check("folder", "warn", f"{folder} may be written by everybody")
    return Check("folder", "ok", str(folder))


def _disk(settings: Settings) -> Check:
    free = shutil.disk_usage(_existing(settings.data_dir.absolute())).free
    return Check("disk", "ok" if free >= LEAST_ROOM else "fail", f"{free / 1024**3:.1f} GiB")


def _port(settings: Settings) -> Check:
    """Taken is no failure: the next free one is used, and perhaps it is our own server."""
    with socket.socket(socket.AF_INET6 if ":" in settings.host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
            probe.listen()
        except OSError as error:
            return Check("port", "warn", f"{settings.host}:{settings.port} {error.strerror or error}")
    return Check("port", "ok", f"{settings.host}:{settings.port}")


def _proxies(settings: Settings) -> Check:
    is_anybody = trusts_everybody(settings.trusted_proxies)
    return Check("proxies", "warn" if is_anybody else "ok", settings.trusted_proxies)


def _secret(settings: Settings) -> Check:
    """Production refuses to start without one, so that only what is given can be wrong."""
    file = key_file(settings)
    try:
        if settings.secret_key is None and not file.exists():
            return Check("secret", "ok", f"made at the first start: {file}")
        find_vault(settings)
    except (PabalError, OSError, ValueError) as error:
        return Check("secret", "fail", str(error))
    if settings.secret_key is None and file.stat().st_mode & 0o077:
        return Check("secret", "warn", f"others may read {file}")
    return Check("secret", "ok", "PABAL_SECRET_KEY" if settings.secret_key else str(file))


def _files(settings: Settings) -> Check:
    folder = (settings.data_dir / "files").absolute()
    nearest = _existing(folder)
    is_usable = nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)
    return Check("files", "ok" if is_usable else "fail", str(folder))


def _assets(_settings: Settings) -> Check:
    is_built = (Path(pabal.platform.__file__).parent / "web" / "static" / "vendor" / "BUILT").exists()
    return Check("assets", "ok" if is_built else "warn", "")


def _apps(shell: Shell) -> tuple[tuple[Slice, ...], Check]:
    try:
        slices = shell.loaded
    except PabalError as error:
        return (), Check("apps", "fail", str(error))
    return slices, Check("apps", "ok", ", ".join(one.name for one in slices))


async def _version(database: Database) -> Check:
    connection = await database.connect()
    try:
        number = await connection.fetchval(SQL.read_version.text)
    finally:
        await connection.close()
    return Check("version", "ok" if number // 10000 in VERSIONS else "fail", f"{number // 10000}.{number % 10000}")


def _migrations(found: Comparison) -> Iterator[Check]:
    """`pabal db migrate` leaves the demo's out."""
    pending = [str(one) for one in (*found.amended, *found.missing) if one.owner != DEMO.name]
    yield Check("migrations", "fail" if pending else "ok", ", ".join(pending))
    if found.newer:
        yield Check("newer", "fail", f"database_newer: {', '.join(found.newer)}")
    if found.changed:
        yield Check("changed", "fail", f"migration_changed: {', '.join(map(str, found.changed))}")
    if found.unloaded:
        yield Check("unloaded", "warn", ", ".join(found.unloaded))


async def _pages(settings: Settings, database: Database) -> Check:
    try:
        pages = await open_pages(database, settings.pages_url, size=1)
    except (PabalError, DatabaseError, OSError, ValueError) as error:
        return Check("pages", "fail", f"{type(error).__name__}: {error}")
    await pages.close()
    return Check("pages", "ok", "")


async def _skew(database: Database) -> Check:
    async with database.transaction() as tx:
        before = clock.host_time()
        theirs = await tx.value(SQL.read_real_time)
        after = clock.host_time()
    apart = max(before - theirs, theirs - after, 0.0)
    return Check("clock", "ok" if apart < SKEW_SECONDS else "warn", f"{apart:.2f} s")


async def _hearing(database: Database) -> Check:
    wakeups = Wakeups(database)
    try:
        await wakeups.listen_once()
    finally:
        await wakeups.close()
    return Check("listen", "warn" if wakeups.is_deaf else "ok", "")


async def _snapshot(database: Database) -> Check:
    async with database.transaction() as tx:
        [row] = await tx.rows(SQL.read_oldest_snapshot)
    detail = f"{row['seconds']:.0f} s" + (f", pid {row['pid']}" if row["pid"] else "")
    return Check("snapshot", "warn" if row["seconds"] > OLD_SNAPSHOT_SECONDS else "ok", detail)


async def _dead(database: Database) -> Check:
    async with database.transaction() as tx:
        rows = await tx.rows(SQL.read_dead_rows)
    detail = ", ".join(f"{row['name']}: {row['dead']:,.0f}" for row in rows)
    is_much = any(row["dead"] > DEAD_ROWS and row["dead"] > row["live"] for row in rows)
    return Check("dead_rows", "warn" if is_much else "ok", detail)


async def _notices(database: Database) -> Check:
    async with database.transaction() as tx:
        usage = await tx.value(SQL.read_notification_queue)
    return Check("notifications", "warn" if usage > FULL_QUEUE else "ok", f"{usage:.0%}")


async def _defaults(database: Database) -> Check:
    async with database.transaction() as tx:
        filled = [row["name"] for row in await tx.rows(SQL.list_filled_defaults)]
    return Check("partitions", "warn" if filled else "ok", ", ".join(filled))


async def _platform_checks(shell: Shell, database: Database) -> AsyncIterator[Check]:
    yield await _backups(database)
    yield await _settings(shell, database)
    check = await _telegram(shell, database)
    if check is not None:
        yield check


async def _backups(database: Database) -> Check:
    async with database.transaction() as tx:
        newest, now = await backup.find_newest_good(tx), tx.now
    if newest is None or newest.ended_at is None:
        return Check("backups", "warn", "")
    return Check("backups", "ok" if now - newest.ended_at <= FRESH else "warn", show_moment(newest.ended_at))


async def _settings(shell: Shell, database: Database) -> Check:
    try:
        catalogue = shell.catalogue
    except PabalError as error:
        return Check("settings", "fail", str(error))
    async with database.transaction() as tx:
        unknown = await settings.list_unknown(tx, catalogue)
    return Check("settings", "warn" if unknown else "ok", ", ".join(unknown))


async def _routes(shell: Shell, database: Database, slices: tuple[Slice, ...]) -> Check:
    """Connections that are there and cannot be used, as their apps tell it."""
    looks = [control.absences for one in slices for control in one.kind_controls if control.absences is not None]
    async with database.transaction() as tx:
        absent = [f"{route}: {put(shell.lang, said)}" for look in looks for route, said in (await look(tx)).items()]
    return Check("routes", "warn" if absent else "ok", "; ".join(absent))


async def _telegram(shell: Shell, database: Database) -> Check | None:
    """None: nobody wants it."""
    async with database.transaction() as tx:
        if not await notifications.list_channels(tx, administrator()):
            return None
    url = urlsplit(shell.settings.telegram_url)
    port = url.port or (443 if url.scheme == "https" else 80)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            _, writer = await asyncio.open_connection(url.hostname, port)
    except OSError as error:
        return Check("telegram", "warn", f"{url.netloc}: {error}")
    writer.close()
    return Check("telegram", "ok", url.netloc)


def _existing(path: Path) -> Path:
    return path if path.exists() else _existing(path.parent)
