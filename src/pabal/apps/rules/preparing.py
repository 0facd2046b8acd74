"""Between runs: packages of scripts are prepared, and what runs of killed servers left is removed."""

from pabal.apps.rules.running import RepositoryScripts
from pabal.apps.rules.store import rules, runs
from pabal.base.database import Database


class Preparing:
    """On each server, for its own disk. A script that is new or changed has its packages with the next look."""

    def __init__(self, database: Database, scripts: RepositoryScripts) -> None:
        self._database, self._scripts = database, scripts

    async def run_once(self) -> int:
        async with self._database.transaction() as tx:
            named, running = await rules.list_scripts(tx), await runs.list_open_ids(tx)
        await self._scripts.prepare(named)
        await self._scripts.tidy(running)
        return 0
