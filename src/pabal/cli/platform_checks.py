"""The checks of `pabal doctor` on what the platform keeps: backups, settings, channels."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from urllib.parse import urlsplit

from pabal.base.database import Database
from pabal.base.errors import PabalError
from pabal.cli.check import Check
from pabal.cli.config import catalogue_of
from pabal.cli.output import show_moment
from pabal.cli.shell import Shell, administrator
from pabal.platform import backup, notifications, settings

# A day, and some time for the backup itself.
FRESH = timedelta(hours=26)
ANSWER_SECONDS = 5.0


async def platform_checks(shell: Shell, database: Database) -> AsyncIterator[Check]:
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
        catalogue = catalogue_of(shell)
    except PabalError as error:
        return Check("settings", "fail", str(error))
    async with database.transaction() as tx:
        unknown = await settings.list_unknown(tx, catalogue)
    return Check("settings", "warn" if unknown else "ok", ", ".join(unknown))


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
