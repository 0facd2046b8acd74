"""The clock of the recovery job: every ten minutes, as the setting says now."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

from pabal.apps.rendering import settings as own
from pabal.base.database import Database
from pabal.platform import settings


class RecoveryClock:
    def __init__(self, recover: Callable[[], Awaitable[int]], database: Database) -> None:
        self._recover, self._database = recover, database
        self._every = timedelta(minutes=10)

    async def run_once(self) -> int:
        async with self._database.transaction() as tx:
            self._every = await settings.value(tx, own.RECOVERY_EVERY)
        return await self._recover()

    def seconds(self) -> float:
        return self._every.total_seconds()
